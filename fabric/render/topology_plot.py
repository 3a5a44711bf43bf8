"""`plots/topology.svg`: the tiers of a tree, folded so that ten thousand endpoints stay readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabric.model.design import Design
from fabric.model.topology import Device
from fabric.render.canvas import FAINT, INK, MUTED, NODE, OTHER, PAPER, SPINE, Canvas, rail_colour
from fabric.render.section import counted
from fabric.render.tree_view import TreeView, Unit, folded, span, tree_view

CONTENT_PT = 1080.0
"""Width that the units share; what needs more is folded."""

MARGIN_PT, GUTTER_PT, GAP_PT, PLANE_GAP_PT, FOLD_PT, OTHERS_PT, PAD_PT = 26.0, 196.0, 26.0, 14.0, 96.0, 120.0, 10.0
LEAF_PITCHES_PT = (40.0, 32.0, 26.0, 20.0)
UNIT_MIN_PT, UNIT_LEAVES = 96.0, 32
SWITCH_PITCH_PT = (26.0, 96.0)
NODE_Y, NODE_HEIGHT, LEAF_Y, LEAF_HEIGHT, TIER_STEP, TIER_HEIGHT, TITLE_HEIGHT = (
    52.0,
    44.0,
    176.0,
    48.0,
    190.0,
    48.0,
    66.0,
)
PLURALS = {"leaf": "leaves"}
LETTER_RATIO = 0.7
"""Width of a bold letter over its size in the widest font allowed."""


@dataclass(frozen=True, slots=True)
class _Block:
    """One unit on the sheet, or `hidden` units folded into one gap."""

    left: float
    width: float
    unit: Unit | None
    hidden: int = 0


def topology_plot(design: Design) -> str:
    """The picture as SVG."""
    return _Picture(design).canvas.svg()


class _Picture:
    """Nodes of a unit in one box, its leaves above in the colour of their rail, upper tiers on top.

    Every shown pair of switches with links has one line; its width grows with the number of links.
    """

    def __init__(self, design: Design) -> None:
        self._view = tree_view(design.topology)
        self._pitch, blocks = _blocks(self._view)
        right = max(block.left + block.width for block in blocks) if blocks else MARGIN_PT + GUTTER_PT
        others = (GAP_PT + OTHERS_PT) if self._view.others else 0.0
        top = LEAF_Y + LEAF_HEIGHT + TIER_STEP * len(self._view.tiers)
        self.canvas = Canvas(max(right + others + MARGIN_PT, 640.0), top + TITLE_HEIGHT + 14)
        self._x: dict[str, float] = {}
        self._colour: dict[str, str] = {}
        self._title(design)
        for block in blocks:
            self._block(block)
        if others:
            self._others(right + GAP_PT)
        self._tier_captions(design)
        lower = dict.fromkeys(self._x, LEAF_Y + LEAF_HEIGHT)
        for number, tier in enumerate(self._view.tiers):
            bottom = LEAF_Y + LEAF_HEIGHT + TIER_STEP * (number + 1) - TIER_HEIGHT
            shown = self._tier(tier, bottom, (MARGIN_PT + GUTTER_PT, right))
            self._trunks(lower, shown, bottom)
            self._trunk_caption(tier, bottom)
            lower = dict.fromkeys(shown, bottom + TIER_HEIGHT)
        self._legend()

    def _title(self, design: Design) -> None:
        y = self.canvas.height_pt - 26
        self.canvas.text((MARGIN_PT, y), design.name or "fabric", 15, ha="left", bold=True)
        self.canvas.text((MARGIN_PT, y - 19), _headline(self._view, design), 9, MUTED, ha="left")

    def _block(self, block: _Block) -> None:
        middle = block.left + block.width / 2
        if block.unit is None:
            more = f"{block.hidden} more units"
            for y in (LEAF_Y + LEAF_HEIGHT / 2, NODE_Y + NODE_HEIGHT / 2):
                self.canvas.text((middle, y + 8), "•  •  •", 12, MUTED)
                self.canvas.text((middle, y - 8), more, 8, MUTED)
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
            self.canvas.line([(middle, NODE_Y + NODE_HEIGHT), (middle, LEAF_Y)], colour, _width(links))
            if self._pitch >= LEAF_PITCHES_PT[2]:
                self.canvas.text((middle + 3, NODE_Y + NODE_HEIGHT + 14), f"×{links}", 6.5, MUTED, ha="left")
        self.canvas.box((left + 2, LEAF_Y), (width, LEAF_HEIGHT), colour)
        single = leaf.rail is not None and leaf.rail.isdigit()
        self._name((middle, LEAF_Y + LEAF_HEIGHT / 2), f"r{leaf.rail}" if single else leaf.name, width, "white")

    def _name(self, middle: tuple[float, float], name: str, width: float, colour: str) -> None:
        """A name in a box, upright where it is too long to lie."""
        flat = width / max(len(name), 1) / LETTER_RATIO
        if flat >= 6.5:  # noqa: PLR2004 -- the smallest letters that read well
            self.canvas.text(middle, name, min(9.0, flat), colour, bold=True)
        else:
            upright = min(8.0, (LEAF_HEIGHT - 4) / len(name) / LETTER_RATIO, width)
            self.canvas.text(middle, name, upright, colour, rotation=90)

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
                self.canvas.line(path, OTHER, _width(links))

    def _tier(self, tier: Sequence[Sequence[Device]], bottom: float, edges: tuple[float, float]) -> tuple[str, ...]:
        """Upper switches plane by plane across the sheet; the names shown."""
        room = (edges[1] - edges[0] - PLANE_GAP_PT * (len(tier) - 1)) / len(tier)
        rows = [folded(plane, max(int(room / SWITCH_PITCH_PT[0]) - 2, 2)) for plane in tier]
        shown: list[str] = []
        for number, (head, hidden, tail) in enumerate(rows):
            slots = len(head) + len(tail) + (3 if hidden else 0)
            pitch = min(room / slots, SWITCH_PITCH_PT[1])
            left = edges[0] + number * (room + PLANE_GAP_PT) + (room - pitch * slots) / 2
            for switch in head:
                left = self._switch(switch, left, bottom, pitch)
            if hidden:
                self.canvas.text((left + 1.5 * pitch, bottom + TIER_HEIGHT / 2 + 8), "•  •  •", 12, MUTED)
                self.canvas.text((left + 1.5 * pitch, bottom + TIER_HEIGHT / 2 - 8), f"{hidden} more", 8, MUTED)
                left += 3 * pitch
            for switch in tail:
                left = self._switch(switch, left, bottom, pitch)
            if len(tier) > 1:
                middle = edges[0] + number * (room + PLANE_GAP_PT) + room / 2
                self.canvas.text((middle, bottom + TIER_HEIGHT + 9), f"plane {number}", 8, MUTED)
            shown.extend(switch.name for switch in (*head, *tail))
        return tuple(shown)

    def _switch(self, switch: Device, left: float, bottom: float, pitch: float) -> float:
        self.canvas.box((left + 2, bottom), (pitch - 4, TIER_HEIGHT), SPINE)
        self._name((left + pitch / 2, bottom + TIER_HEIGHT / 2), switch.name, pitch - 4, INK)
        self._x[switch.name] = left + pitch / 2
        return left + pitch

    def _trunks(self, lower: Mapping[str, float], upper: Sequence[str], bottom: float) -> None:
        """One line for every shown pair with links."""
        wanted = set(upper)
        pairs = [(a, b, n) for (a, b), n in self._view.trunks.items() if a in lower and b in wanted]
        alpha = max(0.22, min(0.8, 60 / max(len(pairs), 1) ** 0.9))
        for a, b, links in pairs:
            ends = [(self._x[a], lower[a] + 18), (self._x[b], bottom)]
            self.canvas.line(ends, self._colour.get(a, MUTED), _width(links), alpha)

    def _trunk_caption(self, tier: Sequence[Sequence[Device]], bottom: float) -> None:
        """How many links run in parallel between one lower and one upper switch."""
        upper = {switch.name for plane in tier for switch in plane}
        counts = {links for (_, b), links in self._view.trunks.items() if b in upper}
        if counts:
            few, many = min(counts), max(counts)
            parallel = f"{few}" if few == many else f"{few} to {many}"
            y = bottom - (TIER_STEP - TIER_HEIGHT) / 2
            words = f"{parallel} parallel links per switch pair" if many > 1 else "1 link per switch pair"
            self.canvas.text((MARGIN_PT, y), words, 8.5, MUTED, ha="left")

    def _tier_captions(self, design: Design) -> None:
        """The left column: what each tier is made of, from the whole fabric."""
        rows = [
            ("node", NODE_Y + NODE_HEIGHT / 2, design.topology.with_role("node"), "node_leaf"),
            ("leaf", LEAF_Y + LEAF_HEIGHT / 2, design.topology.with_role("leaf", "router"), "leaf_spine"),
        ]
        for number, (upper, kind) in enumerate((("spine", "spine_core"), ("core", ""))[: len(self._view.tiers)]):
            y = LEAF_Y + LEAF_HEIGHT + TIER_STEP * (number + 1) - TIER_HEIGHT / 2
            rows.append((upper, y, design.topology.with_role(upper), kind))
        for role, y, devices, kind in rows:
            links = sum(self._view.drops.values()) if role == "node" else len(design.topology.of_kind(kind))
            self.canvas.text(
                (MARGIN_PT, y + 14), counted(len(devices), role, PLURALS.get(role)), 11, ha="left", bold=True
            )
            parts = sorted({device.part or "unknown part" for device in devices})
            self.canvas.text((MARGIN_PT, y), ", ".join(parts)[:34], 8.5, MUTED, ha="left")
            if links:
                rate = self._view.rates_gbps[kind]
                self.canvas.text((MARGIN_PT, y - 13), f"{links:,} links up, {rate} Gb/s", 8.5, MUTED, ha="left")

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


def _width(links: int) -> float:
    """Width of a line for some parallel links [pt]."""
    return 0.6 + 0.45 * min(links, 8)


def _headline(view: TreeView, design: Design) -> str:
    """What the picture shows, in one line."""
    endpoints = len(design.topology.of_kind("node_leaf", "node_router"))
    family = design.topology.family.replace("_", "-")
    tiers = f"{len(view.tiers) + 1}-tier {family}"
    planes = len(view.tiers[0]) if view.tiers else 1
    split = f" · {planes} planes" if planes > 1 else ""
    return f"compute fabric · {tiers}{split} · {counted(endpoints, 'node link')} · {counted(len(view.units), 'unit')}"
