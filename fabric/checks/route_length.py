"""Routes of cables against the floor plan."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error, warning
from fabric.floorplan.routes import Routes

TOLERANCE_M = 0.01
"""What a route may differ from the floor plan's, for rounding in tables [m]."""


@check("route-length", "floor_plan", "placement", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error per cable whose route is shorter than the floor plan gives, a warning where it is longer.

    The route of a cable is that of its longest link, from the middles of both devices, with slack at both ends.
    """
    routes = Routes(ctx.floor_plan)
    longest_m = _longest_m(ctx, routes)
    for cable in ctx.cabling.cables:
        if cable.name not in longest_m:
            continue
        part = ctx.catalog.cables.get(cable.part)
        plan_m = round(longest_m[cable.name] + routes.slack_m(part.medium if part is not None else cable.medium), 6)
        if cable.route_m < plan_m - TOLERANCE_M:
            message = f"has a route of {cable.route_m:g} m; the floor plan gives {plan_m:g} m with slack"
            yield error(cable.name, message, measured=cable.route_m, limit=plan_m, unit="m")
        elif cable.route_m > plan_m + TOLERANCE_M:
            message = f"has a route of {cable.route_m:g} m, longer than the {plan_m:g} m of the floor plan with slack"
            yield warning(cable.name, message, measured=cable.route_m, limit=plan_m, unit="m")


def _longest_m(ctx: CheckContext, routes: Routes) -> dict[str, float]:
    """Longest way without slack [m] of each cable whose devices all stand in racks of the plan."""
    place = {
        each.device: (routes.index[each.rack], each.mid_u)
        for each in ctx.placement.positions
        if each.rack in routes.index
    }
    placed = [
        (name, place[link.a.device], place[link.b.device])
        for name, links in ctx.carried.items()
        for link in links
        if link.a.device in place and link.b.device in place
    ]
    if not placed:
        return {}
    rack = np.array([(a[0], b[0]) for _, a, b in placed], dtype=np.int64)
    mid_u = np.array([(a[1], b[1]) for _, a, b in placed])
    way_m = routes.lengths_m(rack[:, 0], mid_u[:, 0], rack[:, 1], mid_u[:, 1])
    longest_m: defaultdict[str, float] = defaultdict(float)
    for (name, _, _), length_m in zip(placed, way_m.tolist(), strict=True):
        longest_m[name] = max(longest_m[name], length_m)
    return longest_m
