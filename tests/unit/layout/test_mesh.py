"""Switches with any links to sites: the search against every assignment, the bound below all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.layout import mesh_standing
from fabric.layout.mesh import CLOSED_COST, MeshProblem
from fabric.layout.mesh_bound import bound_cost
from fabric.layout.mesh_search import best_sites, first_look
from fabric.layout.mesh_standing import stand

CASES = 60
WORK = 20_000


def problem(seed: int, *, slack: int = 1) -> MeshProblem:
    """A random mesh of up to six switches on up to four sites with `slack` places to spare."""
    chance = np.random.default_rng(seed)
    switches, sites, kinds, steps = int(chance.integers(3, 7)), int(chance.integers(2, 5)), 3, 4
    capacity = np.bincount(chance.integers(0, sites, switches + slack), minlength=sites)
    pairs = np.array(list(itertools.combinations(range(switches), 2)))
    ends = pairs[chance.random(len(pairs)) < 0.7]
    step = np.sort(chance.integers(0, steps, (2, sites, sites)), axis=2)
    step[0] = np.minimum(step[0], step[0].T)
    classes = min(3, switches)
    allowed = chance.random((classes, sites)) < 0.9
    allowed[:, capacity.argmax()] = True
    links = chance.integers(1, 4, kinds)
    return MeshProblem(
        own=chance.integers(0, 60, (classes, sites)),
        allowed=allowed,
        switch_class=chance.integers(0, classes, switches),
        ends=ends.astype(np.int64),
        kind=chance.integers(0, kinds, len(ends)),
        links=links,
        cost=links[:, None] * np.cumsum(chance.integers(0, 30, (kinds, steps)), axis=1),
        pairing=np.array([0, 0, 1]),
        step=step,
        capacity=capacity,
        rack=np.arange(sites) // 2,
        cluster=np.arange(switches) // 3,
    )


def optimum(case: MeshProblem) -> int | None:
    """The least cost of all assignments, one by one; None where there is none."""
    best = None
    for site in itertools.product(range(len(case.capacity)), repeat=len(case.switch_class)):
        at = np.array(site)
        fits = (np.bincount(at, minlength=len(case.capacity)) <= case.capacity).all()
        if fits and case.allowed[case.switch_class, at].all():
            cost = int(case.own[case.switch_class, at].sum())
            for (a, b), kind in zip(case.ends, case.kind, strict=True):
                cost += int(case.cost[kind, case.step[case.pairing[kind], at[a], at[b]]])
            best = cost if best is None else min(best, cost)
    return best


def test_the_search_finds_the_optimum_of_small_meshes_and_the_bound_stays_below() -> None:
    """Capacities bind; the search may miss at most one case in ten, the bound none."""
    solved = equal = met = 0
    for seed in range(CASES):
        case = problem(seed, slack=seed % 2)
        least, first = optimum(case), first_look(case)
        assert (least is None) == (first is None)
        if least is None or first is None:
            continue
        site = best_sites(case, first, WORK)
        assert (np.bincount(site, minlength=len(case.capacity)) <= case.capacity).all()
        assert case.allowed[case.switch_class, site].all()
        assert bound_cost(case) <= least <= case.cost_of(site) <= case.cost_of(first)
        solved += 1
        equal += case.cost_of(site) == least
        met += bound_cost(case) == least
    assert solved >= CASES // 2
    assert equal >= 0.9 * solved
    assert met >= 1


def test_costs_of_a_standing_follow_its_moves() -> None:
    """What a switch costs elsewhere is the difference that moving it makes, before and after swaps."""
    case = problem(3, slack=2)
    first = first_look(case)
    assert first is not None
    standing = stand(case, first)
    for one, other in itertools.combinations(range(len(first)), 2):
        if standing.may_swap(one, other):
            standing.swap(one, other)
        for switch, target in itertools.product(range(len(first)), range(len(case.capacity))):
            moved = standing.site.copy()
            moved[switch] = target
            if standing.at[switch, target] < CLOSED_COST:
                rise = standing.at[switch, target] - standing.at[switch, standing.site[switch]]
                assert rise == case.cost_of(moved) - case.cost_of(standing.site)


def test_a_settled_standing_gains_by_no_move_and_no_swap() -> None:
    """Every single move into a free place and every swap is tried by itself."""
    for seed in range(CASES):
        case = problem(seed, slack=2)
        first = first_look(case)
        if first is None:
            continue
        for switch, target in itertools.product(range(len(first)), range(len(case.capacity))):
            moved = first.copy()
            moved[switch] = target
            fits = (np.bincount(moved, minlength=len(case.capacity)) <= case.capacity).all()
            if fits and case.allowed[case.switch_class[switch], target]:
                assert case.cost_of(moved) >= case.cost_of(first)
        for one, other in itertools.combinations(range(len(first)), 2):
            swapped = first.copy()
            swapped[[one, other]] = swapped[[other, one]]
            if case.allowed[case.switch_class, swapped].all():
                assert case.cost_of(swapped) >= case.cost_of(first)


def test_without_room_there_is_no_start() -> None:
    """One place fewer than switches."""
    assert first_look(problem(1, slack=-1)) is None


def test_more_work_never_costs_more() -> None:
    """Each better answer replaces the last."""
    for seed in range(10):
        case = problem(seed, slack=2)
        first = first_look(case)
        if first is not None:
            costs = [case.cost_of(best_sites(case, first, work)) for work in (0, 1_000, 10_000)]
            assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("seed", range(5))
def test_the_same_problem_gets_the_same_sites(seed: int) -> None:
    """Kicks draw from a fixed seed."""
    case = problem(seed, slack=2)
    first = first_look(case)
    assert first is not None
    assert best_sites(case, first, WORK).tolist() == best_sites(case, first, WORK).tolist()


def settled_one_by_one(case: MeshProblem, site: np.ndarray) -> list[int]:
    """Sites after the best move or swap of one switch after the other, each tried by its whole cost."""
    here, count = site.tolist(), len(site)
    waiting, switch = count, 0
    while waiting:
        room = case.capacity - np.bincount(here, minlength=len(case.capacity))
        moved = [[*here[:switch], to, *here[switch + 1 :]] for to in np.flatnonzero(room > 0)]
        swapped = [here.copy() for _ in range(count)]
        for other, each in enumerate(swapped):
            each[switch], each[other] = here[other], here[switch]
        allowed = case.allowed[case.switch_class]
        options = [each for each in moved + swapped if allowed[np.arange(count), each].all()]
        best = min(options, key=lambda each: case.cost_of(np.array(each)))
        gains = case.cost_of(np.array(best)) < case.cost_of(np.array(here))
        here, waiting, switch = (
            (best, count, (switch + 1) % count) if gains else (here, waiting - 1, (switch + 1) % count)
        )
    return here


@pytest.mark.parametrize("seed", [seed for seed in range(CASES) if first_look(problem(seed)) is not None])
def test_moves_weighed_together_are_those_of_one_switch_after_the_other(seed, monkeypatch):
    """However many switches are looked at together, and costs at every site stay what the neighbours make them."""
    case = problem(seed)
    alone = case.linear(case.own)
    wanted = settled_one_by_one(case, alone)
    for few in (1, 2, 4):
        monkeypatch.setattr(mesh_standing, "FEW_AT_ONCE", few)
        standing = stand(case, alone)
        standing.settle()
        assert standing.site.tolist() == wanted
        assert (standing.at == stand(case, standing.site).at).all()
