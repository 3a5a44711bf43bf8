"""How cheap leaves and spines of one plane can be at most: best-first branch and bound over the spines.

V(y), the cost of the best leaves for spines y, is a minimum of linear functions and hence concave. On the box
lo <= y <= hi with sum y = S it therefore lies above the plane through its values at the corners lo + rest e_q
(rest = S − sum lo, e_q one site):

    V(y) >= sum_q (y_q − lo_q) / rest * V(lo + rest e_q),

and the least of the right side over the box is found by filling the sites in the order of V(lo + rest e_q). Leaves
get what `lo` leaves of the shared capacity, which every y of the box leaves at most. Where the fill is not the
answer itself the box is split at one site's fill, so that in the end each box is a single y.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from fabric.layout.assignment import Assignment, SiteProblem, assignment
from fabric.layout.transport import Ints, transport

WORK_LIMIT = 1_500_000
"""Work that one bound may cost, counted and not timed, so that runs repeat."""

FLOW_WORK = 1_500
"""Work of one flow beside one for each arc."""

UNBOUNDED_COST = -(2**62)
"""Bound of a box before it was looked at; the prices of a relaxation may be negative."""

ENTRIES_PER_WORK = 16
"""Matrix entries that numpy passes in the time of one arc."""


@dataclass(frozen=True)
class Proof:
    """The best assignment seen and a bound on all; the bound is the optimum when the search ended."""

    best: Assignment
    bound_cost: int


@dataclass(frozen=True, order=True)
class _Box:
    bound_cost: int
    number: int
    low: tuple[int, ...]
    high: tuple[int, ...]


class _Search:
    """One run: a queue of boxes, the incumbent, and the work done."""

    def __init__(self, problem: SiteProblem, start: Assignment, work_limit: int) -> None:
        self.problem = problem
        self.best = start
        self.spines = int(problem.spines[0])
        self.work_left = work_limit
        self.queue: list[_Box] = []
        self.boxes = 0

    def push(self, bound_cost: int, low: Ints, high: Ints) -> None:
        """Queue a box unless no y fits it or its bound reaches the incumbent."""
        if low.sum() <= self.spines <= high.sum() and bound_cost < self.best.cost:
            self.boxes += 1
            heapq.heappush(self.queue, _Box(bound_cost, self.boxes, tuple(low), tuple(high)))

    def offer(self, spines: Ints) -> None:
        """Make the best assignment with these spines the incumbent if it is cheaper."""
        self.work_left -= self.problem.own.size + FLOW_WORK
        found = assignment(self.problem, spines[None, :])
        if found is not None and found.cost < self.best.cost:
            self.best = found

    def corner(self, low: Ints, site: int, rest: int) -> int | None:
        """V(lo + rest e_site) with the capacity that `lo` leaves, None when the leaves do not fit."""
        problem = self.problem
        self.work_left -= problem.own.size + FLOW_WORK
        spines = low.copy()
        spines[site] += rest
        cost = problem.leaf_cost(spines[None, :])
        leaves = transport(cost, problem.leaves, problem.capacity - low, problem.leaf_allowed)
        return None if leaves is None else int((cost * leaves).sum() + problem.spine_own @ spines)

    def corners_without_capacity(self, low: Ints, rest: int) -> Ints:
        """(sites,) values below every V(lo + rest e_q): each leaf takes its cheapest site, full or not."""
        problem = self.problem
        self.work_left -= problem.own.size * len(problem.capacity) // ENTRIES_PER_WORK
        base = problem.leaf_cost(low[None, :])
        total = rest * problem.spine_own + problem.spine_own @ low
        for group, count in enumerate(problem.leaves):
            sites = np.flatnonzero(problem.leaf_allowed[group] & (problem.capacity > low))
            if len(sites) == 0 or count == 0:
                continue
            reach = base[group, sites, None] + problem.weight[group] * rest * problem.trunk[sites]
            total += count * reach.min(axis=0)
        return total

    def expand(self, box: _Box) -> None:
        """Bound a box, offer its fill as an assignment, and queue its two halves."""
        low, high = np.array(box.low), np.array(box.high)
        rest = self.spines - int(low.sum())
        if rest == 0:
            self.offer(low)
            return
        values = self.corners_without_capacity(low, rest)
        refined = np.zeros(len(low), dtype=np.bool_)
        while True:
            fill = _fill(values, high - low, rest)
            bound = -(-sum(int(f) * int(v) for f, v in zip(fill, values, strict=True)) // rest)
            open_sites = np.flatnonzero((fill > 0) & ~refined)
            if len(open_sites) == 0 or bound >= self.best.cost or self.work_left <= 0:
                break
            value = self.corner(low, int(open_sites[0]), rest)
            if value is None:
                return
            values[open_sites[0]] = value
            refined[open_sites[0]] = True
        bound = max(bound, box.bound_cost)
        self.offer(low + fill)
        site = int(np.argmax(fill))
        with_site, without = low.copy(), high.copy()
        with_site[site] = low[site] + fill[site]
        without[site] = low[site] + fill[site] - 1
        self.push(bound, with_site, high)
        self.push(bound, low, without)


def _fill(values: Ints, room: Ints, rest: int) -> Ints:
    """`rest` spines put into sites in the order of their values, each up to its room."""
    order = np.argsort(values, kind="stable")
    before = np.concatenate([[0], np.cumsum(room[order])[:-1]])
    fill = np.zeros_like(room)
    fill[order] = np.clip(rest - before, 0, room[order])
    return fill


def prove(problem: SiteProblem, start: Assignment, work_limit: int = WORK_LIMIT) -> Proof:
    """Improve `start` and bound the cost of one plane from below, at most until the bound proves a trunk out of reach.

    Args:
        problem: one plane; its leaves and spines share the capacity of each site.
        start: an assignment of that plane.
        work_limit: work after which the search stops with a gap.
    """
    search = _Search(problem, start, work_limit)
    if search.spines:
        room = np.where(problem.spine_allowed, problem.capacity, 0)
        search.push(UNBOUNDED_COST, np.zeros_like(room), room)
    while search.queue and search.work_left > 0 and search.queue[0].bound_cost <= problem.dearest_within_reach:
        search.expand(heapq.heappop(search.queue))
    open_bound = search.queue[0].bound_cost if search.queue else search.best.cost
    return Proof(search.best, min(open_bound, search.best.cost))
