"""Down over up of every leaf of a tree, and of every spine below cores."""

from __future__ import annotations

from collections import defaultdict

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks._tiers import plane_of

ROUNDING = 1e-9
"""Tolerance of a ratio of whole rates."""


@check("oversubscription", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per leaf or lower spine with more rate down than `oversubscription` times its rate up.

    Down ports that wait for their nodes count, unless the last unit may stay incomplete. Other families answer for
    their throughput instead (`uniform-throughput`).
    """
    if not ctx.is_tree:
        return
    limit = ctx.request.fabric.oversubscription
    down_gbps: defaultdict[str, int] = defaultdict(int)
    up_gbps: defaultdict[str, int] = defaultdict(int)
    for access in ctx.accesses:
        down_gbps[access.leaf.name] += access.link.rate_gbps
    for each in ctx.switch_links:
        up_gbps[each.low.name] += each.link.rate_gbps
        down_gbps[each.high.name] += each.link.rate_gbps
    planned_gbps = _planned_gbps(ctx)
    cored = {plane_of(core) for core in ctx.topology.with_role("core")}
    for plane in ctx.planes:
        lower = [(leaf, planned_gbps) for leaf in plane.leaves if plane.spines]
        lower += [(spine, 0) for spine in plane.spines if plane_of(spine) in cored]
        for switch, planned in lower:
            down, up = max(down_gbps[switch.name], planned), up_gbps[switch.name]
            if down > limit * up * (1 + ROUNDING):
                message = f"{down} Gb/s down over {up} Gb/s up"
                yield error(switch.name, message, measured=down / up if up else "no uplink", limit=limit)


def _planned_gbps(ctx: CheckContext) -> int:
    """Rate of all down ports of a leaf [Gb/s] once every node is there, 0 where the design does not say."""
    ports = ctx.topology.parameters.get("down_ports")
    rate_gbps = max((each.link.rate_gbps for each in ctx.accesses), default=0)
    return ports * rate_gbps if isinstance(ports, int) and ctx.request.fabric.whole_units else 0
