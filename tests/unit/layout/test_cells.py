"""Cells: prices of any resolution never exceed those of the sites."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.layout.assignment import SiteProblem, any_assignment, assignment
from fabric.layout.cells import CLOSED_COST, Cells, CellTree, single_sites, whole_racks


def hall(seed: int) -> SiteProblem:
    """Three racks of up to four sites, a plane of three groups; slots of a rack differ in price, some are closed."""
    rng = np.random.default_rng(seed)
    rack = np.repeat(np.arange(3), rng.integers(1, 5, 3))
    sites = len(rack)
    return SiteProblem(
        own=rng.integers(0, 40, (3, 3))[:, rack] + rng.integers(0, 9, (3, sites)),
        spine_own=np.zeros(sites, dtype=np.int64),
        trunk=rng.integers(0, 30, (3, 3))[np.ix_(rack, rack)] + rng.integers(0, 5, (sites, sites)),
        weight=rng.integers(1, 3, 3),
        leaves=rng.integers(1, 3, 3),
        plane=np.zeros(3, dtype=np.int64),
        spines=rng.integers(1, 4, 1),
        rack=rack,
        capacity=rng.integers(1, 4, sites),
        leaf_allowed=rng.random((3, sites)) < 0.9,
        spine_allowed=rng.random(sites) < 0.8,
    )


def resolutions(problem: SiteProblem) -> list[Cells]:
    """Whole racks, their halves, and so on down to sites."""
    found = [whole_racks(problem)]
    while found[-1].can_be_cut().any():
        found.append(found[-1].cut(found[-1].can_be_cut())[0])
    return found


@pytest.mark.parametrize("seed", range(60))
def test_no_resolution_costs_more_than_the_sites(seed):
    """Beside the same spines the best leaves over cells cost at most the best leaves over sites; sites are exact."""
    problem = hall(seed)
    found = any_assignment(problem)
    if found is None:
        return
    costs = []
    for cells in resolutions(problem):
        spines = np.array([int(found.spines[0][cells.tree.sites_of(cell)].sum()) for cell in cells.numbers])
        beside = cells.leaves_beside(spines)
        assert beside is not None
        assert (beside[0].sum(axis=1) == problem.leaves).all()
        costs.append(beside[1])
    assert max(costs) <= found.cost
    assert costs[-1] == found.cost


@pytest.mark.parametrize("seed", range(60))
def test_tangent_prices_stay_below_the_price_of_slots(seed):
    """For any number of leaves in a cell the linear prices add up to at most what its slots cost."""
    problem = hall(seed)
    rng = np.random.default_rng(seed)
    cells = whole_racks(problem)
    slots = cells.slot_costs
    most = np.bincount(slots.site, minlength=len(cells.numbers))
    loads = rng.integers(0, most + 1)
    own, more = replace(cells, loads=tuple(loads.tolist())).leaf_price
    for _ in range(20):
        leaves = rng.integers(0, most + 1)
        taken = int(slots.cost[slots.rank < leaves[slots.site]].sum())
        group = int(rng.integers(0, 3))
        if (cells.own[group][leaves > 0] >= CLOSED_COST).any():
            continue
        assert more + int(own[group] @ leaves) <= taken + int(cells.own[group] @ leaves)


def test_crowded_slots_cost_what_they_cost():
    """Three leaves in a rack whose slots cost 0, 5 and 9: together 14, where the least price alone says 0."""
    problem = replace(
        hall(0),
        own=np.array([[0, 5, 9]]),
        spine_own=np.zeros(3, dtype=np.int64),
        trunk=np.ones((3, 3), dtype=np.int64),
        weight=np.array([1]),
        leaves=np.array([3]),
        plane=np.array([0]),
        spines=np.array([0]),
        rack=np.zeros(3, dtype=np.int64),
        capacity=np.ones(3, dtype=np.int64),
        leaf_allowed=np.ones((1, 3), dtype=np.bool_),
        spine_allowed=np.ones(3, dtype=np.bool_),
    )
    beside = whole_racks(problem).leaves_beside(np.zeros(1, dtype=np.int64))
    assert beside is not None
    assert beside[1] == 14


@pytest.mark.parametrize("seed", range(20))
def test_spines_of_a_cell_find_sites(seed):
    """Spines counted by cell stand in sites of that cell that may hold them."""
    problem = hall(seed)
    cells = whole_racks(problem)
    spines = np.minimum(cells.spine_room, 2)
    placed = cells.at_sites(spines)
    assert (placed <= problem.capacity * problem.spine_allowed).all()
    assert [int(placed[cells.tree.sites_of(cell)].sum()) for cell in cells.numbers] == spines.tolist()
    exact = assignment(replace(problem, spines=np.array([int(spines.sum())])), placed[None, :])
    assert exact is None or exact.cost >= 0


def test_leaves_of_a_cell_stand_between_its_spines():
    """A rack of eight sites: five spines beside two leaves take three sites above and two below those."""
    sites = 8
    problem = replace(
        hall(0),
        own=np.zeros((1, sites), dtype=np.int64),
        spine_own=np.zeros(sites, dtype=np.int64),
        trunk=np.ones((sites, sites), dtype=np.int64),
        weight=np.array([1]),
        leaves=np.array([2]),
        plane=np.array([0]),
        spines=np.array([5]),
        rack=np.zeros(sites, dtype=np.int64),
        capacity=np.ones(sites, dtype=np.int64),
        leaf_allowed=np.ones((1, sites), dtype=np.bool_),
        spine_allowed=np.ones(sites, dtype=np.bool_),
    )
    cells = whole_racks(problem)
    assert cells.at_sites(np.array([5]), np.array([2])).tolist() == [1, 1, 1, 0, 0, 1, 1, 0]
    assert cells.at_sites(np.array([5])).tolist() == [1, 1, 1, 1, 1, 0, 0, 0]
    apart = replace(problem, leaf_allowed=np.arange(sites)[None, :] > 0)
    assert whole_racks(apart).at_sites(np.array([5]), np.array([2])).tolist() == [1, 1, 1, 0, 0, 1, 1, 0]
    assert whole_racks(apart).at_sites(np.array([1]), np.array([2])).tolist() == [1, 0, 0, 0, 0, 0, 0, 0]


def test_halves_split_the_slots_of_a_rack():
    """A rack of four sites with 3, 1, 1 and 1 slots is cut after the first."""
    problem = replace(hall(1), rack=np.zeros(4, dtype=np.int64), capacity=np.array([3, 1, 1, 1]))
    problem = replace(
        problem,
        own=np.zeros((3, 4), dtype=np.int64),
        spine_own=np.zeros(4, dtype=np.int64),
        trunk=np.zeros((4, 4), dtype=np.int64),
        leaf_allowed=np.ones((3, 4), dtype=np.bool_),
        spine_allowed=np.ones(4, dtype=np.bool_),
    )
    tree = CellTree(problem)
    (whole,) = tree.racks
    halves = tree.halves[whole]
    assert halves is not None
    assert [tree.sites_of(cell) for cell in halves] == [slice(0, 1), slice(1, 4)]


def test_spines_of_a_cell_take_its_slots_in_order_of_price():
    """A rack of two sites with two slots each: two links at 10, then one at 25, and the next one costs 25 too."""
    problem = replace(
        hall(0),
        own=np.zeros((1, 3), dtype=np.int64),
        spine_own=np.zeros(3, dtype=np.int64),
        trunk=np.array([[90, 25, 10]] * 3),
        weight=np.array([2]),
        leaves=np.array([1]),
        plane=np.array([0]),
        spines=np.array([3]),
        rack=np.array([0, 1, 1]),
        capacity=np.array([1, 2, 2]),
        leaf_allowed=np.ones((1, 3), dtype=np.bool_),
        spine_allowed=np.ones(3, dtype=np.bool_),
    )
    cells = whole_racks(problem)
    fixed, more = cells.trunks(np.array([0, 3]))
    assert fixed.tolist() == [[2 * 45, 2 * 45]]
    assert more.to(np.arange(2)).tolist() == [[90, 25], [90, 25]]
    assert cells.trunk.tolist() == [[90, 10], [90, 10]]


@pytest.mark.parametrize("seed", range(40))
def test_no_slots_cost_more_than_those_taken(seed):
    """However spines are dealt to the sites of their racks, links to them cost at least what racks say."""
    problem, rng = hall(seed), np.random.default_rng(seed)
    racks, sites = whole_racks(problem), single_sites(problem)
    spines = rng.integers(0, problem.capacity * problem.spine_allowed + 1)
    in_racks = np.bincount(problem.rack, weights=spines, minlength=3).astype(np.int64)
    exact = sites.trunks(spines)[0]
    for place, cell in enumerate(racks.numbers):
        least = exact[:, racks.tree.sites_of(cell)].min(axis=1)
        if problem.leaf_allowed.any(axis=0)[racks.tree.sites_of(cell)].all():
            assert (racks.trunks(in_racks)[0][:, place] <= least).all()
