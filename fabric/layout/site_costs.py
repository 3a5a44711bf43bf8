"""What links cost with switches at sites, and with every device in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fabric.floorplan.routes import Routes
from fabric.layout.assignment import TRUNK_PENALTY_COST
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots
from fabric.layout.policy import RULE_OF
from fabric.layout.rows import distinct_rows
from fabric.layout.sites import Site
from fabric.layout.transport import Bools, Ints, ShortInts
from fabric.layout.wiring import Floats, LeafGroup, Spots, Trunks, Wiring
from fabric.model.placement import DeviceSpace

Steps = npt.NDArray[np.uint8 | np.int64]

ENTRIES_AT_ONCE = 2**17
"""Ways to sites that are measured together: few enough to bound memory."""


@dataclass(frozen=True)
class Stands:
    """Sites as places of switches: rack (sites,), and per role the lowest and highest middle [U] (sites,)."""

    rack: Ints
    range_u: Mapping[str, tuple[Floats, Floats]]

    @property
    def edge_u(self) -> tuple[Floats, Floats]:
        """That of the leaves, or of the routers."""
        return next(range_u for role, range_u in self.range_u.items() if RULE_OF[role] == "leaf")


@dataclass(frozen=True, slots=True)
class MixCosts:
    """What trunks cost between sites. Large halls have millions of pairs of sites, and few prices.

    Attributes:
        cost: (mixes, prices) cost of a trunk of each mix.
        step: (sites, sites) number of the price of a trunk from a leaf at the first to a spine at the second site.
    """

    cost: Ints
    step: Steps

    def between(self, leaves: Ints | slice, spines: Ints | slice) -> Ints:
        """(mixes, leaves, spines) cost of a trunk of each mix between some sites."""
        cost: Ints = self.cost[:, self.step[leaves][:, spines]]
        return cost


def stands(sites: Sequence[Site], spaces: Mapping[str, DeviceSpace]) -> Stands:
    """Where switches of each role may be at each site."""
    ranges = {
        role: np.array([site.mid_range_u(space.units) for site in sites]).reshape(-1, 2).T
        for role, space in spaces.items()
    }
    rack = np.array([site.rack for site in sites], dtype=np.int64)
    return Stands(rack, {role: (low_u, high_u) for role, (low_u, high_u) in ranges.items()})


def own_costs(groups: Sequence[LeafGroup], at: Stands, routes: Routes) -> Ints:
    """(groups, sites) cost of the lots below one leaf, each link as short as the site's slots allow."""
    low_u, high_u = (limit_u[:, None] for limit_u in at.edge_u)
    own = np.zeros((len(groups), len(at.rack)), dtype=np.int64)
    for k, group in enumerate(groups):
        for below in group.hangings:
            for rows in _some_rows(len(below.counts), len(at.rack)):
                rack, spot_u = below.spots.rack[rows, None], below.spots.mid_u[rows, None]
                route_m = routes.shortest_m(rack, (spot_u, spot_u), at.rack[:, None], (low_u, high_u))
                own[k] += below.counts[rows] @ below.lots.cost(route_m)
    return own


def mix_costs(trunks: Trunks, at: Stands, routes: Routes) -> MixCosts:
    """Cost of a trunk of each mix between every two sites; a unit that nothing reaches costs TRUNK_PENALTY_COST."""
    sites = len(at.rack)
    prices = dict[tuple[int, ...], int]()
    step: Steps = np.zeros((sites, sites), dtype=np.uint8)
    for rows in _some_rows(sites, sites) if trunks.lots else ():
        cost, number = _mix_costs_of(trunks, at, routes, rows)
        first, price = distinct_rows(cost.T)
        known = [prices.setdefault(tuple(each), len(prices)) for each in cost.T[first].tolist()]
        if len(prices) - 1 > np.iinfo(step.dtype).max:
            step = step.astype(np.int64)
        step[rows] = np.array(known, dtype=step.dtype)[price][number]
    every = np.array(list(prices), dtype=np.int64).reshape(max(len(prices), 1), -1)
    return MixCosts(every.T, step)


def _some_rows(rows: int, sites: int) -> Iterator[slice]:
    """Rows of a table with a column for each site, a few at a time."""
    at_once = max(1, ENTRIES_AT_ONCE // max(sites, 1))
    return (slice(first, first + at_once) for first in range(0, rows, at_once))


def _mix_costs_of(trunks: Trunks, at: Stands, routes: Routes, leaves: slice) -> tuple[Ints, Ints]:
    """(mixes, ways) cost of trunks from leaves at these sites, and the way (some sites, sites) to each other site."""
    low_u, high_u = (limit_u[leaves, None] for limit_u in at.range_u["leaf"])
    route_m, number = np.unique(
        routes.shortest_m(at.rack[leaves, None], (low_u, high_u), at.rack, at.range_u["spine"]), return_inverse=True
    )
    lot = np.stack([each.cost(np.repeat(route_m[:, None], each.links.shape[1], axis=1)) for each in trunks.lots])
    most = trunks.mix_units[:, None] * TRUNK_PENALTY_COST
    is_short = (trunks.mixes > 0) @ (lot >= UNREACHABLE_COST)
    cost: Ints = np.where(is_short, most, np.minimum(trunks.mixes @ lot, most))
    return cost, number.reshape(-1, len(at.rack))


def unit_costs(trunks: Trunks, mix: MixCosts) -> ShortInts:
    """(sites, sites) cost of a unit of trunk, from what trunks of each mix cost.

    It is the least over all mixes of a unit's share, so that no trunk costs less than its units; where all trunks are
    mixed alike they cost just that.
    """
    unit = _unit_cost(trunks, mix)
    is_short = unit.max() <= np.iinfo(np.int32).max
    cost = np.empty(mix.step.shape, dtype=np.int32 if is_short else np.int64)
    for rows in _some_rows(len(cost), len(cost)):
        cost[rows] = unit[mix.step[rows]]
    return cost


def _unit_cost(trunks: Trunks, mix: MixCosts) -> Ints:
    """(steps,) cost of a unit of trunk."""
    if not len(mix.cost):
        return np.zeros(mix.cost.shape[1], dtype=np.int64)
    cost: Ints = (mix.cost // trunks.mix_units[:, None]).min(axis=0)
    return cost


def rest_costs(groups: Sequence[LeafGroup], trunks: Trunks, mix: MixCosts, spine_allowed: Bools) -> Ints:
    """(groups, sites) least cost of all trunks of one leaf beyond their units, wherever the spines stand.

    So much dearer than units are links beyond the fewest, and mixes that another one undercuts at every length.
    """
    unit = _unit_cost(trunks, mix)
    is_reached = mix.cost < trunks.mix_units[:, None] * TRUNK_PENALTY_COST
    beyond = {
        weight: np.where(is_reached, np.minimum(mix.cost - weight * unit, UNREACHABLE_COST), UNREACHABLE_COST)
        for weight in {group.weight for group in groups}
    }
    rest = {weight: np.zeros((len(mix.cost), len(mix.step)), dtype=np.int64) for weight in beyond}
    for rows in _some_rows(len(mix.step), len(mix.step)):
        step = mix.step[rows, spine_allowed]
        may_be = is_reached[:, step].any(axis=2)
        for weight, least in rest.items():
            least[:, rows] = beyond[weight][:, step].min(axis=2, initial=UNREACHABLE_COST) * may_be
    costs = [group.mixes @ rest[group.weight] for group in groups]
    return np.array(costs, dtype=np.int64).reshape(len(groups), -1)


def lot_costs(lots: Sequence[Lots], wires: Wiring, at: Spots, routes: Routes) -> Iterator[tuple[Lots, Ints]]:
    """Cost of every lot (lots,) between the places taken, which are given by device number."""
    for each in lots:
        a, b = np.moveaxis(wires.ends[each.links], 2, 0)
        yield each, each.cost(routes.lengths_m(at.rack[a], at.mid_u[a], at.rack[b], at.mid_u[b]))
