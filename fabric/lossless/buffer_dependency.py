"""Deadlock: whether the buffers that routes hold and want can wait for each other in a ring.

A node is an arc between two switches on one lane (priority or virtual lane); an edge says that some route
takes the second right after the first. No cycle: no deadlock. A cycle is necessary, not sufficient, for a
deadlock of paused Ethernet ports. Source: dally-seitz-1987.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from fabric.errors import Fault, InputError

Indices = NDArray[np.int64]
Route = Sequence[int]


@dataclass(frozen=True, slots=True)
class Hop:
    """One arc of a cycle: from a switch to a switch, on a lane."""

    source: int
    target: int
    lane: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the routes are free of cyclic waits.

    Attributes:
        free: True if no cycle exists on the lanes given.
        lanes_needed: Fewest lanes that make the routes free, if the lane rises whenever a route turns up
            again.
        cycle: A shortest cycle through its first arc, in order; None if there is none.
    """

    free: bool
    lanes_needed: int
    cycle: tuple[Hop, ...] | None


@dataclass(frozen=True, slots=True)
class _Trunks:
    """Joined pairs of switches, each once, sorted by spine and then leaf; both of shape (n_trunks,)."""

    leaf: Indices
    spine: Indices

    @property
    def count(self) -> int:
        """Number of trunks."""
        return len(self.leaf)

    def hop(self, channel: int) -> Hop:
        """The arc and lane of a channel number: per lane first all arcs up, then all arcs down."""
        lane, within = divmod(channel, 2 * self.count)
        trunk = within % self.count
        leaf, spine = int(self.leaf[trunk]), int(self.spine[trunk])
        return Hop(leaf, spine, lane) if within < self.count else Hop(spine, leaf, lane)


def judge(leaf: Indices, spine: Indices, *, lanes_count: int = 1, extra_routes: Sequence[Route] = ()) -> Verdict:
    """Whether every leaf-spine-leaf route, and any extra ones, are free of cyclic waits.

    A route starts on lane 0 and moves to the next lane, up to the last one, each time it goes up after having
    gone down.

    Args:
        leaf: Leaf of each link, a switch number, shape (n_links,).
        spine: Spine of each link, from numbers that no leaf has, shape (n_links,).
        lanes_count: Lanes that carry lossless traffic.
        extra_routes: Further routes, each the switches it visits in order.

    Raises:
        InputError: A route uses a link that does not exist, or a switch is both leaf and spine.
    """
    if len(both := np.intersect1d(leaf, spine)):
        raise InputError(Fault(f"switch {both[0]} is both leaf and spine; only two tiers can be judged"))
    pairs = np.unique(np.stack([spine, leaf], axis=1), axis=0)
    trunks = _Trunks(leaf=pairs[:, 1], spine=pairs[:, 0])
    walks = _walks(trunks, extra_routes)
    cycle = _cycle(trunks, walks, lanes_count)
    # One lane more than the most turns is enough: within a lane every route then goes up once and down once.
    enough = _most_turns(trunks, walks) + 1
    lanes_needed = next(lanes for lanes in range(1, enough + 1) if not _cycle(trunks, walks, lanes))
    return Verdict(free=not cycle, lanes_needed=lanes_needed, cycle=cycle or None)


def _walks(trunks: _Trunks, routes: Sequence[Route]) -> list[list[int]]:
    """Each route as arcs of lane 0 (up: trunk number; down: trunk number plus the number of trunks)."""
    if not routes:
        return []
    arcs = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(trunks.leaf, trunks.spine, strict=True))}
    arcs |= {(b, a): i + trunks.count for (a, b), i in arcs.items()}
    try:
        return [[arcs[hop] for hop in pairwise(route)] for route in routes if len(route) > 1]
    except KeyError as error:
        source, target = error.args[0]
        raise InputError(Fault(f"a route goes from switch {source} to switch {target}, which no link joins")) from None


def _turns(trunks: _Trunks, walk: list[int]) -> list[int]:
    """How often a walk has turned up again, at each of its arcs."""
    turns = [0]
    for before, after in pairwise(walk):
        turns.append(turns[-1] + (before >= trunks.count > after))
    return turns


def _most_turns(trunks: _Trunks, walks: list[list[int]]) -> int:
    """Most turns up of any walk."""
    return max((_turns(trunks, walk)[-1] for walk in walks), default=0)


def _cycle(trunks: _Trunks, walks: list[list[int]], lanes_count: int) -> tuple[Hop, ...]:
    """A cycle of the dependency graph, hop by hop; empty if there is none."""
    channels_count = 2 * trunks.count * lanes_count
    edges = np.concatenate([_up_down_edges(trunks, channels_count), _walk_edges(trunks, walks, lanes_count)])
    ring = _ring(edges, channels_count + 2 * trunks.count)
    return tuple(trunks.hop(node) for node in ring if node < channels_count)


def _up_down_edges(trunks: _Trunks, first_helper: int) -> Indices:
    """Edges from every arc up to every arc down of its spine but its own reverse, shape (n_edges, 2).

    The trunks of a spine stand next to each other. One chain of helpers runs forwards and reaches all arcs
    down behind an arc up, one runs backwards and reaches all before it.
    """
    before = np.flatnonzero(trunks.spine[1:] == trunks.spine[:-1])
    after = before + 1
    up, down = 0, trunks.count
    forward, backward = first_helper, first_helper + trunks.count
    steps = [
        (up + before, forward + before),
        (forward + before, forward + after),
        (forward + before, down + after),
        (up + after, backward + after),
        (backward + after, backward + before),
        (backward + after, down + before),
    ]
    return np.concatenate([np.stack(step, axis=1) for step in steps])


def _walk_edges(trunks: _Trunks, walks: list[list[int]], lanes_count: int) -> Indices:
    """Edges between the consecutive arcs of each walk on their lanes, shape (n_edges, 2)."""
    edges: set[tuple[int, int]] = set()
    for walk in walks:
        lanes = [min(turns, lanes_count - 1) for turns in _turns(trunks, walk)]
        channels = [2 * trunks.count * lane + arc for lane, arc in zip(lanes, walk, strict=True)]
        edges.update(pairwise(channels))
    return np.array(sorted(edges), dtype=np.int64).reshape(-1, 2)


def _ring(edges: Indices, nodes_count: int) -> list[int]:
    """A shortest cycle through the first node that lies on any; empty if the graph has none."""
    if not len(edges):
        return []
    ones = np.ones(len(edges), dtype=np.int8)
    graph = coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(nodes_count, nodes_count)).tocsr()
    _, component = connected_components(graph, directed=True, connection="strong")
    knotted = np.flatnonzero(np.bincount(component)[component] > 1)
    if not len(knotted):
        return []
    start = int(knotted[0])
    nearest_first, before = breadth_first_order(graph, start, directed=True)
    into_start = edges[edges[:, 1] == start, 0]
    ring = [int(nearest_first[np.isin(nearest_first, into_start)][0])]
    while ring[-1] != start:
        ring.append(int(before[ring[-1]]))
    return ring[::-1]
