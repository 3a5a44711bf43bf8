"""Max-min fair rates: what each flow gets when no flow can have more without taking from one that has no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from fabric.flow.link_load import spread_layer
from fabric.flow.walk import Block, Layers, blocks_of, layers
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.model.paths import Paths, Routes

_EQUAL = 1e-9
"""Relative difference below which two arcs are equally full."""


@dataclass(frozen=True, slots=True, eq=False)
class FairRates:
    """Result of `fair_rates`.

    Attributes:
        gbps: (n_groups, n_groups) rate of each flow of a class [Gb/s]; 0 without flows or without a way.
        rounds: times that some arc filled up.
        unreachable: (n, 2) pairs (from switch, to switch) with flows but no way, in ascending order.
    """

    gbps: FloatArray
    rounds: int
    unreachable: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Ways:
    """One of the routes, with the steps left to every target: made once, walked in every round.

    Attributes:
        paths: the states and steps.
        blocks: its steps by distance.
        layers: the steps left, for some targets each.
        carries: (n_edges, n_edges) pairs that take this one of the routes.
    """

    paths: Paths
    blocks: tuple[Block, ...]
    layers: Sequence[Layers]
    carries: BoolArray

    def load(self, pair_gbps: FloatArray, arc_gbps: FloatArray) -> None:
        """Add to `arc_gbps` (n_arcs,) what a demand (n_edges, n_edges) puts on arcs."""
        for layer in self.layers:
            wanted = np.where(self.carries[:, layer.targets], pair_gbps[:, layer.targets], 0.0)
            spread_layer(self.paths, self.blocks, layer, wanted, arc_gbps)

    def touching(self, full: BoolArray) -> BoolArray:
        """(n_edges, n_edges) pairs some of whose bytes take an arc of `full` (n_arcs,)."""
        found = np.zeros(self.carries.shape, dtype=np.bool_)
        hot = [_hot(block, full) for block in self.blocks]
        for layer in self.layers:
            found[:, layer.targets] = _touched(self.blocks, hot, layer)[self.paths.start]
        return found & self.carries


def fair_rates(network: Network, routes: Routes, group: IntArray, flows: FloatArray) -> FairRates:
    """Max-min fair rates of classes of flows that spread evenly over their shortest ways, by water filling.

    All rates rise together. Where an arc is full, the classes that use it stay as they are and the others rise on.
    So every class has a full arc on which none has more, which is what max-min fair means. Flows between two groups
    are alike, hence one class; memory follows the classes and never the flows. Source: bertsekas-gallager-1992.

    Args:
        network: the plane.
        routes: how it is routed.
        group: (n_endpoints,) group of each endpoint, −1 for none. Endpoints of a group hang on one leaf or router at
            one rate and take equal parts in its flows; those that differ in their flows stand in groups of their own.
        flows: (n_groups, n_groups) flows from all endpoints of one group to all of another.

    Raises:
        ValueError: endpoints of one group at two switches or rates.
    """
    sides = _Sides(network, group, len(flows))
    ways = _ways(network, routes)
    reached = np.logical_or.reduce([each.carries for each in ways]) | np.eye(network.edge_count, dtype=np.bool_)
    has_way = reached[np.ix_(sides.edge, sides.edge)]
    gbps, rising, rounds = np.zeros(flows.shape), (flows > 0) & has_way, 0
    capacity = np.concatenate([np.tile(network.pipes.gbps, 2), sides.gbps, sides.gbps])
    room, growth = capacity.copy(), _load(sides, ways, np.where(rising, flows, 0.0), capacity.size)
    level = 0.0
    while rising.any():
        rounds += 1
        loaded = growth > 0
        step = float((room[loaded] / growth[loaded]).min())
        level += max(step, 0.0)
        room -= max(step, 0.0) * growth
        stays = rising & _uses(sides, ways, loaded & (room <= _EQUAL * capacity))
        gbps[stays] = level
        rising &= ~stays
        growth = _load(sides, ways, np.where(rising, flows, 0.0), capacity.size)
    lost = sides.folded(np.where(has_way, 0.0, flows))
    return FairRates(gbps, rounds, np.argwhere(lost > 0).astype(np.int64))


class _Sides:
    """Where groups stand, and what each of their endpoints may send and receive.

    Attributes:
        edge: (n_groups,) leaf or router of each group; 0 for one without endpoints.
        gbps: (n_groups,) rate of all its endpoints [Gb/s].
    """

    def __init__(self, network: Network, group: IntArray, group_count: int) -> None:
        member = np.flatnonzero(group >= 0)
        of, where, rate = group[member], network.endpoint_switch[member], network.endpoint_gbps[member]
        self.edge = np.zeros(group_count, dtype=np.int64)
        self.edge[of] = where
        one_gbps = np.zeros(group_count)
        one_gbps[of] = rate
        if (self.edge[of] != where).any() or (one_gbps[of] != rate).any():
            raise ValueError("endpoints of a group hang on one switch at one rate")
        self.gbps = np.bincount(of, rate, group_count).astype(np.float64)
        ones = np.ones(group_count)
        self._on = csr_array((ones, (np.arange(group_count), self.edge)), shape=(group_count, network.edge_count))

    def folded(self, values: FloatArray) -> FloatArray:
        """(n_edges, n_edges) sums of values (n_groups, n_groups) over the groups at each leaf or router."""
        return np.asarray(self._on.T @ (self._on.T @ values.T).T, dtype=np.float64)


def _ways(network: Network, routes: Routes) -> tuple[_Ways, ...]:
    """Every one of the routes with the pairs that it carries: those without a way on one before it."""
    found, left = [], ~np.eye(network.edge_count, dtype=np.bool_)
    used = np.unique(network.endpoint_switch)
    for paths in routes:
        blocks = blocks_of(network, paths)
        steps = tuple(layers(paths, blocks, used))
        carries = np.zeros(left.shape, dtype=np.bool_)
        for layer in steps:
            carries[:, layer.targets] = left[:, layer.targets] & (layer.steps[paths.start] >= 0)
        left &= ~carries
        found.append(_Ways(paths, blocks, steps, carries))
    return tuple(found)


def _load(sides: _Sides, ways: Sequence[_Ways], rates: FloatArray, size: int) -> FloatArray:
    """(n_arcs + 2 n_groups,) load of arcs, and of the endpoints of each group up and down, by rates of classes."""
    load = np.zeros(size)
    arcs = load[: size - 2 * len(rates)]
    pairs = sides.folded(rates)
    for each in ways:
        each.load(pairs, arcs)
    load[arcs.size :] = np.concatenate([rates.sum(axis=1), rates.sum(axis=0)])
    return load


def _uses(sides: _Sides, ways: Sequence[_Ways], full: BoolArray) -> BoolArray:
    """(n_groups, n_groups) classes that use any of the arcs and endpoints (n_arcs + 2 n_groups,) that are full."""
    count = sides.edge.size
    arcs, up, down = np.split(full, [full.size - 2 * count, full.size - count])
    touched = up[:, None] | down[None, :]
    if arcs.any():
        on_arcs = np.logical_or.reduce([each.touching(arcs) for each in ways])
        touched |= on_arcs[np.ix_(sides.edge, sides.edge)]
    return np.asarray(touched, dtype=np.bool_)


def _hot(block: Block, full: BoolArray) -> csr_array | None:
    """Steps (n_rows, n_cols) of a block that take a full arc; None without any."""
    hot = full[block.arc]
    if not hot.any():
        return None
    ones = np.ones(np.count_nonzero(hot))
    return csr_array((ones, (block.row[hot], block.col[hot])), shape=(block.rows.size, block.cols.size))


def _touched(blocks: Sequence[Block], hot: Sequence[csr_array | None], layer: Layers) -> BoolArray:
    """(n_states, n_targets) whether a way on from a state takes a hot step, nearest layer first."""
    touched = np.zeros(layer.steps.shape, dtype=np.bool_)
    for count in range(1, int(layer.steps.max(initial=0)) + 1):
        here = layer.steps == count
        for block, hot_steps in zip(blocks, hot, strict=True):
            if not here[block.rows].any():
                continue
            nearer = layer.steps[block.cols] == count - 1
            passed_on = nearer & touched[block.cols]
            if passed_on.any():
                touched[block.rows] |= here[block.rows] & (np.asarray(block.gbps @ passed_on.astype(np.float64)) > 0)
            if hot_steps is not None:
                touched[block.rows] |= here[block.rows] & (np.asarray(hot_steps @ nearer.astype(np.float64)) > 0)
    return touched
