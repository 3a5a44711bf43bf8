"""Trays against the cables that lie in them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error
from fabric.floorplan.routes import Routes
from fabric.model.floorplan import TraySegment
from fabric.model.topology import Link

ROUNDING_MM2 = 1e-6
"""Cables that take exactly what they may must not fail by the last bits of a sum [mm²]."""

Ways = frozenset[tuple[int, int]]
"""Pairs of racks that the links of one cable join."""


@check("tray-fill", "floor_plan", "placement", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per tray segment whose cables take more than its share: Σ π·d²/4 > fill_max · width · depth.

    d is the outer diameter of a cable. A splitter counts once in every segment that one of its legs passes. Segments
    between the same two nodes share their cables.
    """
    plan = ctx.floor_plan
    if not plan.trays.nodes:
        yield Gap("the floor plan names no width for its ladders")
        return
    parts_in = _parts_in(ctx)
    between: defaultdict[frozenset[str], list[TraySegment]] = defaultdict(list)
    for segment in plan.trays.segments:
        between[frozenset((segment.a, segment.b))].append(segment)
    for part in sorted({part for parts in parts_in.values() for part in parts} & ctx.catalog.cables.keys()):
        if ctx.catalog.cables[part].figure("outer_diameter_mm") is None:
            yield Gap(f"the diameter of {part} is not known")
    for ends, segments in between.items():
        taken_mm2 = sum(count * _section_mm2(ctx, part) for part, count in parts_in[ends].items())
        limit_mm2 = sum(each.fill_max * each.width_mm * each.depth_mm for each in segments)
        if taken_mm2 > limit_mm2 + ROUNDING_MM2:
            message = f"{parts_in[ends].total()} cables take {taken_mm2:.0f} mm² of the {limit_mm2:.0f} mm² they may"
            where = f"{segments[0].a} > {segments[0].b}"
            yield error(where, message, measured=round(taken_mm2, 1), limit=round(limit_mm2, 1), unit="mm2")


def _parts_in(ctx: CheckContext) -> defaultdict[frozenset[str], Counter[str]]:
    """Cables by part between each two neighbouring tray nodes."""
    routes = Routes(ctx.floor_plan)
    alike: Counter[tuple[str, Ways]] = Counter()
    for name, links in ctx.carried.items():
        if name in ctx.cable:
            alike[ctx.cable[name].part, frozenset(_ways(ctx, routes, links))] += 1
    found: defaultdict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for (part, ways), count in alike.items():
        for ends in {frozenset(ends) for a, b in ways for ends in pairwise(routes.places(a, b))}:
            found[ends][part] += count
    return found


def _ways(ctx: CheckContext, routes: Routes, links: tuple[Link, ...]) -> Iterator[tuple[int, int]]:
    """Racks at both ends of each link that runs between two racks of the plan."""
    for link in links:
        places = (ctx.placement.of.get(port.device) for port in (link.a, link.b))
        racks = [routes.index[place.rack] for place in places if place is not None and place.rack in routes.index]
        match racks:
            case [a, b] if a != b:
                yield a, b


def _section_mm2(ctx: CheckContext, part: str) -> float:
    """Cross-section of a cable [mm²]; none where its diameter is not known."""
    known = ctx.catalog.cables.get(part)
    diameter_mm: float | None = known.figure("outer_diameter_mm") if known is not None else None
    return math.pi / 4 * (diameter_mm or 0.0) ** 2
