"""Lots: links that are priced together, as cabling will buy them.

A component whose links have one leaf, and if they are trunks one switch at the far end, is bought on its own once these
switches have their places; so it is one lot at the exact price of its best way. Other components tie switches together.
Their links are lots by themselves, at the price table of the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fabric.layout.component import Group, Shape
from fabric.layout.ladder import COST, ROUNDING_M, UNREACHABLE_COST, Metres, Whole
from fabric.layout.market import Market
from fabric.layout.price_table import KNOWN, PriceTable, link_tables, price_limits_m
from fabric.layout.purchase import Way, best_way
from fabric.layout.rows import distinct_rows


@dataclass(frozen=True, slots=True)
class Lots:
    """Lots that cost alike.

    Attributes:
        kind: kind of their links.
        links: (lots, links) links of each lot by number; all of a lot end at the same switch, trunks at the same two.
        cost: costs (…,) from the routes of the links (…, links) [m, without slack]; UNREACHABLE_COST where nothing
            reaches. It never falls when a route grows.
    """

    kind: str
    links: Whole
    cost: Callable[[Metres], Whole]


def lots_of(market: Market) -> tuple[Lots, ...]:
    """Every link of `market` in one lot. All lots together cost at most what their cabling costs.

    They cost just that where every component is one lot.
    """
    switch = market.graph.used.device
    sold = zip(market.graph.groups, market.ways, strict=True)
    return tuple(lots for group, options in sold for lots in _lots(group, options, switch))


def _lots(group: Group, options: tuple[Way, ...], device: Whole) -> Iterator[Lots]:
    """The whole components of a group, then the single links of those that tie switches together."""
    joints = group.shape.joints
    whole = _ties_no_switches(group.shape, device[group.cages]) & _is_steady(options)
    if whole.any():
        yield Lots(joints[0].kind, group.links[whole], _Purchase(options))
    if not whole.all():
        for table, alike in link_tables(options):
            for kind in dict.fromkeys(joints[link].kind for link in alike):
                links = [link for link in alike if joints[link].kind == kind]
                yield Lots(kind, group.links[~whole][:, links].reshape(-1, 1), Alone(table))


def _ties_no_switches(shape: Shape, device: Whole) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which components, given the devices of their cages (components, cages), have one switch at most at each side."""
    alone = np.ones(len(device), dtype=np.bool_)
    for side in ([joint.a for joint in shape.joints], [joint.b for joint in shape.joints]):
        ports = [cage for cage in side if shape.ends[cage].role == "switch"]
        alone &= (device[:, ports] == device[:, ports[:1]]).all(axis=1)
    return alone


@lru_cache(maxsize=KNOWN)
def _is_steady(options: tuple[Way, ...]) -> bool:
    """Whether no longer route is cheaper: so it is unless some parts are in sale and others a last resort."""
    ranks = np.concatenate([option.even_rank(price_limits_m(options)) for option in options])
    return len(np.unique(ranks[ranks[:, COST] < UNREACHABLE_COST, 0])) <= 1


@dataclass(frozen=True, slots=True)
class _Purchase:
    """Prices whole components by their best way; components whose routes end on the same steps are priced once."""

    options: tuple[Way, ...]

    def __call__(self, route_m: Metres) -> Whole:
        limit_m = price_limits_m(self.options)
        step = np.searchsorted(limit_m, route_m - ROUNDING_M).reshape(-1, route_m.shape[-1])
        first, number = distinct_rows(step)
        _, rank = best_way(self.options, np.append(limit_m, np.inf)[step[first]])
        cost: Whole = np.minimum(rank[:, COST], UNREACHABLE_COST)
        return cost[number].reshape(route_m.shape[:-1])


@dataclass(frozen=True, slots=True)
class Alone:
    """Prices single links by a table."""

    table: PriceTable

    def __call__(self, route_m: Metres) -> Whole:
        """Costs (…,) of routes (…, 1)."""
        return self.table.cost(route_m[..., 0])
