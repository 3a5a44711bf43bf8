"""Parts made for switches or for nodes, at the end that they are made for."""

from __future__ import annotations

from fabric.checks._cages import place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("part-side", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per pluggable at the wrong end of a link, and per cable between the wrong kinds of devices."""
    for (key, kind), cages in ctx.module_kinds.items():
        module = ctx.catalog.transceivers[key]
        if kind.side not in module.fits:
            for cage in cages:
                message = f"{key} is for cages of a {' or '.join(module.fits)}, {kind.part} is a {kind.side}"
                source = module.sources[0]
                yield error(place(cage), message, measured=kind.side, limit=", ".join(module.fits), source=source)
    for name, seats in ctx.seats.items():
        part = ctx.catalog.cables[ctx.cable[name].part]
        sides = {ctx.kinds[seat.cage].side for seat in seats if seat.cage in ctx.kinds}
        between = "switch-switch" if sides == {"switch"} else "switch-node"
        if sides and between not in part.between:
            message = f"{ctx.cable[name].part} is for {' or '.join(part.between)} links, this one is {between}"
            yield error(name, message, measured=between, limit=", ".join(part.between), source=part.sources[0])
