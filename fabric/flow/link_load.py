"""Bytes on every arc when switches spread evenly over their shortest ways, and the fullest arc."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fabric.flow.walk import Block, Layers, blocks_of, layers, stages
from fabric.model.network import FloatArray, IntArray, Network
from fabric.model.paths import Paths, Routes
from fabric.units import bytes_per_us

_EQUAL = 1e-9
"""Relative difference below which two arcs are equally full."""


class Direction(StrEnum):
    """The four kinds of arc, by the way the bytes go; a link goes up from its end a to its end b."""

    ENDPOINT_UP = "endpoint_up"
    ENDPOINT_DOWN = "endpoint_down"
    LINK_UP = "link_up"
    LINK_DOWN = "link_down"


@dataclass(frozen=True, slots=True, eq=False)
class ArcLoad:
    """Bytes on every arc of a network.

    Attributes:
        endpoint_up_bytes: (n_endpoints,) endpoint to leaf or router.
        endpoint_down_bytes: (n_endpoints,) leaf or router to endpoint.
        link_up_bytes: (n_links,) from end a to end b.
        link_down_bytes: (n_links,) from end b to end a.
        hops: links between switches that a byte takes, on average over all bytes that find a way.
        unreachable: (n, 2) pairs (from switch, to switch) with demand but no way, in ascending order; their bytes are
            on no link.
    """

    endpoint_up_bytes: FloatArray
    endpoint_down_bytes: FloatArray
    link_up_bytes: FloatArray
    link_down_bytes: FloatArray
    hops: float
    unreachable: IntArray


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The arc that takes longest to carry its load.

    Attributes:
        direction: kind of arc.
        index: of the endpoint or link in the network; the first one where several are equal.
        time_us: bytes over rate [us].
    """

    direction: Direction
    index: int
    time_us: float


def even_load(
    network: Network, routes: Routes, pair_bytes: FloatArray, sent_bytes: FloatArray, received_bytes: FloatArray
) -> ArcLoad:
    """Load of every arc when traffic spreads evenly over its shortest ways.

    Equation: in state s a byte for target d takes step t with the share g_t / Σ g over the steps that begin a
    shortest way from s to d. With X the bytes in each state by target, M the states one step nearer, G the rates and
    Z = G·M, a layer carries Q = X / Z on each step as G ∘ (Q·Mᵀ), and hands on M ∘ (Gᵀ·Q).

    Args:
        network: the plane.
        routes: how it is routed.
        pair_bytes: (n_edges, n_edges) demand from leaf (router) to leaf [byte]; the diagonal turns back there.
        sent_bytes: (n_endpoints,) what each endpoint sends [byte].
        received_bytes: (n_endpoints,) what each endpoint receives [byte].
    """
    crossing = pair_bytes.astype(np.float64)
    np.fill_diagonal(crossing, 0.0)
    arc_bytes = np.zeros(2 * network.pipes.gbps.size)
    for paths in routes:
        crossing = _carry(network, paths, crossing, arc_bytes)
    pipe, gbps = network.pipes.of_link, network.pipes.gbps
    share = network.link_gbps / gbps[pipe]
    carried = float(pair_bytes.sum() - crossing.sum())
    return ArcLoad(
        endpoint_up_bytes=sent_bytes,
        endpoint_down_bytes=received_bytes,
        link_up_bytes=arc_bytes[: gbps.size][pipe] * share,
        link_down_bytes=arc_bytes[gbps.size :][pipe] * share,
        hops=float(arc_bytes.sum()) / carried if carried else 0.0,
        unreachable=np.argwhere(crossing > 0).astype(np.int64),
    )


def _carry(network: Network, paths: Paths, demand: FloatArray, arc_bytes: FloatArray) -> FloatArray:
    """Add to `arc_bytes` (n_arcs,) what a demand (n_edges, n_edges) puts on arcs; gives what finds no way."""
    left = np.zeros(demand.shape)
    if demand.any():
        blocks = blocks_of(network, paths)
        for layer in layers(paths, blocks, np.flatnonzero(demand.any(axis=0))):
            wanted = demand[:, layer.targets]
            left[:, layer.targets] = np.where(layer.steps[paths.start] < 0, wanted, 0.0)
            spread_layer(paths, blocks, layer, wanted, arc_bytes)
    return left


def spread_layer(
    paths: Paths, blocks: tuple[Block, ...], layer: Layers, demand: FloatArray, arc_bytes: FloatArray
) -> None:
    """Add to `arc_bytes` (n_arcs,) what the demand (n_edges, n_targets) puts on each arc, farthest layer first."""
    waiting = np.zeros(layer.steps.shape)
    waiting[paths.start] = np.where(layer.steps[paths.start] > 0, demand, 0.0)
    for stage in stages(paths, blocks, layer):
        per_gbps = waiting / stage.usable
        for block, after in stage.steps:
            before = per_gbps[block.rows]
            if not before.any():
                continue
            step_gbps = np.asarray(block.gbps[block.row, block.col], dtype=np.float64)
            sums = step_gbps * block.pair_sums(before, after)
            arc_bytes += np.bincount(block.arc, weights=sums, minlength=arc_bytes.size)
            waiting[block.cols] += after * (block.gbps.T @ before)


def bottleneck(network: Network, load: ArcLoad) -> Bottleneck:
    """The arc with the longest time of bytes over rate; without any load, the first arc."""
    arcs = (
        (Direction.ENDPOINT_UP, load.endpoint_up_bytes, network.endpoint_gbps),
        (Direction.ENDPOINT_DOWN, load.endpoint_down_bytes, network.endpoint_gbps),
        (Direction.LINK_UP, load.link_up_bytes, network.link_gbps),
        (Direction.LINK_DOWN, load.link_down_bytes, network.link_gbps),
    )
    times_us = [load_bytes / (rate_gbps * bytes_per_us(1.0)) for _, load_bytes, rate_gbps in arcs]
    longest_us = max(float(time_us.max(initial=0.0)) for time_us in times_us)
    # Arcs of a regular fabric differ by rounding alone: the first of the equals is named on every machine.
    least_us = longest_us * (1 - _EQUAL)
    return next(
        Bottleneck(direction, int(np.argmax(time_us >= least_us)), longest_us)
        for (direction, _, _), time_us in zip(arcs, times_us, strict=True)
        if (time_us >= least_us).any()
    )
