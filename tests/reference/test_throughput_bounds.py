"""Bounds and optima of published and closed form: the dragonfly of 72 endpoints, tori, leaves and spines."""

from __future__ import annotations

from operator import attrgetter

import networkx as nx
import numpy as np
import pytest

from fabric.flow.bounds import bracket, hop_bound, upper_bounds
from fabric.flow.permutation import permutation_demand, permutations
from fabric.flow.throughput import uniform_demand, uniform_throughput
from fabric.flow.throughput_lp import Status, throughput_lp
from fabric.flow.walk import fewest_hops
from fabric.routing import dragonfly_minimal, up_down
from fabric.units import bytes_per_us

GBPS = 400.0


def gbps(offered) -> np.ndarray:
    """A demand as rates."""
    return offered.pair_bytes / bytes_per_us(1.0)


def test_uniform_traffic_of_the_dragonfly_of_72(dragonfly):
    """p=2, a=4, h=2: no routing passes 1.0823, the best reaches 1.0718, minimal single ways 1.0442 (all worked apart).

    Links of endpoints would allow 1, so that this is what the report shows.
    """
    network = dragonfly(2, 4, 2)
    assert (network.endpoint_switch.size, 2 * network.link_gbps.size) == (72, 180)
    offered = uniform_demand(network)
    assert upper_bounds(network, offered)["hops"] == pytest.approx(1.0823, abs=5e-5)
    best = throughput_lp(network, gbps(offered))
    assert best.status is Status.OPTIMAL
    assert best.bound == pytest.approx(1.0718, abs=5e-5)
    assert best.theta == pytest.approx(best.bound, rel=1e-6)
    theta = uniform_throughput(network, dragonfly_minimal.routes(network)).theta
    assert bracket(network, offered, theta).best == theta == pytest.approx(1)


def test_farthest_matching_of_the_dragonfly_of_72(dragonfly):
    """Every router sends three hops: no routing passes 180 / (72 · 3) = 0.8333, the best of this one reaches 0.625."""
    network = dragonfly(2, 4, 2)
    found = min(permutations(network, dragonfly_minimal.routes(network), is_adaptive=True), key=attrgetter("theta"))
    assert found.name == "farthest matching"
    between = bracket(network, found.offered, found.theta)
    assert between.bounds["hops"] == pytest.approx(180 / (72 * 3)) == pytest.approx(0.8333, abs=5e-5)
    assert found.theta < between.best
    assert between.best == pytest.approx(0.625, abs=1e-6)


@pytest.mark.parametrize(("p", "a", "h"), [(2, 4, 2), (1, 2, 1), (2, 4, 1), (1, 2, 2)])
def test_next_group_of_a_dragonfly(dragonfly, p, a, h):
    """What leaves a group has a h global links: no routing passes h / p, and minimal ways leave 1 / (a p)."""
    network = dragonfly(p, a, h)
    group = network.position[:, 0]
    target = (np.arange(group.size) + a) % group.size
    offered = permutation_demand(network, target)
    found = bracket(network, offered, 1 / (a * p))
    assert found.best <= min(1, h / p) * (1 + 1e-6)
    assert found.best > 1 / (a * p)


@pytest.mark.parametrize(("leaves", "d", "u", "theta"), [(16, 32, 32, 1.0), (16, 32, 16, 0.5323), (8, 32, 24, 0.8538)])
def test_the_best_of_leaves_and_spines_is_an_even_spread(leaf_spine, leaves, d, u, theta):
    """The closed form of uniform traffic is the optimum of the program too."""
    plane = leaf_spine(leaves, d, u)
    best = throughput_lp(plane, gbps(uniform_demand(plane)))
    assert best.status is Status.OPTIMAL
    assert min(1, best.bound) == pytest.approx(theta, abs=5e-5)
    assert min(1, best.bound) == pytest.approx(uniform_throughput(plane, up_down.routes(plane)).theta, rel=1e-6)


@pytest.mark.parametrize(("sizes", "theta"), [((8, 8), 0.984), ((4, 4, 4), 1.969), ((5, 5), 1.6)])
def test_uniform_traffic_of_a_torus_reaches_its_hop_bound(torus, sizes, theta):
    """8 (N - 1) / (k N) for even rings and 8 k (N - 1) / ((k² - 1) N) for odd ones, by hops and by the program."""
    network = torus(*sizes)
    k, n = sizes[0], int(np.prod(sizes))
    closed = 8 / k * (n - 1) / n if k % 2 == 0 else 8 * k / (k * k - 1) * (n - 1) / n
    demand = gbps(uniform_demand(network))
    assert hop_bound(network, demand) == pytest.approx(closed)
    assert throughput_lp(network, demand).bound == pytest.approx(closed, rel=1e-6)
    assert closed == pytest.approx(theta, abs=5e-4)


def test_fewest_hops_are_those_of_the_graph(dragonfly):
    """Free ways may take two global links; networkx counts the same."""
    network = dragonfly(1, 4, 2)
    graph = nx.Graph(zip(network.link_a.tolist(), network.link_b.tolist(), strict=True))
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    count = network.edge_count
    assert fewest_hops(network).tolist() == [[hops[i][j] for j in range(count)] for i in range(count)]
