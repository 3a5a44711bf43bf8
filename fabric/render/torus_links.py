"""Links on the grid of a torus: rings of routers within panels, bundles between blocks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from fabric.render.canvas import GLOBAL, LOCAL, Canvas, Point
from fabric.render.torus_grid import ACROSS, LOOP, PAD_PT, PANEL, Axis, Grid
from fabric.render.torus_view import Spot, TorusView

LINE_SHARE, BUNDLE_PT, LINK_PT = 0.3, 8.0, 1.2
"""Widest line over the side of a router; widest bundle and greatest width of a single link [pt]."""

STUB_PT, STUB_SHARE = 12.0, 0.8
"""Longest stub [pt], and the longest over the side of a router; those within a frame end at it."""

LABELS_MOST = 24
"""Bundles of a dimension that bear their number."""

PAIR = 2


class Links:
    """Draws the links of a view on a grid whose lower left corner lies at `origin`."""

    def __init__(self, canvas: Canvas, view: TorusView, grid: Grid, origin: Point) -> None:
        self._canvas, self._view, self._grid, self._origin = canvas, view, grid, origin
        inner = view.onward[-PANEL:]
        self._unit_pt = min(LINE_SHARE * grid.cell_pt / max(int(inner.max()), 1), LINK_PT)

    def draw(self) -> None:
        """All of them."""
        outer = max(len(self._view.sizes) - PANEL, 0)
        for axis in range(outer):
            self._bundles(axis)
        for axis in range(outer, len(self._view.sizes)):
            for before in self._grid.spots(0, axis):
                for behind in self._grid.spots(axis + 1):
                    self._ring(axis, before, behind)

    def _ring(self, axis: int, before: Spot, behind: Spot) -> None:
        """A ring of routers: one line for all neighbours with equal links, and stubs where it closes."""
        shape, size = self._grid.axes[axis], self._view.sizes[axis]
        counts = [int(self._view.onward[(axis, *before, along, *behind)]) for along in range(size)]
        for links, found in groupby(shape.steps, lambda step: counts[step[0]] if step[1] == step[0] + 1 else 0):
            steps = list(found)
            if links:
                a, b = (self._middle((*before, along, *behind)) for along in (steps[0][0], steps[-1][1]))
                self._under(a, b, LOCAL, self._unit_pt * links)
        if size > PAIR and counts[-1]:
            ends = [(*before, along, *behind) for along in (shape.shown[-1], shape.shown[0])]
            for spot, side in zip(ends, (1, -1), strict=True):
                start, reach = self._middle(spot), side * (self._grid.cell_pt / 2 + self._stub_pt(shape))
                self._under(start, _moved(start, shape, reach), LOCAL, self._unit_pt * counts[-1])

    def _bundles(self, axis: int) -> None:
        """Links between blocks: one line for two neighbours, in a loop also for the last and the first, else stubs."""
        shape, size = self._grid.axes[axis], self._view.sizes[axis]
        found: dict[tuple[Spot, int], int] = {}
        for before in self._grid.spots(0, axis):
            for along in range(size):
                found[before, along] = int(self._view.onward[(axis, *before, along)].sum())
        unit = min(BUNDLE_PT / max(1, *found.values()), LINK_PT)
        is_labelled = len(found) <= LABELS_MOST
        for before in self._grid.spots(0, axis):
            steps = [(a, b) for a, b in shape.steps if b == a + 1]
            if shape.turn == LOOP:
                steps.append((shape.shown[-1], shape.shown[0]))
            for a, b in steps:
                links = found[before, a]
                path = self._path(axis, (*before, a), (*before, b))
                if links:
                    self._canvas.line(path, GLOBAL, unit * links, 0.85)
                    if is_labelled:
                        self._label(path, f"×{links:,}", unit * links)
            if shape.turn != LOOP and size > PAIR and found[before, size - 1]:
                self._stubs(axis, before, unit * found[before, size - 1])

    def _stubs(self, axis: int, before: Spot, width: float) -> None:
        shape = self._grid.axes[axis]
        for along, side in ((shape.shown[-1], 1), (shape.shown[0], -1)):
            (x, y), (wide, high) = self._framed(axis, (*before, along))
            middle = x + wide / 2, y + high / 2
            start = _moved(middle, shape, side * (wide if shape.turn == ACROSS else high) / 2)
            self._canvas.line([start, _moved(start, shape, side * self._stub_pt(shape))], GLOBAL, width, 0.85)

    def _path(self, axis: int, start: Spot, end: Spot) -> list[Point]:
        """From frame to frame: straight where two blocks lie side by side or above each other, else round a corner."""
        (ax, ay), (wide, high) = self._framed(axis, start)
        (bx, by), _ = self._framed(axis, end)
        mid_a, mid_b = (ax + wide / 2, ay + high / 2), (bx + wide / 2, by + high / 2)
        right, up = 1 if bx > ax else -1, 1 if by > ay else -1
        if abs(ay - by) < 1:
            return [(mid_a[0] + right * wide / 2, mid_a[1]), (mid_b[0] - right * wide / 2, mid_b[1])]
        if abs(ax - bx) < 1:
            return [(mid_a[0], mid_a[1] + up * high / 2), (mid_b[0], mid_b[1] - up * high / 2)]
        return [(mid_a[0] + right * wide / 2, mid_a[1]), (mid_b[0], mid_a[1]), (mid_b[0], mid_b[1] - up * high / 2)]

    def _framed(self, axis: int, spot: Spot) -> tuple[Point, Point]:
        """Lower left corner and size of a block with its frame."""
        shape, (x, y) = self._grid.axes[axis], self._grid.corner(spot)
        corner = self._origin[0] + x - shape.pad_pt, self._origin[1] + y - shape.pad_pt
        return corner, (shape.block[0] + 2 * shape.pad_pt, shape.block[1] + 2 * shape.pad_pt)

    def _middle(self, spot: Spot) -> Point:
        x, y = self._grid.corner(spot)
        return self._origin[0] + x + self._grid.cell_pt / 2, self._origin[1] + y + self._grid.cell_pt / 2

    def _stub_pt(self, shape: Axis) -> float:
        """Length of a stub: it never meets one of the next block."""
        if shape.pad_pt:
            return STUB_PT
        return PAD_PT if len(self._view.sizes) > PANEL else min(STUB_PT, STUB_SHARE * self._grid.cell_pt)

    def _under(self, a: Point, b: Point, colour: str, width: float) -> None:
        self._canvas.curve((a, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), b), colour, width)

    def _label(self, path: Sequence[Point], words: str, width: float) -> None:
        """A number beside the first piece of a path."""
        (ax, ay), (bx, by) = path[:2]
        x, y = (ax + bx) / 2, (ay + by) / 2
        if abs(ay - by) < 1:
            self._canvas.text((x, y + width / 2 + 6), words, 7, GLOBAL, bold=True)
        else:
            self._canvas.text((x + width / 2 + 4, y), words, 7, GLOBAL, ha="left", bold=True)


def _moved(at: Point, shape: Axis, reach: float) -> Point:
    """A point so far along a dimension."""
    return (at[0] + reach, at[1]) if shape.turn == ACROSS else (at[0], at[1] + reach)
