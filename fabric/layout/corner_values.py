"""What spines cost at least when all that are not fixed yet stand in one cell, with the best leaves: V(lo + rest e_q).

Two prices of a trunk are offered. The true one lets every leaf believe that it could share a rack with all the rest.
The other prices links inside a rack like the cheapest that leaves one, and gives the saving back by leaf and by spine:
with l leaves and y spines in a rack of c slots, the saving grows as l y, and

    l y  <=  alpha l + beta y  for (alpha, beta) = ((c − m)(c − m − 1) / c, m (m + 1) / c), (most y, 0) or (0, most l),

the first for any whole m < c: it is equal at l + y = c for l = m and l = m + 1, and above l y for all other whole l
and y with l + y <= c. Where h leaves have their cheapest places in this rack only the others, o of them, need a share:
l y <= h y + min(c − h − 1, most y) o, for where l > h it is l − h <= o and y <= c − l. Leaves of unequal trunks are
layers of leaves with equal ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fabric.layout.assignment import SiteProblem
from fabric.layout.cells import CLOSED_COST, Cells, NextTrunks
from fabric.layout.transport import Ints

Reals = npt.NDArray[np.float64]

ENTRIES_AT_ONCE = 2**17
"""Most entries of one array."""


LEANS = (8, 5)
"""Leaves at which savings are exact, in eighths of those that a rack had if all racks held leaves and spines alike."""

WIDE_GAP = 100
"""A gap of one part in so many makes it worth to try every lean."""


class _Prices(NamedTuple):
    """Of a leaf beside the spines fixed (groups, n), of a trunk to the rest, more `inside` (n,), of one spine (n,)."""

    leaf: Ints
    trunk: NextTrunks
    inside: Ints
    spine: Ints

    def trunk_to(self, cells: Ints) -> Ints:
        """(n, cells) of a trunk to the rest in these cells."""
        price = self.trunk.to(cells)
        price[cells, np.arange(len(cells))] += self.inside[cells]
        return price


class CornerValues:
    """Values of corners for one plane's problem; `entries` counts what was worked out."""

    def __init__(self, problem: SiteProblem) -> None:
        self._problem = problem
        self._spines = int(problem.spines[0])
        self.entries = 0
        self._lean = LEANS[0]

    def lean(self, cells: Cells, low: Ints, high: Ints, best_cost: int) -> None:
        """Choose the lean that bounds this box best, for all boxes; the few trials are not counted as work."""
        entries, rest = self.entries, self._spines - int(low.sum())
        bounds: dict[int, int] = {}
        for self._lean in LEANS:
            values = self.with_savings(cells, low, high)
            if values is None:
                break
            bounds[self._lean] = least_plane(values, high - low, rest)[0]
            if WIDE_GAP * (best_cost - bounds[self._lean]) < best_cost:
                break
        self._lean = max(bounds, key=lambda lean: bounds[lean], default=LEANS[0])
        self.entries = entries

    def true(self, cells: Cells, low: Ints, corners: Ints) -> Ints:
        """(n,) values below V(lo + rest e_q) of the cells q in `corners`."""
        own, more = cells.leaf_price
        fixed, trunk = cells.trunks(low)
        prices = _Prices(own + fixed, trunk, np.zeros_like(low), cells.spine_own)
        return self._values(cells, low, corners, prices) + more

    def with_savings(self, cells: Cells, low: Ints, high: Ints) -> Ints | None:
        """(n,) values of all cells with room between `low` and `high`, savings inside racks of all spines made linear.

        Of use only where every cell is a rack and trunks inside one are cheaper; None elsewhere.
        """
        if cells.numbers != cells.tree.racks or not self._saving(cells).any():
            return None
        saving = self._saving(cells)
        weight = self._problem.weight
        per_leaf, per_spine = self._shares(cells, low, high)
        own, more = cells.leaf_price
        fixed, trunk = cells.trunks(low)
        leaf_cost = own + fixed + weight[:, None] * (saving * low - _above(saving * per_leaf))
        rebate = int(weight.max()) * _above(saving * per_spine)
        prices = _Prices(leaf_cost, trunk, saving, cells.spine_own - rebate)
        return self._values(cells, low, np.flatnonzero(high > low), prices) + more - int(rebate @ low)

    def _saving(self, cells: Cells) -> Ints:
        """(n,) by how much a link inside a rack is cheaper than the cheapest between two."""
        apart = ~np.eye(len(cells.numbers), dtype=np.bool_)
        far = int(cells.trunk.min(initial=CLOSED_COST, where=apart))
        inside = np.diagonal(cells.trunk)
        return np.where((inside < far) & (far < CLOSED_COST), far - inside, 0)

    def _shares(self, cells: Cells, low: Ints, high: Ints) -> tuple[Reals, Reals]:
        """(groups, n) alpha of each leaf and (n,) beta of each rack."""
        leaves, spines = int(self._problem.leaves.sum()), self._spines
        slots = np.minimum(cells.room, leaves + spines)
        alike = self._lean * slots * leaves // (LEANS[0] * (leaves + spines))
        middle = np.minimum(alike, np.maximum(slots - 1, 0))
        alpha, beta = ((slots - middle) * (slots - middle - 1), middle * (middle + 1)) / np.maximum(slots, 1)
        most_leaves = np.minimum(cells.leaf_room(low), leaves)
        few_spines, few_leaves = (high <= alpha) | (high == low), most_leaves <= beta
        alpha = np.where(few_spines, high, np.where(few_leaves, 0, alpha))
        beta = np.where(few_spines, 0, np.where(few_leaves, most_leaves, beta))
        is_home = cells.leaf_price[0] == cells.leaf_price[0].min(axis=1, keepdims=True)
        home = self._problem.leaves @ is_home
        at_home = (home > 0) & (home <= middle) & (home < high) & (low < high)
        others = np.where(is_home, 0, np.minimum(slots - home - 1, high))
        return np.where(at_home, others, alpha), np.where(at_home, home, beta)

    def _values(self, cells: Cells, low: Ints, corners: Ints, prices: _Prices) -> Ints:
        """(n,) values of `corners`; the fixed spines are counted at their true price."""
        rest = self._spines - int(low.sum())
        room = cells.leaf_room(low)
        here = np.flatnonzero(room > 0)
        base = prices.leaf[:, here]
        values = np.full(len(low), CLOSED_COST, dtype=np.int64)
        self.entries += base.size * len(corners)
        weight = self._problem.weight[:, None, None] * rest
        step = max(1, ENTRIES_AT_ONCE // max(base.size, 1))
        for first in range(0, len(corners), step):
            part = corners[first : first + step]
            reach = np.minimum(base[:, :, None] + weight * prices.trunk_to(part)[here], CLOSED_COST)
            values[part] = self._least(reach, room[here]) + rest * prices.spine[part]
        held = low > 0
        return values + int(cells.spine_own[held] @ low[held])

    def _least(self, reach: Ints, room: Ints) -> Ints:
        """(corners,) least cost of all leaves in reach (groups, cells, corners), with room in one cell of each corner.

        Any one cell may be chosen, for more room elsewhere costs no more.
        """
        if reach.shape[1] == 0:
            return np.full(reach.shape[2], CLOSED_COST, dtype=np.int64)
        leaves = self._problem.leaves[:, None]
        chosen = reach.argmin(axis=1)
        best = np.take_along_axis(reach, chosen[:, None], axis=1)[:, 0]
        corner = np.broadcast_to(np.arange(reach.shape[2]), chosen.shape)
        load = np.zeros(reach.shape[1:], dtype=np.int64)
        np.add.at(load, (chosen, corner), np.broadcast_to(leaves, chosen.shape))
        total = np.asarray((leaves * best).sum(axis=0))
        over = load - room[:, None]
        full, excess = over.argmax(axis=0), over.max(axis=0)
        crowded = np.flatnonzero(excess > 0)
        if len(crowded):
            others = reach[:, :, crowded]
            others[:, full[crowded], np.arange(len(crowded))] = CLOSED_COST
            loss = np.where(chosen[:, crowded] == full[crowded], others.min(axis=1) - best[:, crowded], CLOSED_COST)
            order = np.argsort(loss, axis=0, kind="stable")
            count = self._problem.leaves[order]
            before = np.cumsum(count, axis=0) - count
            moved = np.clip(excess[crowded] - before, 0, count)
            total[crowded] += (moved * np.take_along_axis(loss, order, axis=0)).sum(axis=0)
        return total


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


def _above(reals: Reals) -> Ints:
    """The next whole numbers above; a last bit lost must not make a saving too small."""
    return np.floor(reals).astype(np.int64) + (reals > 0)
