"""Links inside a rack: the table is never above what any slots cost, and planes are never below what it saves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.layout.assignment import SiteProblem
from fabric.layout.cells import CLOSED_COST, whole_racks
from fabric.layout.rack_savings import RackSavings, least_inside, rises


def exhaustive(trunk: np.ndarray, room: np.ndarray) -> np.ndarray:
    """(slots + 1, slots + 1) least cost of all links between so many leaves and spines, every way tried."""
    slots = int(room.sum())
    table = np.full((slots + 1, slots + 1), CLOSED_COST)
    ways = [np.array(way) for way in itertools.product(*(range(int(most) + 1) for most in room))]
    for leaves, spines in itertools.product(ways, ways):
        if (leaves + spines <= room).all():
            at = leaves.sum(), spines.sum()
            table[at] = min(table[at], leaves @ trunk @ spines)
    return table


def fitting(table: np.ndarray) -> np.ndarray:
    """(slots + 1, slots + 1) whether so many leaves and spines fit."""
    return np.add.outer(np.arange(len(table)), np.arange(len(table))) < len(table)


@pytest.mark.parametrize("seed", range(60))
def test_no_slots_cost_less_than_the_table(seed):
    """Whatever prices and room the sites of a rack have, no leaves and spines among them are cheaper than it says."""
    rng = np.random.default_rng(seed)
    sites = int(rng.integers(1, 6))
    room = rng.integers(1, 3, sites)
    trunk = rng.integers(0, 50, (sites, sites))
    table, truth = least_inside(trunk, room), exhaustive(trunk, room)
    fits = fitting(table)
    assert (table[fits] <= truth[fits]).all()
    if sites <= 2:
        assert (table[fits] == truth[fits]).all()


def test_a_full_rack_pays_for_its_far_slots():
    """Four bands of one slot in a row, a link as dear as it is long: two leaves and two spines cost 6 and not 4."""
    way = np.arange(4)
    table = least_inside(np.abs(way[:, None] - way), np.ones(4, dtype=np.int64))
    assert table[2, 2] == exhaustive(np.abs(way[:, None] - way), np.ones(4, dtype=np.int64))[2, 2] == 6
    assert table[1, 1] == 1


@pytest.mark.parametrize("sites", [20, 48, 130])
def test_racks_of_many_slots_are_cut_coarsely(sites):
    """A rack of any number of slots has a table, that never says more than the dearest link for all."""
    trunk = np.full((sites, sites), 7)
    table = least_inside(trunk, np.ones(sites, dtype=np.int64))
    pairs = np.multiply.outer(np.arange(sites + 1), np.arange(sites + 1))
    assert (table[fitting(table)] == 7 * pairs[fitting(table)]).all()


@pytest.mark.parametrize("seed", range(40))
def test_steps_stay_below_and_never_fall(seed):
    """Sums of the steps reach no cost, and each is at least the one before."""
    cost = np.random.default_rng(seed).integers(0, 100, 8)
    steps = rises(cost)
    assert (np.diff(steps) >= 0).all()
    assert (np.cumsum(steps) <= cost[1:] - cost[0]).all()


def hall(seed: int) -> SiteProblem:
    """Two or three racks of up to four sites whose trunks inside are short, but not all alike."""
    rng = np.random.default_rng(seed)
    rack = np.repeat(np.arange(3), rng.integers(1, 5, 3))
    sites = len(rack)
    inside = rack[:, None] == rack
    return SiteProblem(
        own=rng.integers(0, 60, (2, sites)),
        spine_own=np.zeros(sites, dtype=np.int64),
        trunk=np.where(inside, rng.integers(0, 30, (sites, sites)), rng.integers(25, 60, (sites, sites))),
        weight=np.array([1, 2]),
        leaves=np.array([3, 2]),
        plane=np.zeros(2, dtype=np.int64),
        spines=np.array([5]),
        rack=rack,
        capacity=rng.integers(1, 3, sites),
        leaf_allowed=np.ones((2, sites), dtype=np.bool_),
        spine_allowed=np.ones(sites, dtype=np.bool_),
    )


@pytest.mark.parametrize("seed", range(60))
def test_planes_lie_above_all_that_is_saved(seed):
    """Between any limits and for any aim, what counts of leaves and spines save is at most what the plane says."""
    problem = hall(seed)
    cells = whole_racks(problem)
    savings = RackSavings(cells)
    rng = np.random.default_rng(seed)
    high = rng.integers(0, np.minimum(cells.room, 5) + 1)
    low = rng.integers(0, high + 1)
    most = np.minimum(cells.room - low, 5)
    per_leaf, per_spine, rest = savings.planes((low, high, most), (rng.uniform(0, 5, 3), rng.uniform(0, 5, 3)))
    for place in np.flatnonzero(savings.most):
        sites = problem.rack == place
        truth = exhaustive(problem.trunk[np.ix_(sites, sites)], problem.capacity[sites])
        for leaves in range(int(most[place]) + 1):
            for spines in range(int(low[place]), int(min(high[place], cells.room[place] - leaves)) + 1):
                saved = savings.far_cost * leaves * spines - truth[leaves, spines]
                assert saved <= per_leaf[place] * leaves + per_spine[place] * spines + rest[place]


@pytest.mark.parametrize("seed", range(40))
def test_crowding_stays_below_what_slots_cost(seed):
    """Leaves beside so many spines cost at least the shortest links and what they cost more one after the other."""
    problem = hall(seed)
    cells = whole_racks(problem)
    savings = RackSavings(cells)
    for place in np.flatnonzero(savings.most):
        sites = problem.rack == place
        truth = exhaustive(problem.trunk[np.ix_(sites, sites)], problem.capacity[sites])
        for spines in range(1, int(cells.room[place]) + 1):
            near = cells.least_inside(int(place), spines)
            more = savings.crowding(int(place), spines, near)
            leaves = np.arange(1, len(more) + 1)
            assert (near * leaves + np.cumsum(more) <= truth[leaves, spines]).all()
