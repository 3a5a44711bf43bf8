"""What spines cost at least when all that are not fixed yet stand in one cell, with the best leaves: V(lo + rest e_q).

Two prices of a trunk are offered. The true one lets every leaf believe that it could share a rack with all the rest.
The other prices links inside a rack like the cheapest that leaves one, and gives the saving back by leaf and by spine:
what l leaves and y spines of a rack can save lies below a plane in l and y (`rack_savings`). Where h leaves have their
cheapest places in a rack of c slots only the others, o of them, need a share: l y <= h y + min(c − h − 1, most y) o,
for where l > h it is l − h <= o and y <= c − l. Leaves of unequal trunks are layers of leaves with equal ones.

Corners are worked out in runs of neighbours first, each run at the least of its prices, and by themselves as far as
they are needed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fabric.layout.assignment import SiteProblem
from fabric.layout.cells import CLOSED_COST, Cells, NextTrunks
from fabric.layout.rack_savings import RackSavings
from fabric.layout.transport import Ints

Reals = npt.NDArray[np.float64]

ENTRIES_AT_ONCE = 2**17
"""Most entries of one array."""

LEANS = (8, 5)
"""Leaves at which savings are lowest, in eighths of those that a rack had if all racks held leaves and spines alike."""

WIDE_GAP = 100
"""A gap of one part in so many makes it worth to try every lean."""

AIM_SHARE = 0.6
"""How far savings are lowest at the counts of the box before, and not in the middle of what the box holds."""

COLUMNS_AT_ONCE = 64
"""Columns of a table of trunks that are read side by side, for each alone lies far apart in memory."""

CORNERS_COUNT = 8
"""Corners that are worked out by themselves at once."""


class _Prices(NamedTuple):
    """Of one leaf beside the spines fixed (groups, n), of a trunk to the rest, of one spine (n,), of all."""

    leaf: Ints
    trunk: NextTrunks
    spine: Ints
    rest: int


class Aim(NamedTuple):
    """Leaves and spines (n,) that a bound expects in each cell; both need not be whole."""

    leaves: Reals
    spines: Reals


class Found(NamedTuple):
    """A bound on a box, the rest of the spines (n,) where it is reached, and leaves and spines on the way there."""

    bound_cost: int
    fill: Ints
    aim: Aim


class CornerValues:
    """Values of corners for one plane's problem; `entries` counts what was worked out."""

    def __init__(self, problem: SiteProblem) -> None:
        self._problem = problem
        self._spines = int(problem.spines[0])
        self.entries = 0
        self._lean = LEANS[0]
        self._savings: RackSavings | None = None

    def lean(self, cells: Cells, low: Ints, high: Ints, best_cost: int) -> Found | None:
        """Choose the lean that bounds this box best, for all boxes; its bound, where savings give any.

        The trial of the one chosen is counted as work, others are not.
        """
        entries, found = self.entries, dict[int, tuple[Found, int]]()
        for self._lean in LEANS:
            bound = self.with_savings(cells, low, high)
            if bound is None:
                return None
            found[self._lean] = bound, self.entries - entries
            self.entries = entries
            if WIDE_GAP * (best_cost - bound.bound_cost) < best_cost:
                break
        self._lean = max(found, key=lambda lean: found[lean][0].bound_cost)
        bound, worked = found[self._lean]
        self.entries += worked
        return bound

    def true(self, cells: Cells, low: Ints, corners: Ints) -> Ints:
        """(n,) values below V(lo + rest e_q) of the cells q in `corners`."""
        own, more = cells.leaf_price
        fixed, trunk = cells.trunks(low)
        values = np.full(len(low), CLOSED_COST, dtype=np.int64)
        values[corners] = self._values(cells, low, _Prices(own + fixed, trunk, cells.spine_own, more), corners)
        return values

    def with_savings(
        self, cells: Cells, low: Ints, high: Ints, aim: Aim | None = None, enough_cost: int = CLOSED_COST
    ) -> Found | None:
        """The bound of the box between `low` and `high`, savings inside racks of all spines made linear.

        Of use only where every cell is a rack and trunks inside one are cheaper; None elsewhere. The savings are
        lowest at `aim` where a rack holds spines for sure, else by the lean. A bound of `enough_cost` is not raised.
        """
        savings = self.savings(cells)
        if savings is None:
            return None
        prices = self._with_planes(cells, savings, (low, high), aim)
        corners = np.flatnonzero(high > low)
        rest = self._spines - int(low.sum())
        values = np.full(len(low), CLOSED_COST, dtype=np.int64)
        runs = np.array_split(corners, min(len(corners), math.isqrt(len(corners)) + 1))
        for run, value in zip(
            runs, self._values(cells, low, _of_runs(prices, runs), np.arange(len(runs))), strict=True
        ):
            values[run] = value
        leaves: dict[int, Ints] = {}
        while True:
            bound, fill = least_plane(values, high - low, rest)
            taken = np.flatnonzero(fill).tolist()
            if bound >= enough_cost or leaves.keys() >= set(taken):
                break
            waiting = np.array([corner for corner in corners if corner not in leaves])
            blunt = waiting[np.argsort(values[waiting], kind="stable")[:CORNERS_COUNT]]
            seated = np.zeros((len(low), len(blunt)), dtype=np.int64)
            values[blunt] = self._values(cells, low, prices, blunt, seated)
            leaves |= dict(zip(blunt.tolist(), seated.T, strict=True))
        expected = sum(
            (fill[corner] / rest * leaves[corner] for corner in taken if corner in leaves), np.zeros(len(low))
        )
        return Found(bound, fill, Aim(expected, (low + fill).astype(np.float64)))

    def savings(self, cells: Cells) -> RackSavings | None:
        """Savings inside racks, where every cell is a rack and there are any."""
        if cells.numbers != cells.tree.racks:
            return None
        if self._savings is None:
            self._savings = RackSavings(cells)
        return self._savings if self._savings.most.any() else None

    def crowding(self, cells: Cells, spines: Ints) -> Ints:
        """(slots,) what slots of `cells.slot_costs` cost more because links inside a rack are not all the shortest."""
        slots = cells.slot_costs
        more = np.zeros(len(slots.cost), dtype=np.int64)
        savings = self.savings(cells)
        if savings is None:
            return more
        for place in np.flatnonzero(spines):
            rises = savings.crowding(int(place), int(spines[place]), cells.least_inside(int(place), int(spines[place])))
            here = slots.site == place
            if len(rises):
                more[here] = int(self._problem.weight.min()) * rises[np.minimum(slots.rank[here], len(rises) - 1)]
        return more

    def _with_planes(self, cells: Cells, savings: RackSavings, box: tuple[Ints, Ints], aim: Aim | None) -> _Prices:
        """Prices with every link inside a rack at the cheapest that leaves one, less the plane of the rack."""
        low, _ = box
        weight = self._problem.weight
        inside = np.where(savings.most > 0, savings.far_cost, np.diagonal(cells.trunk).astype(np.int64))
        own, more = cells.leaf_price
        fixed, trunk = cells.trunks(low, inside)
        per_leaf, per_spine, rest = self._shares(cells, savings, box, aim)
        rebate = int(weight.max()) * per_spine
        return _Prices(
            own + fixed - weight[:, None] * per_leaf,
            trunk,
            cells.spine_own - rebate,
            more - int(rebate @ low) - int(weight.max()) * int(rest.sum()),
        )

    def _shares(
        self, cells: Cells, savings: RackSavings, box: tuple[Ints, Ints], aim: Aim | None
    ) -> tuple[Ints, Ints, Ints]:
        """(groups, n) savings of each leaf, (n,) of each spine of a rack, and (n,) besides."""
        low, high = box
        leaves, spines = int(self._problem.leaves.sum()), self._spines
        slots = np.minimum(cells.room, leaves + spines)
        alike = self._lean * slots * leaves // (LEANS[0] * (leaves + spines))
        middle = np.minimum(alike, np.maximum(slots - 1, 0))
        most_leaves = np.minimum(cells.leaf_room(low), leaves)
        aim_spines = np.clip(slots - middle - 0.5, low, high)
        aim_leaves = np.minimum(slots - aim_spines, most_leaves)
        if aim is not None:
            sure = low > 0
            near = AIM_SHARE * np.minimum(aim.leaves, most_leaves) + (1 - AIM_SHARE) * (slots - low) / 4
            aim_leaves = np.where(sure, near, aim_leaves)
            near = AIM_SHARE * np.clip(aim.spines, low, high) + (1 - AIM_SHARE) * (low + high) / 2
            aim_spines = np.where(sure, near, aim_spines)
        per_leaf, per_spine, rest = savings.planes((low, high, most_leaves), (aim_leaves, aim_spines))
        is_home = cells.leaf_price[0] == cells.leaf_price[0].min(axis=1, keepdims=True)
        home = self._problem.leaves @ is_home
        at_home = (home > 0) & (home <= middle) & (home < high) & (low < high)
        others = np.where(is_home, 0, savings.most * np.minimum(slots - home - 1, high))
        return (
            np.where(at_home, others, per_leaf),
            np.where(at_home, savings.most * home, per_spine),
            np.where(at_home, 0, rest),
        )

    def _values(self, cells: Cells, low: Ints, prices: _Prices, corners: Ints, leaves: Ints | None = None) -> Ints:
        """(corners,) values with all the rest at each of `corners`; `leaves` (n, corners) takes about the leaves there.

        The fixed spines are counted at their true price.
        """
        rest = self._spines - int(low.sum())
        room = cells.leaf_room(low)
        here = np.flatnonzero(room > 0)
        base = prices.leaf[:, here]
        values = np.full(len(corners), CLOSED_COST, dtype=np.int64)
        self.entries += base.size * len(corners)
        weight = self._problem.weight[:, None] * rest
        table = np.empty((max(1, ENTRIES_AT_ONCE // max(base.size, 1)), *base.shape), dtype=np.int64)
        for first in range(0, len(corners), COLUMNS_AT_ONCE):
            trunk = np.ascontiguousarray(prices.trunk.to(corners[first : first + COLUMNS_AT_ONCE])[here].T)
            for low_row in range(0, len(trunk), len(table)):
                some = trunk[low_row : low_row + len(table), None]
                reach = np.multiply(weight, some, out=table[: len(some)])
                reach += base
                at = slice(first + low_row, first + low_row + len(some))
                values[at], seated = self._least(np.minimum(reach, CLOSED_COST, out=reach), room[here])
                if leaves is not None:
                    leaves[here, at] = seated.T
        values += rest * prices.spine[corners]
        held = low > 0
        return values + int(cells.spine_own[held] @ low[held]) + prices.rest

    def _least(self, reach: Ints, room: Ints) -> tuple[Ints, Ints]:
        """(corners,) least cost of all leaves in reach (corners, groups, cells), with room in one cell of each corner.

        Any one cell may be chosen, for more room elsewhere costs no more. With about the leaves (corners, cells).
        What is within reach of the cells chosen is lost.
        """
        corners, _, cells = reach.shape
        load = np.zeros((corners, cells), dtype=np.int64)
        if cells == 0:
            return np.full(corners, CLOSED_COST, dtype=np.int64), load
        leaves = self._problem.leaves
        chosen = reach.argmin(axis=2)
        best = np.take_along_axis(reach, chosen[:, :, None], axis=2)[:, :, 0]
        corner = np.broadcast_to(np.arange(corners)[:, None], chosen.shape)
        np.add.at(load, (corner, chosen), np.broadcast_to(leaves, chosen.shape))
        total: Ints = best @ leaves
        over = load - room
        full, excess = over.argmax(axis=1), over.max(axis=1)
        crowded = np.flatnonzero(excess > 0)
        if len(crowded):
            reach[crowded, :, full[crowded]] = CLOSED_COST
            loss = np.where(chosen == full[:, None], reach.min(axis=2) - best, CLOSED_COST)[crowded]
            order = np.argsort(loss, axis=1, kind="stable")
            count = leaves[order]
            before = np.cumsum(count, axis=1) - count
            moved = np.clip(excess[crowded, None] - before, 0, count)
            total[crowded] += (moved * np.take_along_axis(loss, order, axis=1)).sum(axis=1)
        return total, np.minimum(load, room)


def _of_runs(prices: _Prices, runs: list[Ints]) -> _Prices:
    """The least prices of every run of corners, in place of those of corners."""
    return prices._replace(
        trunk=NextTrunks(np.stack([prices.trunk.to(run).min(axis=1) for run in runs], axis=1), {}),
        spine=np.array([prices.spine[run].min() for run in runs]),
    )


def least_plane(values: Ints, room: Ints, rest: int) -> tuple[int, Ints]:
    """The least height of the plane through the corners over all y, and what is filled to reach it."""
    fill = filled(values, room, rest)
    taken = np.flatnonzero(fill)
    return -(-sum(int(fill[cell]) * int(values[cell]) for cell in taken) // rest), fill


def filled(values: Ints, room: Ints, rest: int) -> Ints:
    """`rest` spines put into cells in the order of their values, each up to its room."""
    order = np.argsort(values, kind="stable")
    before = np.concatenate([[0], np.cumsum(room[order])[:-1]])
    fill = np.zeros_like(room)
    fill[order] = np.clip(rest - before, 0, room[order])
    return fill
