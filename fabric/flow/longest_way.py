"""The longest way that a small message may take: of all pairs that talk, over any of their shortest ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fabric.flow.offered import EdgeDemand
from fabric.flow.walk import Layers, blocks_of, layers
from fabric.flow.way import PlaneNs
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.model.paths import Paths, Routes

_CELLS_AT_ONCE = 1 << 22
"""Cells of steps by targets of one pass, which bounds the memory."""


@dataclass(frozen=True, slots=True)
class LongestWay:
    """A way from endpoint to endpoint.

    Attributes:
        source: endpoint where it begins.
        target: endpoint where it ends.
        switches: in their order.
        links: between the switches, in their order.
        total_ns: of links and switches, of packets that nobody holds up [ns].
    """

    source: int
    target: int
    switches: tuple[int, ...]
    links: tuple[int, ...]
    total_ns: float


@dataclass(frozen=True, slots=True)
class _Pair:
    """Leaves or routers whose longest way is the longest so far, and the routes that it takes."""

    source: int
    target: int
    routes: int
    total_ns: float


def longest_way(
    network: Network, routes: Routes, parts: PlaneNs, offered: EdgeDemand, owner: IntArray
) -> LongestWay | None:
    """The longest of the shortest ways between any two endpoints that talk; None where nobody does.

    Equation: with s one of the states that begin a shortest way to target d, L(s, d) is the largest over its steps of
    link + switch + L(next, d), found layer by layer. Of parallel links the longest counts, and of the endpoints of a
    leaf or router the one with the longest link that sends (receives) and has another owner than the other end.

    Args:
        network: the plane.
        routes: how it is routed.
        parts: times of its links and switches.
        offered: the traffic.
        owner: (n_endpoints,) number of the scale-up domain of each endpoint; within one nothing is sent.
    """
    ends = _Ends(
        _longest_ends(network, parts, offered.sent_bytes, owner),
        _longest_ends(network, parts, offered.received_bytes, owner),
        parts.switch[: network.edge_count],
    )
    talk = offered.pair_bytes > 0
    edges = np.arange(network.edge_count)
    turning = np.where(np.diagonal(talk), ends.total(edges, edges), -np.inf)
    best = _Pair(int(turning.argmax()), int(turning.argmax()), -1, float(turning.max()))
    np.fill_diagonal(talk, val=False)
    for number, paths in enumerate(routes):
        for pair in _pairs(network, paths, parts, talk, ends):
            if pair.total_ns > best.total_ns:
                best = replace(pair, routes=number)
    if not np.isfinite(best.total_ns):
        return None
    switches, links = ([best.source], []) if best.routes < 0 else _trace(network, routes[best.routes], parts, best)
    return LongestWay(*ends.of(best.source, best.target), tuple(switches), tuple(links), best.total_ns)


@dataclass(frozen=True, slots=True, eq=False)
class _Longest:
    """Of every leaf or router the longest link of an endpoint, and the longest of another owner than that one's.

    Attributes:
        ns: (2, n_edges) their times [ns]; −∞ where there is none.
        endpoint: (2, n_edges) endpoints.
        owner: (2, n_edges) owners.
    """

    ns: FloatArray
    endpoint: IntArray
    owner: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Both ends of ways: the longest links that send and that receive, and the time (n_edges,) in the first switch."""

    out: _Longest
    into: _Longest
    switch_ns: FloatArray

    def total(self, source: IntArray, target: IntArray) -> FloatArray:
        """Longest ends [ns] of pairs of leaves or routers, of shapes that broadcast."""
        return np.asarray(self._choices(source, target).max(axis=0) + self.switch_ns[source], dtype=np.float64)

    def of(self, source: int, target: int) -> tuple[int, int]:
        """The endpoints at both ends of a pair's longest way."""
        first, last = divmod(int(self._choices(np.array(source), np.array(target)).argmax()), 2)
        return int(self.out.endpoint[first, source]), int(self.into.endpoint[last, target])

    def _choices(self, source: IntArray, target: IntArray) -> FloatArray:
        """(4, …) both links of the source with both of the target, −∞ where they have one owner."""
        return np.stack(
            [
                np.where(
                    self.out.owner[first][source] != self.into.owner[last][target],
                    self.out.ns[first][source] + self.into.ns[last][target],
                    -np.inf,
                )
                for first in range(2)
                for last in range(2)
            ]
        )


def _longest_ends(network: Network, parts: PlaneNs, amount: FloatArray, owner: IntArray) -> _Longest:
    """The longest links of endpoints that send or receive an amount."""
    values = np.where(amount > 0, parts.endpoints.all, -np.inf)
    edge = network.endpoint_switch
    ns, endpoint, whose = [], [], []
    for _ in range(2):
        longest = np.full(network.edge_count, -np.inf)
        np.maximum.at(longest, edge, values)
        which = np.zeros(network.edge_count, dtype=np.int64)
        order = np.flatnonzero(values == longest[edge])[::-1]
        which[edge[order]] = order
        ns.append(longest)
        endpoint.append(which)
        whose.append(np.where(np.isfinite(longest), owner[which], -1))
        values = np.where(owner == whose[0][edge], -np.inf, values)
    return _Longest(np.stack(ns), np.stack(endpoint), np.stack(whose))


def _pairs(network: Network, paths: Paths, parts: PlaneNs, talk: BoolArray, ends: _Ends) -> Iterator[_Pair]:
    """The longest pair of every pass over the targets, those in `talk` that have a way; these are taken off it."""
    step_ns = _step_ns(network, paths, parts)
    for layer in layers(paths, blocks_of(network, paths), np.flatnonzero(talk.any(axis=0))):
        ahead = layer.steps[paths.start]
        at_once = max(1, _CELLS_AT_ONCE // max(1, paths.step_from.size))
        for first in range(0, layer.targets.size, at_once):
            part = slice(first, first + at_once)
            target = layer.targets[part]
            ways = _longest(paths, step_ns, Layers(target, layer.steps[:, part]))[paths.start]
            usable = talk[:, target] & (ahead[:, part] > 0)
            total = np.where(usable, ends.total(np.arange(network.edge_count)[:, None], target) + ways, -np.inf)
            source, column = np.unravel_index(int(total.argmax()), total.shape)
            talk[:, target] &= ~usable
            yield _Pair(int(source), int(target[column]), 0, float(total[source, column]))


def _step_ns(network: Network, paths: Paths, parts: PlaneNs) -> FloatArray:
    """(n_steps,) the longest link of each step and the switch behind it [ns]."""
    pipe_ns = np.zeros(network.pipes.gbps.size)
    np.maximum.at(pipe_ns, network.pipes.of_link, parts.links.all)
    behind = parts.switch[paths.state_switch[paths.step_to]]
    return np.asarray(np.tile(pipe_ns, 2)[paths.step_arc] + behind, dtype=np.float64)


def _longest(paths: Paths, step_ns: FloatArray, layer: Layers) -> FloatArray:
    """(n_states, n_targets) longest of the shortest ways from every state [ns]."""
    order = np.argsort(paths.step_from, kind="stable")
    ways = np.zeros(layer.steps.shape)
    for count in range(1, int(layer.steps.max(initial=0)) + 1):
        begin, end = ((layer.steps == each).any(axis=1) for each in (count, count - 1))
        taken = order[begin[paths.step_from[order]] & end[paths.step_to[order]]]
        origin, first = np.unique(paths.step_from[taken], return_index=True)
        nearer = np.where(layer.steps == count - 1, ways, -np.inf)
        most = np.maximum.reduceat(nearer[paths.step_to[taken]] + step_ns[taken][:, None], first, axis=0)
        ways[origin] = np.where(layer.steps[origin] == count, most, ways[origin])
    return ways


def _trace(network: Network, paths: Paths, parts: PlaneNs, pair: _Pair) -> tuple[list[int], list[int]]:
    """Switches and links of a pair's longest way; of parallel links the first of the longest."""
    target = np.array([pair.target])
    step_ns = _step_ns(network, paths, parts)
    steps = next(layers(paths, blocks_of(network, paths), target)).steps
    ways = _longest(paths, step_ns, Layers(target, steps))[:, 0]
    state = int(paths.start[pair.source])
    switches: list[int] = [pair.source]
    links: list[int] = []
    while steps[state, 0] > 0:
        own = np.flatnonzero((paths.step_from == state) & (steps[paths.step_to, 0] == steps[state, 0] - 1))
        step = own[np.argmax(step_ns[own] + ways[paths.step_to[own]])]
        pipe = int(paths.step_arc[step]) % network.pipes.gbps.size
        parallel = np.flatnonzero(network.pipes.of_link == pipe)
        links.append(int(parallel[np.argmax(parts.links.all[parallel])]))
        state = int(paths.step_to[step])
        switches.append(int(paths.state_switch[state]))
    return switches, links
