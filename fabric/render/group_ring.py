"""One group of switches as a ring: routers all round; or leaves outside and spines towards the other groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fabric.model.topology import Device
from fabric.render.canvas import FAINT, INK, LEAF, LOCAL, PAPER, SPINE, Canvas, Point, rail_colour

SPINE_ARC, LEAF_ARC = math.radians(130), math.radians(190)
RING, DISC_MAX_PT, DISC_MIN_PT, NAMED_PT = 0.72, 15.0, 2.2, 7.0
"""Radius of the ring of switches over that of the group; sizes of a switch, and from which on it bears its number."""

WIDEST_PT = ((10, 4.5), (45, 1.6), (150, 0.9), (2000, 0.5))
"""Up to so many lines in a group: width of the one with most links [pt]."""

Link: TypeAlias = tuple[str, str, int]
"""Two switches and how many links they share."""


@dataclass(frozen=True, slots=True)
class Ring:
    """Where a group lies: its middle, its radius, and the direction of the other groups [rad]."""

    middle: Point
    radius_pt: float
    inward: float

    def at(self, angle: float, share: float = 1.0) -> Point:
        """The point in a direction, at a share of the radius."""
        reach = share * self.radius_pt
        return self.middle[0] + reach * math.cos(angle), self.middle[1] + reach * math.sin(angle)

    def angles(self, switches: Sequence[Device]) -> dict[str, float]:
        """Direction of every switch from the middle."""
        spines = [one.name for one in switches if one.role == "spine"]
        edges = [one.name for one in switches if one.role != "spine"]
        if not spines:
            return _spread(edges, self.inward + math.pi, math.tau)
        return _spread(spines, self.inward, SPINE_ARC) | _spread(edges, self.inward + math.pi, LEAF_ARC)

    def disc_pt(self, switches: Sequence[Device]) -> float:
        """Radius at which switches of the ring stand apart."""
        spots = sorted(angle % math.tau for angle in self.angles(switches).values())
        steps = [(b - a) % math.tau for a, b in zip(spots, [*spots[1:], *spots[:1]], strict=True)]
        nearest = min((step for step in steps if step > 0), default=math.tau)
        return min(DISC_MAX_PT, 0.2 * self.radius_pt, 0.42 * RING * self.radius_pt * min(nearest, 1.0))


def _spread(names: Sequence[str], middle: float, arc: float) -> dict[str, float]:
    """Directions evenly over an arc, clockwise, the first half a step from its end."""
    step = arc / max(len(names), 1)
    return {name: middle + arc / 2 - step * (place + 0.5) for place, name in enumerate(names)}


def draw_ring(canvas: Canvas, ring: Ring, switches: Sequence[Device], links: Sequence[Link], unit_pt: float) -> None:
    """A group with its switches and some of its links, `unit_pt` wide for each that runs in parallel."""
    canvas.disc(ring.middle, ring.radius_pt, PAPER, FAINT)
    angles, disc = ring.angles(switches), ring.disc_pt(switches)
    for a, b, count in links:
        ends = _rim_to_rim(ring.at(angles[a], RING), ring.at(angles[b], RING), disc)
        canvas.line(ends, LOCAL, unit_pt * count, 0.75)
    for switch in switches:
        spot = ring.at(angles[switch.name], RING)
        fill = SPINE if switch.role == "spine" else rail_colour(switch.rail, LEAF)
        canvas.disc(spot, disc, fill)
        if disc >= NAMED_PT:
            number = switch.name.rpartition("-")[2].lstrip("0")[:4]
            colour = INK if fill in {LEAF, SPINE} else "white"
            canvas.text(spot, number, min(8.0, disc * 2 / max(len(number), 2)), colour, bold=True)


def _rim_to_rim(start: Point, end: Point, radius: float) -> list[Point]:
    """A line between two discs, without what they hide."""
    across, up = end[0] - start[0], end[1] - start[1]
    share = min(radius / max(math.hypot(across, up), radius), 0.45)
    return [
        (start[0] + share * across, start[1] + share * up),
        (end[0] - share * across, end[1] - share * up),
    ]


def local_unit_pt(groups: Iterable[Sequence[Link]]) -> float:
    """Width of a single local link, by the most lines of a group and the most links of a line [pt]."""
    drawn = [found for found in groups if found]
    lines = max(map(len, drawn), default=1)
    most = max((links for found in drawn for _, _, links in found), default=1)
    widest = next((width for count, width in WIDEST_PT if lines <= count), WIDEST_PT[-1][1])
    return min(widest / most, 1.0)
