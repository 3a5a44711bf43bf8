"""One occupant to a cage, and no more links than it has ports."""

from __future__ import annotations

from fabric.checks._cages import place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("cage-conservation")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per cage with more links than ports, and per cage that more than one thing is plugged into."""
    for cage, links in ctx.cages.items():
        kind = ctx.kinds.get(cage)
        if kind is not None and len(links) > kind.ports:
            message = f"carries {len(links)} links at {kind.rate_gbps}G, its cage has {kind.ports} such ports"
            yield error(place(cage), message, measured=len(links), limit=kind.ports, unit="links")
    if ctx.design.cabling is None:
        return
    for cage, cables in ctx.cables_in.items():
        plugs = [cable.name for cable in cables if not ctx.is_fibre(cable)]
        if len(plugs) > 1 or (plugs and len(plugs) < len(cables)):
            names = ", ".join(cable.name for cable in cables[:4])
            message = f"cannot hold {names}: a cage takes one cable end, or one pluggable with fibres"
            yield error(place(cage), message, measured=len(cables), limit=1, unit="cable ends")
    for cage, modules in ctx.pluggables.items():
        if len(modules) > 1:
            message = f"holds {len(modules)} pluggables"
            yield error(place(cage), message, measured=len(modules), limit=1, unit="pluggables")
