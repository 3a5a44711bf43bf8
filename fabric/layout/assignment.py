"""Leaves and spines to sites: the bilinear problem, and good assignments by alternating exact flows.

Every leaf of a plane reaches every spine of that plane. With n[k, r] leaves of group k at site r and y[p, q] spines
of plane p at site q the cables cost

    sum own[k, r] n[k, r]  +  sum spine_own[q] y[p, q]  +  sum_k weight[k] n[k, r] trunk[r, q] y[plane[k], q].

With y fixed this is a transportation problem in n, and with n fixed one in y; both are solved exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.transport import Bools, Ints, ShortInts, transport

TRUNK_PENALTY_COST = 2**33
"""Stands in for the price of a trunk that nothing reaches: dearer than any cable, small enough to be summed."""

SEEDS_COUNT = 4
"""Sites that the alternation starts around."""

FEWEST_STARTS = 6
START_ARCS = 700_000
"""Arcs of one flow of each start, over all starts that are tried."""

SPREADS = (1, 2, 3, 4, 8)
"""Racks over which a start deals the spines: short trunks inside a rack reward few spines beside many leaves."""


@dataclass(frozen=True)
class SiteProblem:
    """Groups of identical leaves, planes of identical spines, and the sites that they share.

    Attributes:
        own: (groups, sites) cost of all endpoint links of one leaf.
        spine_own: (sites,) cost of one spine by itself; 0 but where planes pay rent.
        trunk: (sites, sites) cost of one unit of trunk from a leaf at the first to a spine at the second site; in 32
            bits where that is enough, for it grows with the square of the hall.
        weight: (groups,) units of trunk between a leaf and each spine of its plane.
        leaves: (groups,) leaves.
        plane: (groups,) plane of each group.
        spines: (planes,) spines.
        rack: (sites,) rack of each site, the sites of a rack side by side; it shapes the search, not the problem.
        capacity: (sites,) switches of both kinds together.
        leaf_allowed: (groups, sites).
        spine_allowed: (sites,).
    """

    own: Ints
    spine_own: Ints
    trunk: ShortInts
    weight: Ints
    leaves: Ints
    plane: Ints
    spines: Ints
    rack: Ints
    capacity: Ints
    leaf_allowed: Bools
    spine_allowed: Bools

    def of_plane(self, plane: int) -> SiteProblem:
        """The same problem for one plane alone: a relaxation in which it sees every site empty."""
        here = self.plane == plane
        return replace(
            self,
            own=self.own[here],
            weight=self.weight[here],
            leaves=self.leaves[here],
            plane=np.zeros(int(here.sum()), dtype=np.int64),
            spines=self.spines[plane : plane + 1],
            leaf_allowed=self.leaf_allowed[here],
        )

    def leaf_cost(self, spines: Ints) -> Ints:
        """(groups, sites) cost of one leaf with all its links, given the spines (planes, sites)."""
        held = np.flatnonzero(spines.any(axis=0))
        return self.own + self.weight[:, None] * (spines[:, held] @ self.trunk[:, held].T)[self.plane]

    def spine_cost(self, leaves: Ints) -> Ints:
        """(planes, sites) cost of one spine with all its trunks, given the leaves (groups, sites)."""
        links = np.zeros((len(self.spines), leaves.shape[1]), dtype=np.int64)
        np.add.at(links, self.plane, self.weight[:, None] * leaves)
        held = np.flatnonzero(links.any(axis=0))
        return self.spine_own + links[:, held] @ self.trunk[held]

    @cached_property
    def dearest_within_reach(self) -> int:
        """More than this costs no assignment whose trunks all have a cable; where a bound exceeds it, there is none."""
        trunk = int(self.trunk.max(initial=0, where=self.trunk < TRUNK_PENALTY_COST))
        own = np.where(self.leaf_allowed, self.own, 0).max(axis=1, initial=0)
        spines = int((self.spines * int(self.spine_own.max(initial=0))).sum())
        return spines + int((self.leaves * (own + self.weight * self.spines[self.plane] * trunk)).sum())

    def place_leaves(self, spines: Ints) -> Ints | None:
        """Cheapest leaves beside these spines, or None when they do not fit."""
        left = self.capacity - spines.sum(axis=0)
        return transport(self.leaf_cost(spines), self.leaves, left, self.leaf_allowed)

    def place_spines(self, cost: Ints, left: Ints) -> Ints | None:
        """Cheapest spines at `cost` in the capacity `left` (sites,), or None when they do not fit."""
        return transport(cost, self.spines, left, np.broadcast_to(self.spine_allowed, cost.shape))


@dataclass(frozen=True)
class Assignment:
    """Leaves (groups, sites), spines (planes, sites) and what they cost."""

    leaves: Ints
    spines: Ints
    cost: int


@dataclass(frozen=True)
class Proof:
    """The best assignment seen and a bound on all; the bound is the optimum when the search ended."""

    best: Assignment
    bound_cost: int


def assignment(problem: SiteProblem, spines: Ints) -> Assignment | None:
    """The cheapest assignment with these spines, or None when the leaves do not fit beside them."""
    leaves = problem.place_leaves(spines)
    if leaves is None:
        return None
    cost = (problem.leaf_cost(spines) * leaves).sum() + (problem.spine_own * spines).sum()
    return Assignment(leaves, spines, int(cost))


def alternate(problem: SiteProblem, start: Ints) -> Assignment | None:
    """Improve spines and leaves in turn until neither gains; None when the start does not fit."""
    best = assignment(problem, start)
    while best is not None:
        spines = problem.place_spines(problem.spine_cost(best.leaves), problem.capacity - best.leaves.sum(axis=0))
        found = None if spines is None else assignment(problem, spines)
        if found is None or found.cost >= best.cost:
            return best
        best = found
    return None


def any_assignment(problem: SiteProblem) -> Assignment | None:
    """Some assignment, or None: then there is none, because leaves and spines share one capacity per site."""
    groups = len(problem.leaves)
    if not problem.capacity.any():
        return None
    spine_sites = np.broadcast_to(problem.spine_allowed, (len(problem.spines), problem.own.shape[1]))
    central = np.broadcast_to(problem.trunk.mean(axis=0).astype(np.int64), spine_sites.shape)
    both = transport(
        np.vstack([problem.own, central]),
        np.concatenate([problem.leaves, problem.spines]),
        problem.capacity,
        np.vstack([problem.leaf_allowed, spine_sites]),
    )
    return None if both is None else assignment(problem, both[groups:])


def best_assignment(problem: SiteProblem) -> Assignment | None:
    """The best of several starts: the one that always fits, and spines dealt over the racks around a few sites.

    Starts that promise most come first; where one takes long, fewer are tried.
    """
    first = any_assignment(problem)
    if first is None or not problem.spines.any():
        return first
    best = alternate(problem, first.spines) or first
    starts = _starts(problem)
    tries = max(FEWEST_STARTS, START_ARCS // problem.own.size)
    for spines in sorted(starts, key=partial(_promise, problem))[:tries]:
        found = alternate(problem, spines)
        if found is not None and found.cost < best.cost:
            best = found
    return best


def _starts(problem: SiteProblem) -> list[Ints]:
    """Spines dealt around every seed over every number of racks."""
    dealt = (_dealt(problem, site, racks_count) for site in _seeds(problem) for racks_count in SPREADS)
    return list({spines.tobytes(): spines for spines in dealt if spines is not None}.values())


def _promise(problem: SiteProblem, spines: Ints) -> int:
    """What the best leaves cost beside these spines, were every site free of other leaves."""
    cost = np.where(problem.leaf_allowed & (problem.capacity > 0), problem.leaf_cost(spines), UNREACHABLE_COST)
    return int(problem.leaves @ cost.min(axis=1))


def _seeds(problem: SiteProblem) -> Ints:
    """Sites for spines, evenly spaced from the cheapest to reach to the dearest."""
    sites = np.flatnonzero(problem.spine_allowed & (problem.capacity > 0))
    central = sites[np.argsort(problem.trunk.sum(axis=0)[sites], kind="stable")]
    picks = np.linspace(0, len(central) - 1, min(SEEDS_COUNT, len(central)))
    return central[np.unique(picks.astype(np.int64))]


def _dealt(problem: SiteProblem, seed: int, racks_count: int) -> Ints | None:
    """Spines in equal shares over the nearest racks to `seed` that have room for a share, None without such racks."""
    share = -(-int(problem.spines.sum()) // racks_count)
    room = np.where(problem.spine_allowed, problem.capacity, 0)
    wide = np.bincount(problem.rack, weights=room) >= share
    left = np.zeros_like(room)
    quota: dict[int, int] = {}
    for site in np.argsort(problem.trunk[seed], kind="stable"):
        rack = int(problem.rack[site])
        if wide[rack] and (rack in quota or len(quota) < racks_count):
            left[site] = min(int(room[site]), quota.get(rack, share))
            quota[rack] = quota.get(rack, share) - int(left[site])
    near = np.broadcast_to(problem.trunk[seed], (len(problem.spines), len(left)))
    return problem.place_spines(near, left)
