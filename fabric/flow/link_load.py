"""Bytes on every arc when leaves spread evenly over their usable uplinks, and the fullest arc."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fabric.flow.port_map import FloatArray, IntArray, PortMap
from fabric.units import bytes_per_us

_EQUAL = 1e-9
"""Relative difference below which two arcs are equally full."""


class Direction(StrEnum):
    """The four kinds of arc, by the way the bytes go."""

    ENDPOINT_UP = "endpoint_up"
    ENDPOINT_DOWN = "endpoint_down"
    UPLINK_UP = "uplink_up"
    UPLINK_DOWN = "uplink_down"


@dataclass(frozen=True, slots=True, eq=False)
class ArcLoad:
    """Bytes on every arc of a port map.

    Attributes:
        endpoint_up_bytes: (n_endpoints,) endpoint to leaf.
        endpoint_down_bytes: (n_endpoints,) leaf to endpoint.
        uplink_up_bytes: (n_uplinks,) leaf to spine.
        uplink_down_bytes: (n_uplinks,) spine to leaf.
        unreachable: (n, 2) pairs (from leaf, to leaf) with demand but no common spine, in ascending order;
            their bytes are on no uplink.
    """

    endpoint_up_bytes: FloatArray
    endpoint_down_bytes: FloatArray
    uplink_up_bytes: FloatArray
    uplink_down_bytes: FloatArray
    unreachable: IntArray


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The arc that takes longest to carry its load.

    Attributes:
        direction: kind of arc.
        index: of the endpoint or uplink in the port map; the first one where several are equal.
        time_us: bytes over rate [us].
    """

    direction: Direction
    index: int
    time_us: float


def even_load(port_map: PortMap, leaf_bytes: FloatArray, sent_bytes: FloatArray, received_bytes: FloatArray) -> ArcLoad:
    """Load of every arc when all traffic of a leaf pair spreads evenly over the usable uplinks.

    Equation: a leaf a gives uplink l to spine s the share g_l / Σ g of its bytes for leaf b, over its
    uplinks whose spine reaches b; the spine does the same over its links to b. With D the demand, G the
    pipe rates, R = [G > 0], Z = G·Rᵀ and Q = D / Z, the pipes carry up = G ∘ (Q·R), down = R ∘ (Qᵀ·G).

    Args:
        port_map: the plane.
        leaf_bytes: (n_leaves, n_leaves) demand from leaf to leaf [byte]; the diagonal turns back in the leaf.
        sent_bytes: (n_endpoints,) what each endpoint sends [byte].
        received_bytes: (n_endpoints,) what each endpoint receives [byte].
    """
    crossing = leaf_bytes.astype(np.float64)
    np.fill_diagonal(crossing, 0.0)
    pipes = port_map.pipes
    per_gbps = np.divide(crossing, pipes.usable_gbps, out=np.zeros_like(crossing), where=pipes.usable_gbps > 0)
    up = pipes.gbps * (per_gbps @ pipes.reached)
    down = pipes.reached * (per_gbps.T @ pipes.gbps)
    pipe = (port_map.uplink_leaf, port_map.uplink_spine)
    share = port_map.uplink_gbps / pipes.gbps[pipe]
    return ArcLoad(
        endpoint_up_bytes=sent_bytes,
        endpoint_down_bytes=received_bytes,
        uplink_up_bytes=up[pipe] * share,
        uplink_down_bytes=down[pipe] * share,
        unreachable=np.argwhere((crossing > 0) & (pipes.usable_gbps == 0)).astype(np.int64),
    )


def bottleneck(port_map: PortMap, load: ArcLoad) -> Bottleneck:
    """The arc with the longest time of bytes over rate; without any load, the first arc."""
    arcs = (
        (Direction.ENDPOINT_UP, load.endpoint_up_bytes, port_map.endpoint_gbps),
        (Direction.ENDPOINT_DOWN, load.endpoint_down_bytes, port_map.endpoint_gbps),
        (Direction.UPLINK_UP, load.uplink_up_bytes, port_map.uplink_gbps),
        (Direction.UPLINK_DOWN, load.uplink_down_bytes, port_map.uplink_gbps),
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
