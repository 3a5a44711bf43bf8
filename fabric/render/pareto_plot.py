"""`pareto.csv` and `plots/pareto.svg`: the front of cost, power and p99 latency."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fabric.model.front import FrontPoint
from fabric.render.canvas import FAINT, INK, MUTED, NODE, PAPER, SPINE, Canvas, Point
from fabric.table import text

TABLE, PICTURE = "pareto.csv", "plots/pareto.svg"

WIDTH_PT, HEIGHT_PT = 720.0, 460.0
LEFT_PT, BOTTOM_PT, FRAME_WIDTH_PT, FRAME_HEIGHT_PT = 90.0, 84.0, 590.0, 290.0
DOT_PT, TICKS_COUNT = 9.0, 5
STEPS = (1, 2, 2.5, 5, 10)
"""Round steps between ticks, times a power of ten."""


def render_front(points: Sequence[FrontPoint], name: str) -> dict[str, str]:
    """Table and picture by their path in the design folder; no picture of no points."""
    made = {TABLE: text(FrontPoint, points)}
    return made | {PICTURE: _plot(points, name).svg()} if points else made


class _Axis:
    """Values on a stretch of the sheet, with round ticks that enclose them."""

    def __init__(self, values: Sequence[float], start_pt: float, length_pt: float) -> None:
        low, high = min(values), max(values)
        reach = (high - low) or abs(high) or 1.0
        power = 10.0 ** math.floor(math.log10(reach / TICKS_COUNT))
        step = next(factor * power for factor in STEPS if factor * power * TICKS_COUNT >= reach)
        first, last = math.floor(low / step), math.ceil(high / step)
        self.ticks = [number * step for number in range(first, max(last, first + 1) + 1)]
        self._start_pt = start_pt
        self._per_pt = length_pt / (self.ticks[-1] - self.ticks[0])

    def at(self, value: float) -> float:
        """Place of a value on the sheet [pt]."""
        return self._start_pt + (value - self.ticks[0]) * self._per_pt


def _plot(points: Sequence[FrontPoint], name: str) -> Canvas:
    canvas = Canvas(WIDTH_PT, HEIGHT_PT)
    cost = _Axis([point.cost for point in points], LEFT_PT, FRAME_WIDTH_PT)
    power = _Axis([point.power_w / 1000 for point in points], BOTTOM_PT, FRAME_HEIGHT_PT)
    _frame(canvas, cost, power)
    for point in points:
        chosen = SPINE if point.goals.startswith("capex") else NODE
        x, y = cost.at(point.cost), power.at(point.power_w / 1000)
        canvas.box((x - DOT_PT / 2, y - DOT_PT / 2), (DOT_PT, DOT_PT), chosen, INK, round_pt=DOT_PT / 2)
        canvas.text((x + DOT_PT, y + DOT_PT), _label(point), 8, ha="right" if x > WIDTH_PT * 0.7 else "left")
    top = HEIGHT_PT - 26
    units = sorted({"USD" if point.cost_unit == "usd" else "planning USD" for point in points})
    canvas.text((26, top), f"{name or 'fabric'}: cost, power and latency", 15, ha="left", bold=True)
    words = f"{len(points)} designs of which none is beaten in everything; number and p99 beside each"
    canvas.text((26, top - 18), words, 9, MUTED, ha="left")
    canvas.text((LEFT_PT + FRAME_WIDTH_PT / 2, BOTTOM_PT - 34), f"cost [{', '.join(units)}]", 9, MUTED)
    canvas.text((26, BOTTOM_PT + FRAME_HEIGHT_PT / 2), "maximum power [kW]", 9, MUTED, rotation=90)
    canvas.legend((LEFT_PT, 22), [(SPINE, "parts by cost"), (NODE, "parts by power or both")], step_pt=120)
    return canvas


def _label(point: FrontPoint) -> str:
    return f"{point.point}" if point.p99_us is None else f"{point.point}: {point.p99_us:,.1f} us"


def _frame(canvas: Canvas, cost: _Axis, power: _Axis) -> None:
    """The field with its ticks."""
    canvas.box((LEFT_PT, BOTTOM_PT), (FRAME_WIDTH_PT, FRAME_HEIGHT_PT), PAPER, FAINT, round_pt=0)
    for value in cost.ticks:
        x = cost.at(value)
        _line(canvas, ((x, BOTTOM_PT), (x, BOTTOM_PT - 5)))
        canvas.text((x, BOTTOM_PT - 15), f"{value:,.0f}", 8, MUTED)
    for value in power.ticks:
        y = power.at(value)
        _line(canvas, ((LEFT_PT, y), (LEFT_PT + FRAME_WIDTH_PT, y)))
        canvas.text((LEFT_PT - 8, y), f"{value:,.6g}", 8, MUTED, ha="right")


def _line(canvas: Canvas, ends: tuple[Point, Point]) -> None:
    canvas.line(ends, FAINT, 0.8)
