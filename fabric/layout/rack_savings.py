"""What links inside racks save at most against links between racks, by how many leaves and spines share the slots.

Leaves and spines of a rack take different slots, and links between far slots of a rack cost more than those between
near ones. So l leaves and y spines cost g(l, y) among themselves at least (`least_inside`), and save far l y − g(l, y)
at most where every link that leaves the rack costs `far` or more. The bound needs this as a plane,

    far l y − g(l, y)  <=  alpha l + beta y + gamma      for all whole l and y with l + y <= slots, low <= y <= high,

and takes the one that is lowest where leaves and spines are expected. Leaves of unequal trunks are layers of leaves
with equal ones.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fabric.layout.cells import CLOSED_COST, Cells
from fabric.layout.transport import Ints

Reals = npt.NDArray[np.float64]

BANDS_COUNTS = (12, 8, 6, 4, 3, 2, 1)
"""Bands of a rack, the finest first that leave few enough patterns."""

PARTS_COUNT = 4
"""Parts of a rack whose leaves and spines are counted apart."""

MOST_PATTERNS = 4096
"""Most ways to deal leaves to the parts of a rack, and to the bands of a part."""

SLOPES_COUNT = 17
"""Slopes along the spines that are tried at once."""


CLOSE_SLOPES = 2
"""Slopes so close to each other need no look between them."""


class Plane(NamedTuple):
    """Above the savings: of each leaf, of each spine, and besides."""

    leaf: int
    spine: int
    rest: int


class _Region(NamedTuple):
    """Which counts a plane must lie above: spines, most leaves; and where it should be low, in halves."""

    low: int
    high: int
    most_leaves: int
    half_leaves: int
    half_spines: int


def patterns(room: Ints) -> Ints:
    """(patterns, bands) every way to put pieces into bands of so much room (bands,)."""
    return np.stack(np.meshgrid(*(np.arange(most + 1) for most in room), indexing="ij"), axis=-1).reshape(-1, len(room))


def rises(cost: Ints) -> Ints:
    """(n,) whole steps, never falling, whose sums stay at or below `cost` (n + 1,) less its first entry."""
    found = np.zeros(len(cost) - 1, dtype=np.int64)
    level = int(cost[0])
    for step in range(len(found)):
        ahead = np.arange(1, len(cost) - step)
        found[step] = ((cost[step + 1 :] - level) // ahead).min()
        level += int(found[step])
    return found


def least_inside(trunk: Ints, room: Ints) -> Ints:
    """(slots + 1, slots + 1) least cost of the links between l leaves and y spines of a rack, for l + y <= slots.

    The rack is cut into bands of adjacent sites and these into parts. How leaves are dealt to the parts is tried in
    every way; the spines follow where they cost least, and each pair of parts takes the bands that suit it.

    Args:
        trunk: (sites, sites) cost of a link from a leaf at the first to a spine at the second site.
        room: (sites,) slots of either kind.
    """
    trunk, room, parts = _cut(trunk, room)
    rooms = np.array([room[part].sum() for part in parts])
    leaves = patterns(rooms)
    steps = []
    for far, most in enumerate(rooms):
        step = sum(
            _part_rises(trunk, room, part, parts[far])[leaves[:, near]] for near, part in enumerate(parts)
        ) + np.zeros((len(leaves), most), dtype=np.int64)
        step[np.arange(most) >= most - leaves[:, far, None]] = CLOSED_COST
        steps.append(step)
    total = np.cumsum(np.sort(np.concatenate(steps, axis=1), axis=1), axis=1)
    table = np.full((int(rooms.sum()) + 1, int(rooms.sum()) + 1), CLOSED_COST)
    table[:, 0] = 0
    np.minimum.at(table[:, 1:], leaves.sum(axis=1), total)
    return table


def _cut(trunk: Ints, room: Ints) -> tuple[Ints, Ints, list[Ints]]:
    """Least trunks (bands, bands), room (bands,), and the bands of each part."""
    for count in BANDS_COUNTS:
        starts = np.unique(np.arange(min(count, len(room))) * len(room) // min(count, len(room)))
        bands = np.add.reduceat(room, starts)
        for parts_count in range(min(PARTS_COUNT, len(bands)), 0, -1):
            parts = np.array_split(np.arange(len(bands)), parts_count)
            dealt = math.prod(int(bands[part].sum()) + 1 for part in parts)
            inside = max(math.prod((bands[part] + 1).tolist()) for part in parts)
            if max(dealt, inside**2) <= MOST_PATTERNS:
                least = np.minimum.reduceat(np.minimum.reduceat(trunk, starts, axis=0), starts, axis=1)
                return least, bands, parts
    return trunk.min(keepdims=True), room.sum(keepdims=True), [np.zeros(1, dtype=np.int64)]


def _part_rises(trunk: Ints, room: Ints, near: Ints, far: Ints) -> Ints:
    """(leaves + 1, spines) what one spine more in a part costs the leaves of another part, or of the same, at least."""
    leaves, spines = patterns(room[near]), patterns(room[far])
    cost = leaves @ trunk[np.ix_(near, far)] @ spines.T
    if near is far:
        cost[(leaves[:, None] + spines > room[near]).any(axis=2)] = CLOSED_COST
    least = np.full((int(room[near].sum()) + 1, int(room[far].sum()) + 1), CLOSED_COST)
    np.minimum.at(least, (leaves.sum(axis=1)[:, None], spines.sum(axis=1)), cost)
    return np.array([rises(row) for row in least])


class RackSavings:
    """Savings inside the racks of a partition into whole racks.

    Attributes:
        far_cost: no link between two racks costs less.
        most: (racks,) by how much a link inside a rack is cheaper at most; 0 where none is.
    """

    def __init__(self, cells: Cells) -> None:
        self.far_cost = CLOSED_COST
        if len(cells.numbers) > 1:
            apart = ~np.eye(len(cells.numbers), dtype=np.bool_)
            self.far_cost = int(cells.trunk.min(initial=np.iinfo(cells.trunk.dtype).max, where=apart))
        inside = np.diagonal(cells.trunk).astype(np.int64)
        self.most = np.where((inside < self.far_cost) & (self.far_cost < CLOSED_COST), self.far_cost - inside, 0)
        self._tables: list[Ints] = []
        self._table_of = self._numbers(cells)
        self._planes: dict[tuple[int, _Region], Plane] = {}
        self._rises: dict[tuple[int, int], Ints] = {}

    def _numbers(self, cells: Cells) -> Ints:
        """(racks,) table of each rack; racks alike share one."""
        problem = cells.tree.problem
        known: dict[bytes, int] = {}
        numbers = np.full(len(cells.numbers), -1)
        for place in np.flatnonzero(self.most):
            sites = cells.tree.sites_of(cells.numbers[place])
            trunk, room = problem.trunk[sites, sites], problem.capacity[sites]
            key = trunk.tobytes() + room.tobytes()
            if key not in known:
                known[key] = len(self._tables)
                self._tables.append(least_inside(np.ascontiguousarray(trunk), room))
            numbers[place] = known[key]
        return numbers

    def planes(self, limits: tuple[Ints, Ints, Ints], aim: tuple[Reals, Reals]) -> tuple[Ints, Ints, Ints]:
        """(racks,) three parts of the plane of every rack, 0 where it saves nothing.

        Args:
            limits: (racks,) least spines, most spines, most leaves.
            aim: (racks,) leaves and spines at which the plane should be low.
        """
        halves = [np.rint(2 * each).astype(np.int64) for each in aim]
        asked = np.stack([self._table_of, *limits, *halves], axis=1)
        asked[self._table_of < 0] = -1
        rows, number = np.unique(asked, axis=0, return_inverse=True)
        found = [self._plane(int(row[0]), _Region(*row[1:].tolist())) for row in rows]
        leaf, spine, rest = np.array(found, dtype=np.int64)[number.reshape(-1)].T
        return leaf, spine, rest

    def _plane(self, table: int, region: _Region) -> Plane:
        if table < 0 or region.high <= 0 or region.most_leaves <= 0:
            return Plane(0, 0, 0)
        if (table, region) not in self._planes:
            self._planes[table, region] = _lowest(self._savings(table, region), region)
        return self._planes[table, region]

    def _savings(self, table: int, region: _Region) -> Ints:
        """(leaves + 1, spines) most savings of every count in a region; -CLOSED_COST where they do not fit."""
        least = self._tables[table]
        leaves = np.arange(min(region.most_leaves, len(least) - 1) + 1)[:, None]
        spines = np.arange(region.low, min(region.high, len(least) - 1) + 1)
        saved = self.far_cost * leaves * spines - least[leaves, spines]
        return np.where(leaves + spines < len(least), saved, -CLOSED_COST)

    def crowding(self, place: int, spines: int, near_cost: int) -> Ints:
        """(leaves,) what one leaf more costs beside so many spines of its rack, above `near_cost`; never falling."""
        table = int(self._table_of[place])
        if table < 0:
            return np.zeros(0, dtype=np.int64)
        if (place, spines) not in self._rises:
            least = self._tables[table]
            most = len(least) - 1 - spines
            self._rises[place, spines] = rises(least[: most + 1, spines] - near_cost * np.arange(most + 1))
        return self._rises[place, spines]


def _lowest(saved: Ints, region: _Region) -> Plane:
    """A plane above the savings of a region (leaves + 1, spines), nearly the lowest at its aim.

    Racks that may stay empty have a plane through nothing, so that they cost nothing then.
    """
    spines = region.low + np.arange(saved.shape[1])
    leaves = np.arange(len(saved))
    aim_leaves, aim_spines = min(region.half_leaves / 2, len(leaves) - 1), region.half_spines / 2
    low, high = 0, max(1, int((saved.max(axis=0) // np.maximum(spines, 1)).max()))
    while True:
        slopes = np.unique(np.linspace(low, high, SLOPES_COUNT).astype(np.int64))
        above = (saved - slopes[:, None, None] * spines).max(axis=2)
        steep, height = _lines(above, aim_leaves, through_nothing=region.low == 0)
        best = int((height + slopes * aim_spines).argmin())
        low, high = int(slopes[max(best - 1, 0)]), int(slopes[min(best + 1, len(slopes) - 1)])
        if high - low <= CLOSE_SLOPES:
            break
    leaf, spine = int(np.ceil(steep[best])), int(slopes[best])
    return Plane(leaf, spine, int((saved - leaf * leaves[:, None] - spine * spines).max()))


def _lines(above: Ints, aim: float, *, through_nothing: bool) -> tuple[Reals, Reals]:
    """(slopes,) steepness and height at `aim` of the lowest line above each row of `above` (slopes, leaves + 1)."""
    leaves = np.arange(above.shape[1])
    if through_nothing or len(leaves) == 1:
        steep = (above[:, 1:] / leaves[1:]).max(axis=1, initial=0)
        return steep, steep * aim
    left = min(int(aim), len(leaves) - 2)
    before, after = leaves[: left + 1], leaves[left + 1 :]
    rise = (above[:, None, left + 1 :] - above[:, : left + 1, None]) / (after - before[:, None])
    height = above[:, : left + 1, None] + rise * (aim - before)[:, None]
    flat = height.reshape(len(above), -1)
    chosen = flat.argmax(axis=1)
    rows = np.arange(len(above))
    return rise.reshape(len(above), -1)[rows, chosen], flat[rows, chosen]
