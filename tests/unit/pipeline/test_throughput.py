"""Throughput of whole designs: the worst of the planes, and bounds in order."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fabric.flow import bounds
from fabric.flow.link_load import bottleneck, even_load
from fabric.model.network import Network
from fabric.pipeline.networks import Plane
from fabric.pipeline.throughput import bounded_throughput, least_links_us, throughput


def plane_of(network: Network, scheme: str = "up_down", number: int = 0) -> Plane:
    """A plane without names."""
    nothing = np.zeros(0, dtype=np.int64)
    return Plane(number, network, scheme, (), (), (), nothing, nothing)


def test_bounds_of_a_dragonfly(dragonfly):
    """Uniform traffic at line rate; the worst permutation has room up to the best routing, and that up to its bound.

    To the next group at best 9/16: of 8 links out of a group one is direct, and the bytes on others take two each.
    """
    found, unsolved = bounded_throughput([plane_of(dragonfly(2, 4, 2), "dragonfly_minimal")], is_adaptive=True)
    assert not unsolved
    assert found.uniform_theta == found.bounds["lp"] == pytest.approx(1)
    assert found.bounds["hops"] == pytest.approx(1.0823, abs=5e-5)
    assert found.bounds["worst_permutation_lp"] == pytest.approx(9 / 16)
    assert found.bounds["worst_permutation_tub"] == pytest.approx(0.8333, abs=5e-5)
    assert found.worst_permutation_theta < 9 / 16


def test_the_best_of_the_worst_is_below_every_bound(torus):
    """On a ring of five the tornado is no worse than the farthest matching: the least of both stands in the report."""
    found, _ = bounded_throughput([plane_of(torus(5, 4), "torus_dimension_order")], is_adaptive=False)
    worst = [value for name, value in found.bounds.items() if name.startswith("worst_permutation_")]
    assert found.worst_permutation_theta <= found.bounds["worst_permutation_lp"] == min(worst)


def test_the_worst_plane_counts(leaf_spine):
    """Each bound and each throughput is that of the plane which has least of it."""
    wide, narrow = leaf_spine(4, 8, 8), leaf_spine(4, 8, 2)
    alone, _ = bounded_throughput([plane_of(narrow)], is_adaptive=True)
    both, _ = bounded_throughput([plane_of(wide), plane_of(narrow, number=1)], is_adaptive=True)
    assert both == alone
    assert both.bounds["uplinks"] == pytest.approx(2 * 31 / (64 * 3))


def test_equal_planes_are_judged_once(leaf_spine, monkeypatch):
    """Eight planes of the same arrays cost no more than one."""
    asked = []
    monkeypatch.setattr("fabric.pipeline.throughput.bracket", lambda *args: asked.append(args) or bounds.bracket(*args))
    planes = [plane_of(leaf_spine(4, 8, 4), number=number) for number in range(8)]
    bounded_throughput(planes, is_adaptive=True)
    assert len(asked) == 2
    bounded_throughput([*planes, replace(planes[0], detours=False)], is_adaptive=True)
    assert len(asked) == 6


def test_one_tier_has_no_worst_permutation(leaf_spine):
    """Every permutation stays in the switch."""
    found, unsolved = bounded_throughput([plane_of(leaf_spine(1, 8, 0))], is_adaptive=True)
    assert (found.worst_permutation_theta, unsolved) == (None, ())
    assert found.bounds == pytest.approx(dict.fromkeys(("host_links", "uplinks", "hops", "bisection", "lp"), 1))


def test_what_is_too_large_is_not_checked(dragonfly, monkeypatch):
    """The permutation's program is passed over with its size; uniform traffic reaches a bound and needs none."""
    monkeypatch.setattr(bounds, "MOST_COLUMNS", 6479)
    found, unsolved = bounded_throughput([plane_of(dragonfly(2, 4, 2), "dragonfly_minimal")], is_adaptive=True)
    (item,) = unsolved
    assert item.rule == "throughput-lp"
    assert item.why == (
        "the best routing of the worst permutation: its program has 6,480 variables, more than the 6,479 that are "
        "tried; the other bounds hold"
    )
    assert "lp" in found.bounds
    assert "worst_permutation_lp" not in found.bounds


def test_throughput_alone_is_the_same(dragonfly):
    """The search asks for no bounds and gets the same figures."""
    planes = [plane_of(dragonfly(1, 4, 2), "dragonfly_minimal")]
    alone = throughput(planes, is_adaptive=True)
    assert replace(bounded_throughput(planes, is_adaptive=True)[0], bounds={}) == alone


def phase_of(plane: Plane, demand: np.ndarray, headers: float = 1.05) -> SimpleNamespace:
    """A phase on one plane, each endpoint with its part of what its switch sends and gets."""
    network = plane.network
    here = network.endpoint_switch
    sizes = np.bincount(here)
    sent, received = demand.sum(axis=1)[here] / sizes[here], demand.sum(axis=0)[here] / sizes[here]
    arcs = even_load(network, plane.routes, demand, sent, received)
    folded = SimpleNamespace(pair_bytes=demand, sent_bytes=sent, received_bytes=received)
    links_us = bottleneck(network, arcs).time_us * headers
    return SimpleNamespace(loads=(SimpleNamespace(plane=plane, folded=folded, arcs=arcs, links_us=links_us),))


def test_least_time_of_a_phase(leaf_spine):
    """Two of four leaves exchange 3 MB over two uplinks of 50 kB/us: 30 us, 31.5 with headers, on whatever way."""
    demand = np.zeros((4, 4))
    demand[0, 1] = demand[1, 0] = 3e6
    found = least_links_us(phase_of(plane_of(leaf_spine(4, 8, 2)), demand))
    assert found["routed"] == found["lp"] == found["uplinks"] == found["hops"] * 2 == pytest.approx(31.5)
    assert found["host_links"] == pytest.approx(3e6 / 8 / 50_000 * 1.05)


def test_least_time_of_a_phase_that_routing_holds_up(dragonfly):
    """Group 0 sends group 1 all it can: the direct link takes 8 times a router's line, the best 1 and a bit."""
    plane = plane_of(dragonfly(2, 4, 2), "dragonfly_minimal")
    demand = np.zeros((36, 36))
    demand[:4, 4:8] = 25_000.0
    found = least_links_us(phase_of(plane, demand, 1.0))
    assert found["routed"] == pytest.approx(8)
    assert found["lp"] < 2
    assert all(found["lp"] >= us * (1 - 1e-6) for name, us in found.items() if name != "routed")
