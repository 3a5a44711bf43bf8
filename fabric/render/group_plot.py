"""Groups of a dragonfly on a circle, with one bundle for the links between every two of them.

Ten thousand endpoints stay readable: where rings of switches would be too small, or their links too many, a group is a
disc, and the first group is drawn large beside the circle.
"""

from __future__ import annotations

import math

from fabric.model.design import Design
from fabric.model.request import FAMILY_WORDS
from fabric.render.canvas import GLOBAL, INK, LEAF, LOCAL, MUTED, SPINE, Canvas, Side
from fabric.render.group_circle import Circle, Curve
from fabric.render.group_ring import DISC_MIN_PT, Link, Ring, draw_ring, local_unit_pt
from fabric.render.plane_view import Pair, plane_view
from fabric.render.section import counted, of_role
from fabric.render.sheet import (
    MARGIN_PT,
    TITLE_PT,
    attached_to,
    caption,
    numbers,
    parts_of,
    rail_entries,
    ranged,
    title,
)
from fabric.render.tree_view import folded

LARGE_PT, LEGEND_PT, CAPTIONS_PT, LEGEND_STEP_PT = 150.0, 44.0, 360.0, 86.0
"""Radius of the group drawn large, room for the legend and for the captions, and width of a word of the legend."""

GROUPS_MOST, LOCAL_MOST, BUNDLES_MOST, LABELS_MOST = 360, 1500, 1500, 15
"""Groups shown, local links drawn, bundles drawn, and bundles that bear their number."""

BUNDLE_PT = ((15, 9.0, 0.75), (60, 5.0, 0.6), (400, 2.4, 0.45), (BUNDLES_MOST, 1.1, 0.3))
"""Up to so many bundles: width of the thickest [pt], and how solid they are."""

LINK_PT = 1.2
"""Greatest width of a single link in a bundle."""

NAMES = {
    "p": "p", "a": "a", "h": "h", "leaves": "leaves a group", "spines": "spines a group",
    "endpoints_per_leaf": "endpoints a leaf", "global_per_spine": "global links a spine",
}  # fmt: skip
MEANING = "p endpoints and h global ports a router, a routers a group"


def group_plot(design: Design) -> Canvas:
    """The picture of any fabric whose groups have links between them."""
    return _Picture(design).canvas


class _Picture:
    """The circle in the middle, captions at its left, one group enlarged at its right where it needs that."""

    def __init__(self, design: Design) -> None:
        self._topology = design.topology
        self._view = view = plane_view(design.topology)
        head, hidden, tail = folded(list(view.groups), GROUPS_MOST)
        self._shown = (*head, *tail)
        self._local = {group: list(view.within(group)) for group in view.groups}
        self._circle = circle = Circle(self._shown, hidden, LEGEND_PT, CAPTIONS_PT)
        self._is_detailed = self._has_room()
        right = circle.right_pt + (0 if self._is_detailed else 2 * LARGE_PT + 40)
        self.canvas = Canvas(right + MARGIN_PT, circle.top_pt + TITLE_PT)
        title(self.canvas, design, self._headline())
        self._bundles()
        for group in self._shown:
            self._group(group)
        if hidden:
            self.canvas.text(circle.gap, f"{hidden:,} more", 8, MUTED)
        if not self._is_detailed:
            self._large((right - LARGE_PT, circle.middle[1]))
        self._captions()
        self._legend()

    def _has_room(self) -> bool:
        """Whether switches can be told apart within the circle."""
        smallest = min((self._circle.rings[one].disc_pt(self._view.groups[one]) for one in self._shown), default=0.0)
        return smallest >= DISC_MIN_PT and sum(len(self._fan(group)) for group in self._shown) <= LOCAL_MOST

    def _fan(self, group: int) -> list[Link]:
        """Local links that are drawn in a group: all, or those of its first switch."""
        if sum(map(len, self._local.values())) <= LOCAL_MOST:
            return self._local[group]
        return self._of_first(group)

    def _of_first(self, group: int) -> list[Link]:
        first = self._view.groups[group][0].name
        return [each for each in self._local[group] if first in each[:2]]

    def _drawn(self) -> dict[Pair, int]:
        """Bundles between groups that are shown; where these are too many, those of the first group."""
        bundles = {pair: links for pair, links in self._view.bundles.items() if set(pair) <= set(self._shown)}
        if len(bundles) <= BUNDLES_MOST:
            return bundles
        return {pair: links for pair, links in bundles.items() if self._shown[0] in pair}

    def _bundles(self) -> None:
        """One curve for every two groups, as wide as their links are many."""
        drawn = self._drawn()
        sizes = ((width, alpha) for count, width, alpha in BUNDLE_PT if len(drawn) <= count)
        widest, alpha = next(sizes, BUNDLE_PT[-1][1:])
        unit = min(widest / max(drawn.values(), default=1), LINK_PT)
        for (low, high), links in drawn.items():
            curve = self._circle.curve(low, high)
            self.canvas.curve(curve.points, GLOBAL, unit * links, alpha)
            if len(drawn) <= LABELS_MOST:
                self._bundle_label(curve, f"×{links:,}", unit * links)

    def _bundle_label(self, curve: Curve, words: str, width: float) -> None:
        """The number of links beside the first third of a curve."""
        at = curve.beside(0.3, width / 2 + 3, (5.5 * len(words), 9.0))
        self.canvas.text(at, words, 8, GLOBAL, bold=True)

    def _group(self, group: int) -> None:
        ring = self._circle.rings[group]
        if self._is_detailed:
            unit = local_unit_pt(map(self._fan, self._shown))
            draw_ring(self.canvas, ring, self._view.groups[group], self._fan(group), unit)
        else:
            self.canvas.disc(ring.middle, ring.radius_pt, LEAF)
        self._group_name(group, ring)

    def _group_name(self, group: int, ring: Ring) -> None:
        """Number of the group, outside of it; what it holds too, where there is room."""
        place, count = self._shown.index(group), len(self._shown)
        every = 1 if count <= 60 else 5 if count <= 150 else 10  # noqa: PLR2004 -- room for a number on the circle
        if place % every:
            return
        out = ring.inward + math.pi
        x, y = ring.at(out, 1.0 + 9 / ring.radius_pt)
        ha: Side = "center" if abs(math.cos(out)) < 0.25 else "left" if math.cos(out) > 0 else "right"  # noqa: PLR2004
        if count > 30:  # noqa: PLR2004 -- same
            self.canvas.text((x, y), str(group + 1), 7.5, MUTED, ha=ha)
            return
        lift = 5 + 6 * math.sin(out)
        self.canvas.text((x, y + lift), _name(group), 9, INK, ha=ha, bold=True)
        self.canvas.text((x, y + lift - 11), self._held(group), 7.5, MUTED, ha=ha)

    def _held(self, group: int) -> str:
        """Switches, nodes and attached links of a group."""
        here = self._view.groups[group]
        roles = [one.role for one in here]
        words = [of_role(roles.count(role), role) for role in dict.fromkeys(sorted(roles))]
        attached = sum(self._view.attached.get(one.name, 0) for one in here)
        words += [counted(self._view.nodes.get(group, 0), "node"), *([f"{attached} attached"] if attached else [])]
        return " · ".join(words)

    def _large(self, middle: tuple[float, float]) -> None:
        """The first group with all its local links, or those of its first switch."""
        group = self._shown[0]
        links = self._local[group] if len(self._local[group]) <= LOCAL_MOST else self._of_first(group)
        draw_ring(self.canvas, Ring(middle, LARGE_PT, math.pi), self._view.groups[group], links, local_unit_pt([links]))
        top = middle[1] + LARGE_PT + 12
        self.canvas.text((middle[0], top + 12), f"{_name(group)}, enlarged", 9, INK, bold=True)
        self.canvas.text((middle[0], top), self._held(group), 7.5, MUTED)

    def _captions(self) -> None:
        """The left column: totals of the whole fabric, links between two of the plane that is drawn."""
        topology, groups = self._topology, self._view.groups.values()
        nodes, links = topology.with_role("node"), topology.of_kind("node_router", "node_leaf")
        y = self._circle.top_pt - 20
        below = [parts_of(nodes), f"{len(links):,} node links, {self._rate('node_router', 'node_leaf')}"]
        y = caption(self.canvas, (MARGIN_PT, y), of_role(len(nodes), "node"), below)
        for role in ("router", "leaf", "spine"):
            devices = topology.with_role(role)
            if devices:
                here = ranged(sum(one.role == role for one in found) for found in groups)
                lines = [parts_of(devices), f"{here} in a group"]
                y = caption(self.canvas, (MARGIN_PT, y), of_role(len(devices), role), lines)
        local = topology.of_kind("local", "leaf_spine")
        if local:
            y = caption(self.canvas, (MARGIN_PT, y), counted(len(local), "local link"), self._local_words())
        between = topology.of_kind("global")
        caption(self.canvas, (MARGIN_PT, y), counted(len(between), "global link"), self._global_words())

    def _local_words(self) -> list[str]:
        few_many = ranged(links for found in self._local.values() for _, _, links in found)
        ends = "leaf and spine" if self._topology.of_kind("leaf_spine") else "two routers"
        words = [self._rate("local", "leaf_spine"), f"{few_many} between {ends} of a group"]
        if self._is_detailed and any(len(self._fan(group)) < len(self._local[group]) for group in self._shown):
            words.append("drawn: those of one switch a group")
        return words

    def _global_words(self) -> list[str]:
        bundles, pairs = self._view.bundles, math.comb(len(self._view.groups), 2)
        words = [self._rate("global"), f"{ranged(bundles.values())} between two groups"]
        if len(bundles) < pairs:
            words.append(f"{len(bundles):,} of {pairs:,} pairs of groups have any")
        if len(self._drawn()) < len(bundles):
            words.append(f"drawn: those of {_name(self._shown[0])}")
        return words

    def _rate(self, *kinds: str) -> str:
        return f"{ranged(link.rate_gbps for link in self._topology.of_kind(*kinds))} Gb/s"

    def _headline(self) -> str:
        links = len(self._topology.of_kind("node_router", "node_leaf"))
        family = FAMILY_WORDS.get(self._topology.family, self._topology.family)
        groups = counted(len(self._view.groups), "group")
        words = ("compute fabric", family, numbers(self._topology, NAMES), groups, f"{links:,} endpoints")
        more = (attached_to(self._topology), self._view.words)
        return " · ".join(word for word in (*words, *more) if word)

    def _legend(self) -> None:
        switches = [one for found in self._view.groups.values() for one in found]
        edge = "router" if any(one.role == "router" for one in switches) else "leaf"
        entries = rail_entries(switches, f"{edge}, rail")
        if any(one.is_edge and not (one.rail or "").isdigit() for one in switches):
            entries.insert(0, (LEAF, edge))
        if any(one.role == "spine" for one in switches):
            entries.append((SPINE, "spine"))
        if not self._is_detailed:
            entries.insert(0, (LEAF, "group"))
        entries += [(LOCAL, "local links"), (GLOBAL, "global links")]
        self.canvas.legend((MARGIN_PT, 18), entries, step_pt=LEGEND_STEP_PT)
        note = "thicker lines: more parallel links"
        note += f" · {MEANING}" if "a" in self._topology.parameters and len(entries) < 8 else ""  # noqa: PLR2004 -- room
        self.canvas.text((MARGIN_PT + LEGEND_STEP_PT * len(entries) + 8, 18), note, 8, MUTED, ha="left")


def _name(group: int) -> str:
    """A group as its switches' names count it, from 1."""
    return f"group {group + 1}" if group >= 0 else "no group"
