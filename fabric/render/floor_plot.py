"""`plots/floor_plan.svg`: the hall from above: what stands in each rack, and how full the trays are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from fabric.floorplan.rows import row_names
from fabric.model.design import Design
from fabric.model.floorplan import FloorPlan, Rack
from fabric.model.placement import Placement
from fabric.render.canvas import CORE, FAINT, INK, LEAF, MUTED, NODE, OTHER, PAPER, SPINE, Canvas, Point
from fabric.render.section import counted
from fabric.render.tray_load import tray_load

ROLE_COLOURS = {"node": NODE, "router": LEAF, "leaf": LEAF, "spine": SPINE, "core": CORE}
ROLE_WORDS = {
    "node": ("node", "nodes"),
    "router": ("router", "routers"),
    "leaf": ("leaf", "leaves"),
    "spine": ("spine", "spines"),
    "core": ("core", "cores"),
    "other": ("other device", "other devices"),
}
ROLES = tuple(ROLE_WORDS)

SHEET_PT, SCALE_MIN, SCALE_MAX = 1120.0, 46.0, 80.0
"""Width aimed at [pt] and the limits of the scale [pt per m]: the smallest still holds a number in a rack."""

RACK_WIDTH_M, RACK_DEPTH_M = 0.6, 1.2
"""A cabinet as drawn, where racks stand no closer; a floor plan gives centres alone."""

SQUEEZE_MIN = 0.36
"""A hall deeper than wide is drawn flatter across its rows, at most by this factor."""

LEFT_PT, RIGHT_PT, TOP_PT, BOTTOM_PT = 100.0, 112.0, 96.0, 62.0
TRAY_GAP_PT, CROSS_GAP_PT, TRAY_LINE_PT = 9.0, 14.0, 10.0
TRAY = "#7B93AB"


def floor_plot(design: Design) -> str | None:
    """The picture as SVG; None while the design has no floor plan or no places on it."""
    if design.floor_plan is None or design.placement is None:
        return None
    return draw(design, design.floor_plan, design.placement).svg()


def draw(design: Design, plan: FloorPlan, placement: Placement) -> Canvas:
    """Racks at their places, trays as lines whose width is the number of cables in them."""
    hall = _Hall(plan)
    canvas = Canvas(*hall.sheet_pt)
    held = _held(design, placement)
    for rack in plan.all_racks:
        _draw_rack(canvas, hall, rack, held.get(rack.name, Counter()))
    _draw_rows(canvas, hall)
    load = tray_load(plan, design.cabling.cables if design.cabling is not None else ())
    _draw_trays(canvas, hall, load)
    _draw_words(canvas, design, held, max(load.values(), default=0), squeezed=hall.squeeze < 1)
    return canvas


class _Hall:
    """The plan on the sheet: metres to points."""

    def __init__(self, plan: FloorPlan) -> None:
        racks = plan.all_racks
        self.plan = plan
        self.west_m, self.east_m = min(rack.x_m for rack in racks), max(rack.x_m for rack in racks)
        self.south_m, self.north_m = min(rack.y_m for rack in racks), max(rack.y_m for rack in racks)
        across_m = self.east_m - self.west_m + RACK_WIDTH_M
        deep_m = self.north_m - self.south_m + RACK_DEPTH_M
        self.scale = min(max(SHEET_PT / across_m, SCALE_MIN), SCALE_MAX)
        self.squeeze = min(max(across_m / deep_m, SQUEEZE_MIN), 1.0)
        self.width_pt = 0.92 * self.scale * min(RACK_WIDTH_M, _pitch_m(racks))
        self.depth_pt = (
            self.scale * self.squeeze * min(RACK_DEPTH_M, 0.6 * _closest_m(sorted({rack.y_m for rack in racks})))
        )

    @property
    def sheet_pt(self) -> tuple[float, float]:
        """Size of the sheet."""
        width = LEFT_PT + RIGHT_PT + self.width_pt + self.scale * (self.east_m - self.west_m)
        height = TOP_PT + BOTTOM_PT + self.depth_pt + self.scale * self.squeeze * (self.north_m - self.south_m)
        return max(width, 560.0), height

    def at(self, x_m: float, y_m: float) -> Point:
        """Where a point of the plan lies on the sheet."""
        x = LEFT_PT + self.width_pt / 2 + self.scale * (x_m - self.west_m)
        return x, BOTTOM_PT + self.depth_pt / 2 + self.scale * self.squeeze * (y_m - self.south_m)

    def tray_at(self, x_m: float, y_m: float) -> Point:
        """Where a point of a tray is drawn: ladders beside their racks, a tray graph where it is."""
        x, y = self.at(x_m, y_m)
        if self.plan.trays.nodes:
            return x, y
        if x_m == self.west_m:
            x -= self.width_pt / 2 + CROSS_GAP_PT
        elif x_m == self.east_m:
            x += self.width_pt / 2 + CROSS_GAP_PT
        return x, y + self.depth_pt / 2 + TRAY_GAP_PT

    def trays(self) -> Iterable[tuple[Point, Point]]:
        """Every tray of the plan, used or not [m]."""
        node = {one.name: (one.x_m, one.y_m) for one in self.plan.trays.nodes}
        if node:
            yield from ((node[segment.a], node[segment.b]) for segment in self.plan.trays.segments)
            return
        for y_m in sorted({rack.y_m for rack in self.plan.all_racks}):
            yield (self.west_m, y_m), (self.east_m, y_m)
        for x_m in (self.west_m, self.east_m):
            yield (x_m, self.south_m), (x_m, self.north_m)


def _pitch_m(racks: Iterable[Rack]) -> float:
    """Least distance between two racks of one row [m]."""
    rows: dict[float, set[float]] = {}
    for rack in racks:
        rows.setdefault(rack.y_m, set()).add(rack.x_m)
    return min(_closest_m(sorted(places_m)) for places_m in rows.values())


def _closest_m(places_m: list[float]) -> float:
    """Least distance between neighbours [m], infinite for one alone."""
    return min((b - a for a, b in pairwise(places_m)), default=float("inf"))


def _held(design: Design, placement: Placement) -> dict[str, Counter[str]]:
    """Devices in each rack by role."""
    held: dict[str, Counter[str]] = {}
    for position in placement.positions:
        device = design.topology.device.get(position.device)
        if device is not None:
            role = device.role if device.role in ROLE_COLOURS else "other"
            held.setdefault(position.rack, Counter())[role] += 1
    return held


def _draw_rack(canvas: Canvas, hall: _Hall, rack: Rack, held: Counter[str]) -> None:
    """The rack's outline, a band for each role in it with the number of devices, and its name."""
    x, y = hall.at(rack.x_m, rack.y_m)
    left, bottom = x - hall.width_pt / 2, y - hall.depth_pt / 2
    canvas.box((left, bottom), (hall.width_pt, hall.depth_pt), PAPER, FAINT, round_pt=1.5, line_pt=0.6)
    name_pt = min(6.5, hall.width_pt / max(len(rack.name), 1) / 0.66)
    canvas.text((x, bottom + 6), rack.name, name_pt, MUTED)
    roles = [role for role in ROLES if held[role]]
    band = (hall.depth_pt - 12) / max(len(roles), 1)
    for number, role in enumerate(roles):
        at = (left + 1, bottom + 11 + band * (len(roles) - 1 - number))
        canvas.box(at, (hall.width_pt - 2, band - 1), ROLE_COLOURS.get(role, OTHER), round_pt=1)
        canvas.text((x, at[1] + band / 2 - 0.5), f"{held[role]}", min(8.0, band), INK, bold=True)


def _draw_rows(canvas: Canvas, hall: _Hall) -> None:
    """Names of the rows at their western end."""
    racks = hall.plan.all_racks
    first: dict[str, Rack] = {}
    for name, rack in zip(row_names(racks), racks, strict=True):
        if name not in first or rack.x_m < first[name].x_m:
            first[name] = rack
    for name, rack in first.items():
        x, y = hall.at(rack.x_m, rack.y_m)
        canvas.text((x - hall.width_pt / 2 - CROSS_GAP_PT - 26, y), name, 10, INK, ha="right", bold=True)


def _draw_trays(canvas: Canvas, hall: _Hall, load: dict[tuple[Point, Point], int]) -> None:
    """All trays thin, then what lies in them; the number stands at every cross piece and at each row's fullest."""
    for a, b in hall.trays():
        canvas.line([hall.tray_at(*a), hall.tray_at(*b)], FAINT, 1.2)
    most = max(load.values(), default=1)
    fullest: dict[float, tuple[int, Point]] = {}
    for (a, b), cables in load.items():
        start, end = hall.tray_at(*a), hall.tray_at(*b)
        canvas.line([start, end], TRAY, max(0.8, TRAY_LINE_PT * cables / most))
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        if a[1] == b[1]:
            fullest[a[1]] = max(fullest.get(a[1], (0, middle)), (cables, middle))
        elif a[0] == b[0]:
            side = 1 if a[0] == hall.east_m else -1
            canvas.text((middle[0] + side * (TRAY_LINE_PT / 2 + 6), middle[1]), f"{cables:,}", 7, MUTED, rotation=90)
    for cables, middle in fullest.values():
        lift = TRAY_LINE_PT / 2 * cables / most + 6
        canvas.text((middle[0], middle[1] + lift), f"{cables:,}", 7, MUTED)


def _draw_words(canvas: Canvas, design: Design, held: dict[str, Counter[str]], most: int, *, squeezed: bool) -> None:
    """Title, totals and legend."""
    top = canvas.height_pt - 26
    canvas.text((26, top), f"{design.name or 'fabric'}: floor plan", 15, ha="left", bold=True)
    cables = len(design.cabling.cables) if design.cabling is not None else 0
    totals = sum(held.values(), Counter())
    devices = ", ".join(counted(totals[role], *ROLE_WORDS[role]) for role in ROLES if totals[role])
    words = f"compute fabric · {devices} in {len(held):,} racks · {cables:,} cables"
    canvas.text((26, top - 19), f"{words} · fullest tray piece {most:,} cables", 9, MUTED, ha="left")
    named = {"node", "other", *(("router",) if totals["router"] else ("leaf", "spine")), *totals}
    entries = [(ROLE_COLOURS.get(role, OTHER), ROLE_WORDS[role][1].split()[0]) for role in ROLES if role in named]
    canvas.legend((26, 20), entries, step_pt=66)
    note = "numbers in racks: devices · tray width and number: cables in that piece"
    note += " · rows drawn closer than they stand" if squeezed else ""
    canvas.text((26 + 66 * len(entries), 20), note, 8, MUTED, ha="left")
