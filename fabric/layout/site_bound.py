"""How cheap leaves and spines of one plane can be at most: best-first branch and bound over the spines.

V(y), the cost of the best leaves for spines y, is a minimum of linear functions and hence concave. On the box
lo <= y <= hi with sum y = S it therefore lies above the plane through its values at the corners lo + rest e_q
(rest = S − sum lo, e_q one cell):

    V(y) >= sum_q (y_q − lo_q) / rest * V(lo + rest e_q),

and the least of the right side over the box is found by filling the cells in the order of V(lo + rest e_q). Leaves
get what `lo` leaves of the shared capacity, which every y of the box leaves at most. Where the fill is not the
answer itself the box is split within one cell's fill, so that in the end each box is a single y. Spines that are fixed
stand in slots of their own, and one more in a cell costs a leaf what the next slot does: more fixed, a closer bound.
Where symmetries of the hall keep a box, one rack with many spines stands for all that are alike (`rack_symmetry`).

Boxes start with whole racks as cells (`cells`), whose prices are the least of their sites. Where a box has become a
single y its leaves are placed exactly; if that is still too cheap to be left, the cells whose prices are least
certain are cut in two and the box is open again. A box that ends with sites is exact.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from fabric.layout.assignment import Assignment, Proof, SiteProblem, alternate, assignment
from fabric.layout.cells import CLOSED_COST, Cells, single_sites, whole_racks
from fabric.layout.corner_values import Aim, CornerValues, Found, filled, least_plane
from fabric.layout.rack_symmetry import Symmetry, rack_symmetry
from fabric.layout.transport import Bools, Ints

WORK_LIMIT = 600_000
"""Work that one bound may cost, counted and not timed, so that runs repeat."""

BOX_WORK = 500
"""Work of a box beside that for its entries."""

FLOW_WORK = 400
"""Work of one flow beside one for each arc."""

ENTRIES_PER_WORK = 60
"""Matrix entries that numpy passes in the time of one arc."""

OFFER_SHARE = 4
"""One part in so many of the work may go into better assignments."""

SITES_SHARE = 3
"""One part in so many of the work is kept for a last bound over single sites, where boxes leave a small gap."""

SMALL_GAP = 200
"""A gap of one part in so many comes from the slots of racks, not from the choice among racks."""

SPLIT_SHARE = 0.5
"""Share of a cell's fill at which its box is split."""

AT_ONCE_COUNT = 8
"""Corners worked out together at least."""

SYMMETRY_ROUNDS = 30
"""Looks at all pairs of racks and groups that the search for symmetries takes, about."""

UNBOUNDED_COST = -(2**62)
"""Bound of a box before it was looked at; prices may be negative."""


@dataclass(frozen=True)
class _Corners:
    """(n,) values below V(lo + rest e_q) of every cell q; those that are `sharp` were worked out, others inherited."""

    values: Ints
    sharp: Bools


@dataclass(frozen=True, order=True)
class _Box:
    """Spines between `low` and `high` (n,), the `fill` that bounds them, and what its parts may want to know."""

    bound_cost: int
    number: int
    cells: Cells = field(compare=False)
    low: Ints = field(compare=False)
    high: Ints = field(compare=False)
    fill: Ints = field(compare=False)
    known: _Corners | Aim | None = field(compare=False)


class _Search:
    """One run: a queue of boxes, the incumbent, and the work done."""

    def __init__(self, problem: SiteProblem, start: Assignment) -> None:
        self.problem = problem
        self.best = start
        self.spines = int(problem.spines[0])
        self.values = CornerValues(problem)
        self.offer_work = self.other_work = 0
        self.queue: list[_Box] = []
        self.boxes = 0
        self._known: dict[tuple[int, ...], Cells] = {}
        self._offered: set[bytes] = set()
        self._symmetry: Symmetry | None = None

    def start(self) -> None:
        """Queue all y over whole racks."""
        cells = whole_racks(self.problem)
        low = np.zeros(len(cells.numbers), dtype=np.int64)
        high = np.minimum(cells.spine_room, self.spines)
        if high.sum() < self.spines:
            return
        fill = filled(self.values.true(cells, low, np.flatnonzero(high)), high, self.spines)
        priced = self.priced(cells, fill)
        self.push(UNBOUNDED_COST, priced, low, high, self.values.lean(priced, low, high, self.best.cost))

    @property
    def bound_cost(self) -> int:
        """What no y is below."""
        return self.queue[0].bound_cost if self.queue else self.best.cost

    @property
    def is_within_reach(self) -> bool:
        """Whether the bound leaves open that some assignment has all its trunks within reach."""
        return self.bound_cost <= self.problem.dearest_within_reach

    def run(self, work_limit: int) -> None:
        """Expand boxes, the least bound first, until none is open, none is within reach or the work is done."""
        while self.queue and self.work < work_limit and self.is_within_reach:
            self.expand(heapq.heappop(self.queue))

    def priced(self, cells: Cells, spines: Ints) -> Cells:
        """The cells with the prices of slots tangent at the leaves that are best beside these spines."""
        if cells.numbers not in self._known:
            self._count_flow(cells)
            found = cells.leaves_beside(spines)
            loads = () if found is None else tuple(found[0].sum(axis=0).tolist())
            self._known[cells.numbers] = Cells(cells.tree, cells.numbers, loads)
        return self._known[cells.numbers]

    def push(
        self, parent_cost: int, cells: Cells, low: Ints, high: Ints, known: _Corners | Aim | Found | None = None
    ) -> None:
        """Queue a box unless no y fits it or its bound reaches the incumbent; `known` is what its parent tells.

        That may be its bound.
        """
        if not low.sum() <= self.spines <= high.sum():
            return
        self.boxes += 1
        self.other_work += BOX_WORK
        found = self._several(cells, low, high, known) if low.sum() < self.spines else self._single(cells, low)
        if found is None:
            return
        bound, fill, known = found
        if max(bound, parent_cost) < self.best.cost:
            heapq.heappush(self.queue, _Box(max(bound, parent_cost), self.boxes, cells, low, high, fill, known))

    def _single(self, cells: Cells, low: Ints) -> tuple[int, Ints, None] | None:
        """Bound of a box that holds the single y = low, None where leaves do not fit beside it."""
        found = self._beside(cells, low)
        return None if found is None else (found[1], low, None)

    def _beside(self, cells: Cells, spines: Ints) -> tuple[Ints, int] | None:
        """The best leaves beside spines, and what both cost at least; None where leaves do not fit."""
        self._count_flow(cells)
        return cells.leaves_beside(spines, crowding=self.values.crowding(cells, spines))

    def _several(
        self, cells: Cells, low: Ints, high: Ints, known: _Corners | Aim | Found | None
    ) -> tuple[int, Ints, _Corners | Aim]:
        """Bound of a box of several y, the y that gives it, and what its parts may want to know."""
        aim = known if isinstance(known, Aim) else None
        found = known if isinstance(known, Found) else None
        found = found or self.values.with_savings(cells, low, high, aim, self.best.cost)
        if found is not None:
            return found.bound_cost, low + found.fill, found.aim
        corners = known if isinstance(known, _Corners) else None
        return self._at_corners(cells, low, high, corners)

    def _at_corners(self, cells: Cells, low: Ints, high: Ints, corners: _Corners | None) -> tuple[int, Ints, _Corners]:
        """The same from the true values of corners, which are worked out as far as that y takes them."""
        rest = self.spines - int(low.sum())
        if corners is None:
            corners = _Corners(np.full(len(low), UNBOUNDED_COST), np.zeros(len(low), dtype=np.bool_))
        values, sharp = corners.values.copy(), corners.sharp.copy()
        while True:
            bound, fill = least_plane(values, high - low, rest)
            blunt = np.flatnonzero((fill > 0) & ~sharp)
            if len(blunt) == 0 or bound >= self.best.cost:
                return bound, low + fill, _Corners(values, sharp)
            if values[blunt].min() == UNBOUNDED_COST:
                blunt = np.flatnonzero(high > low)
            elif len(blunt) < AT_ONCE_COUNT:
                waiting = np.flatnonzero(~sharp & (high > low))
                blunt = waiting[np.argsort(values[waiting], kind="stable")[:AT_ONCE_COUNT]]
            values[blunt] = np.maximum(values[blunt], self.values.true(cells, low, blunt)[blunt])
            sharp[blunt] = True

    @property
    def work(self) -> int:
        """Work done so far."""
        return self.other_work + self.offer_work + self.values.entries // ENTRIES_PER_WORK

    def _count_flow(self, cells: Cells) -> None:
        self.other_work += FLOW_WORK + len(self.problem.leaves) * len(cells.numbers)

    def expand(self, box: _Box) -> None:
        """Offer a box's fill as an assignment, and queue its two halves, or the box itself with finer cells."""
        self.offer(box)
        if box.bound_cost >= self.best.cost:
            return
        gain = box.fill - box.low
        if not gain.any():
            self._refine(box)
            return
        cell = int(np.argmax(gain))
        count = max(1, round(SPLIT_SHARE * int(gain[cell])))
        with_cell, without = box.low.copy(), box.high.copy()
        with_cell[cell] += count
        alike = self._alike(box, cell)
        without[alike] = np.minimum(without[alike], with_cell[cell] - 1)
        self.push(box.bound_cost, box.cells, with_cell, box.high, self._inherited(box, cell, count))
        self.push(box.bound_cost, box.cells, box.low, without, box.known)

    def _alike(self, box: _Box, cell: int) -> Bools:
        """(n,) cells that have as many spines as `cell` in some y of the box, wherever that one has so many in one.

        For where all symmetries of the problem keep the limits of a box, they take its y to y of the same cost.
        """
        only: Bools = np.arange(len(box.low)) == cell
        if box.cells.numbers != box.cells.tree.racks:
            return only
        if self._symmetry is None:
            self._symmetry = rack_symmetry(box.cells)
            self.other_work += SYMMETRY_ROUNDS * (len(box.low) + len(self.problem.leaves)) ** 2 // ENTRIES_PER_WORK
        if self._symmetry.keeps(box.low) and self._symmetry.keeps(box.high):
            return self._symmetry.alike(cell)
        return only

    def _inherited(self, box: _Box, cell: int, gain: int) -> _Corners | Aim | None:
        """What is known of the corners once `gain` more spines are fixed in `cell`.

        A corner of the new box lies between two corners of the old one, so by concavity its value does too.
        """
        if not isinstance(box.known, _Corners):
            return box.known
        rest = self.spines - int(box.low.sum())
        values = box.known.values
        between = (gain * int(values[cell]) + (rest - gain) * values) // rest
        return _Corners(between, np.zeros(len(values), dtype=np.bool_))

    def offer(self, box: _Box) -> None:
        """Make the fill the incumbent if it is cheaper; counts of a rack not seen before are improved first."""
        if OFFER_SHARE * self.offer_work > self.work:
            return
        spines = box.cells.at_sites(box.fill)
        in_racks = np.bincount(self.problem.rack, weights=spines).tobytes()
        if spines.tobytes() in self._offered or spines.sum() < self.spines:
            return
        is_new = in_racks not in self._offered
        self._offered |= {spines.tobytes(), in_racks}
        before = self.other_work
        hoped = self._beside(box.cells, box.fill)
        self.offer_work, self.other_work = self.offer_work + self.other_work - before, before
        if hoped is None or hoped[1] >= self.best.cost:
            return
        if is_new:
            spines = box.cells.at_sites(box.fill, hoped[0].sum(axis=0))
        improve = alternate if is_new else assignment
        self.offer_work += (3 if is_new else 1) * (self.problem.own.size + FLOW_WORK)
        found = improve(self.problem, spines[None, :])
        if found is not None and found.cost < self.best.cost:
            self.best = found if is_new else alternate(self.problem, spines[None, :]) or found

    def over_sites(self, work_limit: int) -> int:
        """A bound on all y from the single sites, whose corners are worked out by flows as far as work allows.

        It sees leaves and spines in their very slots, where boxes see the best slot of a rack.
        """
        cells = single_sites(self.problem)
        nothing = np.zeros(len(cells.numbers), dtype=np.int64)
        values = self.values.true(cells, nothing, np.flatnonzero(cells.spine_room))
        sharp = nothing > 0
        while True:
            bound, fill = least_plane(values, cells.spine_room, self.spines)
            blunt = np.flatnonzero((fill > 0) & ~sharp)
            if len(blunt) == 0 or bound >= self.best.cost or self.work >= work_limit:
                return bound
            corner = nothing.copy()
            corner[blunt[0]] = self.spines
            self._count_flow(cells)
            found = cells.leaves_beside(corner, seated=nothing)
            values[blunt[0]] = CLOSED_COST if found is None else max(int(values[blunt[0]]), found[1])
            sharp[blunt[0]] = True

    def _refine(self, box: _Box) -> None:
        """Cut the cells of a single y where its price may rise most: all that hold leaves alone, or one with spines."""
        cells, spines = box.cells, box.low
        self._count_flow(cells)
        found = cells.leaves_beside(spines)
        if found is None:
            return
        spread = np.where(cells.can_be_cut(), cells.spread(spines, found[0]), 0)
        held = cells.can_be_cut() & ((spines > 0) | (found[0].sum(axis=0) > 0))
        if not spread.any():
            exact = assignment(self.problem, cells.at_sites(spines)[None, :])
            if exact is not None and exact.cost <= box.bound_cost:
                self.best = min(self.best, exact, key=lambda each: each.cost)
                return
            spread = held.astype(np.int64)
        alone = (spines == 0) & (spread > 0)
        if 2 * int(spread[alone].sum()) > int(spread.max()):
            finer, origin = cells.cut(alone)
            self.push(box.bound_cost, finer, spines[origin], spines[origin])
            return
        chosen = np.arange(len(spread)) == int(np.argmax(spread))
        finer, origin = cells.cut(chosen)
        low = np.where(chosen[origin], 0, spines[origin])
        high = np.minimum(finer.spine_room, spines[origin])
        even = low + filled(np.zeros_like(low), np.minimum(high - low, -(-spines[origin] // 2)), int(spines[chosen][0]))
        self.push(box.bound_cost, self.priced(finer, even), low, high)


def prove(problem: SiteProblem, start: Assignment, work_limit: int = WORK_LIMIT) -> Proof:
    """Improve `start` and bound the cost of one plane from below, at most until the bound proves a trunk out of reach.

    Args:
        problem: one plane; its leaves and spines share the capacity of each site.
        start: an assignment of that plane.
        work_limit: work after which the search stops with a gap.
    """
    search = _Search(problem, start)
    if search.spines:
        search.start()
    search.run(work_limit - work_limit // SITES_SHARE)
    bound_cost = search.bound_cost
    if 0 < search.best.cost - bound_cost <= search.best.cost // SMALL_GAP and search.is_within_reach:
        bound_cost = max(bound_cost, search.over_sites(work_limit))
    else:
        search.run(work_limit)
        bound_cost = search.bound_cost
    return Proof(search.best, min(bound_cost, search.best.cost))
