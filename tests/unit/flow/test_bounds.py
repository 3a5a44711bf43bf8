"""Bounds on throughput: by hand, against every permutation, and in order."""

from __future__ import annotations

import itertools
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest

from fabric.flow import bounds as module
from fabric.flow.bounds import Bracket, bracket, hop_bound, upper_bounds
from fabric.flow.offered import EdgeDemand
from fabric.flow.permutation import permutation_demand, permutations
from fabric.flow.throughput import uniform_demand, uniform_throughput
from fabric.flow.throughput_lp import throughput_lp
from fabric.model.network import Network
from fabric.routing import up_down
from fabric.units import bytes_per_us


def gbps_of(offered: EdgeDemand) -> np.ndarray:
    """A demand as rates."""
    return offered.pair_bytes / bytes_per_us(1.0)


def ring(count: int, endpoints: int = 1) -> Network:
    """Routers in a circle."""
    return Network(
        endpoint_switch=np.repeat(np.arange(count), endpoints),
        endpoint_gbps=np.full(count * endpoints, 400.0),
        link_a=np.arange(count),
        link_b=(np.arange(count) + 1) % count,
        link_gbps=np.full(count, 400.0),
        tier=np.zeros(count, dtype=np.int64),
        position=np.zeros((count, 0), dtype=np.int64),
        edge_count=count,
    )


@pytest.mark.parametrize(("leaves", "d", "u"), [(16, 32, 32), (16, 32, 16), (8, 32, 24)])
def test_uniform_traffic_of_a_tree_reaches_its_least_bound(leaf_spine, leaves, d, u):
    """The closed form by uplinks and by hops, twice u/d (N - 1) / N by the cut; the optimum needs no program."""
    plane, n = leaf_spine(leaves, d, u), leaves * d
    theta = uniform_throughput(plane, up_down.routes(plane)).theta
    found = bracket(plane, uniform_demand(plane), theta)
    uplinks = u * (n - 1) / (d * d * (leaves - 1))
    cut = 2 * u / d * (n - 1) / n
    assert found.bounds == pytest.approx({"host_links": 1, "uplinks": uplinks, "hops": uplinks, "bisection": cut})
    assert found.best == theta == pytest.approx(min(1, uplinks))


def test_hops_of_a_ring():
    """Six routers: 12 arcs over 6 times 9/5 hops; three links of each cut side carry nine pairs a fifth each."""
    found = upper_bounds(ring(6), uniform_demand(ring(6)))
    assert found == pytest.approx({"host_links": 1, "uplinks": 2, "hops": 12 / (6 * 9 / 5), "bisection": 2 / (9 / 5)})


def test_one_switch_is_bound_by_its_hosts(leaf_spine):
    """Nothing crosses: every bound is that of the host links."""
    plane = leaf_spine(1, 8, 0)
    assert list(upper_bounds(plane, uniform_demand(plane)).values()) == pytest.approx([1] * 4)


def test_a_slow_host_bounds_what_all_send_it(tree):
    """Three endpoints of 400 and one of 100: each sends it a third of its rate."""
    plane = tree([0, 0, 1, 1], [0, 1], [0, 0], (2, 1), ([400.0, 400.0, 400.0, 100.0], 800.0))
    assert upper_bounds(plane, uniform_demand(plane))["host_links"] == pytest.approx(1 / 4)


def test_islands_have_no_throughput():
    """Two rings that nothing joins: the bound is 0, and so is the best."""
    two = ring(6)
    apart = two.without(np.zeros(6, dtype=bool), np.isin(np.arange(6), [2, 5]))
    found = bracket(apart, uniform_demand(apart), 0.0)
    assert (found.best, found.bounds["hops"], found.bounds["bisection"]) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(4))
def test_farthest_matching_bounds_the_worst_of_all_permutations(seed):
    """Every circle through five routers under its best routing: the least is no more than the bound."""
    rng = np.random.default_rng(seed)
    circle = ring(5)
    chord = rng.choice(5, 2, replace=False)
    ends = np.append(circle.link_a, chord[0]), np.append(circle.link_b, chord[1])
    plane = replace(circle, link_a=ends[0], link_b=ends[1], link_gbps=np.full(6, 400.0))
    farthest = gbps_of(
        min(permutations(plane, up_down.routes(plane), is_adaptive=False), key=attrgetter("theta")).offered
    )
    best = []
    for order in itertools.permutations(range(1, 5)):
        target = np.zeros(5, dtype=np.int64)
        target[[0, *order]] = [*order, 0]
        best.append(throughput_lp(plane, gbps_of(permutation_demand(plane, target))).bound)
    assert min(best) <= hop_bound(plane, farthest) * (1 + 1e-6)
    assert throughput_lp(plane, farthest).bound <= hop_bound(plane, farthest) * (1 + 1e-6)


def test_large_programs_are_not_solved(monkeypatch):
    """Above the limit the best is not known, and the number of variables says why."""
    monkeypatch.setattr(module, "MOST_COLUMNS", 71)
    plane = ring(6)
    found = bracket(plane, uniform_demand(plane), 0.5)
    assert found.best is None
    assert found.why_not == "its program has 72 variables, more than the 71 that are tried"
    monkeypatch.setattr(module, "MOST_COLUMNS", 72)
    assert bracket(plane, uniform_demand(plane), 0.5).best == pytest.approx(1)


def test_a_program_that_stops_is_told(monkeypatch):
    """No value without a status: without an optimum there is none."""
    monkeypatch.setattr("fabric.flow.throughput_lp._MOST_ITERATIONS", 1)
    plane = ring(6, 4)
    found = bracket(plane, uniform_demand(plane), 0.1)
    assert (found.best, found.why_not) == (None, "the solver stopped before an optimum was proved")


@pytest.mark.parametrize(
    ("theta", "best", "bound", "words"),
    [(0.6, 0.5, 1.0, "0.6 is above its bound by lp, 0.5"), (0.4, 0.9, 0.8, "0.9 is above its bound by hops, 0.8")],
)
def test_what_is_out_of_order_is_refused(theta, best, bound, words):
    """An achieved throughput above the best, or a best above a bound, is a fault of ours."""
    with pytest.raises(ArithmeticError, match=words):
        Bracket(theta, best, "", {"hops": bound})


def test_without_the_best_the_achieved_is_held_to_the_bounds():
    """The order is looked at also where no program was solved."""
    with pytest.raises(ArithmeticError, match="bound by hops"):
        Bracket(0.9, None, "too large", {"hops": 0.8})
