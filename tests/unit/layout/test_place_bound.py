"""The bilinear search against exhaustive search on small random problems."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.layout.assignment import SiteProblem, any_assignment, best_assignment
from fabric.layout.site_bound import prove


def random_problem(seed: int, planes: int = 1) -> SiteProblem:
    """A small problem without any geometry; capacities rarely divide the spines, some sites are closed."""
    rng = np.random.default_rng(seed)
    sites, per_plane = int(rng.integers(2, 6 - planes)), int(rng.integers(1, 4 - planes + 1))
    groups = per_plane * planes
    return SiteProblem(
        own=rng.integers(0, 50, (groups, sites)),
        trunk=rng.integers(0, 30, (sites, sites)),
        weight=rng.integers(1, 3, groups),
        leaves=rng.integers(1, 3, groups),
        plane=np.repeat(np.arange(planes), per_plane),
        spines=rng.integers(1, 4, planes),
        capacity=rng.integers(0, 5, sites),
        leaf_allowed=rng.random((groups, sites)) < 0.8,
        spine_allowed=rng.random(sites) < 0.8,
    )


def spreads(count: int, sites: int):
    """Every way to put `count` equal things into `sites` sites."""
    for bars in itertools.combinations(range(count + sites - 1), sites - 1):
        edges = (-1, *bars, count + sites - 1)
        yield np.diff(edges) - 1


def exhaustive(problem: SiteProblem) -> int | None:
    """Least cost over all assignments, written from the cost formula alone."""
    sites = len(problem.capacity)
    best: int | None = None
    leaf_choices = [
        [n for n in spreads(int(count), sites) if not n[~problem.leaf_allowed[k]].any()]
        for k, count in enumerate(problem.leaves)
    ]
    spine_choices = [
        [y for y in spreads(int(count), sites) if not y[~problem.spine_allowed].any()] for count in problem.spines
    ]
    for leaves in itertools.product(*leaf_choices):
        for spines in itertools.product(*spine_choices):
            if (sum(leaves) + sum(spines) > problem.capacity).any():
                continue
            cents = sum(
                int(problem.own[k] @ n + problem.weight[k] * (n @ problem.trunk @ spines[problem.plane[k]]))
                for k, n in enumerate(leaves)
            )
            best = cents if best is None else min(best, cents)
    return best


@pytest.mark.parametrize("seed", range(80))
def test_one_plane_is_solved_exactly(seed):
    """Branch and bound ends at the exhaustive optimum, and says so, with leaves and spines sharing the sites."""
    problem = random_problem(seed)
    optimum = exhaustive(problem)
    start = best_assignment(problem)
    if optimum is None:
        assert start is None
        return
    assert start is not None
    proof = prove(problem, start)
    assert proof.best.cents == proof.bound_cents == optimum


@pytest.mark.parametrize("seed", range(20))
def test_a_stopped_proof_still_bounds(seed):
    """With hardly any work allowed the bound stays at or below the optimum, the incumbent at or above it."""
    problem = random_problem(seed)
    optimum = exhaustive(problem)
    start = any_assignment(problem)
    if start is None or optimum is None:
        assert start is None
        assert optimum is None
        return
    proof = prove(problem, start, work_limit=1)
    assert proof.bound_cents <= optimum <= proof.best.cents <= start.cents


@pytest.mark.parametrize("seed", range(30))
def test_planes_that_share_sites_are_bounded_by_their_sum(seed):
    """The sum of the planes' own optima never exceeds the joint optimum, and the heuristic never beats it."""
    problem = random_problem(1000 + seed, planes=2)
    optimum = exhaustive(problem)
    start = best_assignment(problem)
    if optimum is None:
        assert start is None
        return
    assert start is not None
    bounds = []
    for plane in range(2):
        alone = problem.of_plane(plane)
        first = best_assignment(alone)
        assert first is not None
        bounds.append(prove(alone, first).bound_cents)
    assert sum(bounds) <= optimum <= start.cents


@pytest.mark.parametrize("seed", range(20))
def test_assignments_respect_every_limit(seed):
    """All leaves and spines are placed, only where allowed, and no site holds more than its capacity."""
    problem = random_problem(seed)
    start = best_assignment(problem)
    if start is None:
        return
    found = prove(problem, start).best
    assert (found.leaves.sum(axis=1) == problem.leaves).all()
    assert (found.spines.sum(axis=1) == problem.spines).all()
    assert (found.leaves.sum(axis=0) + found.spines.sum(axis=0) <= problem.capacity).all()
    assert not found.leaves[~problem.leaf_allowed].any()
    assert not found.spines[:, ~problem.spine_allowed].any()
