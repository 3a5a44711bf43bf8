"""What holds for throughput and fair rates of any plane and any demand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.flow.bounds import bracket
from fabric.flow.link_load import bottleneck, even_load
from fabric.flow.max_min import fair_rates
from fabric.flow.offered import EdgeDemand
from fabric.model.network import Network
from fabric.routing import dragonfly_minimal, torus_dimension_order, up_down
from fabric.units import bytes_per_us

RATES = [100.0, 200.0, 400.0]


def plane_of(ends, gbps, edges: int, position: np.ndarray, tier: np.ndarray) -> Network:
    """Two endpoints a leaf or router."""
    a, b = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return Network(
        endpoint_switch=np.repeat(np.arange(edges), 2),
        endpoint_gbps=np.full(2 * edges, 400.0),
        link_a=a,
        link_b=b,
        link_gbps=np.array(gbps, dtype=np.float64),
        tier=tier,
        position=position,
        edge_count=edges,
    )


@st.composite
def routed(draw: st.DrawFn):
    """A tree, a dragonfly or a torus of few switches with any of its links at any rate, and its routes."""
    kind = draw(st.sampled_from(["tree", "dragonfly", "torus"]))
    if kind == "tree":
        ends = [(leaf, 4 + spine) for leaf in range(4) for spine in range(3)]
        shape = 4, np.zeros((7, 0), dtype=np.int64), np.repeat([0, 1], [4, 3])
        routes = up_down.routes
    elif kind == "dragonfly":
        ends = [(0, 1), (2, 3), (4, 5), (0, 2), (1, 4), (3, 5)]
        shape = 6, np.repeat(np.arange(3), 2)[:, None], np.zeros(6, dtype=np.int64)
        routes = dragonfly_minimal.routes
    else:
        ends = [(i, (i + 1) % 5) for i in range(5)]
        shape = 5, np.arange(5)[:, None], np.zeros(5, dtype=np.int64)
        routes = torus_dimension_order.routes
    kept = draw(st.lists(st.sampled_from(ends), min_size=len(ends) - 2, max_size=len(ends) + 4))
    gbps = draw(st.lists(st.sampled_from(RATES), min_size=len(kept), max_size=len(kept)))
    plane = plane_of(sorted(kept), gbps, *shape)
    cells = draw(st.lists(st.integers(0, 9), min_size=shape[0] ** 2, max_size=shape[0] ** 2))
    return plane, routes(plane), np.array(cells, dtype=np.float64).reshape(shape[0], shape[0])


@settings(derandomize=True, max_examples=60)
@given(routed())
def test_achieved_best_and_bounds_are_in_order(case):
    """An even spread carries no more than the best routing, which carries no more than any bound."""
    plane, routes, demand = case
    pair_bytes = demand * bytes_per_us(10.0)
    offered = EdgeDemand(pair_bytes, np.repeat(pair_bytes.sum(axis=1), 2) / 2, np.repeat(pair_bytes.sum(axis=0), 2) / 2)
    load = even_load(plane, routes, *(offered.pair_bytes, offered.sent_bytes, offered.received_bytes))
    time_us = bottleneck(plane, load).time_us
    if not time_us:
        return
    found = bracket(plane, offered, 0.0 if load.unreachable.size else 1 / time_us)
    assert found.best is not None
    assert found.theta <= found.best * (1 + 1e-6)
    assert all(found.best <= bound * (1 + 1e-6) for bound in found.bounds.values())


@settings(derandomize=True, max_examples=40)
@given(routed())
def test_every_class_has_a_full_arc_on_which_none_has_more(case):
    """No class can be raised without taking from one that has no more, and no arc carries more than it has."""
    plane, routes, flows = case
    edges = plane.edge_count
    found = fair_rates(plane, routes, plane.endpoint_switch, flows)
    idle = np.zeros(2 * edges)
    on = np.zeros((edges, edges, 2 * plane.link_gbps.size + 2 * edges))  # share of each class on every link and host
    for source, target in np.argwhere(found.gbps > 0):
        one = np.zeros((edges, edges))
        one[source, target] = 1
        load = even_load(plane, routes, one, idle, idle)
        hosts = np.concatenate([one.sum(axis=1), one.sum(axis=0)])
        on[source, target] = np.concatenate([load.link_up_bytes, load.link_down_bytes, hosts])
    capacity = np.concatenate([np.tile(plane.link_gbps, 2), np.full(2 * edges, 800.0)])
    carried = np.einsum("ab,abe->e", found.gbps * flows, on)
    assert (carried <= capacity * (1 + 1e-6)).all()
    full = carried >= capacity * (1 - 1e-6)
    most = np.where(on > 0, found.gbps[..., None], 0).max(axis=(0, 1))
    for source, target in np.argwhere(found.gbps > 0):
        mine = full & (on[source, target] > 0)
        assert (found.gbps[source, target] >= most[mine] * (1 - 1e-6)).any()
    lost = {tuple(pair) for pair in found.unreachable.tolist()}
    assert lost == {(a, b) for a, b in np.argwhere((flows > 0) & (found.gbps == 0)).tolist()}


@settings(derandomize=True, max_examples=40)
@given(routed())
def test_the_least_fair_rate_is_theta(case):
    """Where all flows are to end together, none does better than the slowest of the fair ones."""
    plane, routes, flows = case
    pair_bytes = flows * bytes_per_us(1.0)
    sent, received = (np.repeat(pair_bytes.sum(axis=axis), 2) / 2 for axis in (1, 0))
    load = even_load(plane, routes, pair_bytes, sent, received)
    if load.unreachable.size or not flows.any():
        return
    found = fair_rates(plane, routes, plane.endpoint_switch, flows)
    assert found.gbps[flows > 0].min() == pytest.approx(1 / bottleneck(plane, load).time_us, rel=1e-6)
