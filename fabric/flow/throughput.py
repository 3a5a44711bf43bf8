"""Uniform throughput of a network: the share of line rate at which all endpoints can send to all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.flow.link_load import Bottleneck, bottleneck, even_load
from fabric.flow.offered import EdgeDemand
from fabric.model.network import BoolArray, IntArray, Network
from fabric.model.paths import Routes
from fabric.units import bytes_per_us


@dataclass(frozen=True, slots=True, eq=False)
class UniformThroughput:
    """Result of `uniform_throughput`.

    Attributes:
        theta: largest multiple of the offered matrix that the plane carries; 1 is line rate, 0 where a pair of leaves
            or routers has no way.
        bottleneck: the arc that sets it.
        unreachable: (n, 2) pairs (from switch, to switch) without a way.
    """

    theta: float
    bottleneck: Bottleneck
    unreachable: IntArray


def uniform_demand(network: Network, participates: BoolArray | None = None) -> EdgeDemand:
    """What every participating endpoint sends all others in equal parts in one microsecond at its line rate.

    So the time of the fullest arc is 1 / theta.

    Args:
        network: the plane, with at least two participating endpoints.
        participates: (n_endpoints,) who takes part; default all.
    """
    members = np.ones(network.endpoint_switch.size, dtype=np.bool_) if participates is None else participates
    sent = np.where(members, network.endpoint_gbps * bytes_per_us(1.0), 0.0)
    per_peer = sent / (np.count_nonzero(members) - 1)
    received = np.where(members, per_peer.sum() - per_peer, 0.0)
    pair_bytes = np.outer(network.per_edge(per_peer), network.per_edge(members.astype(np.float64)))
    return EdgeDemand(pair_bytes, sent, received)


def uniform_throughput(network: Network, routes: Routes, participates: BoolArray | None = None) -> UniformThroughput:
    """Theta of uniform all-to-all: minimum of rate over load when each endpoint offers its line rate.

    Bytes spread evenly over their shortest ways. Leaf-spine with p endpoints a leaf, u uplinks of the endpoint's rate
    and l leaves gives min(1, u (N-1) / (p² (l-1))); a dragonfly of p, a, h with one link between any two groups
    (N-1) / max((a p)², p² (1 + 2 a h)).

    Args:
        network: the plane, with at least two participating endpoints.
        routes: how it is routed.
        participates: (n_endpoints,) who takes part; default all.
    """
    return carried(network, routes, uniform_demand(network, participates))


def carried(network: Network, routes: Routes, offered: EdgeDemand) -> UniformThroughput:
    """The largest multiple of what is offered that a plane carries, 0 of nothing and where a pair has no way."""
    load = even_load(network, routes, offered.pair_bytes, offered.sent_bytes, offered.received_bytes)
    worst = bottleneck(network, load)
    theta = 0.0 if load.unreachable.size or not worst.time_us else 1 / worst.time_us
    return UniformThroughput(theta, worst, load.unreachable)


def links_throughput(network: Network, routes: Routes) -> float:
    """Theta of uniform all-to-all by the links between switches alone, which may keep a reserve above line rate.

    Infinite where they carry nothing, 0 where a pair of leaves or routers has no way.

    Args:
        network: the plane, with at least two endpoints.
        routes: how it is routed.
    """
    offered = uniform_demand(network)
    load = even_load(network, routes, offered.pair_bytes, offered.sent_bytes, offered.received_bytes)
    loads = np.concatenate([load.link_up_bytes, load.link_down_bytes])
    fullest_us = float((loads / np.tile(network.link_gbps * bytes_per_us(1.0), 2)).max(initial=0.0))
    if load.unreachable.size:
        return 0.0
    return 1 / fullest_us if fullest_us else np.inf
