"""How many cables lie in each piece of tray, read from the cables' own routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from fabric.model.cabling import Cable
from fabric.model.floorplan import FloorPlan, Rack

Point = tuple[float, float]
Piece = tuple[Point, Point]


def tray_load(plan: FloorPlan, cables: Iterable[Cable]) -> dict[Piece, int]:
    """Cables in each straight piece of tray, in plan [m]; a piece reaches from one rack or crossing to the next.

    A route that stays in one rack, or that names places this plan lacks, loads nothing.
    """
    hall = _Hall(plan)
    load: Counter[Piece] = Counter()
    for route, count in Counter(cable.route or "" for cable in cables).items():
        for a, b in pairwise(hall.way(route)):
            for piece in hall.pieces(a, b):
                load[piece] += count
    return dict(sorted(load.items()))


class _Hall:
    """Places of a floor plan by their names in routes."""

    def __init__(self, plan: FloorPlan) -> None:
        racks = plan.all_racks
        self._rack = {rack.name: (rack.x_m, rack.y_m) for rack in racks}
        self._node = {node.name: (node.x_m, node.y_m) for node in plan.trays.nodes}
        self._cross = {
            "cross west": min(rack.x_m for rack in racks),
            "cross east": max(rack.x_m for rack in racks),
        }
        self._stops = _stops(racks, self._cross.values())

    def way(self, route: str) -> list[Point]:
        """Corners of a route "A01 > row A > cross west > row C > C07"."""
        places = route.split(" > ")
        if len(places) < 2 or places[0] not in self._rack or places[-1] not in self._rack:  # noqa: PLR2004 -- two ends
            return []
        corners = [self._rack[places[0]]]
        end = self._rack[places[-1]]
        for place in places[1:-1]:
            if place in self._node:
                corners.append(self._node[place])
            elif place in self._cross:
                corners.extend([(self._cross[place], corners[-1][1]), (self._cross[place], end[1])])
        return [*corners, end]

    def pieces(self, a: Point, b: Point) -> Iterable[Piece]:
        """A straight way cut where cables may join or leave; a slanted one stays whole."""
        low, high = sorted((a, b))
        along = 0 if low[1] == high[1] else 1
        stops = self._stops[along].get(low[1 - along], np.array([]))
        if low == high:
            return
        if low[1 - along] != high[1 - along]:
            yield low, high
            return
        inner = stops[(stops > low[along]) & (stops < high[along])].tolist()
        for start, stop in pairwise([low[along], *inner, high[along]]):
            yield ((start, low[1]), (stop, low[1])) if along == 0 else ((low[0], start), (low[0], stop))


def _stops(racks: tuple[Rack, ...], crosses: Iterable[float]) -> tuple[Mapping[float, np.ndarray], ...]:
    """Where cables may join: x along each row by its y, and y along each cross ladder by its x."""
    ends = list(crosses)
    rows: dict[float, list[float]] = {}
    for rack in racks:
        rows.setdefault(rack.y_m, list(ends)).append(rack.x_m)
    across = np.unique(list(rows))
    return {y: np.unique(xs) for y, xs in rows.items()}, dict.fromkeys(ends, across)
