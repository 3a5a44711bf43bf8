"""Global links of a dragonfly between known places, where they cost least: one by one, or a whole cage at a time.

Where all links of a cage end in one far cage, one copper or optical cable may carry them; where they end at different
switches, only fibre does (`component`). An arrangement spreads links first, so both are worth a look.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from fabric.catalog.load import Catalog
from fabric.floorplan.routes import Routes
from fabric.layout.cage import EndSpec
from fabric.layout.component import Joint, Shape
from fabric.layout.global_ends import Joined, Spread, join, spreads
from fabric.layout.market import Shop, media_rule
from fabric.layout.price_table import PriceTable, least_table, link_tables
from fabric.layout.used_cages import used_cages
from fabric.model.placement import Placement
from fabric.model.request import Request
from fabric.model.topology import GLOBAL, Topology

PORTS = ("h", "global_per_spine")
"""Parameters of a request that fix the global ports of a router, or of a spine."""


def joined_anew(
    topology: Topology, placement: Placement, routes: Routes, request: Request, catalog: Catalog
) -> Iterator[tuple[Joined, ...]]:
    """The cheapest even spreads of the global links of every plane, in whole cages and one by one, cheapest first."""
    shop = Shop(request, catalog, routes)
    used = used_cages(topology, catalog, shop.layer)
    numbers = [number for number, link in enumerate(topology.links) if link.kind == GLOBAL]
    ends = {end for number in numbers for end in used.specs_of(number)}
    fixed = request.fabric.parameters
    ports = next((fixed[key] for key in PORTS if key in fixed), math.inf)
    found = []
    for bundle in sorted({1, max((end.ports for end in ends), default=1)}):
        table = _bundle_table(tuple(ends), bundle, shop, request)
        planes = [spread.bundled(bundle) for spread in spreads(topology)]
        joined = [
            _joined(spread, placement, routes, table)
            for spread in planes
            if spread is not None and table is not None and bundle * spread.most.max() <= ports
        ]
        whole = tuple(each for each in joined if each is not None)
        if whole and len(whole) == len(planes):
            found.append(whole)
    yield from sorted(found, key=lambda planes: sum(each.cost for each in planes))


def _joined(spread: Spread, placement: Placement, routes: Routes, table: PriceTable) -> Joined | None:
    """The cheapest even spread between the places of its switches."""
    at = [placement.of[name] for name in spread.names]
    rack = np.array([routes.index[each.rack] for each in at], dtype=np.int64)
    mid_u = np.array([each.mid_u for each in at])
    route_m = routes.lengths_m(rack[:, None], mid_u[:, None], rack, mid_u)
    return join(spread, rack, spread.bundle * table.cost(route_m))


def _bundle_table(ends: Sequence[EndSpec], bundle: int, shop: Shop, request: Request) -> PriceTable | None:
    """What a link costs at least in a bundle, all cages full; None where no part makes it."""
    media = {GLOBAL: media_rule(request, GLOBAL)[1]}
    options = [shop.ways(_full(end, bundle), media) for end in ends]
    tables = [table for ways in options if ways for table, _ in link_tables(ways)]
    return least_table(tables) if tables else None


def _full(end: EndSpec, bundle: int) -> Shape:
    """Full cages that share a bundle with every other one: as few as that takes."""
    cages = range(1 + end.ports // bundle)
    joints = [Joint(a, b, GLOBAL, 0) for a, b in combinations(cages, 2) for _ in range(bundle)]
    return Shape((end,) * len(cages), tuple(joints))
