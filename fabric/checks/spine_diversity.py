"""Spines that do not go down together."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, warning


@check("spine-diversity", "floor_plan", "placement")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one warning per tree whose spines all stand in one rack; else power feeds are what nobody knows."""
    spines = ctx.topology.with_role("spine") if ctx.is_tree else ()
    is_apart = len(spines) > 1
    for fabric in sorted({spine.fabric for spine in spines}):
        names = [spine.name for spine in spines if spine.fabric == fabric]
        racks = {ctx.placement.of[name].rack for name in names if name in ctx.placement.of}
        if len(names) > 1 and len(racks) == 1:
            message = f"all {len(names)} spines of {fabric} stand here; placement.spine: spread keeps them apart"
            is_apart = False
            yield warning(racks.pop(), message, measured=1, limit=2, unit="racks")
    if is_apart:
        yield Gap("the floor plan does not say which racks hang on one power feed")
