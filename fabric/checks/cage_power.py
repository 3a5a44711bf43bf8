"""Power of plugs against what the cage supplies."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.checks._cages import CageKind, place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error
from fabric.checks._seats import cable_end
from fabric.model.request import FIBRE


@check("cage-power", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per pluggable and cable end that draws more than its cage supplies.

    A figure that nobody published puts the pair of parts under not checked, once.
    """
    for sitting, seats in ctx.sittings.items():
        part = ctx.catalog.cables[sitting.part]
        if part.medium not in FIBRE and part.medium != "dac":
            power_w = cable_end(part, sitting.end).power_w
            yield from _compare(sitting.part, power_w, sitting.kind, [seat.cable.name for seat in seats])
    for (key, kind), cages in ctx.module_kinds.items():
        yield from _compare(key, ctx.catalog.transceivers[key].figure("max_w"), kind, [place(cage) for cage in cages])


def _compare(part: str, power_w: float | None, kind: CageKind, objects: list[str]) -> Iterator[Remark | Gap]:
    if kind.max_power_w is None:
        yield Gap(f"the power that a cage of {kind.part} supplies is not known")
    elif power_w is None:
        yield Gap(f"the power of {part} is not known")
    elif power_w > kind.max_power_w:
        for where in objects:
            message = f"{part} draws up to {power_w:g} W, the cage of {kind.part} supplies {kind.max_power_w:g} W"
            yield error(where, message, measured=power_w, limit=kind.max_power_w, unit="W")
