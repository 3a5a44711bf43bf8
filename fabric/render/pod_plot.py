"""Pods side by side, leaves below spines in each, and cores on top in blocks that join the same spines of all pods.

One line stands for all links of a spine to a block, so that a hundred thousand links stay readable.
"""

from __future__ import annotations

from fabric.model.design import Design
from fabric.model.request import FAMILY_WORDS
from fabric.render.canvas import CORE, FAINT, GLOBAL, INK, MUTED, NODE, PAPER, SPINE, Canvas, rail_colour
from fabric.render.pod_view import Pod, pod_view
from fabric.render.section import counted, of_role
from fabric.render.sheet import (
    CONTENT_PT,
    GUTTER_PT,
    MARGIN_PT,
    TITLE_PT,
    attached_to,
    caption,
    gap,
    link_width,
    mesh_alpha,
    name_in,
    parts_of,
    rail_entries,
    ranged,
    row_of,
    title,
)
from fabric.render.tree_view import folded, span

LEFT_PT, GAP_PT, FOLD_PT, PAD_PT, POD_PT = MARGIN_PT + GUTTER_PT, 28.0, 96.0, 10.0, (190.0, 420.0)
"""Where pods begin, between them, a gap of folded ones, round the switches of one, least and greatest width of one."""

NODE_Y, NODE_HEIGHT, LEAF_Y, SPINE_Y, CORE_Y, HEIGHT = 66.0, 40.0, 164.0, 314.0, 500.0, 48.0
BLOCK_PT = (56.0, 150.0)
"""Least and greatest distance of blocks of cores."""

TRUNK_PT, LINK_PT = 3.5, 0.9
"""Widest line between a spine and a block, and greatest width of a single link in it."""


def pod_plot(design: Design) -> Canvas:
    """The picture of any tree with cores."""
    return _Picture(design).canvas


class _Picture:
    """Pods and blocks that fit, the others folded; totals at the left are those of the whole fabric."""

    def __init__(self, design: Design) -> None:
        self._topology = design.topology
        self._view = view = pod_view(design.topology)
        most = int((CONTENT_PT - FOLD_PT) / (POD_PT[0] + GAP_PT))
        head, hidden, tail = folded(view.pods, most)
        shown = len(head) + len(tail)
        room = CONTENT_PT - (FOLD_PT + GAP_PT if hidden else 0.0)
        self._pod_pt = min(POD_PT[1], (room - GAP_PT * (shown - 1)) / max(shown, 1))
        self._right = LEFT_PT + shown * self._pod_pt + GAP_PT * (shown - 1) + (FOLD_PT + GAP_PT if hidden else 0.0)
        self._x: dict[str, float] = {}
        self.canvas = Canvas(self._right + PAD_PT + MARGIN_PT, CORE_Y + HEIGHT + TITLE_PT + 24)
        title(self.canvas, design, self._headline())
        left = LEFT_PT
        for place, pod in enumerate((*head, *tail)):
            if hidden and place == len(head):
                gap(self.canvas, (left + FOLD_PT / 2, (NODE_Y + SPINE_Y + HEIGHT) / 2), counted(hidden, "more pod"))
                left += FOLD_PT + GAP_PT
            self._pod(pod, left)
            left += self._pod_pt + GAP_PT
        self._cores([*head, *tail])
        self._captions()
        self._legend()

    def _pod(self, pod: Pod, left: float) -> None:
        """Frame, nodes, leaves and spines, and a line for every two shown switches with links."""
        canvas, width, middle = self.canvas, self._pod_pt, left + self._pod_pt / 2
        low, top = NODE_Y - 24, SPINE_Y + HEIGHT + PAD_PT
        canvas.ground((left - PAD_PT, low), (width + 2 * PAD_PT, top - low), PAPER, FAINT)
        canvas.text((middle, NODE_Y - 12), pod.name, 9, INK, bold=True)
        canvas.box((left, NODE_Y), (width, NODE_HEIGHT), NODE, round_pt=3)
        canvas.text((middle, NODE_Y + NODE_HEIGHT / 2), counted(pod.nodes, "node"), 9, bold=True)
        leaves = row_of(canvas, pod.leaves, (left, LEAF_Y), (width, HEIGHT))
        spines = row_of(canvas, pod.spines, (left, SPINE_Y), (width, HEIGHT), SPINE)
        colours = {leaf.name: rail_colour(leaf.rail) for leaf in pod.leaves}
        for leaf, x in leaves.items():
            links = self._view.plane.endpoints.get(leaf, 0)
            if links:
                canvas.line([(x, NODE_Y + NODE_HEIGHT), (x, LEAF_Y)], colours[leaf], link_width(links))
                canvas.text((x + 3, NODE_Y + NODE_HEIGHT + 10), f"×{links}", 6.5, MUTED, ha="left")
        pairs = self._view.plane.pairs
        lines = [(leaf, spine) for leaf in leaves for spine in spines if pairs.get((leaf, spine))]
        for leaf, spine in lines:
            ends = [(leaves[leaf], LEAF_Y + HEIGHT), (spines[spine], SPINE_Y)]
            canvas.line(ends, colours[leaf], link_width(pairs[leaf, spine]), mesh_alpha(len(lines)))
        self._x |= spines

    def _cores(self, pods: list[Pod]) -> None:
        """Blocks of cores that shown spines have links to, across the sheet."""
        spines = {spine.name for pod in pods for spine in pod.spines if spine.name in self._x}
        joined = sorted({number for spine, number in self._view.trunks if spine in spines})
        width = self._right - LEFT_PT
        head, hidden, tail = folded(joined, max(int(width / BLOCK_PT[0]) - 2, 2))
        if not hidden and len(joined) < len(self._view.blocks):
            head, tail = joined[:-1], joined[-1:]
        hidden = len(self._view.blocks) - len(head) - len(tail)
        slots = len(head) + len(tail) + (2 if hidden else 0)
        pitch = min(width / max(slots, 1), BLOCK_PT[1])
        left = LEFT_PT + (width - pitch * slots) / 2
        spot: dict[int, float] = {}
        for place, number in enumerate((*head, *tail)):
            if hidden and place == len(head):
                gap(self.canvas, (left + pitch, CORE_Y + HEIGHT / 2), counted(hidden, "more block"))
                left += 2 * pitch
            self._block([core.name for core in self._view.blocks[number]], left, pitch)
            spot[number] = left + pitch / 2
            left += pitch
        self._trunks(spines, spot)

    def _trunks(self, spines: set[str], spot: dict[int, float]) -> None:
        """A line from every shown spine to every shown block that it has links to."""
        trunks = {pair: links for pair, links in self._view.trunks.items() if pair[0] in spines and pair[1] in spot}
        unit = min(TRUNK_PT / max(trunks.values(), default=1), LINK_PT)
        for (spine, number), links in trunks.items():
            start, end = (self._x[spine], SPINE_Y + HEIGHT), (spot[number], CORE_Y)
            middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            self.canvas.curve((start, middle, end), GLOBAL, unit * links, mesh_alpha(len(trunks)))

    def _block(self, names: list[str], left: float, pitch: float) -> None:
        """Cores with the same neighbours in one box."""
        middle, width = left + pitch / 2, pitch - 6
        self.canvas.box((left + 3, CORE_Y), (width, HEIGHT), CORE)
        if len(names) == 1:
            name_in(self.canvas, (middle, CORE_Y + HEIGHT / 2), (width, HEIGHT), names[0], INK)
            return
        words = span(names)
        name_in(self.canvas, (middle, CORE_Y + HEIGHT - 15), (width, HEIGHT / 2), f"{len(names)} cores", INK)
        self.canvas.text((middle, CORE_Y + 13), words, min(7.0, width / len(words) / 0.62), INK)

    def _captions(self) -> None:
        """The left column, tier by tier."""
        topology, view = self._topology, self._view
        below = topology.of_kind("node_leaf", "node_router")
        rows = [("node", NODE_Y + NODE_HEIGHT / 2, below)]
        rows.append(("leaf", LEAF_Y + HEIGHT / 2, topology.of_kind("leaf_spine")))
        rows.append(("spine", SPINE_Y + HEIGHT / 2, topology.of_kind("spine_core")))
        rows.append(("core", CORE_Y + HEIGHT / 2, ()))
        for role, y, up in rows:
            devices = topology.with_role(role)
            lines = [parts_of(devices)]
            if up:
                lines.append(f"{len(up):,} links up, {ranged(link.rate_gbps for link in up)} Gb/s")
            caption(self.canvas, (MARGIN_PT, y + 14), of_role(len(devices), role), lines)
        roles = topology.device
        trunks = ranged(n for (a, b), n in view.plane.pairs.items() if roles[b].role == "spine" and roles[a].is_edge)
        cores = ranged(n for (a, b), n in view.plane.pairs.items() if roles[b].role == "core")
        for y, few_many, pair in ((LEAF_Y, trunks, "leaf and spine"), (SPINE_Y, cores, "spine and core")):
            at = (MARGIN_PT, y + HEIGHT + (SPINE_Y - LEAF_Y - HEIGHT if y == LEAF_Y else CORE_Y - y - HEIGHT) / 2)
            self.canvas.text(at, f"{few_many} between {pair}", 8.5, MUTED, ha="left")

    def _headline(self) -> str:
        topology, view = self._topology, self._view
        links = len(topology.of_kind("node_leaf", "node_router"))
        family = FAMILY_WORDS.get(topology.family, topology.family)
        pods, blocks = counted(len(view.pods), "pod"), counted(len(view.blocks), "block")
        words = ("compute fabric", f"3-tier {family}", pods, f"{blocks} of cores", f"{links:,} endpoints")
        return " · ".join(word for word in (*words, attached_to(topology), view.plane.words) if word)

    def _legend(self) -> None:
        leaves = [leaf for pod in self._view.pods for leaf in pod.leaves]
        entries = rail_entries(leaves, "rail")
        self.canvas.legend((MARGIN_PT, 18), entries, step_pt=62)
        note = "thicker lines: more parallel links · a line to a block: all links of a spine to its cores"
        self.canvas.text((MARGIN_PT + 62 * len(entries) + 8, 18), note, 8, MUTED, ha="left")
