"""Whose bytes one arc carries: the share of every pair of leaves (or routers) that takes it."""

from __future__ import annotations

import numpy as np

from fabric.flow.walk import Block, Layers, blocks_of, layers
from fabric.model.network import FloatArray, Network
from fabric.model.paths import Routes


def shares_on(network: Network, routes: Routes, arc: int) -> FloatArray:
    """(n_edges, n_edges) share of the bytes from leaf to leaf that take an arc when traffic spreads evenly.

    Equation: with g the rates of the steps that begin a shortest way from state s to d, the share is
    f(s, d) = Σ g_t ([t takes the arc] + f(t, d)) / Σ g_t, from the states nearest to d outwards.

    Args:
        network: the plane.
        routes: how it is routed; a pair takes the first on which it has a way.
        arc: number of the arc.
    """
    used = np.unique(network.endpoint_switch)
    found = np.zeros((network.edge_count, network.edge_count))
    unserved = np.ones(found.shape, dtype=np.bool_)
    for paths in routes:
        blocks = blocks_of(network, paths)
        for layer in layers(paths, blocks, used):
            here = np.ix_(np.arange(network.edge_count), layer.targets)
            served = unserved[here] & (layer.steps[paths.start] >= 0)
            found[here] = np.where(served, _shares(blocks, layer, arc)[paths.start], found[here])
            unserved[here] &= ~served
    return found


def _shares(blocks: tuple[Block, ...], layer: Layers, arc: int) -> FloatArray:
    """(n_states, n_targets) share of what goes from each state to each target that takes the arc."""
    found = np.zeros(layer.steps.shape)
    for count in range(1, int(layer.steps.max(initial=0)) + 1):
        going = layer.steps == count
        usable, taking = np.zeros(found.shape), np.zeros(found.shape)
        for block in blocks:
            after = (layer.steps[block.cols] == count - 1).astype(np.float64)
            usable[block.rows] += block.gbps @ after
            taking[block.rows] += block.gbps @ (after * found[block.cols])
            for step in np.flatnonzero(block.arc == arc).tolist():
                row, col = int(block.row[step]), int(block.col[step])
                taking[block.rows[row]] += block.gbps[row, col] * after[col]
        found = np.where(going, np.divide(taking, usable, out=np.zeros(found.shape), where=going), found)
    return found
