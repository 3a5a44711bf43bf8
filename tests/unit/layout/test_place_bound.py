"""The bilinear search against exhaustive search on small random problems."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fabric.layout import plane_bound, site_bound
from fabric.layout.assignment import SiteProblem, any_assignment, best_assignment
from fabric.layout.plane_bound import first_work, prove_plane
from fabric.layout.site_bound import prove
from fabric.layout.site_search import search_sites
from fabric.layout.trunk_shares import prove_apart

WORK = 600_000
BOUNDS = pytest.mark.parametrize("bound", [prove, prove_apart])


def random_problem(seed: int, planes: int = 1) -> SiteProblem:
    """A small problem without any geometry; capacities rarely divide the spines, some sites are closed."""
    rng = np.random.default_rng(seed)
    sites, per_plane = int(rng.integers(2, 6 - planes)), int(rng.integers(1, 4 - planes + 1))
    groups = per_plane * planes
    return SiteProblem(
        own=rng.integers(0, 50, (groups, sites)),
        spine_own=rng.integers(-9, 9, sites),
        trunk=rng.integers(0, 30, (sites, sites)),
        weight=rng.integers(1, 3, groups),
        leaves=rng.integers(1, 3, groups),
        plane=np.repeat(np.arange(planes), per_plane),
        spines=rng.integers(1, 4, planes),
        rack=np.arange(sites) // 2,
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
            cents = sum(int(problem.spine_own @ y) for y in spines) + sum(
                int(problem.own[k] @ n + problem.weight[k] * (n @ problem.trunk @ spines[problem.plane[k]]))
                for k, n in enumerate(leaves)
            )
            best = cents if best is None else min(best, cents)
    return best


def with_sites_apart(problem: SiteProblem, seed: int) -> SiteProblem:
    """The same problem with one slot more at every site, each open to one role alone."""
    is_spine = np.random.default_rng(seed).random(len(problem.rack)) < 0.5
    return replace(
        problem,
        capacity=problem.capacity + 1,
        leaf_allowed=problem.leaf_allowed & ~is_spine,
        spine_allowed=problem.spine_allowed & is_spine,
    )


@pytest.mark.parametrize("is_apart", [False, True])
@pytest.mark.parametrize("seed", range(80))
@BOUNDS
def test_one_plane_is_solved_exactly(bound, seed, is_apart):
    """Branch and bound ends at the exhaustive optimum, and says so, with sites shared or apart."""
    problem = with_sites_apart(random_problem(seed), seed) if is_apart else random_problem(seed)
    optimum = exhaustive(problem)
    start = best_assignment(problem)
    if optimum is None:
        assert start is None
        return
    assert start is not None
    proof = bound(problem, start, WORK)
    assert proof.best.cost == proof.bound_cost == optimum


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("work_limit", [1, 2000, 8000])
@BOUNDS
def test_a_stopped_proof_still_bounds(bound, work_limit, seed):
    """With hardly any work allowed the bound stays at or below the optimum, the incumbent at or above it."""
    problem = random_problem(seed)
    optimum = exhaustive(problem)
    start = any_assignment(problem)
    if start is None or optimum is None:
        assert start is None
        assert optimum is None
        return
    proof = bound(problem, start, work_limit)
    assert proof.bound_cost <= optimum <= proof.best.cost <= start.cost


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
        bounds.append(prove(alone, first).bound_cost)
    assert sum(bounds) <= optimum <= start.cost


@pytest.mark.parametrize("seed", range(20))
@BOUNDS
def test_assignments_respect_every_limit(bound, seed):
    """All leaves and spines are placed, only where allowed, and no site holds more than its capacity."""
    problem = random_problem(seed)
    start = best_assignment(problem)
    if start is None:
        return
    found = bound(problem, start, WORK).best
    assert (found.leaves.sum(axis=1) == problem.leaves).all()
    assert (found.spines.sum(axis=1) == problem.spines).all()
    assert (found.leaves.sum(axis=0) + found.spines.sum(axis=0) <= problem.capacity).all()
    assert not found.leaves[~problem.leaf_allowed].any()
    assert not found.spines[:, ~problem.spine_allowed].any()


def with_short_trunks(problem: SiteProblem) -> SiteProblem:
    """The same problem with trunks inside a rack at a fifth of their price."""
    inside = problem.rack[:, None] == problem.rack
    return replace(problem, trunk=np.where(inside, problem.trunk // 5, problem.trunk + 20))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("planes", [1, 2])
def test_the_search_brackets_the_optimum(seed, planes):
    """Bound, optimum and incumbent stand in this order, with cheap trunks inside racks too."""
    problem = with_short_trunks(random_problem(3000 + seed, planes))
    optimum = exhaustive(problem)
    if optimum is None:
        assert any_assignment(problem) is None
        return
    best, bound_cost = search_sites(problem)
    assert bound_cost <= optimum <= best.cost
    if planes == 1:
        assert bound_cost == optimum == best.cost


def test_racks_alike_are_told_apart():
    """Two racks of 6 slots, 8 leaves and 4 spines: 4 + 2 in each save 16 trunks, and that is proved."""
    problem = two_racks(slots=6, leaves=8, spines=4)
    best, bound_cost = search_sites(problem)
    assert best.cost == bound_cost == exhaustive(problem) == 32 * 110 - 16 * 100


def test_planes_pay_rent_for_the_rack_that_both_want():
    """Two planes of 2 + 1 want one rack of 3 slots; each alone costs 20, together one of them pays 10 a leaf more."""
    sites = 2
    one = two_racks(slots=3, leaves=2, spines=1)
    problem = replace(
        one,
        own=np.array([[0, 10], [0, 10]]),
        trunk=np.where(np.eye(sites, dtype=np.bool_), 10, 110),
        weight=np.array([1, 1]),
        leaves=np.array([2, 2]),
        plane=np.array([0, 1]),
        spines=np.array([1, 1]),
        leaf_allowed=np.ones((2, sites), dtype=np.bool_),
    )
    alone = problem.of_plane(0)
    start = best_assignment(alone)
    assert start is not None
    assert prove(alone, start).bound_cost == 20
    best, bound_cost = search_sites(problem)
    assert best.cost == exhaustive(problem) == 60
    assert 2 * 20 < bound_cost <= 60


def two_racks(slots: int, leaves: int, spines: int) -> SiteProblem:
    """Two racks with a site each: trunks cost 10 inside one and 110 between them, leaves nothing anywhere."""
    sites = 2
    return SiteProblem(
        own=np.zeros((1, sites), dtype=np.int64),
        spine_own=np.zeros(sites, dtype=np.int64),
        trunk=np.array([[10, 110], [110, 10]]),
        weight=np.array([1]),
        leaves=np.array([leaves]),
        plane=np.array([0]),
        spines=np.array([spines]),
        rack=np.arange(sites),
        capacity=np.array([slots, slots]),
        leaf_allowed=np.ones((1, sites), dtype=np.bool_),
        spine_allowed=np.ones(sites, dtype=np.bool_),
    )


@pytest.mark.parametrize("seed", range(60))
def test_less_work_than_the_first_box_takes_changes_nothing(seed, monkeypatch):
    """A search that is given no more than its first box takes ends where one ends that is given nothing."""
    for room in (plane_bound, site_bound):
        monkeypatch.setattr(room, "ENTRIES_PER_WORK", 1)
    problem = random_problem(seed)
    start = best_assignment(problem)
    work = first_work(problem)
    if start is None or not work:
        return
    nothing, something = (prove_plane(problem, start, limit) for limit in (1, work))
    assert (nothing.best.cost, nothing.bound_cost) == (something.best.cost, something.bound_cost)
    search = site_bound._Search(problem, start)
    search.start()
    assert search.work >= work or not search.queue


def test_nothing_is_known_of_the_first_work_of_several_planes():
    """Planes are bounded one by one and again with rents."""
    assert first_work(random_problem(0, planes=2)) == 0
