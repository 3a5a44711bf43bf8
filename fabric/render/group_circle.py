"""Where groups lie on a circle, and the curves between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fabric.render.canvas import Point
from fabric.render.group_ring import Ring
from fabric.render.sheet import GUTTER_PT, MARGIN_PT

REACH_PT, RIM_PT, NAME_PT = 350.0, 140.0, 40.0
"""Radius of the whole circle, and room for names beside it and above it."""

SHARE, SHARE_MOST, SHARE_ALONE = 0.74, 0.38, 0.5
"""Radius of a group over half the distance of two, and the largest over that of the whole."""

SPREAD, STRAIGHT, BENT = 0.62, 0.85, 0.45
"""Part of the turn towards another group that links leave one group with; how far near and far curves keep out."""

PAIR = 2


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve from a point to another, drawn towards the middle one."""

    points: tuple[Point, Point, Point]

    def beside(self, part: float, gap_pt: float, size: Point) -> Point:
        """Middle of a text of a size that stands so far beside the curve, at a part of its way."""
        a, b, c = self.points
        x, y = (p * (1 - part) ** 2 + 2 * q * part * (1 - part) + r * part**2 for p, q, r in zip(a, b, c, strict=True))
        across, up = ((q - p) * (1 - part) + (r - q) * part for p, q, r in zip(a, b, c, strict=True))
        length = math.hypot(across, up) or 1.0
        side_x, side_y = -up / length, across / length
        off = gap_pt + abs(side_x) * size[0] / 2 + abs(side_y) * size[1] / 2
        return x + off * side_x, y + off * side_y


class Circle:
    """Groups clockwise from the top, two side by side, one in the middle, with a gap where some are left out.

    Attributes:
        rings: of each group.
        middle: of the circle.
        gap: middle of the gap.
        right_pt: how far names reach.
        top_pt: same.
    """

    def __init__(self, groups: Sequence[int], hidden: int, bottom_pt: float, least_pt: float) -> None:
        slots = len(groups) + bool(hidden)
        self._step = math.tau / max(slots, 1)
        half = SHARE * math.sin(self._step / 2)
        share = min(half / (1 + half), SHARE_MOST) if slots > 1 else SHARE_ALONE
        self._out = (1 - share) * REACH_PT if slots > 1 else 0.0
        # A pair needs no more height than one group.
        deep = share * REACH_PT if slots <= PAIR else REACH_PT
        height = max(2 * (deep + NAME_PT), least_pt)
        self.middle = (MARGIN_PT + GUTTER_PT + RIM_PT + REACH_PT, bottom_pt + height / 2)
        self.right_pt, self.top_pt = self.middle[0] + REACH_PT + RIM_PT, bottom_pt + height
        self._first = math.pi if slots == PAIR else math.pi / 2
        last = len(groups) - 1
        self.rings = {
            group: self._ring(place + bool(hidden and place == last), share) for place, group in enumerate(groups)
        }
        self.gap = self._ring(last, share).middle

    def _ring(self, slot: int, share: float) -> Ring:
        angle = self._first - self._step * slot
        spot = self.middle[0] + self._out * math.cos(angle), self.middle[1] + self._out * math.sin(angle)
        return Ring(spot, share * REACH_PT, angle + math.pi)

    def curve(self, low: int, high: int) -> Curve:
        """From rim to rim, ends spread over the inner side of a group by where they lead, bent towards the middle."""
        start, end = (self.rings[one].at(self._leaving(one, other)) for one, other in ((low, high), (high, low)))
        near = min(1.0, math.dist(start, end) / REACH_PT)
        bend = STRAIGHT - (STRAIGHT - BENT) * near
        x, y = (m + bend * ((a + b) / 2 - m) for a, b, m in zip(start, end, self.middle, strict=True))
        return Curve((start, (x, y), end))

    def _leaving(self, group: int, other: int) -> float:
        """Direction in which links to another group leave one."""
        ring, far = self.rings[group], self.rings[other].middle
        towards = math.atan2(far[1] - ring.middle[1], far[0] - ring.middle[0])
        return ring.inward + SPREAD * math.remainder(towards - ring.inward, math.tau)
