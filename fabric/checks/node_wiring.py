"""Rack and dual-homed wiring, and attached devices on leaves or routers of their own."""

from __future__ import annotations

from collections import Counter, defaultdict

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks._wiring import wiring

LEAVES = {"rack": 1, "dual_homed": 2}
"""Leaves, or routers, of one plane that a node is wired to."""


@check("node-wiring")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per node on too many or too few leaves, and per attached device with two ports on one leaf.

    Routers count as leaves do.
    """
    wanted = LEAVES.get(wiring(ctx))
    leaves: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for access in ctx.accesses:
        leaves[access.device.name, access.leaf.plane or 0][access.leaf.name] += 1
    what = ctx.planes[0].what if ctx.planes else "leaves"
    single = all(len(plane.leaves) == 1 for plane in ctx.planes)
    for (name, plane), found in leaves.items():
        if ctx.topology.device[name].role == "node":
            if wanted is not None and not single and len(found) != wanted:
                message = f"is wired to {len(found)} {what} of plane {plane}, {wiring(ctx)} wiring takes {wanted}"
                yield error(name, message, measured=len(found), limit=wanted, unit=what)
        elif max(found.values()) > 1 and not single:
            leaf, count = found.most_common(1)[0]
            message = f"has {count} links to {leaf}; its ports go to different {what}"
            yield error(name, message, measured=count, limit=1, unit="links")
