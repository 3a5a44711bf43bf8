"""Fibres of one pluggable that are all straight, or all split."""

from __future__ import annotations

from fabric.checks._cages import place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("twin-kind", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per pluggable whose fibres differ in the number of their far ends."""
    for cage in ctx.modules:
        legs = {
            len(part.tails): cable.part
            for cable in ctx.cables_in.get(cage, ())
            if (part := ctx.catalog.cables.get(cable.part)) is not None and ctx.is_fibre(cable)
        }
        if len(legs) > 1:
            message = (
                f"its pluggable has fibres of {' and '.join(map(str, sorted(legs)))} far ends; both ports are one kind"
            )
            yield error(place(cage), message, measured=len(legs), limit=1, unit="kinds")
