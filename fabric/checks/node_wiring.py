"""Rack and dual-homed wiring, and attached devices on leaves of their own."""

from __future__ import annotations

from collections import Counter, defaultdict

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks._wiring import wiring

LEAVES = {"rack": 1, "dual_homed": 2}
"""Leaves of one plane that a node is wired to."""


@check("node-wiring")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per node on too many or too few leaves, and per attached device with two ports on one leaf."""
    wanted = LEAVES.get(wiring(ctx))
    leaves: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for access in ctx.accesses:
        leaves[access.device.name, access.leaf.plane or 0][access.leaf.name] += 1
    single = all(len(plane.leaves) == 1 for plane in ctx.planes)
    for (name, plane), found in leaves.items():
        if ctx.topology.device[name].role == "node":
            if wanted is not None and not single and len(found) != wanted:
                message = f"is wired to {len(found)} leaves of plane {plane}, {wiring(ctx)} wiring takes {wanted}"
                yield error(name, message, measured=len(found), limit=wanted, unit="leaves")
        elif max(found.values()) > 1 and not single:
            leaf, count = found.most_common(1)[0]
            message = f"has {count} links to {leaf}; its ports go to different leaves"
            yield error(name, message, measured=count, limit=1, unit="links")
