"""Places of one plane proved by splitting the prices of trunks: branch and bound over how many spines sites take.

A box holds limits of leaves and spines (`share_window`). Its bound is raised by moving shares of the prices from one
end of the trunks to the other, along the slope of the bound and what is left of the step before. As the gap shrinks
the limits close in, until nothing between them is cheaper than the best assignment or the rounds tire; then the box is
halved at the site whose spines are least certain. A box without trunks between open sites is exact.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from fabric.layout.assignment import Assignment, Proof, SiteProblem, alternate
from fabric.layout.cells import CLOSED_COST
from fabric.layout.share_window import Answer, Limits, Window
from fabric.layout.transport import Ints

ENTRIES_PER_WORK = 60
"""Entries of a window that are priced in the time of one arc."""

FLOW_WORK = 400
"""Work of one flow beside one for each arc."""

FIRST_STEP = 1.5
"""Length of a step in those that would close the gap were the bound linear."""

MEMORY = 0.5
"""Share of the step before that is taken again."""

STEP_SHRINKAGE = 2 / 3
"""Share of the length of steps that is left when rounds bring no gain."""

PATIENCE_ROUNDS = 6
"""Rounds without gain before steps get shorter."""

LOOK_ROUNDS = 16
"""Rounds in which a box must close a share of its gap, or be halved."""

LOOK_SHARE = 0.25

NARROW_SHARE = 0.9
"""A window is made anew when no more than this share of what was open still is."""

MOST_SHARE_COST = 2**34
"""Shares stay within this size, dearer than any trunk, so that their sums fit into 64 bits."""

UNBOUNDED_COST = -(2**62)
"""Bound of a box before it was looked at."""


@dataclass(frozen=True)
class _Shares:
    """Shares of the prices of trunks (window) from leaf sites to spine sites."""

    leaf_at: Ints
    spine_at: Ints
    cost: Ints

    def on(self, window: Window) -> Ints:
        """Those of a window inside this one."""
        rows, columns = (
            np.searchsorted(mine, other)
            for mine, other in ((self.leaf_at, window.leaf_at), (self.spine_at, window.spine_at))
        )
        return self.cost[np.ix_(rows, columns)]


@dataclass(frozen=True, order=True)
class _Box:
    """Limits, what nothing between them is below, and the shares that its parent ended with."""

    bound_cost: int
    number: int
    limits: Limits = field(compare=False)
    shares: _Shares | None = field(compare=False)


class _Ascent:
    """The rounds of one box: its window, the shares now and at best, and the way of the last step."""

    def __init__(self, window: Window, shares: Ints, length: float = FIRST_STEP) -> None:
        self.window = window
        self.shares = self.best_shares = shares
        self.closest = window.limits
        self.bound_cost = UNBOUNDED_COST
        self._length = length
        self._idle_rounds = self._rounds = 0
        self._gap_cost = -UNBOUNDED_COST
        self._way: npt.NDArray[np.float64] | None = None

    def learn(self, answer: Answer, best_cost: int) -> None:
        """Keep what an answer at the shares says of bound and limits."""
        self._idle_rounds += 1
        if answer.bound_cost > self.bound_cost:
            self.bound_cost, self.best_shares, self._idle_rounds = answer.bound_cost, self.shares, 0
        self.closest = self.closest.within(self.window.closer(answer, best_cost - answer.bound_cost))

    def is_tired(self, best_cost: int) -> bool:
        """Whether the last rounds closed too little of the gap."""
        self._rounds += 1
        if self._rounds % LOOK_ROUNDS:
            return False
        before, self._gap_cost = self._gap_cost, best_cost - self.bound_cost
        return self._gap_cost > (1 - LOOK_SHARE) * before

    def step(self, answer: Answer, best_cost: int) -> bool:
        """Move the shares along the slope of the bound; False where it has none."""
        if self._idle_rounds >= PATIENCE_ROUNDS:
            self.shares, self._way, self._idle_rounds = self.best_shares, None, 0
            self._length *= STEP_SHRINKAGE
            return True
        way = answer.slope.astype(np.float64)
        if self._way is not None:
            way += MEMORY * self._way
        square = float((way * way).sum())
        if square == 0:
            return False
        moved = np.rint(self._length * (best_cost - answer.bound_cost) / square * way).astype(np.int64)
        self.shares = np.clip(self.shares + moved, -MOST_SHARE_COST, MOST_SHARE_COST)
        self._way = way
        return True

    def narrowed(self, limits: Limits) -> _Ascent:
        """The same ascent on the window that is left between closer limits."""
        window = Window(self.window.problem, limits)
        return _Ascent(window, self.left().on(window), self._length)

    def left(self) -> _Shares:
        """The best shares, for windows inside this one."""
        return _Shares(self.window.leaf_at, self.window.spine_at, self.best_shares)


class _Search:
    """One run: a queue of boxes, the best assignment, and the work done."""

    def __init__(self, problem: SiteProblem, start: Assignment) -> None:
        self.problem = problem
        self.best = start
        self.work = 0
        self.queue: list[_Box] = []
        self._boxes = 0
        self._price_step = _price_step(problem)
        self._offered: set[bytes] = set()

    @property
    def bound_cost(self) -> int:
        """What no assignment is below."""
        return self.queue[0].bound_cost if self.queue else self.best.cost

    def run(self, work_limit: int) -> None:
        """Close or halve boxes, the least bound first, until none is open, none is within reach or the work is done."""
        none = np.zeros(len(self.problem.rack), dtype=np.int64)
        leaf = self.problem.capacity * self.problem.leaf_allowed.any(axis=0)
        self._push(UNBOUNDED_COST, Limits(none, leaf, none, self.problem.capacity * self.problem.spine_allowed), None)
        while self.queue and self.work < work_limit and self.bound_cost <= self.problem.dearest_within_reach:
            self._expand(heapq.heappop(self.queue), work_limit)

    def _push(self, bound_cost: int, limits: Limits, shares: _Shares | None) -> None:
        settled = limits.settled(self.problem)
        if settled is not None and bound_cost < self.best.cost:
            self._boxes += 1
            heapq.heappush(self.queue, _Box(bound_cost, self._boxes, settled, shares))

    def _expand(self, box: _Box, work_limit: int) -> None:
        """Raise the bound of a box as far as that pays, and queue its halves if it stays open."""
        window = Window(self.problem, box.limits)
        ascent = _Ascent(window, window.trunk // 2 if box.shares is None else box.shares.on(window))
        bound_cost = box.bound_cost
        while True:
            answer = self._answer(ascent)
            if answer is None:
                return
            bound_cost = max(bound_cost, answer.bound_cost)
            if ascent.window.is_exact:
                self._offer(ascent.window.all_spines(answer))
            if bound_cost >= self.best.cost:
                return
            ascent.learn(answer, self.best.cost)
            limits = ascent.closest.settled(self.problem)
            if limits is None:
                return
            if self.work >= work_limit or ascent.is_tired(self.best.cost):
                break
            if limits.open_count <= NARROW_SHARE * ascent.window.limits.open_count:
                ascent = ascent.narrowed(limits)
            elif not ascent.step(answer, self.best.cost):
                break
        self._offer(ascent.window.all_spines(answer))
        for half in _halves(limits, ascent.window, answer):
            self._push(bound_cost, half, ascent.left())

    def _answer(self, ascent: _Ascent) -> Answer | None:
        """The answer of a round, its bound a whole number of steps of price."""
        window = ascent.window
        self.work += 2 * window.trunk.size // ENTRIES_PER_WORK + FLOW_WORK + window.arcs
        answer = window.answer(ascent.shares)
        if answer is None:
            return None
        return replace(answer, bound_cost=-(-answer.bound_cost // self._price_step) * self._price_step)

    def _offer(self, spines: Ints) -> None:
        """Make spines not seen before the best assignment if they lead to a cheaper one."""
        if spines.tobytes() in self._offered:
            return
        self._offered.add(spines.tobytes())
        self.work += 3 * (self.problem.own.size + FLOW_WORK)
        found = alternate(self.problem, spines[None, :])
        if found is not None and found.cost < self.best.cost:
            self.best = found


def prove_apart(problem: SiteProblem, start: Assignment, work_limit: int) -> Proof:
    """Improve `start` and bound the cost of one plane from below, at most until a trunk is proved out of reach.

    Args:
        problem: one plane; the bound is good where no site is open to both leaves and spines.
        start: an assignment of that plane.
        work_limit: work after which the search stops with a gap.
    """
    search = _Search(problem, start)
    search.run(work_limit)
    return Proof(search.best, min(search.bound_cost, search.best.cost))


def _halves(limits: Limits, window: Window, answer: Answer) -> Iterator[Limits]:
    """Two parts of the limits: fewer and more spines at the site whose cost is next to the dearest that is taken."""
    is_open = limits.spine_high[window.spine_at] > limits.spine_low[window.spine_at]
    if not is_open.any():
        yield limits
        return
    dearest = answer.spine_cost[answer.spines > 0].max()
    away = np.where(is_open, np.abs(answer.spine_cost - dearest), CLOSED_COST)
    site = int(window.spine_at[away.argmin()])
    count = int(limits.spine_low[site] + limits.spine_high[site] + 1) // 2
    fewer, more = limits.spine_high.copy(), limits.spine_low.copy()
    fewer[site], more[site] = count - 1, count
    yield replace(limits, spine_high=fewer)
    yield replace(limits, spine_low=more)


def _price_step(problem: SiteProblem) -> int:
    """The greatest amount that all prices, and hence all costs, are whole numbers of."""
    leaf = problem.leaf_allowed.any(axis=0)
    prices = (
        problem.own[problem.leaf_allowed],
        problem.trunk[np.ix_(leaf, problem.spine_allowed)].ravel(),
        problem.spine_own[problem.spine_allowed],
    )
    return max(1, int(np.gcd.reduce(np.concatenate(prices))))
