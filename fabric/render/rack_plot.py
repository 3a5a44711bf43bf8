"""`plots/rack_elevations.svg`: the racks that hold switches, from the front; racks with equal content drawn once."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.addressing.ordinals import natural
from fabric.model.design import Design
from fabric.model.floorplan import FloorPlan, Rack
from fabric.model.placement import Placement
from fabric.render.canvas import CORE, FAINT, INK, LEAF, MUTED, NODE, OTHER, PAPER, SPINE, Canvas
from fabric.render.tree_view import folded

COLOURS = {"router": LEAF, "leaf": LEAF, "spine": SPINE, "core": CORE, "node": NODE}
UNIT_PT, RACK_PT, GAP_PT, MARGIN_PT, PER_LINE, MOST = 9.0, 128.0, 26.0, 40.0, 8, 24
HEAD_PT, FOOT_PT, CAPTION_PT = 66.0, 44.0, 40.0

Slot = tuple[int, int, str, str]
"""Lowest unit, height in units, role and part of a device."""


@dataclass(frozen=True, slots=True)
class _Elevation:
    """One rack with the racks that look the same, and the names of its own devices by lowest unit."""

    rack: Rack
    alike: tuple[str, ...]
    slots: tuple[Slot, ...]
    names: dict[int, str]


def rack_plot(design: Design) -> str | None:
    """The picture as SVG; None while the design has no floor plan or no places on it."""
    if design.floor_plan is None or design.placement is None:
        return None
    return draw(design, design.floor_plan, design.placement).svg()


def draw(design: Design, plan: FloorPlan, placement: Placement) -> Canvas:
    """Up to `MOST` different racks, eight a line, the lowest unit at the bottom."""
    elevations = _elevations(design, plan, placement)
    head, hidden, tail = folded(elevations, MOST)
    shown = (*head, *tail)
    columns = min(len(shown), PER_LINE)
    lines = -(-len(shown) // PER_LINE)
    tallest_pt = UNIT_PT * max((one.rack.units for one in shown), default=0)
    line_pt = tallest_pt + CAPTION_PT
    canvas = Canvas(max(MARGIN_PT * 2 + columns * (RACK_PT + GAP_PT), 640.0), HEAD_PT + FOOT_PT + lines * line_pt)
    for number, elevation in enumerate(shown):
        line, column = divmod(number, PER_LINE)
        left = MARGIN_PT + column * (RACK_PT + GAP_PT)
        _draw_rack(canvas, elevation, left, FOOT_PT + (lines - 1 - line) * line_pt)
    _draw_words(canvas, design, elevations, hidden)
    return canvas


def _elevations(design: Design, plan: FloorPlan, placement: Placement) -> tuple[_Elevation, ...]:
    """Racks with switches by their content: role, part, place and height of every device."""
    slots: dict[str, list[Slot]] = {}
    names: dict[str, dict[int, str]] = {}
    with_switch: set[str] = set()
    for position in placement.positions:
        device = design.topology.device.get(position.device)
        if device is None:
            continue
        slots.setdefault(position.rack, []).append((position.u, position.units, device.role, device.part or ""))
        names.setdefault(position.rack, {})[position.u] = device.name
        if device.is_switch:
            with_switch.add(position.rack)
    racks = {rack.name: rack for rack in plan.all_racks}
    alike: dict[tuple[int, tuple[Slot, ...]], list[str]] = {}
    for name in sorted(with_switch & set(racks), key=natural):
        alike.setdefault((racks[name].units, tuple(sorted(slots[name]))), []).append(name)
    return tuple(
        _Elevation(racks[same[0]], tuple(same), content, names[same[0]]) for (_, content), same in alike.items()
    )


def _draw_rack(canvas: Canvas, elevation: _Elevation, left: float, bottom: float) -> None:
    rack = elevation.rack
    canvas.box((left, bottom), (RACK_PT, UNIT_PT * rack.units), PAPER, MUTED, round_pt=0)
    for u in range(5, rack.units + 1, 5):
        canvas.text((left - 4, bottom + UNIT_PT * (u - 0.5)), f"{u}", 6, MUTED, ha="right")
    for first, last in rack.blocked_u:
        canvas.box((left, bottom + UNIT_PT * (first - 1)), (RACK_PT, UNIT_PT * (last - first + 1)), FAINT, round_pt=0)
    for u, units, role, _ in elevation.slots:
        low = bottom + UNIT_PT * (u - 1)
        canvas.box((left + 1, low + 0.5), (RACK_PT - 2, UNIT_PT * units - 1), COLOURS.get(role, OTHER), round_pt=1)
        name = elevation.names[u]
        size = min(7.0, (RACK_PT - 8) / len(name) / 0.62)
        canvas.text((left + RACK_PT / 2, low + UNIT_PT * units / 2 - 0.3), name, size, INK)
    others = len(elevation.alike) - 1
    middle, top = left + RACK_PT / 2, bottom + UNIT_PT * rack.units
    canvas.text((middle, top + 10), rack.name, 10, INK, bold=True)
    if others:
        words = f"alike: {', '.join(elevation.alike[1:])}" if others <= 3 else f"and {others} racks alike"  # noqa: PLR2004
        canvas.text((middle, top + 22), words, 7, MUTED)


def _draw_words(canvas: Canvas, design: Design, elevations: tuple[_Elevation, ...], hidden: int) -> None:
    """Title, totals and legend."""
    top = canvas.height_pt - 26
    racks = sum(len(one.alike) for one in elevations)
    canvas.text((26, top), f"{design.name or 'fabric'}: network racks", 15, ha="left", bold=True)
    more = f", {hidden} kinds left out" if hidden else ""
    words = f"compute fabric · {racks:,} racks with switches, {len(elevations)} kinds of content{more}"
    canvas.text((26, top - 17), words, 9, MUTED, ha="left")
    roles = {role for one in elevations for _, _, role, _ in one.slots}
    named = {"node", *(("router",) if "router" in roles else ("leaf", "spine")), *roles}
    entries = [(colour, role) for role, colour in COLOURS.items() if role in named]
    entries += [(OTHER, "other"), (FAINT, "blocked")]
    canvas.legend((26, 20), entries, step_pt=66)
