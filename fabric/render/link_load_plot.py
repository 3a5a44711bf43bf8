"""`plots/link_load.svg`: tiles for every switch, the darker the busier its busiest link to switches or to nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matplotlib import colormaps
from matplotlib.colors import to_hex

from fabric.addressing.ordinals import natural
from fabric.model.design import Design
from fabric.model.report import LinkUse, Report, WorkloadResult
from fabric.model.topology import SWITCH_ROLES
from fabric.render.canvas import FAINT, MUTED, Canvas
from fabric.render.section import of_role, percent
from fabric.render.sheet import MARGIN_PT, TITLE_PT, left_out, title

MOST = 4
"""Workloads in one picture; what is left out is named."""

LEFT_PT, WIDTH_PT, HEAD_PT, ROLE_GAP_PT, FOOT_PT = 136.0, 780.0, 34.0, 8.0, 54.0
TILE_PT = (6.0, 26.0)
"""Least and greatest side of a tile."""

_DARK = 0.55
"""Use from which a number on a tile is written in white."""


def link_load_plot(design: Design, report: Report) -> Canvas | None:
    """The picture; None where no workload loads a link."""
    every = [one for one in report.workloads if one.edges]
    timed = every[:MOST]
    if not timed:
        return None
    panels = [_rows(design, one) for one in timed]
    height = TITLE_PT + FOOT_PT + sum(HEAD_PT + sum(_height(uses) + ROLE_GAP_PT for _, uses in rows) for rows in panels)
    canvas = Canvas(LEFT_PT + WIDTH_PT + MARGIN_PT, height)
    title(canvas, design, "Share of its phase in which the busiest link of each switch carries payload")
    y = height - TITLE_PT
    for one, rows in zip(timed, panels, strict=True):
        worst = max((*one.switches, *one.edges), key=lambda use: use.worst)
        words = f"{one.name}: busiest {percent(worst.worst)}, at {worst.where}"
        canvas.text((MARGIN_PT, y - 14), words, 10, ha="left", bold=True)
        y -= HEAD_PT
        for words, uses in rows:
            canvas.text((MARGIN_PT, y - _side(len(uses)) / 2), words, 8.5, MUTED, ha="left")
            _tiles(canvas, uses, y)
            y -= _height(uses) + ROLE_GAP_PT
    _scale(canvas)
    left_out(canvas, [one.name for one in every], MOST)
    return canvas


def _rows(design: Design, one: WorkloadResult) -> list[tuple[str, list[LinkUse]]]:
    """Roles from the top tier down, each with the use at its switches in natural order; links of nodes come last."""
    role = {device.name: device.role for device in design.topology.devices}
    found = []
    for what, every in (("", one.switches), (", to nodes", one.edges)):
        for each in reversed(SWITCH_ROLES):
            uses = sorted((use for use in every if role.get(use.where) == each), key=lambda use: natural(use.where))
            found.append((of_role(len(uses), each) + what, uses))
    return [(words, uses) for words, uses in found if uses]


def _side(count: int) -> float:
    """Side of a tile [pt]: four rows at most where tiles can shrink that far."""
    return max(TILE_PT[0], min(TILE_PT[1], WIDTH_PT / -(-count // 4)))


def _per_row(count: int) -> int:
    return int(WIDTH_PT // _side(count))


def _height(uses: Sequence[LinkUse]) -> float:
    return -(-len(uses) // _per_row(len(uses))) * _side(len(uses))


def _tiles(canvas: Canvas, uses: Sequence[LinkUse], top: float) -> None:
    side, per_row = _side(len(uses)), _per_row(len(uses))
    for number, use in enumerate(uses):
        row, column = divmod(number, per_row)
        at = (LEFT_PT + column * side, top - (row + 1) * side)
        canvas.box(at, (side - 1, side - 1), _colour(use.worst), round_pt=0)
        if side == TILE_PT[1]:
            ink = "#FFFFFF" if use.worst > _DARK else "#1F2933"
            canvas.text((at[0] + side / 2, at[1] + side / 2), f"{100 * use.worst:.0f}", 7.5, ink)


def _colour(use: float) -> str:
    return str(to_hex(colormaps["YlOrRd"](min(1.0, use))))


def _scale(canvas: Canvas) -> None:
    """What the colours mean."""
    for number, at in enumerate(_steps()):
        canvas.box((LEFT_PT + number * 30, 20), (30, 9), _colour(at), round_pt=0)
    canvas.box((LEFT_PT, 20), (330, 9), "none", FAINT, round_pt=0)
    canvas.text((LEFT_PT - 6, 24.5), "0 %", 8, MUTED, ha="right")
    canvas.text((LEFT_PT + 336, 24.5), "100 % of the phase", 8, MUTED, ha="left")


def _steps() -> Iterator[float]:
    yield from (number / 10 for number in range(11))
