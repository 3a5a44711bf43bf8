"""Deadlock: whether the buffers that packets hold and want can wait for each other in a ring.

A channel is an arc on one lane (priority or virtual lane). It waits for another when some packet may take the second
right after the first. No cycle: no deadlock. A cycle is necessary, not sufficient, for a deadlock of paused Ethernet
ports. Source: dally-seitz-1987.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from fabric.model.network import BoolArray, IntArray, Network
from fabric.model.paths import Routes


@dataclass(frozen=True, slots=True)
class Hop:
    """One channel of a cycle: from a switch to a switch, on a lane."""

    source: int
    target: int
    lane: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the routes are free of cyclic waits.

    Attributes:
        free: True if no cycle exists on the lanes given.
        lanes_needed: fewest lanes that make the routes free, the topmost ones merged; all of them if none do.
        cycle: a shortest cycle through its first channel, in order; None if there is none.
    """

    free: bool
    lanes_needed: int
    cycle: tuple[Hop, ...] | None


def judge(network: Network, routes: Routes, lane_count: int | None = None) -> Verdict:
    """Whether packets on any of the `routes` can wait for each other in a circle.

    Elements that fail later only take channels away, so a fabric that is free stays so.

    Args:
        network: the plane.
        routes: how it is routed.
        lane_count: lanes that the switches have; lanes above them share the last one. None: as many as are wanted.
    """
    wanted = max((paths.lane_count for paths in routes), default=1)
    lanes_needed = next((lanes for lanes in range(1, wanted) if not _cycle(network, routes, lanes)), wanted)
    cycle = _cycle(network, routes, min(wanted, lane_count or wanted))
    return Verdict(free=not cycle, lanes_needed=lanes_needed, cycle=cycle or None)


def _cycle(network: Network, routes: Routes, lane_count: int) -> tuple[Hop, ...]:
    """A cycle of the dependency graph on so many lanes, hop by hop; empty if there is none.

    Nodes are the channels and, behind them, the states of all routes: a channel leads to the states that it ends in,
    a state to the channels that may come next. Only channels on a circle of that graph are then looked at pair by
    pair, where those that would turn packets back at once do not count: no route does that.
    """
    arcs = 2 * network.pipes.gbps.size
    channels, steps, first = arcs * lane_count, [np.zeros((0, 3), dtype=np.int64)], arcs * lane_count
    for paths in routes:
        channel = paths.step_arc + arcs * np.minimum(paths.step_lane, lane_count - 1)
        steps.append(np.stack([first + paths.step_from, channel, first + paths.step_to], axis=1))
        first += paths.state_switch.size
    step = np.concatenate(steps)
    edges = np.concatenate([step[:, :2], step[:, 1:]])
    knotted = _knotted(edges, first)
    inside = step[knotted[step[:, 1]]]
    ring = _ring(_waits(inside, arcs), channels) if inside.size else []
    origin, target = network.arc_from, network.arc_to
    return tuple(Hop(int(origin[node % arcs]), int(target[node % arcs]), node // arcs) for node in ring)


def _waits(step: IntArray, arcs: int) -> IntArray:
    """(n, 2) each two channels of steps (state, channel, state) that packets take in turn, without turning back."""
    by_origin = step[np.argsort(step[:, 0], kind="stable")]
    low, high = (np.searchsorted(by_origin[:, 0], step[:, 2], side=side) for side in ("left", "right"))
    before = np.repeat(step[:, 1], high - low)
    rank = np.arange(before.size) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
    after = by_origin[np.repeat(low, high - low) + rank, 1]
    back = (before % arcs + arcs // 2) % arcs == after % arcs
    count = int(step[:, 1].max()) + 1
    pair = np.sort(before[~back] * count + after[~back])  # np.unique takes many times as long
    return np.stack(np.divmod(pair[np.diff(pair, prepend=-1) > 0], count), axis=1)


def _knotted(edges: IntArray, nodes_count: int) -> BoolArray:
    """(n_nodes,) which nodes lie on a cycle through others."""
    ones = np.ones(len(edges), dtype=np.int8)
    graph = coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(nodes_count, nodes_count)).tocsr()
    _, component = connected_components(graph, directed=True, connection="strong")
    return np.asarray(np.bincount(component)[component] > 1)


def _ring(edges: IntArray, nodes_count: int) -> list[int]:
    """A shortest cycle through the first node that lies on any; empty if the graph has none."""
    knotted = np.flatnonzero(_knotted(edges, nodes_count))
    if not len(knotted):
        return []
    ones = np.ones(len(edges), dtype=np.int8)
    graph = coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(nodes_count, nodes_count)).tocsr()
    start = int(knotted[0])
    nearest_first, before = breadth_first_order(graph, start, directed=True)
    into_start = edges[edges[:, 1] == start, 0]
    ring = [int(nearest_first[np.isin(nearest_first, into_start)][0])]
    while ring[-1] != start:
        ring.append(int(before[ring[-1]]))
    return ring[::-1]
