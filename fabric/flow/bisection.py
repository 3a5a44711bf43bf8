"""Bisection of a network: what its links carry from one half of the endpoints to the other."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow

from fabric.model.network import BoolArray, FloatArray, IntArray, Network

_UNBOUNDED_GBPS = 2**30
"""Rate that no cut has; what scipy takes as a capacity is below 2^31."""


def bisection(network: Network) -> float | None:
    """Least rate between two halves of the endpoints, as a share of the line rate of the smaller half.

    Tried are halves of leaves or routers in their order (units, pods), and along each axis of a family with positions
    (groups, coordinates); the rate is the maximum flow between them. So it bounds the least of all bisections from
    above, and is that of the family's own textbook cut. Non-blocking trees have 1 or more.

    Args:
        network: the plane.

    Returns:
        The share; None where one leaf or router has all endpoints.
    """
    gbps = network.per_edge(network.endpoint_gbps)
    shares = [_flow_gbps(network, lower) / min(gbps[lower].sum(), gbps[~lower].sum()) for lower in _halves(network)]
    return float(min(shares)) if shares else None


def cut_bound(network: Network, pair_gbps: FloatArray) -> float:
    """Most that the same cuts leave of a demand: the least of their rate over what it sends across, either way.

    Args:
        network: the plane.
        pair_gbps: (n_edges, n_edges) demand from leaf (router) to leaf [Gb/s].

    Returns:
        The multiple of the demand that no routing carries more than; infinite where nothing crosses.
    """
    bounds = [math.inf]
    for lower in _halves(network):
        across = max(pair_gbps[lower][:, ~lower].sum(), pair_gbps[~lower][:, lower].sum())
        if across > 0:
            bounds.append(_flow_gbps(network, lower) / across)
    return float(min(bounds))


def _halves(network: Network) -> Iterator[BoolArray]:
    """(n_edges,) leaves or routers of one half, for every cut that is tried; none where one has all endpoints."""
    gbps = network.per_edge(network.endpoint_gbps)
    if np.count_nonzero(gbps) > 1:
        yield from (_half(gbps, order) for order in _orders(network))


def _orders(network: Network) -> Iterator[IntArray]:
    """Leaves or routers one after another, and along each axis."""
    yield np.arange(network.edge_count)
    for axis in network.position[: network.edge_count].T:
        yield np.argsort(axis, kind="stable").astype(np.int64)


def _half(gbps: FloatArray, order: IntArray) -> BoolArray:
    """(n_edges,) which leaves or routers are in the first half: the cut nearest to half of the line rate."""
    sums = gbps[order].cumsum()
    inner = np.flatnonzero((sums > 0) & (sums < sums[-1]))
    last = inner[np.argmin(np.abs(2 * sums[inner] - sums[-1]))]
    lower = np.zeros(order.size, dtype=np.bool_)
    lower[order[: last + 1]] = True
    return lower


def _flow_gbps(network: Network, lower: BoolArray) -> float:
    """Maximum flow from the lower half to the other [Gb/s]."""
    source, sink = network.switch_count, network.switch_count + 1
    edges = np.arange(network.edge_count)
    first, second = edges[lower], edges[~lower]
    begin = np.concatenate([network.arc_from, np.full(first.size, source), second])
    end = np.concatenate([network.arc_to, first, np.full(second.size, sink)])
    rate = np.concatenate([np.tile(network.pipes.gbps, 2), np.full(edges.size, _UNBOUNDED_GBPS)]).astype(np.int32)
    graph = coo_array((rate, (begin, end)), shape=(sink + 1, sink + 1)).tocsr()
    return float(maximum_flow(graph, source, sink).flow_value)
