"""Plugs that fit the hole: form factor, and finned or flat top."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.checks._cages import CageKind, place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error
from fabric.checks._seats import cable_end
from fabric.model.request import FIBRE


@check("form-factor", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per cable end and pluggable in a cage of another form factor or for another top."""
    for sitting, seats in ctx.sittings.items():
        part = ctx.catalog.cables[sitting.part]
        if part.medium not in FIBRE:
            end = cable_end(part, sitting.end)
            places = [(seat.cable.name, place(seat.cage)) for seat in seats]
            yield from _judge_plug(sitting.part, (end.form_factor, end.top), sitting.kind, places)
    for (key, kind), cages in ctx.module_kinds.items():
        module = ctx.catalog.transceivers[key]
        if not kind.co_packaged:
            places = [(place(cage), place(cage)) for cage in cages]
            yield from _judge_plug(key, (module.form_factor, module.top), kind, places)


def _judge_plug(
    part: str, plug: tuple[str | None, str | None], kind: CageKind, places: list[tuple[str, str]]
) -> Iterator[Remark | Gap]:
    """Remarks on one kind of plug in one kind of cage; `places` are the objects to name and their cages."""
    form_factor, top = plug
    if form_factor is not None and form_factor != kind.form_factor:
        for where, cage in places:
            message = f"{part} is {form_factor}, the cage {cage} of {kind.part} is {kind.form_factor}"
            yield error(where, message, measured=form_factor, limit=kind.form_factor)
    elif top is not None and kind.top is None:
        yield Gap(f"whether the cages of {kind.part} take finned or flat tops is not known")
    elif top is not None and top != kind.top:
        for where, cage in places:
            message = f"{part} has a {top} top, the cage {cage} of {kind.part} takes {kind.top} ones"
            yield error(where, message, measured=top, limit=kind.top)
