"""Prices of trunks split between their ends: no split exceeds an assignment, no limit drops one that is cheaper."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from fabric.layout.assignment import SiteProblem
from fabric.layout.share_window import Limits, Window, filled_rows

Assigned = tuple[np.ndarray, np.ndarray, int]


def hall(seed: int) -> SiteProblem:
    """Four or five sites of one to three slots, some of them open to both roles, leaves of equal or unequal weight."""
    rng = np.random.default_rng(seed)
    sites = int(rng.integers(4, 6))
    role = rng.integers(0, 3, sites)  # 0: leaf, 1: spine, 2: both
    return SiteProblem(
        own=rng.integers(0, 60, (2, sites)),
        spine_own=rng.integers(-9, 9, sites),
        trunk=rng.integers(0, 40, (sites, sites)),
        weight=rng.integers(1, 3, 2) if seed % 3 == 0 else np.full(2, rng.integers(1, 3)),
        leaves=rng.integers(1, 3, 2),
        plane=np.zeros(2, dtype=np.int64),
        spines=rng.integers(1, 4, 1),
        rack=np.arange(sites),
        capacity=rng.integers(1, 4, sites),
        leaf_allowed=(role != 1) & (rng.random((2, sites)) < 0.9),
        spine_allowed=role != 0,
    )


def whole(problem: SiteProblem) -> Limits:
    """Limits that leave everything open."""
    none = np.zeros(len(problem.rack), dtype=np.int64)
    leaf = problem.capacity * problem.leaf_allowed.any(axis=0)
    return Limits(none, leaf, none, problem.capacity * problem.spine_allowed)


def ways(things: int, room: np.ndarray) -> Iterator[np.ndarray]:
    """Every way to put equal things into sites with so much room."""
    for counts in itertools.product(*(range(most + 1) for most in room.tolist())):
        if sum(counts) == things:
            yield np.array(counts, dtype=np.int64)


def assignments(problem: SiteProblem) -> list[Assigned]:
    """Leaves by site, spines by site and cost of every assignment."""
    found = []
    for a in ways(int(problem.leaves[0]), problem.capacity * problem.leaf_allowed[0]):
        for b in ways(int(problem.leaves[1]), problem.capacity * problem.leaf_allowed[1]):
            for y in ways(int(problem.spines[0]), problem.capacity * problem.spine_allowed):
                if (a + b + y <= problem.capacity).all():
                    links = problem.weight[0] * a + problem.weight[1] * b
                    own = problem.own[0] @ a + problem.own[1] @ b + problem.spine_own @ y
                    found.append((a + b, y, int(own + links @ problem.trunk @ y)))
    return found


def inside(limits: Limits, leaves: np.ndarray, spines: np.ndarray) -> bool:
    """Whether counts keep to the limits."""
    low, high = (
        np.concatenate([limits.leaf_low, limits.spine_low]),
        np.concatenate([limits.leaf_high, limits.spine_high]),
    )
    counts = np.concatenate([leaves, spines])
    return bool((low <= counts).all() and (counts <= high).all())


def around(problem: SiteProblem, every: list[Assigned], rng: np.random.Generator) -> Limits:
    """Limits at random around some assignment; leaves have fewest only where all are of equal weight."""
    leaves, spines, _ = every[int(rng.integers(len(every)))]
    is_even = len(set(problem.weight.tolist())) == 1
    loose = [rng.integers(0, 3, len(leaves)) for _ in range(4)]
    return Limits(
        np.maximum(leaves - loose[0], 0) * is_even,
        np.minimum(leaves + loose[1], whole(problem).leaf_high),
        np.maximum(spines - loose[2], 0),
        np.minimum(spines + loose[3], whole(problem).spine_high),
    )


@pytest.mark.parametrize("seed", range(120))
def test_any_split_bounds_and_closer_limits_drop_nothing_cheaper(seed):
    """Between random limits and for random shares, against all assignments, with several hopes of something better."""
    problem, rng = hall(seed), np.random.default_rng([seed, 1])
    every = assignments(problem)
    if not every:
        return
    for _ in range(6):
        limits = around(problem, every, rng).settled(problem)
        assert limits is not None
        window = Window(problem, limits)
        shares = window.trunk // 2 + rng.integers(-25, 26, window.trunk.shape)
        between = [it for it in every if inside(limits, it[0], it[1])]
        answer = window.answer(shares)
        assert answer is not None
        least = min(cost for *_, cost in between)
        assert answer.bound_cost <= least
        if window.is_exact and not (limits.leaf_high + limits.spine_high > problem.capacity).any():
            assert answer.bound_cost == least
        for hoped in (least + 1, least + int(rng.integers(2, 40))):
            if hoped > answer.bound_cost:
                closer = window.closer(answer, hoped - answer.bound_cost)
                assert all(inside(closer, it[0], it[1]) for it in between if it[2] < hoped)
                settled = closer.settled(problem)
                assert settled is not None
                narrow = Window(problem, settled)
                narrow_answer = narrow.answer(narrow.trunk // 2)
                assert narrow_answer is not None
                assert narrow_answer.bound_cost <= least


@pytest.mark.parametrize("seed", range(40))
def test_settled_limits_hold_the_same_assignments(seed):
    """Counts and capacity alone bring limits closer; what kept to them still does, and only then is there none."""
    problem, rng = hall(seed), np.random.default_rng([seed, 2])
    every = assignments(problem)
    for _ in range(10):
        high = [rng.integers(0, 4, len(problem.rack)) for _ in range(2)]
        low = [np.maximum(most - rng.integers(1, 4, len(most)), 0) for most in high]
        limits = Limits(low[0], high[0], low[1], high[1])
        settled = limits.settled(problem)
        between = [it for it in every if inside(limits, it[0], it[1])]
        assert between == [] if settled is None else all(inside(settled, it[0], it[1]) for it in between)


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_filled_from_the_least_value(seed):
    """Each row holds all pieces, none above its room, and costs what the cheapest filling costs."""
    rng = np.random.default_rng(seed)
    values, room = rng.integers(-9, 9, (5, int(rng.integers(1, 9)))), rng.integers(1, 4, 8)
    room = room[: values.shape[1]]
    rest = int(rng.integers(0, room.sum() + 1))
    fill = filled_rows(values, room, rest)
    assert (fill >= 0).all()
    assert (fill <= room).all()
    assert (fill.sum(axis=1) == rest).all()
    for row, filled in zip(values, fill, strict=True):
        slots = np.sort(np.repeat(row, room))
        assert int(row @ filled) == int(slots[:rest].sum())


def test_the_best_split_is_the_optimum_of_two_sites_each():
    """Two leaves and two spines with sites of their own, pairs at 1 and at 9: halves of prices prove 20."""
    near = np.array([[1, 9], [9, 1]])
    trunk = np.zeros((4, 4), dtype=np.int64)
    trunk[:2, 2:] = near
    problem = SiteProblem(
        own=np.zeros((1, 4), dtype=np.int64),
        spine_own=np.zeros(4, dtype=np.int64),
        trunk=trunk,
        weight=np.array([1]),
        leaves=np.array([2]),
        plane=np.array([0]),
        spines=np.array([2]),
        rack=np.arange(4),
        capacity=np.ones(4, dtype=np.int64),
        leaf_allowed=np.array([[True, True, False, False]]),
        spine_allowed=np.array([False, False, True, True]),
    )
    limits = whole(problem).settled(problem)
    assert limits is not None
    window = Window(problem, limits)
    answer = window.answer(window.trunk // 2)
    assert answer is not None
    assert answer.bound_cost == 2 * (1 + 9)
