"""The search for leaves and spines against every assignment there is, on more than a thousand small random problems.

The oracle knows the cost formula alone:

    sum own[k, r] n[k, r]  +  sum spine_own[q] y[p, q]  +  sum_k weight[k] n[k, r] trunk[r, q] y[plane[k], q].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, islice

import numpy as np
import numpy.typing as npt
import pytest

from fabric.layout.assignment import TRUNK_PENALTY_COST, Assignment, SiteProblem, any_assignment
from fabric.layout.site_search import search_sites
from fabric.layout.trunk_shares import prove_apart

Ints = npt.NDArray[np.int64]

SHARDS = range(20)
PER_SHARD = 52

SIZES = {
    1: {"groups": (3, 3), "leaves": (1, 2), "spines": (1, 4), "racks": (4, 5), "rack_sites": (1, 2)},
    2: {"groups": (1, 2), "leaves": (1, 2), "spines": (1, 2), "racks": (4, 4), "rack_sites": (1, 2)},
}
"""Ranges of a problem by its planes: small enough to enumerate."""

FIELD_BITS = 5
"""Bits that hold the slots of one site, at most 15, in a packed count; the top one is a guard that no loan may take."""

SHARES_WORK = 20_000
"""Work of the bound by shares of trunk prices, which must hold on any sites; enough for a few boxes."""

GUARD = 1 << (FIELD_BITS - 1)


@cache
def spreads(things: int, sites: int) -> Ints:
    """(ways, sites) every way to put so many equal `things` into `sites` sites."""
    if sites == 1:
        return np.array([[things]])
    rests = [spreads(things - first, sites - 1) for first in range(things + 1)]
    return np.vstack([np.insert(rest, 0, first, axis=1) for first, rest in enumerate(rests)])


def ways(things: int, room: Ints) -> Ints:
    """(ways, sites) those that fit into `room` (sites,)."""
    every = spreads(int(things), len(room))
    return every[(every <= room).all(axis=1)]


def packed(counts: Ints) -> Ints:
    """Counts by site (…, sites) as one whole number each, so that one subtraction compares all sites."""
    return counts @ (1 << FIELD_BITS * np.arange(counts.shape[-1]))


def fits(used: Ints, more: Ints, capacity: Ints) -> npt.NDArray[np.bool_]:
    """(used, more) whether two packed counts together stay within the capacity of every site."""
    guards = packed(np.full(len(capacity), GUARD))
    return ((packed(capacity) + guards - used)[:, None] - more) & guards == guards


def leaf_ways(problem: SiteProblem, plane: int) -> tuple[Ints, Ints, Ints]:
    """Every placement of a plane's leaves: slots used (ways, sites), links that end there (ways, sites), own cost."""
    used = links = np.zeros((1, len(problem.capacity)), dtype=np.int64)
    own = np.zeros(1, dtype=np.int64)
    for k in np.flatnonzero(problem.plane == plane):
        more = ways(problem.leaves[k], problem.capacity * problem.leaf_allowed[k])
        i, j = np.nonzero(fits(packed(used), packed(more), problem.capacity))
        used, links, own = used[i] + more[j], links[i] + problem.weight[k] * more[j], own[i] + more[j] @ problem.own[k]
    return used, links, own


def plane_ways(problem: SiteProblem, plane: int) -> tuple[Ints, Ints]:
    """All slots that a plane can use, packed, each with the least cost of using just these."""
    leaves, links, own = leaf_ways(problem, plane)
    spines = ways(problem.spines[plane], problem.capacity * problem.spine_allowed)
    i, j = np.nonzero(fits(packed(leaves), packed(spines), problem.capacity))
    trunks = (links @ problem.trunk).astype(float) @ spines.T.astype(float)  # whole numbers far below 2^53
    cost = (own[:, None] + spines @ problem.spine_own + trunks.astype(np.int64))[i, j]
    used, place = np.unique(packed(leaves)[i] + packed(spines)[j], return_inverse=True)
    least = np.full(len(used), np.iinfo(np.int64).max)
    np.minimum.at(least, place, cost)
    return used, least


def exhaustive(problem: SiteProblem) -> int | None:
    """Least cost over all assignments of one plane or two, None where there is none."""
    used, cost = plane_ways(problem, 0)
    if len(problem.spines) == 1:
        return int(cost.min()) if len(cost) else None
    others, other_cost = plane_ways(problem, 1)
    together = (cost[:, None] + other_cost)[fits(used, others, problem.capacity)]
    return int(together.min()) if together.size else None


def cost_of(problem: SiteProblem, found: Assignment) -> int:
    """What an assignment costs, checked to be one."""
    n, y = found.leaves, found.spines
    assert (n >= 0).all()
    assert (y >= 0).all()
    assert (n.sum(axis=1) == problem.leaves).all()
    assert (y.sum(axis=1) == problem.spines).all()
    assert (n.sum(axis=0) + y.sum(axis=0) <= problem.capacity).all()
    assert not n[~problem.leaf_allowed].any()
    assert not y[:, ~problem.spine_allowed].any()
    trunks = np.einsum("k,kr,rq,kq->", problem.weight, n, problem.trunk, y[problem.plane])
    return int((problem.own * n).sum() + (problem.spine_own * y).sum() + trunks)


def is_tight(problem: SiteProblem) -> bool:
    """Whether capacity binds: at most two slots are left over."""
    return bool(problem.capacity.sum() - problem.leaves.sum() - problem.spines.sum() <= 2)


def is_uneven(problem: SiteProblem) -> bool:
    """Whether spines fill no whole number of the racks that take most of them."""
    room = np.bincount(problem.rack, weights=problem.capacity * problem.spine_allowed)
    return bool((problem.spines % max(int(room.max()), 1)).any())


def judged(problem: SiteProblem, optimum: int) -> bool:
    """Whether the search proved its answer; that it stands on the right side of the optimum is asserted."""
    found, bound_cost = search_sites(problem)
    assert found.cost == cost_of(problem, found)
    assert bound_cost <= optimum <= found.cost
    if optimum < TRUNK_PENALTY_COST:
        assert optimum <= problem.dearest_within_reach
    if len(problem.spines) == 1:
        other = prove_apart(problem, found, SHARES_WORK)
        assert other.bound_cost <= optimum <= other.best.cost == cost_of(problem, other.best)
    return bound_cost == found.cost or bound_cost > problem.dearest_within_reach


def solvable(random_sites: Callable[..., SiteProblem], shard: int) -> Iterator[tuple[SiteProblem, int]]:
    """Random problems with their optima; of those without assignment the search must say so."""
    for seed in count():
        planes = 2 if seed % 12 == 0 else 1
        problem = random_sites(np.random.default_rng([shard, seed]), planes=planes, **SIZES[planes])
        optimum = exhaustive(problem)
        if optimum is not None:
            yield problem, optimum
        else:
            assert any_assignment(problem) is None


@pytest.mark.parametrize("shard", SHARDS)
def test_bound_optimum_and_answer_stand_in_this_order(random_sites, shard):
    """Also with hardly a slot to spare; on one plane at least 95 of 100 answers are proved, and hence the optimum."""
    problems = list(islice(solvable(random_sites, shard), PER_SHARD))
    proved = [(len(problem.spines), judged(problem, optimum)) for problem, optimum in problems]
    one_plane = [is_proved for planes, is_proved in proved if planes == 1]
    assert sum(one_plane) >= 0.95 * len(one_plane)
    assert sum(is_tight(problem) for problem, _ in problems) >= PER_SHARD / 2
    assert sum(is_uneven(problem) for problem, _ in problems) >= PER_SHARD / 3
