"""A leaf's uplinks in equal trunks over all spines of its plane, or of its group where a plane has groups."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("equal-spread")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per leaf whose trunks differ, unless the request allows uneven trunks."""
    if ctx.design.request is not None and ctx.design.request.fabric.uneven_trunks:
        return
    for plane in ctx.blocks:
        if not plane.spines:
            continue
        least, most = plane.trunks.min(axis=1), plane.trunks.max(axis=1)
        for row in (least != most).nonzero()[0]:
            thin, thick = (
                plane.spines[int(column)].name for column in (plane.trunks[row].argmin(), plane.trunks[row].argmax())
            )
            yield error(
                plane.leaves[int(row)].name,
                f"has {most[row]} links to {thick} and {least[row]} to {thin}; its uplinks spread equally over spines",
                measured=int(least[row]),
                limit=int(most[row]),
                unit="links",
            )
