"""Racks alike: every symmetry found changes nothing, and searches that count on them still end at the optimum."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fabric.layout.assignment import SiteProblem, assignment, best_assignment
from fabric.layout.cells import whole_racks
from fabric.layout.rack_symmetry import rack_symmetry
from fabric.layout.site_bound import prove

WORK = 600_000


def mirrored(seed: int) -> SiteProblem:
    """A hall of two halves alike, of one or two racks with up to two sites each, and a group for each rack."""
    rng = np.random.default_rng(seed)
    racks = int(rng.integers(1, 3))
    half = np.repeat(np.arange(racks), rng.integers(1, 3, racks))
    sites = len(half)
    near, far = rng.integers(0, 12, (sites, sites)), rng.integers(12, 40, (sites, sites))
    own, other = rng.integers(0, 30, (racks, sites)), rng.integers(20, 60, (racks, sites))
    return SiteProblem(
        own=np.block([[own, other], [other, own]]),
        spine_own=np.zeros(2 * sites, dtype=np.int64),
        trunk=np.block([[near, far], [far, near]]),
        weight=np.tile(rng.integers(1, 3, racks), 2),
        leaves=np.tile(rng.integers(1, 3, racks), 2),
        plane=np.zeros(2 * racks, dtype=np.int64),
        spines=rng.integers(1, 5, 1),
        rack=np.concatenate([half, half + racks]),
        capacity=np.tile(rng.integers(1, 4, sites), 2),
        leaf_allowed=np.ones((2 * racks, 2 * sites), dtype=np.bool_),
        spine_allowed=np.ones(2 * sites, dtype=np.bool_),
    )


def optimum(problem: SiteProblem) -> int | None:
    """The least cost over all spines, each with its best leaves."""
    room = [range(int(most) + 1) for most in problem.capacity]
    spines = (np.array([y]) for y in itertools.product(*room) if sum(y) == problem.spines[0])
    return min((found.cost for y in spines if (found := assignment(problem, y)) is not None), default=None)


@pytest.mark.parametrize("seed", range(80))
def test_halves_alike_are_found(seed):
    """Each rack of one half is alike to its twin in the other one."""
    problem = mirrored(seed)
    symmetry = rack_symmetry(whole_racks(problem))
    racks = int(problem.rack.max()) + 1
    assert symmetry.maps
    for rack in range(racks // 2):
        assert symmetry.alike(rack)[rack + racks // 2]
    assert symmetry.keeps(np.full(racks, 3))


@pytest.mark.parametrize("seed", range(80))
def test_a_search_over_halves_alike_is_exact(seed):
    """What is proved with one of the racks alike standing for all is the optimum over all of them."""
    problem = mirrored(seed)
    truth, start = optimum(problem), best_assignment(problem)
    if truth is None:
        assert start is None
        return
    assert start is not None
    proof = prove(problem, start, WORK)
    assert proof.best.cost == proof.bound_cost == truth
    stopped = prove(problem, start, 6000)
    assert stopped.bound_cost <= truth


@pytest.mark.parametrize("seed", range(40))
def test_one_price_makes_halves_different(seed):
    """Where one entry differs from its mirror image no symmetry takes the one to the other."""
    problem = mirrored(seed)
    changed = problem.own.copy()
    changed[0, 0] += 1
    symmetry = rack_symmetry(whole_racks(replace(problem, own=changed)))
    assert not symmetry.alike(0)[int(problem.rack.max() + 1) // 2] or np.array_equal(problem.own[0], problem.own[1])


def test_a_row_of_racks_alike_is_one_orbit():
    """Four racks that no price tells apart all stand for each other; counts that tell them apart are not kept."""
    racks = 4
    problem = replace(
        mirrored(0),
        own=np.zeros((1, racks), dtype=np.int64),
        spine_own=np.zeros(racks, dtype=np.int64),
        trunk=np.where(np.eye(racks, dtype=np.bool_), 0, 100),
        weight=np.array([1]),
        leaves=np.array([3]),
        plane=np.array([0]),
        spines=np.array([3]),
        rack=np.arange(racks),
        capacity=np.full(racks, 3),
        leaf_allowed=np.ones((1, racks), dtype=np.bool_),
        spine_allowed=np.ones(racks, dtype=np.bool_),
    )
    symmetry = rack_symmetry(whole_racks(problem))
    assert symmetry.alike(2).all()
    assert not symmetry.keeps(np.array([1, 0, 0, 0]))
