"""`plots/failures.svg`: throughput against failures, a row for each kind of element."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fabric.model.report import Failure, Report
from fabric.render.canvas import CORE, FAINT, INK, LEAF, MUTED, NODE, OTHER, PAPER, SPINE, Canvas
from fabric.render.failure_section import by_kind, kind_word, title

WIDTH_PT, ROW_PT = 760.0, 46.0
LEFT_PT, FRAME_WIDTH_PT = 96.0, 620.0
HEAD_PT, FOOT_PT = 78.0, 58.0
TICKS_COUNT = 10
LEAST_PT, MOST_PT = 3.0, 9.0
"""Radius of the dot of few elements of a kind, and of all of them."""

COLOURS = {"spine": SPINE, "core": CORE, "leaf": LEAF, "router": LEAF, "node_link": NODE, "plane": OTHER}


def failure_plot(report: Report) -> str | None:
    """A dot for all elements of a kind that leave the same throughput, to a thousandth; None where nothing was tried.

    The share of its kind that they make up is the area of the dot; the bar ends at the worst, which is named.
    """
    kinds = by_kind(report.failures)
    if not kinds:
        return None
    height_pt = HEAD_PT + ROW_PT * len(kinds) + FOOT_PT
    canvas = Canvas(WIDTH_PT, height_pt)
    name = report.name or "fabric"
    canvas.text((26, height_pt - 26), f"{name}: throughput against failures", 15, ha="left", bold=True)
    words = "uniform all-to-all with one element down; a dot stands for all elements that leave the same, the bar ends "
    canvas.text((26, height_pt - 44), f"{words}at the worst of each kind", 9, MUTED, ha="left")
    _axis(canvas, height_pt, report.throughput.uniform_theta)
    for row, failures in enumerate(kinds):
        _row(canvas, height_pt - HEAD_PT - ROW_PT * (row + 0.5), failures)
    return canvas.svg()


def _axis(canvas: Canvas, height_pt: float, whole: float | None) -> None:
    """The field with a tick for every tenth of line rate, and what the whole fabric carries."""
    top, bottom = height_pt - HEAD_PT, FOOT_PT
    canvas.ground((LEFT_PT, bottom), (FRAME_WIDTH_PT, top - bottom), PAPER, FAINT)
    for tick in range(TICKS_COUNT + 1):
        x = _at(tick / TICKS_COUNT)
        canvas.box((x - 0.4, bottom), (0.8, top - bottom), FAINT, round_pt=0)
        canvas.text((x, bottom - 12), f"{tick / TICKS_COUNT:.0%}", 8, MUTED)
    canvas.text((LEFT_PT + FRAME_WIDTH_PT / 2, bottom - 32), "throughput left, as a share of line rate", 9, MUTED)
    if whole is not None:
        canvas.line(((_at(whole), bottom), (_at(whole), top)), INK, 1.2)
        canvas.text((_at(whole), top + 9), f"nothing down {whole:.1%}", 8, INK, ha="right" if whole > 0.5 else "left")  # noqa: PLR2004 -- the half


def _at(share: float) -> float:
    return LEFT_PT + FRAME_WIDTH_PT * min(max(share, 0.0), 1.0)


def _row(canvas: Canvas, y: float, failures: Sequence[Failure]) -> None:
    """One kind: the bar to its worst, the dots of all classes, and the name of the worst."""
    worst, total = failures[0], sum(failure.count for failure in failures)
    colour = COLOURS.get(worst.kind, MUTED)
    theta = worst.uniform_theta or 0.0
    canvas.text((LEFT_PT - 10, y + 5), kind_word(worst.kind), 9, INK, ha="right")
    canvas.text((LEFT_PT - 10, y - 7), f"{total:,}", 8, MUTED, ha="right")
    canvas.box((LEFT_PT, y - 4), (max(_at(theta) - LEFT_PT, 0.5), 8), colour, round_pt=0)
    dots = Counter[float]()
    for failure in failures:
        dots[round(failure.uniform_theta or 0.0, 3)] += failure.count
    for left, count in dots.items():
        radius_pt = LEAST_PT + (MOST_PT - LEAST_PT) * (count / total) ** 0.5
        canvas.disc((_at(left), y), radius_pt, colour, INK)
    inside = theta > 0.5  # noqa: PLR2004 -- the half with room for words
    x = _at(theta) - MOST_PT - 4 if inside else _at(theta) + MOST_PT + 4
    canvas.text((x, y + 12), f"{theta:.1%}  {title(worst)}", 8, INK, ha="right" if inside else "left")
