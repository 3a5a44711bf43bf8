"""`plots/latency.svg`: how the time of every workload is distributed, with its limits, tails drawn wide."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fabric.model.design import Design
from fabric.model.report import Report, WorkloadResult
from fabric.render.axis import Axis
from fabric.render.canvas import FAINT, INK, MUTED, PAPER, RAIL_COLOURS, Canvas
from fabric.render.sheet import left_out, title

WIDTH_PT, HEIGHT_PT = 720.0, 460.0
LEFT_PT, BOTTOM_PT, FRAME_WIDTH_PT, FRAME_HEIGHT_PT = 90.0, 96.0, 590.0, 270.0
MOST = len(RAIL_COLOURS)
"""Workloads in one picture; what is left out is named."""

LEVELS: Mapping[str, float] = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
LIMITS: Mapping[str, float] = {"p50": 0.5, "p99": 0.99, "p999": 0.999}


def latency_plot(design: Design, report: Report) -> Canvas | None:
    """The picture; None where no workload was timed."""
    every = [one for one in report.workloads if one.distribution_us]
    timed = every[:MOST]
    if not timed:
        return None
    canvas = Canvas(WIDTH_PT, HEIGHT_PT)
    limits = {one.name: one.limit_us for one in design.request.workloads} if design.request is not None else {}
    marks = [
        (number, value, getattr(limits[one.name], key))
        for number, one in enumerate(timed)
        for key, value in LIMITS.items()
        if one.name in limits and getattr(limits[one.name], key) is not None
    ]
    shown = [us for one in timed for us in (one.distribution_us or {}).values()] + [limit for _, _, limit in marks]
    time = Axis(shown, LEFT_PT, FRAME_WIDTH_PT)
    _frame(canvas, time)
    for number, one in enumerate(timed):
        points = [(time.at(us), _height(float(key) / 100)) for key, us in (one.distribution_us or {}).items()]
        canvas.line(points, RAIL_COLOURS[number], 1.8)
    for number, probability, limit_us in marks:
        x, y = time.at(limit_us), _height(probability)
        canvas.line(((x, y - 8), (x, y + 8)), RAIL_COLOURS[number], 2.4)
        canvas.text((x - 5, y + 9), f"limit {limit_us:,.6g}", 8, RAIL_COLOURS[number], ha="right")
    title(canvas, design, "How often a workload ends within a time: each line a workload, bars its limits")
    canvas.text((LEFT_PT + FRAME_WIDTH_PT / 2, BOTTOM_PT - 34), "time [us]", 9, MUTED)
    _legend(canvas, timed)
    left_out(canvas, [one.name for one in every], MOST)
    return canvas


def _height(probability: float) -> float:
    """Place of a probability on the sheet [pt]: each further nine is as high as the first."""
    tail = -math.log10(max(1e-9, 1 - probability))
    return BOTTOM_PT + FRAME_HEIGHT_PT * min(tail, 3.2) / 3.2


def _frame(canvas: Canvas, time: Axis) -> None:
    canvas.box((LEFT_PT, BOTTOM_PT), (FRAME_WIDTH_PT, FRAME_HEIGHT_PT), PAPER, FAINT, round_pt=0)
    for value in time.ticks:
        x = time.at(value)
        canvas.line(((x, BOTTOM_PT), (x, BOTTOM_PT - 5)), FAINT, 0.8)
        canvas.text((x, BOTTOM_PT - 15), f"{value:,.6g}", 8, MUTED)
    for words, probability in LEVELS.items():
        y = _height(probability)
        canvas.line(((LEFT_PT, y), (LEFT_PT + FRAME_WIDTH_PT, y)), FAINT, 0.8)
        canvas.text((LEFT_PT - 8, y), words, 8, MUTED, ha="right")


def _legend(canvas: Canvas, timed: Sequence[WorkloadResult]) -> None:
    for number, one in enumerate(timed):
        x, y = LEFT_PT + number % 4 * 148, 44 - number // 4 * 18
        canvas.box((x, y - 4), (9, 9), RAIL_COLOURS[number], round_pt=1.5)
        canvas.text((x + 13, y), one.name[:22], 8, INK, ha="left")
