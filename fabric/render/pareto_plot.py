"""`pareto.csv` and `plots/pareto.svg`: the front of cost, power and p99 latency."""

from __future__ import annotations

from collections.abc import Sequence

from fabric.model.design import UNIT_WORDS
from fabric.model.front import FrontPoint
from fabric.render.axis import Axis
from fabric.render.canvas import FAINT, INK, MUTED, NODE, PAPER, SPINE, Canvas, Point
from fabric.table import text

TABLE, PICTURE = "pareto.csv", "plots/pareto.svg"

WIDTH_PT, HEIGHT_PT = 720.0, 460.0
LEFT_PT, BOTTOM_PT, FRAME_WIDTH_PT, FRAME_HEIGHT_PT = 90.0, 84.0, 590.0, 290.0
DOT_PT = 9.0


def render_front(points: Sequence[FrontPoint], name: str) -> dict[str, str]:
    """Table and picture by their path in the design folder; no picture of no points."""
    made = {TABLE: text(FrontPoint, points)}
    return made | {PICTURE: _plot(points, name).svg()} if points else made


def _plot(points: Sequence[FrontPoint], name: str) -> Canvas:
    canvas = Canvas(WIDTH_PT, HEIGHT_PT)
    cost = Axis([point.cost for point in points], LEFT_PT, FRAME_WIDTH_PT)
    power = Axis([point.power_w / 1000 for point in points], BOTTOM_PT, FRAME_HEIGHT_PT)
    _frame(canvas, cost, power)
    for point in points:
        chosen = SPINE if point.goals.startswith("capex") else NODE
        x, y = cost.at(point.cost), power.at(point.power_w / 1000)
        canvas.box((x - DOT_PT / 2, y - DOT_PT / 2), (DOT_PT, DOT_PT), chosen, INK, round_pt=DOT_PT / 2)
        canvas.text((x + DOT_PT, y + DOT_PT), _label(point), 8, ha="right" if x > WIDTH_PT * 0.7 else "left")
    top = HEIGHT_PT - 26
    units = sorted({UNIT_WORDS[point.cost_unit] for point in points})
    canvas.text((26, top), f"{name or 'fabric'}: cost, power and latency", 15, ha="left", bold=True)
    words = f"{len(points)} designs of which none is beaten in everything; number and p99 beside each"
    canvas.text((26, top - 18), words, 9, MUTED, ha="left")
    canvas.text((LEFT_PT + FRAME_WIDTH_PT / 2, BOTTOM_PT - 34), f"cost [{', '.join(units)}]", 9, MUTED)
    canvas.text((26, BOTTOM_PT + FRAME_HEIGHT_PT / 2), "maximum power [kW]", 9, MUTED, rotation=90)
    canvas.legend((LEFT_PT, 22), [(SPINE, "parts by cost"), (NODE, "parts by power or both")], step_pt=120)
    return canvas


def _label(point: FrontPoint) -> str:
    return f"{point.point}" if point.p99_us is None else f"{point.point}: {point.p99_us:,.1f} us"


def _frame(canvas: Canvas, cost: Axis, power: Axis) -> None:
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
