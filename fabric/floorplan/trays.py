"""The tray system as stations and the distances between them.

A station is a point where cables leave the tray towards a rack. With ladders every rack has one station, straight
above it; with a tray graph the stations are the tray nodes that have drops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from fabric.floorplan.rows import row_names
from fabric.model.floorplan import FloorPlan, Rack, Trays

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TraySystem:
    """Stations, and the drops that join racks to them.

    Attributes:
        between_m: (stations, stations) way along the trays; infinite where there is none.
        drop_station: (racks, drops) station of each drop; a rack with fewer drops repeats its first.
        drop_reach_m: (racks, drops) horizontal way from the rack's centre to the station.
        drop_z_m: (racks, drops) height of the station.
    """

    between_m: Floats
    drop_station: Ints
    drop_reach_m: Floats
    drop_z_m: Floats

    def places(self, _a: int, _b: int) -> tuple[str, ...]:
        """Names of what a cable passes between the nearest stations of two racks."""
        return ()


@dataclass(frozen=True)
class Ladders(TraySystem):
    """A ladder over every row and a cross ladder at each end of the rows."""

    rows: tuple[str, ...]
    from_west_m: Floats
    from_east_m: Floats

    def places(self, a: int, b: int) -> tuple[str, ...]:
        """The row, or both rows with the cross ladder between them."""
        if self.rows[a] == self.rows[b]:
            return (f"row {self.rows[a]}",)
        west = self.from_west_m[a] + self.from_west_m[b] <= self.from_east_m[a] + self.from_east_m[b]
        return (f"row {self.rows[a]}", "cross west" if west else "cross east", f"row {self.rows[b]}")


@dataclass(frozen=True)
class TrayGraph(TraySystem):
    """An explicit graph of tray nodes; `previous` are the predecessors on the shortest ways, (stations, nodes)."""

    names: tuple[str, ...]
    node_of_station: Ints
    previous: Ints

    def places(self, a: int, b: int) -> tuple[str, ...]:
        """The tray nodes of the shortest way, both ends included."""
        way_m = (
            self.drop_reach_m[a][:, None]
            + self.between_m[np.ix_(self.drop_station[a], self.drop_station[b])]
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
    x_m = np.array([rack.x_m for rack in racks])
    y_m = np.array([rack.y_m for rack in racks])
    rows = row_names(racks)
    row = np.unique(np.array(rows), return_inverse=True)[1]
    along_m = np.abs(x_m[:, None] - x_m)
    west_m, east_m = x_m - x_m.min(), x_m.max() - x_m
    cross_m = np.minimum(west_m[:, None] + west_m, east_m[:, None] + east_m)
    between_m = np.where(row[:, None] == row, along_m, cross_m) + np.abs(y_m[:, None] - y_m)
    count = len(racks)
    return Ladders(
        between_m=between_m,
        drop_station=np.arange(count).reshape(count, 1),
        drop_reach_m=np.zeros((count, 1)),
        drop_z_m=np.full((count, 1), plan.trays.height_m),
        rows=rows,
        from_west_m=west_m,
        from_east_m=east_m,
    )


def tray_graph(plan: FloorPlan, racks: tuple[Rack, ...]) -> TrayGraph:
    """Stations at the tray nodes that have drops, joined by shortest ways along the segments."""
    nodes = plan.trays.nodes
    index = {node.name: i for i, node in enumerate(nodes)}
    at_m = np.array([(node.x_m, node.y_m, node.z_m) for node in nodes])
    drops: dict[str, list[int]] = {}
    for drop in plan.trays.drops:
        drops.setdefault(drop.rack, []).append(index[drop.node])
    node_of_station = np.unique([node for used in drops.values() for node in used])
    between_m, previous = _shortest(plan, index, at_m, node_of_station)
    most = max(len(used) for used in drops.values())
    node_of_drop = np.array(
        [drops[rack.name] + drops[rack.name][:1] * (most - len(drops[rack.name])) for rack in racks]
    )
    centre_m = np.array([(rack.x_m, rack.y_m) for rack in racks])
    return TrayGraph(
        between_m=between_m[:, node_of_station],
        drop_station=np.searchsorted(node_of_station, node_of_drop),
        drop_reach_m=np.abs(at_m[node_of_drop, :2] - centre_m[:, None, :]).sum(axis=2),
        drop_z_m=at_m[node_of_drop, 2],
        names=tuple(node.name for node in nodes),
        node_of_station=node_of_station,
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
