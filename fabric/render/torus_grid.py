"""Where the routers of a torus lie: two dimensions as a panel, every further one as a row or column of such blocks.

The outermost ring of blocks may lie as a loop of two rows. What does not fit is folded: of a long ring the first
routers and the last one are shown, with a gap between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from fabric.render.canvas import Point
from fabric.render.torus_view import Spot

ROOM_PT = (1080.0, 860.0)
"""What the grid may take."""

PITCHES_PT, FOLDED_PT, CELL = (64.0, 48.0, 36.0, 28.0, 21.0, 16.0, 12.0), 21.0, 0.62
"""Distance of routers, the widest first; the least where some are left out; and the side of a router over it."""

BLOCK_GAP_PT, GAP_STEP_PT, FOLD_PT = 44.0, 14.0, 44.0
"""Between blocks of two dimensions, more for every further one, and extra where routers are left out."""

PAD_PT, PAD_STEP_PT = 9.0, 7.0
"""How far the frame of a block of two dimensions keeps off its routers, and more for every further one."""

ASPECT, PANEL, LOOP_LEAST = 1.5, 2, 4
"""Width over height aimed at, dimensions of a panel, and the least number of blocks in a loop."""

ACROSS, UP, LOOP = "across", "up", "loop"


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension on the sheet.

    Attributes:
        turn: whether it runs across, up, or round in a loop.
        shown: coordinates that are shown.
        offsets: of each of these from the lower left corner [pt].
        block: width and height of what lies at one coordinate [pt].
        pad_pt: how far that is framed.
        hidden: routers of a ring that are left out, before the last one.
    """

    turn: str
    shown: tuple[int, ...]
    offsets: tuple[Point, ...]
    block: Point
    pad_pt: float
    hidden: int

    @property
    def extent(self) -> Point:
        """Width and height of the whole [pt]."""
        return self.block[0] + max(x for x, _ in self.offsets), self.block[1] + max(y for _, y in self.offsets)

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Shown coordinates that follow each other on the sheet."""
        return tuple(pairwise(self.shown))


@dataclass(frozen=True, slots=True)
class Grid:
    """Every dimension on the sheet, the outermost first, and the side of a router [pt]."""

    axes: tuple[Axis, ...]
    cell_pt: float

    @property
    def extent(self) -> Point:
        """Width and height [pt]."""
        return self.axes[0].extent

    def corner(self, spot: Spot) -> Point:
        """Lower left corner of the block, or router, at the first few coordinates [pt]."""
        offsets = [axis.offsets[axis.shown.index(along)] for axis, along in zip(self.axes, spot, strict=False)]
        return sum(x for x, _ in offsets), sum(y for _, y in offsets)

    def spots(self, first: int = 0, last: int | None = None) -> Iterator[Spot]:
        """Shown coordinates of some dimensions, of all of them unless said otherwise."""
        return product(*(axis.shown for axis in self.axes[first:last]))


def grid_of(sizes: Sequence[int]) -> Grid:
    """The grid with the widest pitch that fits, and of these the one of the shape nearest to that of a sheet."""
    shown = list(sizes)
    while True:
        least = 0.0 if shown == list(sizes) else FOLDED_PT
        for pitch in (pitch for pitch in PITCHES_PT if pitch >= least):
            fitting = [grid for grid in _turned(sizes, shown, pitch) if _fits(grid)]
            if fitting:
                return min(fitting, key=lambda grid: max(_aspect(grid), 1 / _aspect(grid)))
        longest = max(range(len(shown)), key=lambda axis: shown[axis])
        shown[longest] -= max(1 if shown[longest] < sizes[longest] else 2, shown[longest] // 8)


def _turned(sizes: Sequence[int], shown: Sequence[int], pitch: float) -> Iterator[Grid]:
    """Every way to let dimensions run, the two of a panel not the same way, the outermost blocks in a loop too."""
    loops = len(sizes) > PANEL and shown[0] >= LOOP_LEAST
    outermost = (ACROSS, UP, LOOP) if loops else (ACROSS, UP)
    for turns in product(outermost, *[(ACROSS, UP)] * (len(sizes) - 1)):
        if len(sizes) == 1 or turns[-1] != turns[-2]:
            yield _grid(sizes, shown, turns, pitch)


def _grid(sizes: Sequence[int], shown: Sequence[int], turns: Sequence[str], pitch: float) -> Grid:
    cell = pitch * CELL
    block: Point = (cell, cell)
    axes: list[Axis] = []
    for level, (size, count, turn) in enumerate(zip(reversed(sizes), reversed(shown), reversed(turns), strict=True)):
        outer = level - PANEL
        gap = pitch - cell if outer < 0 else BLOCK_GAP_PT + GAP_STEP_PT * outer
        pad = 0.0 if outer < 0 else PAD_PT + PAD_STEP_PT * outer
        kept = tuple(range(size)) if count == size else (*range(count - 1), size - 1)
        offsets = _offsets(turn, count, (block[0] + gap, block[1] + gap), FOLD_PT if count < size else 0.0)
        axes.append(Axis(turn, kept, offsets, block, pad, size - count))
        block = axes[-1].extent
    return Grid(tuple(reversed(axes)), cell)


def _offsets(turn: str, count: int, step: Point, fold_pt: float) -> tuple[Point, ...]:
    """Of so many blocks from the lower left corner, the last one behind a fold."""
    if turn == LOOP:
        half = (count + 1) // 2
        there = [(step[0] * place, step[1]) for place in range(half)]
        return (*there, *((step[0] * (half - 1 - place), 0.0) for place in range(count - half)))
    along = [place + (fold_pt / step[turn == UP] if place == count - 1 else 0.0) for place in range(count)]
    return tuple((step[0] * place, 0.0) if turn == ACROSS else (0.0, step[1] * place) for place in along)


def _fits(grid: Grid) -> bool:
    return grid.extent[0] <= ROOM_PT[0] and grid.extent[1] <= ROOM_PT[1]


def _aspect(grid: Grid) -> float:
    return grid.extent[0] / grid.extent[1] / ASPECT
