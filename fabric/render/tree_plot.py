"""Leaves below spines, folded so that ten thousand endpoints stay readable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fabric.model.design import Design
from fabric.model.request import FAMILY_WORDS
from fabric.model.topology import Device
from fabric.render.canvas import FAINT, MUTED, NODE, OTHER, PAPER, SPINE, Canvas, rail_colour
from fabric.render.section import counted, of_role
from fabric.render.sheet import (
    CONTENT_PT,
    GUTTER_PT,
    LETTER_RATIO,
    MARGIN_PT,
    TITLE_PT,
    caption,
    gap,
    link_width,
    mesh_alpha,
    name_in,
    parts_of,
    ranged,
    row_of,
    short_name,
    title,
)
from fabric.render.tree_view import TreeView, Unit, folded, span, tree_view

GAP_PT, PLANE_GAP_PT, FOLD_PT, OTHERS_PT, PAD_PT = 26.0, 14.0, 96.0, 120.0, 10.0
LEAF_PITCHES_PT = (40.0, 32.0, 26.0, 20.0)
UNIT_MIN_PT, UNIT_LEAVES = 96.0, 32
NODE_Y, NODE_HEIGHT, LEAF_Y, LEAF_HEIGHT, TIER_STEP, TIER_HEIGHT = 52.0, 44.0, 176.0, 48.0, 190.0, 48.0
SPINE_Y = LEAF_Y + LEAF_HEIGHT + TIER_STEP - TIER_HEIGHT


@dataclass(frozen=True, slots=True)
class _Block:
    """One unit on the sheet, or `hidden` units folded into one gap."""

    left: float
    width: float
    unit: Unit | None
    hidden: int = 0


def tree_plot(design: Design) -> Canvas:
    """The picture of a tree of one or two tiers."""
    return _Picture(design).canvas


class _Picture:
    """Nodes of a unit in one box, its leaves above in the colour of their rail, upper tiers on top.

    Every shown pair of switches with links has one line; its width grows with the number of links.
    """

    def __init__(self, design: Design) -> None:
        self._view = tree_view(design.topology)
        self._pitch, blocks = _blocks(self._view)
        right = max(block.left + block.width for block in blocks) if blocks else MARGIN_PT + GUTTER_PT
        others = (GAP_PT + OTHERS_PT) if self._view.others else 0.0
        top = LEAF_Y + LEAF_HEIGHT + (TIER_STEP if self._view.spines else 0.0)
        self.canvas = Canvas(max(right + others + MARGIN_PT, 640.0), top + TITLE_PT + 14)
        self._x: dict[str, float] = {}
        self._colour: dict[str, str] = {}
        title(self.canvas, design, _headline(self._view, design))
        for block in blocks:
            self._block(block)
        if others:
            self._others(right + GAP_PT)
        self._tier_captions(design)
        if self._view.spines:
            shown = self._spines((MARGIN_PT + GUTTER_PT, right))
            self._trunks(shown)
            self._trunk_caption()
        self._legend()

    def _block(self, block: _Block) -> None:
        middle = block.left + block.width / 2
        if block.unit is None:
            more = counted(block.hidden, "more unit")
            for y in (LEAF_Y + LEAF_HEIGHT / 2, NODE_Y + NODE_HEIGHT / 2):
                gap(self.canvas, (middle, y), more)
            return
        self.canvas.box(
            (block.left - PAD_PT, NODE_Y - 9),
            (block.width + 2 * PAD_PT, LEAF_Y + LEAF_HEIGHT + 25 - NODE_Y),
            PAPER,
            FAINT,
            round_pt=5,
        )
        self.canvas.text((middle, LEAF_Y + LEAF_HEIGHT + 9), block.unit.name, 8, MUTED)
        self._nodes(block, middle)
        self._leaves(block)

    def _nodes(self, block: _Block, middle: float) -> None:
        nodes = block.unit.nodes if block.unit is not None else ()
        self.canvas.box((block.left, NODE_Y), (block.width, NODE_HEIGHT), NODE, round_pt=3)
        names = span([node.name for node in nodes])
        size = min(8.0, block.width / max(len(names), 1) / LETTER_RATIO)
        self.canvas.text((middle, NODE_Y + NODE_HEIGHT - 15), f"{len(nodes)} nodes", 9, bold=True)
        self.canvas.text((middle, NODE_Y + 13), names, size)

    def _leaves(self, block: _Block) -> None:
        planes = block.unit.plane_leaves if block.unit is not None else ()
        width = _leaves_width(planes, self._pitch)
        left = block.left + (block.width - width) / 2
        for leaves in planes:
            head, hidden, tail = folded(leaves, UNIT_LEAVES)
            for leaf in (*head, *tail):
                self._leaf(leaf, left)
                left += self._pitch
            if hidden:
                self.canvas.text((left - self._pitch, LEAF_Y - 10), f"{hidden} more before the last", 6.5, MUTED)
            left += PLANE_GAP_PT

    def _leaf(self, leaf: Device, left: float) -> None:
        middle, width = left + self._pitch / 2, self._pitch - 4
        colour = rail_colour(leaf.rail)
        self._x[leaf.name], self._colour[leaf.name] = middle, colour
        links = self._view.drops.get(leaf.name, 0)
        if links:
            self.canvas.line([(middle, NODE_Y + NODE_HEIGHT), (middle, LEAF_Y)], colour, link_width(links))
            if self._pitch >= LEAF_PITCHES_PT[2]:
                self.canvas.text((middle + 3, NODE_Y + NODE_HEIGHT + 14), f"×{links}", 6.5, MUTED, ha="left")
        self.canvas.box((left + 2, LEAF_Y), (width, LEAF_HEIGHT), colour)
        centre, size = (middle, LEAF_Y + LEAF_HEIGHT / 2), (width, LEAF_HEIGHT)
        name_in(self.canvas, centre, size, short_name(leaf), "white")

    def _others(self, left: float) -> None:
        """Attached endpoints of each role in one box, joined to the leaves that are shown."""
        others = self._view.others
        roles = sorted({one.role for one in others})
        self.canvas.box((left, NODE_Y), (OTHERS_PT, NODE_HEIGHT), OTHER, round_pt=3)
        words = ", ".join(f"{sum(one.role == role for one in others)} {role}" for role in roles)
        self.canvas.text((left + OTHERS_PT / 2, NODE_Y + NODE_HEIGHT - 15), "attached", 9, bold=True)
        self.canvas.text((left + OTHERS_PT / 2, NODE_Y + 13), words, 8)
        start = (left + OTHERS_PT / 2, NODE_Y + NODE_HEIGHT)
        for (_, leaf), links in self._view.attached.items():
            if leaf in self._x:
                bus = LEAF_Y - 22
                path = [start, (start[0], bus), (self._x[leaf] + 4, bus), (self._x[leaf] + 4, LEAF_Y)]
                self.canvas.line(path, OTHER, link_width(links))

    def _spines(self, edges: tuple[float, float]) -> tuple[str, ...]:
        """Spines plane by plane across the sheet; the names shown."""
        planes = self._view.spines
        room = (edges[1] - edges[0] - PLANE_GAP_PT * (len(planes) - 1)) / len(planes)
        shown: dict[str, float] = {}
        for number, plane in enumerate(planes):
            left = edges[0] + number * (room + PLANE_GAP_PT)
            shown |= row_of(self.canvas, plane, (left, SPINE_Y), (room, TIER_HEIGHT), SPINE)
            if len(planes) > 1:
                self.canvas.text((left + room / 2, SPINE_Y + TIER_HEIGHT + 9), f"plane {number}", 8, MUTED)
        self._x |= shown
        return tuple(shown)

    def _trunks(self, spines: Sequence[str]) -> None:
        """One line for every shown pair with links."""
        wanted = set(spines)
        pairs = [(a, b, n) for (a, b), n in self._view.trunks.items() if a in self._colour and b in wanted]
        alpha = mesh_alpha(len(pairs))
        for a, b, links in pairs:
            ends = [(self._x[a], LEAF_Y + LEAF_HEIGHT + 18), (self._x[b], SPINE_Y)]
            self.canvas.line(ends, self._colour[a], link_width(links), alpha)

    def _trunk_caption(self) -> None:
        """How many links run in parallel between one leaf and one spine."""
        spines = {spine.name for plane in self._view.spines for spine in plane}
        counts = {links for (_, b), links in self._view.trunks.items() if b in spines}
        if counts:
            y = SPINE_Y - (TIER_STEP - TIER_HEIGHT) / 2
            many = max(counts) > 1
            words = f"{ranged(counts)} parallel links per switch pair" if many else "1 link per switch pair"
            self.canvas.text((MARGIN_PT, y), words, 8.5, MUTED, ha="left")

    def _tier_captions(self, design: Design) -> None:
        """The left column: what each tier is made of, from the whole fabric."""
        rows = [
            ("node", NODE_Y + NODE_HEIGHT / 2, design.topology.with_role("node"), "node_leaf"),
            ("leaf", LEAF_Y + LEAF_HEIGHT / 2, design.topology.with_role("leaf", "router"), "leaf_spine"),
        ]
        if self._view.spines:
            rows.append(("spine", SPINE_Y + TIER_HEIGHT / 2, design.topology.with_role("spine"), ""))
        for role, y, devices, kind in rows:
            links = sum(self._view.drops.values()) if role == "node" else len(design.topology.of_kind(kind))
            lines = [parts_of(devices)]
            if links:
                lines.append(f"{links:,} links up, {self._view.rates_gbps[kind]} Gb/s")
            caption(self.canvas, (MARGIN_PT, y + 14), of_role(len(devices), role), lines)

    def _legend(self) -> None:
        served = {leaf.rail or "" for unit in self._view.units for leaf in unit.leaves}
        rails = sorted(int(rail) for rail in served if rail.isdigit())
        entries = [(rail_colour(rail), f"rail {rail}") for rail in rails]
        self.canvas.legend((MARGIN_PT, 18), entries, step_pt=62)
        note = "thicker lines: more parallel links"
        self.canvas.text((MARGIN_PT + 62 * len(entries) + 8, 18), note, 8, MUTED, ha="left")


def _blocks(view: TreeView) -> tuple[float, tuple[_Block, ...]]:
    """Pitch of the leaves, and the units side by side: all of them, or the first ones, a gap and the last."""
    pitch, most = _fit(view.units)
    head, hidden, tail = folded(view.units, most)
    blocks: list[_Block] = []
    left = MARGIN_PT + GUTTER_PT
    for unit in (*head, None, *tail) if hidden else head:
        width = _unit_width(unit, pitch) if unit is not None else FOLD_PT
        blocks.append(_Block(left, width, unit, hidden))
        left += width + GAP_PT
    return pitch, tuple(blocks)


def _fit(units: Sequence[Unit]) -> tuple[float, int]:
    """Widest pitch at which all units fit, and how many to show; where none does, as many as fit beside a gap."""
    for pitch in LEAF_PITCHES_PT:
        if _total_width(units, pitch) <= CONTENT_PT:
            return pitch, len(units)
    pitch = LEAF_PITCHES_PT[2]
    room = CONTENT_PT - FOLD_PT
    fitting = (most for most in range(2, len(units)) if _total_width(_ends(units, most), pitch) <= room)
    return pitch, max(fitting, default=2)


def _ends(units: Sequence[Unit], most: int) -> tuple[Unit, ...]:
    head, _, tail = folded(units, most)
    return (*head, *tail)


def _total_width(units: Sequence[Unit], pitch: float) -> float:
    return sum(_unit_width(unit, pitch) + GAP_PT for unit in units)


def _unit_width(unit: Unit, pitch: float) -> float:
    return max(_leaves_width(unit.plane_leaves, pitch), UNIT_MIN_PT)


def _leaves_width(planes: Sequence[Sequence[Device]], pitch: float) -> float:
    leaves = sum(min(len(plane), UNIT_LEAVES) for plane in planes)
    return leaves * pitch + PLANE_GAP_PT * max(len(planes) - 1, 0)


def _headline(view: TreeView, design: Design) -> str:
    """What the picture shows, in one line."""
    endpoints = len(design.topology.of_kind("node_leaf", "node_router"))
    family = FAMILY_WORDS.get(design.topology.family, design.topology.family)
    tiers = f"{2 if view.spines else 1}-tier {family}"
    planes = max(len(view.spines), 1)
    split = f" · {planes} planes" if planes > 1 else ""
    return f"compute fabric · {tiers}{split} · {counted(endpoints, 'node link')} · {counted(len(view.units), 'unit')}"
