"""Halls with racks for each role, proved by splitting the prices of trunks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.layout import plane_bound
from fabric.layout.assignment import SiteProblem, any_assignment, best_assignment
from fabric.layout.plane_bound import prove_plane
from fabric.layout.site_bound import prove
from fabric.layout.trunk_shares import prove_apart


def rows_of_racks(racks: int, slots: int, rng: np.random.Generator) -> SiteProblem:
    """As many racks of leaves as of spines, sites of one slot whose trunks grow in steps of 5 with their length."""
    sites = 2 * racks * slots
    rack = np.repeat(np.arange(2 * racks), slots)
    depth = np.tile(np.arange(slots), 2 * racks)
    at = rng.integers(0, 12, 2 * racks)[rack]
    length = np.abs(at[:, None] - at) + depth[:, None] + depth
    groups = racks
    home = np.abs(np.arange(groups)[:, None] * 3 - at) + depth
    is_leaf = rack < racks
    return SiteProblem(
        own=8 * (home // 3),
        spine_own=np.zeros(sites, dtype=np.int64),
        trunk=100 + 5 * (length // 4),
        weight=np.ones(groups, dtype=np.int64),
        leaves=np.full(groups, slots // 2),
        plane=np.zeros(groups, dtype=np.int64),
        spines=np.array([racks * slots * 2 // 3]),
        rack=rack,
        capacity=np.ones(sites, dtype=np.int64),
        leaf_allowed=np.tile(is_leaf, (groups, 1)),
        spine_allowed=~is_leaf,
    )


@pytest.mark.parametrize("seed", range(4))
def test_halls_with_racks_for_each_role_are_proved(seed):
    """96 sites: proved, and the bound by corners of boxes, which stays below, agrees with that."""
    problem = rows_of_racks(4, 12, np.random.default_rng(seed))
    start = best_assignment(problem)
    assert start is not None
    proof = prove_apart(problem, start, 600_000)
    assert proof.bound_cost == proof.best.cost
    assert prove(problem, start, 100_000).bound_cost <= proof.best.cost


@pytest.mark.parametrize("slots", [1, 8])
def test_the_bound_is_chosen_by_the_sites(monkeypatch, slots):
    """Many sites of their own: shares. Sites for both, or few that hold all spines: corners."""
    problem = rows_of_racks(4, 12, np.random.default_rng(0))
    problem = replace(problem, capacity=problem.capacity * slots)
    start = any_assignment(problem)
    asked = []
    monkeypatch.setattr(plane_bound, "prove_apart", lambda *_: asked.append("shares"))
    monkeypatch.setattr(plane_bound, "prove", lambda *_: asked.append("corners"))
    prove_plane(problem, start)
    prove_plane(replace(problem, spine_allowed=np.ones(len(problem.rack), dtype=np.bool_)), start)
    assert asked == ["shares" if slots == 1 else "corners", "corners"]
