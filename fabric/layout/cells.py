"""Cells: the sites of a placement problem at any resolution, from whole racks down to single sites.

A cell is a run of adjacent sites of one rack. Every price of a cell is the least over its sites, so a problem over
cells costs at most what it costs over sites, whichever cells are cut finer.

Leaves that crowd into a cell cannot all have its best slot. Let delta(s) >= 0 be what a slot costs a leaf above the
best one, for all groups that have their cheapest slots in this cell. Then n leaves in the cell cost at least
sum(own') + (sum of the n least delta), with own'[k] = min over s of own[k, s] − delta(s), whatever delta is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from fabric.layout.assignment import SiteProblem
from fabric.layout.transport import Bools, Ints, ShortInts, SlotCosts, transport

CLOSED_COST = 2**44
"""Price of what may not be; above any price of a link, and the sum over any fabric still fits into 64 bits."""


class CellTree:
    """Every cell of one plane's problem: each rack halved by slots, and halved again, down to its sites.

    Cell i < sites is site i. `first`, `last` (half-open) give the sites of each cell, `halves` its two parts or None.
    """

    def __init__(self, problem: SiteProblem) -> None:
        self.problem = problem
        count = len(problem.rack)
        self.first = list(range(count))
        self.last = list(range(1, count + 1))
        self.halves: list[tuple[int, int] | None] = [None] * count
        cuts = np.flatnonzero(np.diff(problem.rack)) + 1
        bounds = [0, *cuts.tolist(), count]
        self.racks = tuple(self._halved(first, last) for first, last in pairwise(bounds))
        self._price()

    def _halved(self, first: int, last: int) -> int:
        """The cell of the sites from `first` up to `last`, with all cells inside it."""
        if last - first == 1:
            return first
        slots = np.cumsum(self.problem.capacity[first:last])
        middle = first + 1 + int(np.argmin(np.abs(2 * slots[:-1] - slots[-1])))
        halves = self._halved(first, middle), self._halved(middle, last)
        self.first.append(first)
        self.last.append(last)
        self.halves.append(halves)
        return len(self.first) - 1

    def _price(self) -> None:
        """Prices and rooms of every cell from those of its halves, which have lower numbers."""
        problem, more = self.problem, len(self.first) - len(self.problem.rack)
        leaf = np.asarray(problem.leaf_allowed.any(axis=0))
        own = [
            np.pad(np.where(problem.leaf_allowed, problem.own, other), ((0, 0), (0, more)))
            for other in (CLOSED_COST, -CLOSED_COST)
        ]
        spine = np.pad(np.where(problem.spine_allowed, problem.spine_own, CLOSED_COST), (0, more))
        rooms = [np.pad(problem.capacity * may, (0, more)) for may in (leaf, problem.spine_allowed, leaf | True)]
        for cell, a, b in self._halved_cells():
            for least, prices in zip((np.minimum, np.maximum), own, strict=True):
                prices[:, cell] = least(prices[:, a], prices[:, b])
            spine[cell] = min(spine[a], spine[b])
            for room in rooms:
                room[cell] = room[a] + room[b]
        self.own, self.dearest_own = own
        self.spine_own = spine
        self.leaf_room, self.spine_room, self.room = rooms

    @cached_property
    def trunk(self) -> ShortInts:
        """(cells, cells) least cost of a trunk; CLOSED_COST where no such pair may be."""
        return self._trunk(CLOSED_COST, np.minimum)

    @cached_property
    def trunk_spread(self) -> ShortInts:
        """(cells, cells) by how much trunks between the sites of two cells differ; 0 where no such pair may be."""
        spread = self._trunk(-CLOSED_COST, np.maximum) - self.trunk
        spread[self.trunk >= CLOSED_COST] = 0
        return spread

    def _trunk(self, closed_cost: int, least: np.ufunc) -> ShortInts:
        """(cells, cells) the least, or the most, of the costs of a trunk."""
        problem, count, total = self.problem, len(self.problem.rack), len(self.first)
        leaf = np.asarray(problem.leaf_allowed.any(axis=0))
        if total == count and leaf.all() and problem.spine_allowed.all():
            return problem.trunk
        open_pair = leaf[:, None] & problem.spine_allowed
        prices = np.full((total, total), closed_cost)
        np.copyto(prices[:count, :count], problem.trunk, where=open_pair)
        for cell, a, b in self._halved_cells():
            prices[cell] = least(prices[a], prices[b])
            prices[:, cell] = least(prices[:, a], prices[:, b])
        return prices

    def _halved_cells(self) -> Iterator[tuple[int, int, int]]:
        """Cells of several sites with their halves, which come before them."""
        return ((cell, *halves) for cell, halves in enumerate(self.halves) if halves is not None)

    def sites_of(self, cell: int) -> slice:
        """The sites of a cell."""
        return slice(self.first[cell], self.last[cell])


@dataclass(frozen=True, slots=True)
class NextTrunks:
    """What a link to the next spine of a cell costs: as in `trunk` (n, n), but to the cells in `dearer` (n,) as there.

    Links inside a cell cost `inside` (n,) if that is given.

    Halls of thousands of racks have a large table, which is not copied for a few columns.
    """

    trunk: ShortInts
    dearer: Mapping[int, Ints]
    inside: Ints | None = None

    def to(self, cells: Ints) -> Ints:
        """(n, cells) costs to these cells."""
        price = self.trunk[:, cells].astype(np.int64)
        for column, cell in enumerate(cells.tolist()):
            if cell in self.dearer:
                price[:, column] = self.dearer[cell]
        if self.inside is not None:
            price[cells, np.arange(len(cells))] = self.inside[cells]
        return price


@dataclass(frozen=True)
class Cells:
    """A partition of all sites into cells, with its prices; n cells.

    Attributes:
        tree: where the cells come from.
        numbers: their numbers there.
        loads: (n,) leaves of each cell at which the prices of its slots are exact in `leaf_price`.
    """

    tree: CellTree
    numbers: tuple[int, ...]
    loads: tuple[int, ...] = ()

    @cached_property
    def _pick(self) -> Ints:
        return np.array(self.numbers, dtype=np.int64)

    @cached_property
    def trunk(self) -> ShortInts:
        """(n, n) least cost of one link from a leaf to a spine; CLOSED_COST where no such pair may be.

        A partition into all cells that there are has one for each site, in their order.
        """
        if len(self.numbers) == len(self.tree.first):
            return self.tree.trunk
        return self.tree.trunk[np.ix_(self._pick, self._pick)]

    @cached_property
    def spine_own(self) -> Ints:
        """(n,) cost of one spine by itself."""
        return self.tree.spine_own[self._pick]

    @cached_property
    def spine_room(self) -> Ints:
        """(n,) most spines."""
        return self.tree.spine_room[self._pick]

    @cached_property
    def room(self) -> Ints:
        """(n,) most switches of both kinds."""
        return self.tree.room[self._pick]

    def leaf_room(self, spines: Ints) -> Ints:
        """(n,) most leaves beside these spines (n,)."""
        room: Ints = np.minimum(self.tree.leaf_room[self._pick], self.room - spines)
        return room

    @cached_property
    def _slots(self) -> tuple[Ints, tuple[Ints, ...]]:
        """(groups, n) own prices less delta, and delta of the slots of each cell, ascending."""
        problem, own = self.tree.problem, self.tree.own[:, self._pick]
        home = own.argmin(axis=1)
        deltas = []
        for place, cell in enumerate(self.numbers):
            sites = self.tree.sites_of(cell)
            may = problem.leaf_allowed[:, sites]
            groups = np.flatnonzero((home == place) & (problem.leaves > 0))
            delta = np.zeros(may.shape[1], dtype=np.int64)
            if may.shape[1] > 1 and problem.leaves[groups].sum() > 1:
                above = np.where(may[groups], problem.own[groups, sites] - own[groups, place, None], CLOSED_COST)
                delta = above.min(axis=0)
                delta[delta >= CLOSED_COST] = 0
                own[:, place] = np.where(may, problem.own[:, sites] - delta, CLOSED_COST).min(axis=1)
            deltas.append(np.sort(np.repeat(delta, problem.capacity[sites] * may.any(axis=0))))
        return own, tuple(deltas)

    @cached_property
    def slot_costs(self) -> SlotCosts:
        """What the slots of each cell cost beside `own`."""
        deltas = self._slots[1]
        counts = np.array([len(delta) for delta in deltas], dtype=np.int64)
        return SlotCosts(
            site=np.repeat(np.arange(len(deltas)), counts),
            rank=np.concatenate([np.arange(count) for count in counts]),
            cost=np.concatenate(deltas),
        )

    @property
    def own(self) -> Ints:
        """(groups, n) cost of one leaf without trunks, above what its slot costs; CLOSED_COST where it may not be."""
        return self._slots[0]

    @cached_property
    def leaf_price(self) -> tuple[Ints, int]:
        """(groups, n) cost of one leaf with the dearest slot taken at `loads`, and what all leaves together cost more.

        The least convex cost of n slots lies above its tangent at `loads`, so a sum with these prices is a bound.
        """
        if not self.loads:
            return self.own, 0
        slope = np.zeros(len(self.numbers), dtype=np.int64)
        more = 0
        for place, (delta, load) in enumerate(zip(self._slots[1], self.loads, strict=True)):
            if load:
                slope[place] = delta[load - 1]
                more += int(delta[:load].sum()) - load * int(slope[place])
        return self.own + slope, more

    def trunks(self, spines: Ints, inside: Ints | None = None) -> tuple[Ints, NextTrunks]:
        """Least costs of links to the spines (n,), each in a slot of its own, and to one spine more.

        Links inside a cell cost `inside` (n,) if that is given.

        Returns:
            (groups, n) cost of all trunks of one leaf, and (n, n) cost of a link to the next spine of a cell.
        """
        reached, dearer = np.zeros(len(self.numbers), dtype=np.int64), dict[int, Ints]()
        for place in np.flatnonzero(spines).tolist():
            sites, count = self.tree.sites_of(self.numbers[place]), int(spines[place])
            slots = np.repeat(self.tree.trunk[self._pick, sites].astype(np.int64), self.tree.spine_room[sites], axis=1)
            if inside is not None:
                slots[place] = inside[place]
            price = np.sort(slots, axis=1)
            reached += np.where(price < CLOSED_COST, price, 0)[:, :count].sum(axis=1)
            if count < price.shape[1]:
                dearer[place] = price[:, count]
        return self.tree.problem.weight[:, None] * reached, NextTrunks(self.trunk, dearer, inside)

    def least_inside(self, place: int, spines: int) -> int:
        """Least cost of links from one leaf of a cell to so many spines of the same cell."""
        sites = self.tree.sites_of(self.numbers[place])
        slots = np.repeat(self.tree.trunk[self.numbers[place], sites], self.tree.spine_room[sites])
        return int(np.sort(slots)[:spines].sum())

    def leaves_beside(
        self, spines: Ints, seated: Ints | None = None, crowding: Ints | int = 0
    ) -> tuple[Ints, int] | None:
        """The cheapest leaves (groups, n) beside these spines (n,) and what both cost; None when they do not fit.

        Only the spines `seated` (n,) take slots, all of them when left out; others of a cell cost like the next one.
        Slots cost `crowding` (slots,) more than `slot_costs`.
        """
        if seated is None:
            seated = spines
        allowed = self.own < CLOSED_COST
        fixed, more = self.trunks(seated)
        waiting = np.flatnonzero(spines - seated)
        price = more.to(waiting)
        others = np.where(price < CLOSED_COST, price, 0) @ (spines - seated)[waiting]
        cost = np.where(allowed, self.own, 0) + fixed + self.tree.problem.weight[:, None] * others
        room = self.leaf_room(seated)
        slots = replace(self.slot_costs, cost=self.slot_costs.cost + crowding)
        found = transport(cost, self.tree.problem.leaves, room, allowed, slots)
        if found is None:
            return None
        taken = int(slots.cost[slots.rank < found.sum(axis=0)[slots.site]].sum())
        held = spines > 0
        return found, int((cost * found).sum()) + taken + int((self.spine_own[held] * spines[held]).sum())

    def spread(self, spines: Ints, leaves: Ints) -> Ints:
        """(n,) by how much the cost of leaves (groups, n) and spines (n,) may rise where each cell is cut finer."""
        if not self.can_be_cut().any():
            return np.zeros_like(spines)
        dearest = self.tree.dearest_own[:, self._pick]
        own: Ints = np.where(leaves > 0, (dearest - self.own) * leaves, 0).sum(axis=0)
        links = self.tree.problem.weight @ leaves
        ends, held = np.flatnonzero(links), np.flatnonzero(spines)
        spread = self.tree.trunk_spread[np.ix_(self._pick[ends], self._pick[held])]
        own[ends] += links[ends] * (spread @ spines[held])
        own[held] += spines[held] * (links[ends] @ spread)
        return own

    def can_be_cut(self) -> Bools:
        """(n,) whether a cell holds more than one site."""
        return np.array([self.tree.halves[cell] is not None for cell in self.numbers])

    def cut(self, chosen: Bools) -> tuple[Cells, Ints]:
        """The partition with the chosen cells halved, and for each of its cells the place of the one it comes from."""
        numbers: list[int] = []
        origin: list[int] = []
        for place, (cell, is_chosen) in enumerate(zip(self.numbers, chosen, strict=True)):
            halves = self.tree.halves[cell]
            parts = halves if is_chosen and halves is not None else (cell,)
            numbers.extend(parts)
            origin.extend(place for _ in parts)
        return Cells(self.tree, tuple(numbers)), np.array(origin, dtype=np.int64)

    def at_sites(self, spines: Ints, leaves: Ints | None = None) -> Ints:
        """(sites,) these spines (n,) in sites of their cells: first where no leaf may be, then from the top down.

        Half of those left over stand below the `leaves` (n,) of their cell, which are next to all of them then.
        """
        problem = self.tree.problem
        leaf = np.asarray(problem.leaf_allowed.any(axis=0))
        placed = np.zeros(len(problem.rack), dtype=np.int64)
        room = problem.capacity * problem.spine_allowed
        for place in np.flatnonzero(spines):
            sites = np.arange(len(room))[self.tree.sites_of(self.numbers[place])]
            slots = np.repeat(sites, room[sites])
            shared, count = leaf[slots], int(spines[place])
            alone, slots = slots[~shared][:count], slots[shared]
            above = (count - len(alone) + 1) // 2
            below = count - len(alone) - above
            skipped = min(0 if leaves is None else int(leaves[place]), len(slots) - above - below)
            np.add.at(placed, np.concatenate([alone, slots[:above], slots[above + skipped :][:below]]), 1)
        return placed


def single_sites(problem: SiteProblem) -> Cells:
    """One cell for each site of a problem of one plane."""
    return Cells(CellTree(problem), tuple(range(len(problem.rack))))


def whole_racks(problem: SiteProblem) -> Cells:
    """One cell for each rack of a problem of one plane."""
    tree = CellTree(problem)
    return Cells(tree, tree.racks)
