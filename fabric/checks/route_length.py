"""Routes of cables against the floor plan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error, warning
from fabric.floorplan.routes import Routes

TOLERANCE_M = 0.01
"""What a route may differ from the floor plan's, for rounding in tables [m]."""

MOVED_CABLES_COUNT = 4
"""Fewest cables, all of them wrong, that speak for a device that was moved."""


@check("route-length", "floor_plan", "placement", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error per cable whose route is shorter than the floor plan gives, a warning where it is longer.

    The route of a cable is that of its longest link, from the middles of both devices, with slack at both ends. A
    device that no cable fits is named beside them: it was moved, rather than each of its cables.
    """
    routes = Routes(ctx.floor_plan)
    longest_m = _longest_m(ctx, routes)
    found: dict[str, Remark] = {}
    for cable in ctx.cabling.cables:
        if cable.name not in longest_m:
            continue
        part = ctx.catalog.cables.get(cable.part)
        plan_m = round(longest_m[cable.name] + routes.slack_m(part.medium if part is not None else cable.medium), 6)
        if cable.route_m < plan_m - TOLERANCE_M:
            message = f"has a route of {cable.route_m:g} m; the floor plan gives {plan_m:g} m with slack"
            found[cable.name] = error(cable.name, message, measured=cable.route_m, limit=plan_m, unit="m")
        elif cable.route_m > plan_m + TOLERANCE_M:
            message = f"has a route of {cable.route_m:g} m, longer than the {plan_m:g} m of the floor plan with slack"
            found[cable.name] = warning(cable.name, message, measured=cable.route_m, limit=plan_m, unit="m")
    yield from _moved(ctx, found)
    yield from found.values()


def _moved(ctx: CheckContext, found: Mapping[str, Remark]) -> Iterator[Remark]:
    """One remark per device that no cable fits, as severe as the worst of them.

    Where both ends of a cable look moved, the tables do not tell which one was, and neither is named.
    """
    cables_of: defaultdict[str, set[str]] = defaultdict(set)
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for link in ctx.topology.links:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            cables_of[here.device].add(ctx.cabling.cable_of.get(link.name, ""))
            beside[here.device].add(there.device)
    suspects = {
        device: cables
        for device, cables in cables_of.items()
        if device in ctx.placement.of and len(cables) >= MOVED_CABLES_COUNT and cables <= found.keys()
    }
    for device, cables in suspects.items():
        place = ctx.placement.of[device]
        if beside[device].isdisjoint(suspects):
            worst = error if any(found[cable].severity == "error" for cable in cables) else warning
            message = f"{len(cables)} cables of {device} do not fit its place: it stands in {place.rack} U {place.u}; "
            yield worst(device, message + "was it moved?", measured=len(cables), unit="cables")


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
