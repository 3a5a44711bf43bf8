"""Planes that share nothing but the nodes."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks._tiers import plane_of
from fabric.checks._wiring import named_plane, named_rail


@check("planes-disjoint")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link between two planes, and per node port that is not in the plane it says."""
    for each in ctx.switch_links:
        link, low, high = each.link, each.low, each.high
        if plane_of(low) != plane_of(high):
            message = f"{low.name} is of plane {low.plane}, {high.name} of plane {high.plane}"
            yield error(link.name, message, measured=low.plane, limit=high.plane)
        elif link.plane not in (None, low.plane or 0):
            message = f"is of plane {link.plane} and joins switches of plane {low.plane or 0}"
            yield error(link.name, message, measured=link.plane, limit=low.plane or 0)
    seen: dict[tuple[str, int, int], str] = {}
    for access in ctx.accesses:
        actual, where = access.leaf.plane or 0, f"{access.device.name}:{access.port.port}"
        told = {access.link.plane, named_plane(access)} - {None, actual}
        rail = access.link.rail if named_rail(access) is None else named_rail(access)
        if told:
            message = f"is of plane {told.pop()} and ends at {access.leaf.name} of plane {actual}"
            yield error(where, message, measured=access.link.plane, limit=actual)
        elif rail is not None:
            other = seen.setdefault((access.device.name, rail, actual), where)
            if other != where:
                yield error(
                    where, f"is a second link of rail {rail} in plane {actual}, beside {other}", measured=2, limit=1
                )
