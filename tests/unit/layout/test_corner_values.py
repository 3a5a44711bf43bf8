"""Values of corners: the plane through them never rises above what any spines of the box cost."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fabric.layout import corner_values
from fabric.layout.assignment import SiteProblem
from fabric.layout.cells import Cells, whole_racks
from fabric.layout.corner_values import Aim, CornerValues, Found


def hall(seed: int) -> SiteProblem:
    """Three or four racks of one site each, all open; trunks inside a rack cost a fifth or less of any other."""
    rng = np.random.default_rng(seed)
    racks = int(rng.integers(3, 5))
    inside = np.eye(racks, dtype=np.bool_)
    return SiteProblem(
        own=rng.integers(0, 60, (2, racks)),
        spine_own=np.zeros(racks, dtype=np.int64),
        trunk=np.where(inside, rng.integers(0, 5, (racks, racks)), rng.integers(25, 40, (racks, racks))),
        weight=rng.integers(1, 3, 2),
        leaves=rng.integers(1, 4, 2),
        plane=np.zeros(2, dtype=np.int64),
        spines=rng.integers(2, 5, 1),
        rack=np.arange(racks),
        capacity=rng.integers(2, 6, racks),
        leaf_allowed=np.ones((2, racks), dtype=np.bool_),
        spine_allowed=np.ones(racks, dtype=np.bool_),
    )


def least(cells: Cells, low: np.ndarray, high: np.ndarray, spines: int) -> int | None:
    """The cheapest of all spines between `low` and `high`, each with its best leaves."""
    ranges = [range(int(a), int(b) + 1) for a, b in zip(low, high, strict=True)]
    costs = [
        found[1]
        for y in itertools.product(*ranges)
        if sum(y) == spines and (found := cells.leaves_beside(np.array(y, dtype=np.int64))) is not None
    ]
    return min(costs, default=None)


def plane(values: np.ndarray, room: np.ndarray, rest: int) -> float:
    """The least height of the plane over the box: spines to the cheapest corners first."""
    height = 0
    left = rest
    for cell in np.argsort(values, kind="stable"):
        taken = min(left, int(room[cell]))
        height, left = height + taken * int(values[cell]), left - taken
    return height / rest


def with_savings(values: CornerValues, cells: Cells, low: np.ndarray, high: np.ndarray) -> Found:
    """The bound of a box; all halls here have cheap trunks inside racks."""
    found = values.with_savings(cells, low, high)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(80))
def test_no_corner_lifts_the_plane_above_the_box(seed):
    """Both prices of trunks give a bound on the whole hall and on a random box of it."""
    problem = hall(seed)
    rng = np.random.default_rng(seed)
    cells = whole_racks(problem)
    values, spines = CornerValues(problem), int(problem.spines[0])
    whole = np.zeros(len(problem.rack), dtype=np.int64), np.minimum(cells.spine_room, spines)
    fixed = np.where(np.arange(len(problem.rack)) == rng.integers(0, len(problem.rack)), 1, 0)
    for low, high in (whole, (fixed, np.maximum(fixed, whole[1] - rng.integers(0, 2)))):
        optimum = least(cells, low, high, spines)
        rest = spines - int(low.sum())
        if optimum is None or rest == 0:
            continue
        corners = np.flatnonzero(high > low)
        assert plane(values.true(cells, low, corners), high - low, rest) <= optimum
        found = with_savings(values, cells, low, high)
        assert found.bound_cost <= optimum
        aim = Aim(rng.uniform(0, 4, len(low)), rng.uniform(0, 4, len(low)))
        assert values.with_savings(cells, low, high, aim).bound_cost <= optimum
        assert values.with_savings(cells, low, high, found.aim, enough_cost=0).bound_cost <= optimum


@pytest.mark.parametrize("seed", range(60))
def test_the_lean_that_bounds_best_is_kept(seed, monkeypatch):
    """Every lean alone bounds the hall, the one chosen as well as any, and its trial alone is counted as work."""
    problem = hall(seed)
    cells = whole_racks(problem)
    spines = int(problem.spines[0])
    low, high = np.zeros(len(problem.rack), dtype=np.int64), np.minimum(cells.spine_room, spines)
    optimum = least(cells, low, high, spines)
    if optimum is None or high.sum() < spines:
        return

    def bound(leans: tuple[int, ...]) -> int:
        monkeypatch.setattr(corner_values, "LEANS", (8, *leans))
        values = CornerValues(problem)
        found = values.lean(cells, low, high, optimum)
        worked = values.entries
        again = with_savings(values, cells, low, high)
        assert values.entries == 2 * worked
        assert again.bound_cost == found.bound_cost
        return again.bound_cost

    alone = [bound((lean,)) for lean in range(9)]
    assert max(alone) <= optimum
    chosen = bound(tuple(range(9)))
    assert chosen == max(alone) or 100 * (optimum - chosen) < optimum


def test_savings_that_few_can_share_are_seen():
    """Three racks of 8 slots alike, 16 leaves, 8 spines: at most 42 trunks stay inside, and the plane knows it."""
    racks = 3
    problem = replace(
        hall(0),
        own=np.zeros((1, racks), dtype=np.int64),
        spine_own=np.zeros(racks, dtype=np.int64),
        trunk=np.where(np.eye(racks, dtype=np.bool_), 0, 100),
        weight=np.array([1]),
        leaves=np.array([16]),
        plane=np.array([0]),
        spines=np.array([8]),
        rack=np.arange(racks),
        capacity=np.full(racks, 8),
        leaf_allowed=np.ones((1, racks), dtype=np.bool_),
        spine_allowed=np.ones(racks, dtype=np.bool_),
    )
    cells, values = whole_racks(problem), CornerValues(problem)
    low, high = np.zeros(racks, dtype=np.int64), np.full(racks, 8)
    most_inside = 5 * 3 + 5 * 3 + 6 * 2
    bound = with_savings(values, cells, low, high).bound_cost
    assert bound == pytest.approx((16 * 8 - most_inside) * 100, abs=racks * 8)
    assert plane(values.true(cells, low, np.arange(racks)), high, 8) < (16 * 8 - most_inside) * 100


def at_home(racks: int) -> SiteProblem:
    """Racks of 4 slots alike, each the home of one leaf that costs 1,000 anywhere else, and twice as many spines."""
    home = np.eye(racks, dtype=np.bool_)
    return replace(
        hall(0),
        own=np.where(home, 0, 1000),
        spine_own=np.zeros(racks, dtype=np.int64),
        trunk=np.where(home, 0, 100),
        weight=np.ones(racks, dtype=np.int64),
        leaves=np.ones(racks, dtype=np.int64),
        plane=np.zeros(racks, dtype=np.int64),
        spines=np.array([2 * racks]),
        rack=np.arange(racks),
        capacity=np.full(racks, 4),
        leaf_allowed=np.ones((racks, racks), dtype=np.bool_),
        spine_allowed=np.ones(racks, dtype=np.bool_),
    )


@pytest.mark.parametrize("racks", [4, 7])
def test_leaves_at_home_save_one_trunk_for_each_spine(racks):
    """Every spine has one leaf in its rack and none is worth a move: the plane is the optimum but for rounding."""
    problem = at_home(racks)
    cells, values = whole_racks(problem), CornerValues(problem)
    low, high = np.zeros(racks, dtype=np.int64), np.full(racks, 4)
    values.lean(cells, low, high, 1)
    optimum = 2 * racks * (racks - 1) * 100
    assert optimum - 2 * racks <= with_savings(values, cells, low, high).bound_cost <= optimum


@pytest.mark.parametrize("seed", range(60))
def test_shares_cover_every_saving(seed):
    """Whatever leaves and spines a rack holds within its limits, shares of leaves and spines are worth its trunks."""
    problem = hall(seed)
    cells, values = whole_racks(problem), CornerValues(problem)
    rng = np.random.default_rng(seed)
    high = rng.integers(0, np.minimum(cells.spine_room, problem.spines[0]) + 1)
    low = rng.integers(0, high + 1)
    aim = Aim(rng.uniform(0, 4, len(low)), rng.uniform(0, 4, len(low))) if seed % 2 else None
    savings = values.savings(cells)
    assert savings is not None
    alpha, beta, rest = values._shares(cells, savings, (low, high), aim)
    for rack, slots in enumerate(problem.capacity):
        for y in range(int(low[rack]), int(high[rack]) + 1):
            for held in itertools.product(*(range(int(count) + 1) for count in problem.leaves)):
                if sum(held) + y <= slots:
                    shares = alpha[:, rack] @ np.array(held) + beta[rack] * y + rest[rack]
                    assert savings.most[rack] * sum(held) * y <= shares


def test_racks_without_cheap_trunks_have_no_savings():
    """Where a link inside a rack costs what others do, there is nothing to share out."""
    problem = hall(3)
    problem = replace(problem, trunk=np.full_like(problem.trunk, 30))
    cells = whole_racks(problem)
    low = np.zeros(len(problem.rack), dtype=np.int64)
    assert CornerValues(problem).with_savings(cells, low, cells.spine_room) is None
