"""The tray system as stations and the distances between them.

A station is a point where cables leave the tray towards a rack. With ladders every rack has one station, straight
above it; with a tray graph the stations are the tray nodes that have drops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from fabric.floorplan.rows import row_names
from fabric.model.floorplan import FloorPlan, Rack, Trays

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class TraySystem(Protocol):
    """Stations, and the drops that join racks to them."""

    @property
    def drop_station(self) -> Ints:
        """(racks, drops) station of each drop; a rack with fewer drops repeats its first."""

    @property
    def drop_reach_m(self) -> Floats:
        """(racks, drops) horizontal way from the rack's centre to the station."""

    @property
    def drop_z_m(self) -> Floats:
        """(racks, drops) height of the station."""

    def between_m(self, a: Ints, b: Ints) -> Floats:
        """Way along the trays between stations, which broadcast against each other; infinite where there is none."""

    def places(self, a: int, b: int) -> tuple[str, ...]:
        """Names of what a cable passes between the nearest stations of two racks."""


@dataclass(frozen=True)
class Ladders:
    """A ladder over every row and a cross ladder at each end of the rows; every rack has a station, by its number.

    `row`, `x_m` and `y_m` are (racks,), rows by number and the middles of the racks.
    """

    rows: tuple[str, ...]
    row: Ints
    x_m: Floats
    y_m: Floats
    height_m: float

    @cached_property
    def drop_station(self) -> Ints:
        """(racks, 1) the rack itself."""
        return np.arange(len(self.rows)).reshape(-1, 1)

    @cached_property
    def drop_reach_m(self) -> Floats:
        """(racks, 1) nothing: the ladder runs straight above."""
        return np.zeros((len(self.rows), 1))

    @cached_property
    def drop_z_m(self) -> Floats:
        """(racks, 1) height of the ladders."""
        return np.full((len(self.rows), 1), self.height_m)

    def between_m(self, a: Ints, b: Ints) -> Floats:
        """Way along one row, or over the nearer cross ladder; worked out when asked, for pairs of racks are many."""
        west_m, east_m = self._cross_m
        x_m, y_m = self.x_m, self.y_m
        cross_m = np.minimum(west_m[a] + west_m[b], east_m[a] + east_m[b])
        return np.where(self.row[a] == self.row[b], np.abs(x_m[a] - x_m[b]), cross_m) + np.abs(y_m[a] - y_m[b])

    def places(self, a: int, b: int) -> tuple[str, ...]:
        """The row, or both rows with the cross ladder between them."""
        if self.rows[a] == self.rows[b]:
            return (f"row {self.rows[a]}",)
        west_m, east_m = self._cross_m
        west = west_m[a] + west_m[b] <= east_m[a] + east_m[b]
        return (f"row {self.rows[a]}", "cross west" if west else "cross east", f"row {self.rows[b]}")

    @cached_property
    def _cross_m(self) -> tuple[Floats, Floats]:
        """(racks,) ways to the cross ladders above the westernmost and the easternmost rack."""
        return self.x_m - self.x_m.min(), self.x_m.max() - self.x_m


@dataclass(frozen=True)
class TrayGraph:
    """An explicit graph of tray nodes.

    Attributes:
        drop_station, drop_reach_m, drop_z_m: as `TraySystem` has them.
        names: tray nodes.
        node_of_station: (stations,) number of the node.
        way_m: (stations, stations) shortest ways.
        previous: (stations, nodes) predecessors on the shortest ways.
    """

    drop_station: Ints
    drop_reach_m: Floats
    drop_z_m: Floats
    names: tuple[str, ...]
    node_of_station: Ints
    way_m: Floats
    previous: Ints

    def between_m(self, a: Ints, b: Ints) -> Floats:
        """The shortest ways, by number of the stations."""
        way_m: Floats = self.way_m[a, b]
        return way_m

    def places(self, a: int, b: int) -> tuple[str, ...]:
        """The tray nodes of the shortest way, both ends included."""
        way_m = (
            self.drop_reach_m[a][:, None]
            + self.between_m(*np.ix_(self.drop_station[a], self.drop_station[b]))
            + self.drop_reach_m[b]
        )
        from_drop, to_drop = np.unravel_index(np.argmin(way_m), way_m.shape)
        start = self.drop_station[a, from_drop]
        node = int(self.node_of_station[self.drop_station[b, to_drop]])
        way = [self.names[node]]
        while node != self.node_of_station[start]:
            node = int(self.previous[start, node])
            way.append(self.names[node])
        return tuple(reversed(way))


def fill_limits_mm2(trays: Trays) -> Mapping[frozenset[str], float]:
    """What the cables between each two neighbouring tray nodes may take together [mm²]: Σ fill_max · width · depth.

    Segments between the same two nodes share their cables. Empty with ladders, which have no width.
    """
    limits_mm2: dict[frozenset[str], float] = {}
    for segment in trays.segments:
        ends = frozenset((segment.a, segment.b))
        limits_mm2[ends] = limits_mm2.get(ends, 0.0) + segment.fill_max * segment.width_mm * segment.depth_mm
    return limits_mm2


def ladders(plan: FloorPlan, racks: tuple[Rack, ...]) -> Ladders:
    """Stations straight above the racks, joined by row ladders and the cross ladders at the outermost racks."""
    rows = row_names(racks)
    row = np.unique(np.array(rows), return_inverse=True)[1]
    x_m, y_m = np.array([rack.x_m for rack in racks]), np.array([rack.y_m for rack in racks])
    return Ladders(rows, row, x_m, y_m, plan.trays.height_m)


def tray_graph(plan: FloorPlan, racks: tuple[Rack, ...]) -> TrayGraph:
    """Stations at the tray nodes that have drops, joined by shortest ways along the segments."""
    nodes = plan.trays.nodes
    index = {node.name: i for i, node in enumerate(nodes)}
    at_m = np.array([(node.x_m, node.y_m, node.z_m) for node in nodes])
    drops: dict[str, list[int]] = {}
    for drop in plan.trays.drops:
        drops.setdefault(drop.rack, []).append(index[drop.node])
    node_of_station = np.unique([node for used in drops.values() for node in used])
    way_m, previous = _shortest(plan, index, at_m, node_of_station)
    most = max(len(used) for used in drops.values())
    node_of_drop = np.array(
        [drops[rack.name] + drops[rack.name][:1] * (most - len(drops[rack.name])) for rack in racks]
    )
    centre_m = np.array([(rack.x_m, rack.y_m) for rack in racks])
    return TrayGraph(
        drop_station=np.searchsorted(node_of_station, node_of_drop),
        drop_reach_m=np.abs(at_m[node_of_drop, :2] - centre_m[:, None, :]).sum(axis=2),
        drop_z_m=at_m[node_of_drop, 2],
        names=tuple(node.name for node in nodes),
        node_of_station=node_of_station,
        way_m=way_m[:, node_of_station],
        previous=previous,
    )


def _shortest(plan: FloorPlan, index: dict[str, int], at_m: Floats, start: Ints) -> tuple[Floats, Ints]:
    """Distances [m] and predecessors from the nodes `start` to every tray node, each (starts, nodes).

    Trays beside each other are one way: a sparse array would add their lengths.
    """
    ends = [(index[segment.a], index[segment.b]) for segment in plan.trays.segments]
    a, b = np.unique(np.sort(np.array(ends, dtype=np.int64).reshape(-1, 2), axis=1), axis=0).T
    length_m = np.linalg.norm(at_m[a] - at_m[b], axis=1)
    graph = coo_array((length_m, (a, b)), shape=(len(at_m), len(at_m))).tocsr()
    distance_m, previous = dijkstra(graph, directed=False, indices=start, return_predecessors=True)
    return distance_m, previous.astype(np.int64)
