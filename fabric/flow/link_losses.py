"""Throughput of one plane without each of some links, from the loads of the whole plane.

A link that is lost changes what takes it and nothing else. In a plane of leaves and spines that is what its leaf sends,
and, where it was the last link to that spine, what the leaf receives: one row and one column of the shares. Elsewhere
the flows that pass it are sent again (`reroute`), all others keep their ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fabric.flow.hashing import is_leaf_spine, trunks_of
from fabric.flow.link_load import Bottleneck, Direction
from fabric.flow.offered import EdgeDemand
from fabric.flow.reroute import Rerouting
from fabric.flow.throughput import UniformThroughput
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.model.paths import Routes
from fabric.units import bytes_per_us

_EQUAL = 1e-9
"""Relative difference below which two arcs are equally full, and below which a pipe is gone."""

ARCS_AT_ONCE = 2**20
"""Arcs of all links that are tried together: memory grows with them."""

_DENSE_STEPS = 8
"""Cells of a full matrix that take as long as one step of other planes."""

_NO_PAIRS = np.zeros((0, 2), dtype=np.int64)


def without_each(
    network: Network, routes: Routes, offered: EdgeDemand, links: Sequence[int], most_steps: int | None = None
) -> Iterator[UniformThroughput]:
    """What `carried` gives without each of some links between switches, one after the other.

    Bottlenecks are indices of the whole network. Links behind the one at which more than `most_steps` steps have been
    looked at get no answer.
    """
    pipes = network.pipes.of_link[list(links)]
    left_gbps = network.pipes.gbps[pipes] - network.link_gbps[list(links)]
    left_gbps[left_gbps < _EQUAL * network.pipes.gbps[pipes]] = 0.0
    ends = _Ends(network, offered)
    ways = _Trees(network, offered) if is_leaf_spine(network) else Rerouting(network, routes, offered.pair_bytes)
    at_once = max(1, ARCS_AT_ONCE // (2 * network.pipes.gbps.size))
    for first in range(0, pipes.size, at_once):
        here = slice(first, first + at_once)
        if most_steps is not None and ways.walked > most_steps:
            return
        loads, unreachable = ways.without(pipes[here], left_gbps[here])
        for link, gbps, load, pairs in zip(links[here], left_gbps[here].tolist(), loads, unreachable, strict=True):
            yield ends.judged(link, gbps, load.reshape(2, -1), pairs)


class _Ends:
    """The arcs of a plane in the order in which the fullest is looked for."""

    def __init__(self, network: Network, offered: EdgeDemand) -> None:
        self._network = network
        per_us = bytes_per_us(1.0)
        self._below = [
            (Direction.ENDPOINT_UP, offered.sent_bytes / (network.endpoint_gbps * per_us)),
            (Direction.ENDPOINT_DOWN, offered.received_bytes / (network.endpoint_gbps * per_us)),
        ]
        self._below_us = max(float(time_us.max(initial=0.0)) for _, time_us in self._below)
        self._first = np.unique(network.pipes.of_link, return_index=True)[1]

    def judged(self, link: int, left_gbps: float, arc_bytes: FloatArray, unreachable: IntArray) -> UniformThroughput:
        """Throughput when every arc carries `arc_bytes` (2, n_pipes) and the pipe of a link has some rate left."""
        pipe = int(self._network.pipes.of_link[link])
        gbps = self._network.pipes.gbps.copy()
        gbps[pipe] = left_gbps
        times_us = np.divide(arc_bytes, gbps * bytes_per_us(1.0), out=np.zeros_like(arc_bytes), where=gbps > 0)
        longest_us = max(self._below_us, float(times_us.max(initial=0.0)))
        theta = 0.0 if unreachable.size or not longest_us else 1 / longest_us
        return UniformThroughput(theta, self._fullest(link, times_us, longest_us), unreachable)

    def _fullest(self, link: int, times_us: FloatArray, longest_us: float) -> Bottleneck:
        """The first of the fullest arcs that are left."""
        least_us = longest_us * (1 - _EQUAL)
        for direction, below_us in self._below:
            if (below_us >= least_us).any():
                return Bottleneck(direction, int(np.argmax(below_us >= least_us)), longest_us)
        pipe = self._network.pipes.of_link[link]
        for direction, time_us in zip((Direction.LINK_UP, Direction.LINK_DOWN), times_us, strict=True):
            full = time_us >= least_us
            first = self._first[full]
            if full[pipe] and self._first[pipe] == link:
                others = np.flatnonzero(self._network.pipes.of_link == pipe)
                first = np.append(first[first != link], others[others != link])
            if full.any():
                return Bottleneck(direction, int(first.min()), longest_us)
        return Bottleneck(Direction.ENDPOINT_UP, 0, longest_us)


class _Trees:
    """A plane of leaves and spines: leaf i sends leaf t the share C[i, s] / A[i, t] over each spine s that both reach.

    C holds the rates of trunks, B whether there is one, A = C·Bᵀ; a trunk carries up C ∘ (R·B) and down B ∘ (Rᵀ·C)
    with R = D / A for the demand D.
    """

    def __init__(self, network: Network, offered: EdgeDemand) -> None:
        trunks = trunks_of(network)
        self._gbps, self._reached, self._usable = trunks.gbps, trunks.reached, trunks.usable_gbps
        self._leaf, self._spine = network.pipes.a, network.pipes.b - network.edge_count
        self._demand = offered.pair_bytes.copy()
        np.fill_diagonal(self._demand, 0.0)
        self._per_gbps = _share(self._demand, self._usable)
        self._up = self._gbps * (self._per_gbps @ self._reached)
        self._down = self._reached * (self._per_gbps.T @ self._gbps)
        self._cut = self._demand * (self._usable <= 0) > 0
        self.walked = 0

    def without(self, pipes: IntArray, left_gbps: FloatArray) -> tuple[FloatArray, list[IntArray]]:
        """(n_cases, n_arcs) bytes on every arc with another rate of one trunk, and the (n, 2) pairs without a way."""
        self.walked += pipes.size * self._gbps.size // _DENSE_STEPS
        cases = [self._with(int(pipe), gbps) for pipe, gbps in zip(pipes, left_gbps.tolist(), strict=True)]
        return np.array([load for load, _ in cases]), [pairs for _, pairs in cases]

    def _with(self, pipe: int, left_gbps: float) -> tuple[FloatArray, IntArray]:
        leaf, spine = int(self._leaf[pipe]), int(self._spine[pipe])
        gbps = self._gbps[leaf].copy()
        gbps[spine] = left_gbps
        usable = self._reached @ gbps
        sent = _share(self._demand[leaf], usable)
        up, cut = self._up.copy(), self._cut.copy()
        up[leaf] = gbps * (sent @ self._reached)
        change = np.outer(sent, gbps) - np.outer(self._per_gbps[leaf], self._gbps[leaf])
        down = self._down + self._reached * change
        cut[leaf] = self._demand[leaf] * (usable <= 0) > 0
        if not left_gbps:
            reached = self._reached[leaf].copy()
            reached[spine] = 0.0
            usable = self._gbps @ reached
            taken = _share(self._demand[:, leaf], usable)
            change = np.outer(taken, reached) - np.outer(self._per_gbps[:, leaf], self._reached[leaf])
            change[leaf] = 0.0
            up += self._gbps * change
            down[leaf] = reached * (taken @ self._gbps)
            cut[:, leaf] = self._demand[:, leaf] * (usable <= 0) > 0
        return np.concatenate([up[self._leaf, self._spine], down[self._leaf, self._spine]]), _pairs(cut)


def _share(demand: FloatArray, usable_gbps: FloatArray) -> FloatArray:
    """Bytes for each Gb/s that may carry them; none where nothing may."""
    return np.divide(demand, usable_gbps, out=np.zeros_like(demand), where=usable_gbps > 0)


def _pairs(cut: BoolArray) -> IntArray:
    return np.argwhere(cut).astype(np.int64) if cut.any() else _NO_PAIRS
