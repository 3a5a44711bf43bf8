"""The best of all routings: by hand, against maximum flow, against listing every way, and where it stops."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from fabric.flow import throughput_lp as module
from fabric.flow.throughput_lp import Status, columns, throughput_lp
from fabric.model.network import Network


def routers(count: int, ends, gbps) -> Network:
    """One endpoint a router; links with rates."""
    a, b = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return Network(
        endpoint_switch=np.arange(count),
        endpoint_gbps=np.full(count, 400.0),
        link_a=a,
        link_b=b,
        link_gbps=np.asarray(gbps, dtype=np.float64),
        tier=np.zeros(count, dtype=np.int64),
        position=np.zeros((count, 0), dtype=np.int64),
        edge_count=count,
    )


def drawn(seed: int, count: int = 5) -> Network:
    """Routers in a ring with some chords, parallel links in either order of their ends, and two rates."""
    rng = np.random.default_rng(seed)
    ends = [(i, (i + 1) % count) for i in range(count)]
    ends += [tuple(rng.choice(count, 2, replace=False)) for _ in range(int(rng.integers(1, 5)))]
    return routers(count, ends, rng.choice([100.0, 400.0], len(ends)))


def graph_of(network: Network) -> nx.DiGraph:
    """Arcs with their rates."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.switch_count))
    for a, b, gbps in zip(network.link_a.tolist(), network.link_b.tolist(), network.link_gbps.tolist(), strict=True):
        for begin, end in ((a, b), (b, a)):
            rate = graph.get_edge_data(begin, end, {"gbps": 0.0})["gbps"]
            graph.add_edge(begin, end, gbps=rate + gbps)
    return graph


def by_listing(network: Network, demand: np.ndarray) -> float:
    """The optimum over the shares of all simple ways of every pair, by another program and solver."""
    graph = graph_of(network)
    arcs = {arc: row for row, arc in enumerate(graph.edges)}
    pairs = list(zip(*np.nonzero(demand), strict=True))
    ways = [
        (number, list(nx.utils.pairwise(way)))
        for number, pair in enumerate(pairs)
        for way in nx.all_simple_paths(graph, *pair)
    ]
    use, share = np.zeros((len(arcs), len(ways) + 1)), np.zeros((len(pairs), len(ways) + 1))
    for column, (number, way) in enumerate(ways):
        use[[arcs[arc] for arc in way], column] = 1
        share[number, column] = 1
    share[:, -1] = [-demand[pair] for pair in pairs]
    rates = [graph.edges[arc]["gbps"] for arc in arcs]
    found = linprog([0.0] * len(ways) + [-1.0], use, rates, share, np.zeros(len(pairs)), method="highs")
    assert found.status == 0
    return -found.fun


def test_a_ring_carries_a_pair_both_ways():
    """Four routers in a ring: one pair has two links' worth, the short way or not."""
    ring = routers(4, [(0, 1), (1, 2), (2, 3), (3, 0)], [400.0] * 4)
    demand = np.zeros((4, 4))
    demand[0, 1] = 400
    found = throughput_lp(ring, demand)
    assert found.status is Status.OPTIMAL
    assert found.bound == pytest.approx(2)
    assert found.theta == pytest.approx(2)


@pytest.mark.parametrize("seed", range(8))
def test_one_pair_gets_the_maximum_flow(seed):
    """Networkx finds the same for a single pair."""
    network = drawn(seed, 7)
    demand = np.zeros((7, 7))
    demand[0, 4] = 100
    flow = nx.maximum_flow_value(graph_of(network), 0, 4, capacity="gbps")
    found = throughput_lp(network, demand)
    assert found.status is Status.OPTIMAL
    assert found.bound == pytest.approx(flow / 100, rel=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_over_every_simple_way(seed):
    """Five routers: each pair may split over all its simple ways."""
    network = drawn(seed)
    demand = np.random.default_rng(seed).integers(0, 9, (5, 5)).astype(float)
    np.fill_diagonal(demand, 0)
    found = throughput_lp(network, demand)
    assert found.status is Status.OPTIMAL
    assert found.bound == pytest.approx(by_listing(network, demand), rel=1e-6)
    assert found.theta == pytest.approx(found.bound, rel=1e-6)


def test_a_tree_costs_as_much_as_its_unlike_spines(leaf_spine):
    """Four leaves below sixteen equal spines: four senders and eight arcs."""
    plane = leaf_spine(4, 16, 16)
    demand = np.full((4, 4), 1600.0)
    assert columns(plane, demand) == 32
    assert throughput_lp(plane, demand).bound == pytest.approx(16 * 400 / 4800, rel=1e-6)


def test_units_do_not_matter():
    """A demand a million times as large gets a millionth."""
    network, demand = drawn(1), np.ones((5, 5))
    small, large = throughput_lp(network, demand), throughput_lp(network, 1e6 * demand)
    assert large.bound == pytest.approx(1e-6 * small.bound, rel=1e-6)


def test_a_pair_without_a_way_gets_nothing():
    """Two islands: 0, which needs no solver."""
    islands = routers(4, [(0, 1), (2, 3)], [400.0] * 2)
    found = throughput_lp(islands, np.ones((4, 4)))
    assert (found.status, found.theta, found.bound) == (Status.OPTIMAL, 0, 0)


def test_demand_that_stays_in_its_switch_has_no_optimum():
    """Nothing crosses."""
    assert throughput_lp(drawn(1), np.eye(5)) is None


def test_a_stop_is_told_and_its_bound_still_holds(monkeypatch):
    """After a handful of steps the status says so, and no bound is below the optimum."""
    network = drawn(3, 7)
    demand = np.ones((7, 7))
    best = throughput_lp(network, demand).bound
    for steps in (1, 20, 60):
        monkeypatch.setattr(module, "_MOST_ITERATIONS", steps)
        found = throughput_lp(network, demand)
        assert found.bound >= best * (1 - 1e-9)
        assert found.status is Status.STOPPED or found.bound == pytest.approx(best, rel=1e-6)
    monkeypatch.setattr(module, "_MOST_ITERATIONS", 1)
    assert throughput_lp(network, demand).status is Status.STOPPED


def test_nothing_is_an_optimum_that_the_bound_does_not_confirm(monkeypatch):
    """A solver that is content too early is not believed."""
    monkeypatch.setattr(module, "_TOLERANCE", 0.3)
    found = throughput_lp(drawn(3, 7), np.ones((7, 7)))
    assert found.status is Status.STOPPED


@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_routers_do_not_matter(seed):
    """Renamed routers, same optimum."""
    network = drawn(seed, 6)
    demand = np.random.default_rng(seed).random((6, 6))
    order = np.random.default_rng(seed).permutation(6)
    ends = [(order[a], order[b]) for a, b in zip(network.link_a, network.link_b, strict=True)]
    moved = np.zeros((6, 6))
    moved[np.ix_(order, order)] = demand
    renamed = throughput_lp(routers(6, ends, network.link_gbps), moved)
    assert renamed.bound == pytest.approx(throughput_lp(network, demand).bound, rel=1e-6)


def test_more_links_never_carry_less():
    """Each further link leaves the optimum as it was or raises it."""
    ends = [(0, 1), (1, 2), (2, 3), (3, 0), *itertools.combinations(range(4), 2)]
    found = [throughput_lp(routers(4, ends[:count], [400.0] * count), np.ones((4, 4))).bound for count in range(4, 11)]
    assert all(after >= before * (1 - 1e-6) for before, after in itertools.pairwise(found))
