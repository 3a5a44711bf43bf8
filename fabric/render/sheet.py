"""What pictures of switches share: title, captions at the left, a name in a box, a row of switches."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from fabric.model.design import Design
from fabric.model.topology import SWITCH_ROLES, Device, Topology
from fabric.render.canvas import INK, MUTED, RAIL_COLOURS, Canvas, Point, rail_colour
from fabric.render.tree_view import folded

MARGIN_PT, GUTTER_PT, CONTENT_PT, TITLE_PT = 26.0, 196.0, 1080.0, 66.0
"""Edge of the sheet, column of captions, width that the picture itself aims at, and height of the title."""

SWITCH_PITCH_PT = (26.0, 96.0)
"""Least and greatest distance of switches in a row."""

LETTER_RATIO = 0.7
"""Width of a bold letter over its size in the widest font allowed."""

NAMES_LENGTH = 110
"""Letters of the names of workloads at the foot of a picture."""

SMALLEST_PT = 6.5
"""The smallest letters that read well."""


def title(canvas: Canvas, design: Design, headline: str) -> None:
    """Name of the design, and in one line what the picture shows."""
    y = canvas.height_pt - 26
    canvas.text((MARGIN_PT, y), design.name or "fabric", 15, ha="left", bold=True)
    canvas.text((MARGIN_PT, y - 19), headline, 9, MUTED, ha="left")


def caption(canvas: Canvas, top: Point, heading: str, lines: Iterable[str]) -> float:
    """A heading and lines below it, from `top` down; where the next caption may begin."""
    canvas.text(top, heading, 11, ha="left", bold=True)
    y = top[1] - 14
    for line in lines:
        canvas.text((top[0], y), line, 8.5, MUTED, ha="left")
        y -= 13
    return y - 13


def left_out(canvas: Canvas, names: Sequence[str], drawn: int) -> None:
    """At the foot, which workloads a picture with room for the first few does not show; nothing where it shows all."""
    if rest := names[drawn:]:
        told = ", ".join(rest)
        told = told if len(told) <= NAMES_LENGTH else f"{told[:NAMES_LENGTH].rpartition(',')[0]}, …"
        words = f"The first {drawn} of {len(names)} workloads; the report also has {told}"
        canvas.text((MARGIN_PT, 9), words, 8, MUTED, ha="left")


def parts_of(devices: Iterable[Device]) -> str:
    """The models of some devices."""
    return ", ".join(sorted({device.part or "unknown part" for device in devices}))[:34]


def attached_to(topology: Topology) -> str:
    """Endpoints other than nodes, nothing without any."""
    roles = [one.role for one in topology.devices if one.role not in {*SWITCH_ROLES, "node"}]
    found = ", ".join(f"{roles.count(role)} {role}" for role in sorted(set(roles)))
    return f"{found} attached" if found else ""


def numbers(topology: Topology, names: Mapping[str, str]) -> str:
    """Those of the family's numbers that a topology has, by the names they bear in the picture."""
    found = ((word, topology.parameters.get(key)) for key, word in names.items())
    return " · ".join(f"{word} {value}" for word, value in found if value is not None)


def ranged(counts: Iterable[int]) -> str:
    """The smallest and the largest of some numbers."""
    found = sorted(set(counts))
    return "0" if not found else f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,} to {found[-1]:,}"


def link_width(links: int) -> float:
    """Width of a line for some parallel links [pt]."""
    return 0.6 + 0.45 * min(links, 8)


def rail_entries(switches: Iterable[Device], words: str) -> list[tuple[str, str]]:
    """Colours and names of the rails that switches serve alone, as a legend takes them; a few at most."""
    rails = sorted({int(one.rail) for one in switches if one.rail is not None and one.rail.isdigit()})
    return [(rail_colour(rail), f"{words} {rail}") for rail in rails[: len(RAIL_COLOURS)]]


def mesh_alpha(lines: int) -> float:
    """How solid each of so many crossing lines is drawn."""
    return max(0.22, min(0.8, 60 / math.pow(max(lines, 1), 0.9)))


def name_in(canvas: Canvas, middle: Point, size: Point, name: str, colour: str) -> None:
    """A name in a box of a width and a height, upright where it is too long to lie."""
    width, height = size
    flat = width / max(len(name), 1) / LETTER_RATIO
    if flat >= SMALLEST_PT:
        canvas.text(middle, name, min(9.0, flat), colour, bold=True)
    else:
        upright = min(8.0, (height - 4) / len(name) / LETTER_RATIO, width)
        canvas.text(middle, name, upright, colour, rotation=90)


def row_of(
    canvas: Canvas, switches: Sequence[Device], at: Point, size: Point, fill: str | None = None
) -> dict[str, float]:
    """Switches side by side, those too many folded into a gap; the middle of each that is shown.

    Args:
        canvas: to draw on.
        switches: in order.
        at: lower left corner of the row.
        size: its width and height.
        fill: colour of all; None for the colours of their rails.
    """
    left, (width, height) = at[0], size
    head, hidden, tail = folded(switches, max(int(width / SWITCH_PITCH_PT[0]) - 2, 2))
    slots = len(head) + len(tail) + (3 if hidden else 0)
    pitch = min(width / max(slots, 1), SWITCH_PITCH_PT[1])
    left += (width - pitch * slots) / 2
    shown: dict[str, float] = {}
    for place, switch in enumerate((*head, *tail)):
        if hidden and place == len(head):
            gap(canvas, (left + 1.5 * pitch, at[1] + height / 2), f"{hidden} more")
            left += 3 * pitch
        canvas.box((left + 2, at[1]), (pitch - 4, height), fill or rail_colour(switch.rail))
        name, colour = (switch.name, INK) if fill else (short_name(switch), "white")
        name_in(canvas, (left + pitch / 2, at[1] + height / 2), (pitch - 4, height), name, colour)
        shown[switch.name] = left + pitch / 2
        left += pitch
    return shown


def gap(canvas: Canvas, middle: Point, words: str) -> None:
    """Dots in place of what is left out, and how much that is."""
    canvas.text((middle[0], middle[1] + 8), "•  •  •", 12, MUTED)
    canvas.text((middle[0], middle[1] - 8), words, 8, MUTED)


def short_name(switch: Device) -> str:
    """Short name of a leaf: its rail, where it serves one."""
    return f"r{switch.rail}" if switch.rail is not None and switch.rail.isdigit() else switch.name
