"""A sheet to draw on, in points from the lower left corner, and the colours of the house.

Shapes are collected and drawn in a few collections, so that thousands of them stay fast.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Literal

from matplotlib import style
from matplotlib.collections import LineCollection, PatchCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Patch
from matplotlib.path import Path

RAIL_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C7A00", "#6A51A3")
"""One colour per rail, distinct for colour-blind readers. After Okabe and Ito, two hues added."""

INK, MUTED, FAINT, PAPER = "#1F2933", "#616E7C", "#CBD2D9", "#F5F7FA"
NODE, LEAF, SPINE, CORE, OTHER = "#9FB3C8", "#F0B429", "#3EBD93", "#4098D7", "#B8A1D9"
LOCAL, GLOBAL = "#829AB1", "#35618E"
"""Links within a group of switches, and bundles of links between groups."""

POINTS_PER_INCH = 72
_FONT = "DejaVu Sans"
"""Comes with Matplotlib, so that texts measure the same everywhere."""

_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "fabric",
    "font.family": [_FONT],
    "path.simplify": False,
}
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))

Point = tuple[float, float]
Side = Literal["left", "center", "right"]


def rail_colour(rail: str | int | None, neutral: str = MUTED) -> str:
    """Colour of one rail; of several rails together, or none, the neutral one."""
    text = "" if rail is None else str(rail)
    return RAIL_COLOURS[int(text) % len(RAIL_COLOURS)] if text.isdigit() else neutral


class Canvas:
    """Boxes, lines and texts of one picture; what is added later lies on top within its kind."""

    def __init__(self, width_pt: float, height_pt: float) -> None:
        self.width_pt = width_pt
        self.height_pt = height_pt
        self._boxes: list[Patch] = []
        self._grounds: list[Patch] = []
        self._lines: list[tuple[Sequence[Point], str, float, float]] = []
        self._curves: list[tuple[Path, str, float, float]] = []
        self._texts: list[tuple[Point, str, dict[str, Any]]] = []

    def box(
        self, at: Point, size: Point, fill: str, edge: str = "none", *, round_pt: float = 2.0, line_pt: float = 0.8
    ) -> None:
        """A box with rounded corners, `at` its lower left corner."""
        shape = f"round,pad=0,rounding_size={round_pt}" if round_pt else "square,pad=0"
        self._boxes.append(FancyBboxPatch(at, *size, boxstyle=shape, facecolor=fill, edgecolor=edge, lw=line_pt))

    def ground(self, at: Point, size: Point, fill: str, edge: str) -> None:
        """A box under everything else."""
        shape = "round,pad=0,rounding_size=5"
        self._grounds.append(FancyBboxPatch(at, *size, boxstyle=shape, facecolor=fill, edgecolor=edge, lw=0.8))

    def disc(self, at: Point, radius_pt: float, fill: str, edge: str = "none") -> None:
        """A round box, `at` its middle."""
        self._boxes.append(Circle(at, radius_pt, facecolor=fill, edgecolor=edge, lw=0.8))

    def line(self, points: Sequence[Point], colour: str, width_pt: float = 1.0, alpha: float = 1.0) -> None:
        """A line through `points`, over all boxes."""
        self._lines.append((points, colour, width_pt, alpha))

    def curve(self, points: tuple[Point, Point, Point], colour: str, width_pt: float = 1.0, alpha: float = 1.0) -> None:
        """A curve from the first point to the last, drawn towards the middle one; under all boxes and lines."""
        path = Path(points, [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        self._curves.append((path, colour, width_pt, alpha))

    def text(  # noqa: PLR0913 -- a caption has this many sides
        self,
        at: Point,
        words: str,
        size_pt: float = 8,
        colour: str = INK,
        *,
        ha: Side = "center",
        va: Literal["top", "center", "bottom", "baseline"] = "center",
        rotation: float = 0,
        bold: bool = False,
    ) -> None:
        """A caption."""
        weight = "bold" if bold else "normal"
        look = {"size": size_pt, "color": colour, "ha": ha, "va": va, "rotation": rotation, "weight": weight}
        self._texts.append((at, words, look))

    def legend(self, at: Point, entries: Sequence[tuple[str, str]], *, step_pt: float = 92) -> None:
        """Coloured squares with their meaning, side by side."""
        for number, (colour, words) in enumerate(entries):
            x, y = at[0] + number * step_pt, at[1]
            self.box((x, y - 4), (9, 9), colour, round_pt=1.5)
            self.text((x + 13, y), words, 8, MUTED, ha="left")

    def svg(self) -> str:
        """The picture as SVG text: the same bytes for the same strokes, letters kept as letters."""
        with style.context(["default", _STYLE]):
            out = io.StringIO()
            self._figure().savefig(out, format="svg", metadata=_NO_METADATA)
        # A viewer that lacks the font takes the next one of similar width.
        return out.getvalue().replace(f"'{_FONT}'", f"'{_FONT}', Verdana, Arial, sans-serif")

    def _figure(self) -> Figure:
        figure = Figure(figsize=(self.width_pt / POINTS_PER_INCH, self.height_pt / POINTS_PER_INCH))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, self.width_pt)
        axes.set_ylim(0, self.height_pt)
        axes.set_axis_off()
        if self._grounds:
            axes.add_collection(PatchCollection(self._grounds, match_original=True, zorder=0.2))
        if self._curves:
            paths, colours, widths, alphas = zip(*self._curves, strict=True)
            curves = PathCollection(paths, facecolors="none", edgecolors=colours, linewidths=widths, zorder=0.5)
            curves.set(alpha=alphas, capstyle="round")
            axes.add_collection(curves)
        axes.add_collection(PatchCollection(self._boxes, match_original=True, zorder=1))
        if self._lines:
            points, colours, widths, alphas = zip(*self._lines, strict=True)
            axes.add_collection(
                LineCollection(points, colors=colours, linewidths=widths, alpha=alphas, capstyle="round", zorder=2)
            )
        for at, words, look in self._texts:
            axes.text(*at, words, zorder=3, **look)
        return figure
