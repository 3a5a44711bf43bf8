"""Throughput of permutations that hurt: every leaf or router sends all to one other, as far or as narrow as can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from fabric.flow.detours import best_mix, over_others
from fabric.flow.link_load import even_load
from fabric.flow.offered import EdgeDemand
from fabric.flow.walk import fewest_hops
from fabric.model.network import FloatArray, IntArray, Network
from fabric.model.paths import Routes
from fabric.units import bytes_per_us

FARTHEST = "farthest matching"
"""The permutation with the most hops in all."""

_AXES_OF_GROUPS = 1
"""Axes of the positions of switches that stand in groups."""


@dataclass(frozen=True, slots=True, eq=False)
class Permutation:
    """A permutation and what it leaves.

    Attributes:
        name: of the permutation.
        theta: its throughput as a share of line rate.
        minimal_share: share of its bytes that go the shortest way.
        offered: the permutation as a demand, in bytes of a microsecond.
    """

    name: str
    theta: float
    minimal_share: float
    offered: EdgeDemand


def permutations(network: Network, routes: Routes, *, is_adaptive: bool) -> tuple[Permutation, ...]:
    """The permutations that are tried, with what they leave.

    Tried are the farthest matching, which bounds the throughput of any fabric well (namyar-tub-2021), and in families
    with positions the shift that meets in the fewest links: to the next group of a dragonfly, nearly half way round a
    torus. So the least result bounds the worst of all permutations from above. Adaptive routing sends the share of the
    bytes over a third group (or switch) that makes the fullest link emptiest, which is the best that it can do with
    the two.

    Args:
        network: the plane, with endpoints on at least two leaves or routers.
        routes: how it is routed.
        is_adaptive: whether switches send packets on longer ways when the shortest ones are full.
    """
    found = []
    for name, target in ((FARTHEST, _farthest(network)), *_shifts(network)):
        offered = permutation_demand(network, target)
        mixes = is_adaptive and bool(network.position.size)
        found.append(Permutation(name, *_theta(network, routes, offered.pair_bytes, is_adaptive=mixes), offered))
    return tuple(found)


def permutation_demand(network: Network, target: IntArray) -> EdgeDemand:
    """Each leaf or router sends all that it and its `target` (n_edges,) can, −1 for none, its endpoints in equal parts.

    What a switch sends to itself turns back there.
    """
    rate = network.per_edge(network.endpoint_gbps * bytes_per_us(1.0))
    sender = np.flatnonzero(target >= 0)
    pair_bytes = np.zeros((network.edge_count, network.edge_count))
    pair_bytes[sender, target[sender]] = np.minimum(rate[sender], rate[target[sender]])
    own = network.endpoint_gbps * bytes_per_us(1.0)
    share = np.divide(own, rate[network.endpoint_switch])
    sent, received = pair_bytes.sum(axis=1), pair_bytes.sum(axis=0)
    return EdgeDemand(pair_bytes, share * sent[network.endpoint_switch], share * received[network.endpoint_switch])


def _farthest(network: Network) -> IntArray:
    """(n_edges,) the target of every leaf or router in a matching with the most hops in all; −1 without endpoints."""
    used = np.unique(network.endpoint_switch)
    farthest = np.full(network.edge_count, -1, dtype=np.int64)
    senders, receivers = linear_sum_assignment(-fewest_hops(network))
    farthest[used[senders]] = used[receivers]
    return farthest


def _shifts(network: Network) -> Iterator[tuple[str, IntArray]]:
    """The shift that meets in the fewest links, in families with positions; the target (n_edges,) is −1 for none."""
    edges = network.position[: network.edge_count]
    if edges.shape[1] and (edges >= 0).all():
        is_grouped = edges.shape[1] == _AXES_OF_GROUPS
        yield "next group" if is_grouped else "tornado", _shift(edges) if not is_grouped else _next_group(edges[:, 0])


def _next_group(group: IntArray) -> IntArray:
    """(n_edges,) the router of the next group with the same place in it; −1 where that group has none."""
    groups = int(group.max()) + 1
    place = np.zeros(group.size, dtype=np.int64)
    for each in range(groups):
        place[group == each] = np.arange(int((group == each).sum()))
    number = {spot: index for index, spot in enumerate(zip(group.tolist(), place.tolist(), strict=True))}
    return np.array(
        [number.get(((g + 1) % groups, p), -1) for g, p in zip(group.tolist(), place.tolist(), strict=True)],
        dtype=np.int64,
    )


def _shift(spot: IntArray) -> IntArray:
    """(n_edges,) the switch just less than half way round in every dimension."""
    sizes = spot.max(axis=0) + 1
    number = {tuple(each): index for index, each in enumerate(spot.tolist())}
    far = (spot + np.maximum(1, (sizes + 1) // 2 - 1)) % sizes
    return np.array([number.get(tuple(each), -1) for each in far.tolist()], dtype=np.int64)


def _theta(network: Network, routes: Routes, demand: FloatArray, *, is_adaptive: bool) -> tuple[float, float]:
    """Throughput of a demand (n_edges, n_edges), and the share of its bytes that go the shortest way."""
    shortest = _times(network, routes, demand)
    if shortest is None:
        return 0.0, 1.0
    longer = _times(network, routes, *over_others(network, demand)) if is_adaptive else None
    if longer is None:
        return 1 / max(1.0, float(shortest.max(initial=0.0))), 1.0
    time, share = best_mix(shortest, longer)
    return 1 / max(1.0, time), share


def _times(network: Network, routes: Routes, *demands: FloatArray) -> FloatArray | None:
    """(2 n_links,) time [us] that each link takes for all demands, up and then down; None where a pair has no way."""
    idle = np.zeros(network.endpoint_switch.size)
    total = np.zeros(2 * network.link_gbps.size)
    for demand in demands:
        load = even_load(network, routes, demand, idle, idle)
        if load.unreachable.size:
            return None
        total += np.concatenate([load.link_up_bytes, load.link_down_bytes])
    return np.asarray(total / np.tile(network.link_gbps * bytes_per_us(1.0), 2), dtype=np.float64)
