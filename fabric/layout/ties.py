"""Limits that tie what is bought for one component to what is bought for all others: numbers and room in trays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart
from fabric.catalog.scale import scales_of
from fabric.errors import Conflict, InfeasibleError
from fabric.floorplan.routes import Routes
from fabric.floorplan.trays import fill_limits_mm2
from fabric.layout.assortment import Assortment, Supply, Ties, assort, fewest_numbers
from fabric.layout.ladder import Metres, Whole
from fabric.layout.market import Market, media_rule
from fabric.layout.menu import Menu
from fabric.layout.offer import Terms
from fabric.layout.purchase import Bought, Way, ways
from fabric.model.request import Request
from fabric.model.termination import Termination
from fabric.model.topology import Topology

UM2_PER_MM2 = 1_000_000

METHOD = "an integer program (CP-SAT) over what every group of cages may take"

Purchase = Sequence[Sequence[Bought]]
"""What is bought for each group of a market."""


@dataclass(frozen=True)
class Hall:
    """Where links run: racks at both ends (links, 2), routes (links,) [m, without slack], and the plan, measured."""

    racks: Whole
    route_m: Metres
    routes: Routes


def keep_ties(
    market: Market, free: Purchase, hall: Hall, topology: Topology, request: Request, catalog: Catalog
) -> tuple[Purchase, Termination | None]:
    """The cheapest purchase within `limits.part_numbers` and the fill of the trays.

    It is `free`, the cheapest of all, where that keeps them. Trays are watched from when a purchase overfills them.
    Where nothing found keeps the fill the numbers alone are kept, and where nothing found keeps those, nothing.

    Returns:
        The purchase, and how its search ended; None where it is `free`.

    Raises:
        InfeasibleError: the links need more numbers, wherever they run.
    """
    shop = _Shop(market, hall, topology, request, catalog)
    best, proof, watched = free, None, set[int]()
    if shop.too_many(free):
        found = shop.assort(())
        if found is None:
            shop.refuse_numbers()
            return free, None
        best, proof = found.bought, _proof(found)
    while over := shop.rooms.overfull(market, best) - watched:
        watched |= over
        found = shop.assort(sorted(watched))
        if found is None:
            break
        best, proof = found.bought, _proof(found)
    return best, proof


def _proof(found: Assortment) -> Termination:
    return Termination(
        status="optimal" if found.is_proved else "feasible",
        objective=found.cost,
        bound=min(found.bound_cost, found.cost),
        method=METHOD,
        scope=("cables",),
        fixed=("places: best without the limits on what is bought",),
    )


def numbers_count(purchase: Purchase) -> int:
    """Orderable numbers of cables and pluggables in a purchase."""
    found: set[tuple[str, str]] = set()
    for bought in (each for group in purchase for each in group):
        found |= {("transceiver", offer.key) for _, offer in bought.way.modules}
        for ladder, rungs in zip(bought.way.ladders, bought.rungs.T, strict=True):
            found |= {("cable", ladder.offers[rung].key) for rung in np.unique(rungs)}
    return len(found)


def squared_um(part: CablePart) -> int | None:
    """Square of the outer diameter of a cable [um²], rounded up; None where it is not known."""
    diameter_mm: float | None = part.figure("outer_diameter_mm")
    return None if diameter_mm is None else math.ceil(round(diameter_mm * 1000, 3)) ** 2


class _Rooms:
    """Room between neighbouring nodes of a tray graph, and which links pass it; none with ladders.

    `size` is what the squared diameters of the cables in it may add up to [um²]: fill · width · depth · 4/π.
    """

    def __init__(self, hall: Hall) -> None:
        limits_mm2 = fill_limits_mm2(hall.routes.plan.trays)
        self.size = [math.floor(limit * UM2_PER_MM2 * 4 / math.pi + 0.5) for limit in limits_mm2.values()]
        self._links = len(hall.racks)
        self._course: Whole = np.zeros(self._links, dtype=np.int64)
        self._rooms_of: list[frozenset[int]] = []
        if self.size:
            number = {ends: index for index, ends in enumerate(limits_mm2)}
            pairs, course = np.unique(hall.racks, axis=0, return_inverse=True)
            self._course = course.reshape(-1)
            for a, b in pairs.tolist():
                nodes = hall.routes.places(a, b) if a != b else ()
                self._rooms_of.append(frozenset(number[frozenset(ends)] for ends in pairwise(nodes)))

    def passes(self, rooms: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Whether each link passes each of `rooms`, (links, rooms)."""
        if not rooms:
            return np.zeros((self._links, 0), dtype=np.bool_)
        table = np.array([[room in passed for room in rooms] for passed in self._rooms_of], dtype=np.bool_)
        return table[self._course]

    def overfull(self, market: Market, purchase: Purchase) -> set[int]:
        """Rooms whose cables need more than there is."""
        taken = [0] * len(self.size)
        if self.size:
            for group, bought in zip(market.graph.groups, purchase, strict=True):
                for row, cables, _ in (parts for each in bought for parts in each.parts()):
                    for offer, lead in cables:
                        links = group.links[row, list(lead)]
                        for room in frozenset[int]().union(*(self._rooms_of[course] for course in self._course[links])):
                            taken[room] += squared_um(offer.part) or 0
        return {room for room, size in enumerate(self.size) if taken[room] > size}


class _Shop:
    """What may be bought for every group of a market, and what ties it."""

    def __init__(self, market: Market, hall: Hall, topology: Topology, request: Request, catalog: Catalog) -> None:
        self._market = market
        self._hall = hall
        self._request = request
        self._catalog = catalog
        self._limit = request.limits.part_numbers
        self._switches_count = len({device.part for device in topology.devices if device.is_switch} - {None})
        self.rooms = _Rooms(hall)

    def too_many(self, purchase: Purchase) -> bool:
        """Whether a purchase and the switches have more orderable numbers than the request allows."""
        return self._limit is not None and numbers_count(purchase) + self._switches_count > self._limit

    def assort(self, watched: Sequence[int]) -> Assortment | None:
        """The best purchase found within the limit on numbers and these rooms."""
        passes = self.rooms.passes(watched)
        supplies = [
            Supply(options, self._hall.route_m[group.links], passes[group.links])
            for group, options in zip(self._market.graph.groups, self._options, strict=True)
        ]
        numbers = None if self._limit is None else self._limit - self._switches_count
        return assort(supplies, Ties(numbers, tuple(self.rooms.size[room] for room in watched), squared_um))

    def refuse_numbers(self) -> None:
        """Refuse a limit on orderable numbers that the links pass wherever they run: every route taken as 0 m.

        Raises:
            InfeasibleError: with the numbers.
        """
        supplies = [
            Supply(options, np.zeros((1, links)), np.zeros((1, links, 0), dtype=np.bool_))
            for group, options in zip(self._market.graph.groups, self._options, strict=True)
            for links in (len(group.shape.joints),)
        ]
        fewest, keys = fewest_numbers(supplies, squared_um)
        if self._limit is not None and fewest + self._switches_count > self._limit:
            why = (
                f"{self._switches_count} of switches, and at least {fewest} more for the links however short, as "
                f"{', '.join(keys)}"
            )
            raise InfeasibleError(conflict=(Conflict("limits.part_numbers", str(self._limit), why),))

    @cached_property
    def _options(self) -> tuple[tuple[Way, ...], ...]:
        """Every way to buy each group; where numbers count, also with pluggables that others replace in its cages."""
        if self._limit is None:
            return self._market.ways
        routes, request, groups = self._hall.routes, self._request, self._market.graph.groups
        terms = Terms(self._catalog, request.fabric.part_layer, routes.slack_m, scales_of(request, self._catalog))
        legs = Menu(terms).legs
        views = (end.behind(count) for group in groups for end in group.shape.ends for count in legs)
        menu = Menu(terms, frozenset(view for view in views if view is not None))
        return tuple(
            ways(group.shape, menu, {joint.kind: media_rule(request, joint.kind)[1] for joint in group.shape.joints})
            for group in groups
        )
