"""How near to each other nodes and switches can stand, before any device has a place.

Nodes take the places of their racks from the bottom, so those of a full hall are all that there can be. The nodes of
a leaf stand at different ones; hence the j-th nearest of them is no nearer than the j-th nearest place of all, and
the links of a leaf to n nodes cost at least those to the n nearest places, with the leaf in the rack and at the height
that suit them best. Likewise the j-th nearest other rack is the same for all switches of a rack.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabric.floorplan.generate import generate
from fabric.floorplan.hall import RACK_PITCH_M, RACK_POWER_KW
from fabric.floorplan.nearest import nearest_racks_m
from fabric.floorplan.routes import Routes
from fabric.layout.ladder import Metres
from fabric.layout.nodes import NODE, empty_racks, node_capacity, place_nodes
from fabric.layout.policy import open_racks
from fabric.layout.rack_space import RackSpace
from fabric.layout.transport import Ints
from fabric.layout.wiring import Spots
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import NodeHousing

RACKS_AT_ONCE = 64
"""Racks measured together: few enough to bound memory."""


class Nearness:
    """Least lengths of links without slack [m] on a floor plan, or on any that is generated.

    `racks` are its empty racks, or one of each kind of a generated one.
    """

    def __init__(self, plan: FloorPlan | None, housing: NodeHousing) -> None:
        self._is_given = plan is not None
        self._routes = Routes(plan or _two_racks(housing))
        self.racks = empty_racks(self._routes.racks, housing, {NODE: housing.space.units})
        self._nodes = _places(self.racks, self._routes, housing)
        self._units = housing.space.units
        self._open = np.flatnonzero(open_racks(self._routes.racks))

    def nodes_m(self, leaf_units: int, count: int) -> Metres:
        """From a leaf of `leaf_units` [U] to its `count` nearest nodes, (racks of the leaf, count) ascending."""
        if not self._is_given:
            return self._generated_nodes_m(leaf_units, count)
        to, range_u = self._nodes.rack, self._nodes_u()
        found = [
            np.partition(self._routes.shortest_m(rack, self._range_u(rack, leaf_units), to, range_u), count - 1)
            for rack in self._chunks()
        ]
        return np.sort(np.concatenate(found)[:, :count])

    def _nodes_u(self) -> tuple[Metres, Metres]:
        """Lowest and highest middle of each node [U]; any in racks that keep places for switches of unknown height."""
        top_u, half_u = (np.array([space.rack.units for space in self.racks])[self._nodes.rack], self._units / 2)
        keeps = np.array([any(place.role != NODE for place in space.rack.place) for space in self.racks])
        moves, mid_u = keeps[self._nodes.rack], self._nodes.mid_u
        return np.where(moves, half_u + 0.5, mid_u), np.where(moves, top_u - half_u + 0.5, mid_u)

    def racks_m(self, units: int, count: int) -> Metres:
        """From a switch of `units` [U] or more to another in one of the nearest racks, (up to count,) ascending."""
        if not self._is_given:
            here, beside = np.array([0]), np.array([1])
            side_m = self._routes.shortest_m(here, self._range_u(here, units), beside, self._range_u(beside, units))
            return np.asarray(side_m - RACK_PITCH_M + nearest_racks_m(count))
        there_u = self._range_u(self._open, units)
        found = []
        for rack in self._chunks():
            length_m = self._routes.shortest_m(rack, self._range_u(rack, units), self._open, there_u)
            length_m[rack == self._open] = np.inf
            found.append(np.sort(length_m)[:, :count].min(axis=0))
        nearest_m: Metres = np.min(found, axis=0)
        return nearest_m[np.isfinite(nearest_m)]

    def _chunks(self) -> Iterator[Ints]:
        """Racks open to switches, (racks, 1), some at a time."""
        for start in range(0, len(self._open), RACKS_AT_ONCE):
            yield self._open[start : start + RACKS_AT_ONCE, None]

    def _range_u(self, rack: Ints, units: int) -> tuple[Metres, Metres]:
        """Lowest and highest middle [U] of a device of `units` in each rack, whatever else stands there."""
        top_u = np.array([space.rack.units for space in self.racks])[rack]
        return np.full(rack.shape, (units + 1) / 2), top_u - (units - 1) / 2

    def _generated_nodes_m(self, leaf_units: int, count: int) -> Metres:
        """One row: a rack of nodes with others as near as racks of a generated hall can be."""
        mid_u = self._nodes.mid_u
        leaf_u, nodes_u = self._range_u(np.array([0]), leaf_units), (mid_u, mid_u)
        inside_m, beside_m = (self._routes.shortest_m(index, leaf_u, 0, nodes_u) for index in (0, 1))
        ways_m = nearest_racks_m(-(-count // len(mid_u))) - RACK_PITCH_M
        own_m = inside_m if 0 in self._open else np.empty(0)
        return np.sort(np.concatenate([own_m, (beside_m + ways_m[:, None]).reshape(-1)]))[None, :count]


def _two_racks(housing: NodeHousing) -> FloorPlan:
    """A rack of nodes of a generated hall, and a network rack beside it."""
    rack = generate(housing.per_rack or 1, housing, ()).racks[0]
    network = {"use": "network", "nodes": None, "place": (), "power_kw": RACK_POWER_KW}
    return FloorPlan(racks=(rack, rack.model_copy(update={"name": "beside", "x_m": RACK_PITCH_M, **network})))


def _places(racks: list[RackSpace], routes: Routes, housing: NodeHousing) -> Spots:
    """Every place of a node in the hall."""
    most = [node_capacity(space, housing) for space in racks]
    names = [str(index) for index in range(sum(most))]
    positions = place_nodes([space.copy() for space in racks], names, housing, max(most))
    rack = np.array([routes.index[position.rack] for position in positions], dtype=np.int64)
    return Spots(rack, np.array([position.mid_u for position in positions]))
