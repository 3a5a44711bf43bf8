"""Fibres whose connectors, polish and glass meet the pluggables."""

from __future__ import annotations

from fabric.checks._cages import place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error
from fabric.checks._seats import cable_end
from fabric.checks._seats import connector as connector_of
from fabric.model.request import FIBRE


@check("connector", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per fibre end that does not mate with its cage, or is of the other kind of glass."""
    for sitting, seats in ctx.sittings.items():
        fibre, module = ctx.catalog.cables[sitting.part], ctx.catalog.transceivers.get(sitting.module or "")
        offered = connector_of(sitting, ctx.catalog)
        if fibre.medium not in FIBRE or (module is None and not sitting.kind.co_packaged):
            continue
        if offered is None:
            yield Gap(f"the fibre connector of {sitting.kind.part} is not known")
            continue
        has = cable_end(fibre, sitting.end).connector
        for seat in seats:
            if has != offered:
                message = f"ends in {has} at {place(seat.cage)}, which has {offered}"
                yield error(seat.cable.name, message, measured=has, limit=offered, source=fibre.sources[0])
            elif module is not None and module.medium != fibre.medium:
                message = f"is {fibre.medium} fibre, {sitting.module} in {place(seat.cage)} is for {module.medium}"
                yield error(
                    seat.cable.name, message, measured=fibre.medium, limit=module.medium, source=module.sources[0]
                )
