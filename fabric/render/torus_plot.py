"""The grid of a torus: routers as squares, links to neighbours as lines, a stub at each end where a ring closes.

Dimensions beyond the second join whole blocks of routers: there one line stands for all links between two blocks.
"""

from __future__ import annotations

from fabric.model.design import Design
from fabric.render.canvas import FAINT, GLOBAL, INK, LEAF, LOCAL, MUTED, PAPER, Canvas, Point, rail_colour
from fabric.render.section import counted, of_role
from fabric.render.sheet import (
    GUTTER_PT,
    MARGIN_PT,
    TITLE_PT,
    attached_to,
    caption,
    gap,
    numbers,
    parts_of,
    rail_entries,
    ranged,
    title,
)
from fabric.render.torus_grid import ACROSS, PANEL, UP, grid_of
from fabric.render.torus_links import Links
from fabric.render.torus_view import Spot, TorusView

RIM_PT, LEGEND_PT, LEGEND_STEP_PT, NAME_PT = 44.0, 44.0, 86.0, 12.0
"""Room beside the frames for stubs and names of dimensions, for the legend, a word of it, and a line of names."""

NUMBERED_PT, LEAST_PT, CAPTION_PT = 17.0, 420.0, (200.0, 42.0)
"""Side from which on a router bears its number, least width of the picture, height of the captions and each more."""


def torus_plot(design: Design, view: TorusView) -> Canvas:
    """The picture of any torus."""
    return _Picture(design, view).canvas


class _Picture:
    """The grid, captions at its left."""

    def __init__(self, design: Design, view: TorusView) -> None:
        self._topology, self._view, self._grid = design.topology, view, grid_of(view.sizes)
        width, height = self._grid.extent
        turns = [axis.turn for axis in self._grid.axes]
        self._rim = RIM_PT + self._grid.axes[0].pad_pt + NAME_PT * max(turns.count(ACROSS), turns.count(UP))
        high = max(height + 2 * self._rim, CAPTION_PT[0] + CAPTION_PT[1] * len(view.sizes))
        wide = max(width + 2 * self._rim, LEAST_PT)
        self.canvas = Canvas(MARGIN_PT * 2 + GUTTER_PT + wide, LEGEND_PT + high + TITLE_PT)
        self._origin = (MARGIN_PT + GUTTER_PT + self._rim, LEGEND_PT + (high - height) / 2)
        title(self.canvas, design, self._headline())
        self._frames()
        Links(self.canvas, view, self._grid, self._origin).draw()
        for spot in self._grid.spots():
            self._router(spot)
        for axis in range(len(view.sizes)):
            self._axis_name(axis)
        self._captions()
        self._legend()

    def _at(self, spot: Spot) -> Point:
        """Lower left corner of a router or block."""
        x, y = self._grid.corner(spot)
        return self._origin[0] + x, self._origin[1] + y

    def _frames(self) -> None:
        """A frame round every block of two dimensions and more."""
        for axis, shape in enumerate(self._grid.axes):
            pad, (width, height) = shape.pad_pt, shape.block
            fill = PAPER if axis == len(self._view.sizes) - PANEL - 1 else "white"
            for spot in self._grid.spots(0, axis + 1) if pad else ():
                x, y = self._at(spot)
                self.canvas.ground((x - pad, y - pad), (width + 2 * pad, height + 2 * pad), fill, FAINT)

    def _router(self, spot: Spot) -> None:
        """A router in the colour of its rail, hollow where no node hangs below it."""
        device = self._view.routers.get(spot)
        if device is None:
            return
        cell, (x, y) = self._grid.cell_pt, self._at(spot)
        is_idle = not self._view.plane.endpoints.get(device.name, 0)
        fill, edge = ("white", MUTED) if is_idle else (rail_colour(device.rail, LEAF), "none")
        is_numbered = cell >= NUMBERED_PT
        self.canvas.box((x, y), (cell, cell), fill, edge, round_pt=2 if is_numbered else 0)
        if is_numbered:
            number = str((device.group or 0) + 1)
            colour = INK if fill in {LEAF, "white"} else "white"
            size = min(9.0, cell / max(len(number), 2) / 0.75)
            self.canvas.text((x + cell / 2, y + cell / 2), number, size, colour, bold=True)

    def _axis_name(self, axis: int) -> None:
        """Name and direction of a dimension outside of all frames, and dots where routers are left out."""
        shape, axes = self._grid.axes[axis], self._grid.axes
        (x, y), name = self._origin, f"dimension {axis + 1}"
        line = [one.turn for one in axes[axis + 1 :]].count(shape.turn)
        off = axes[0].pad_pt + 24 + NAME_PT * line
        if shape.turn == ACROSS:
            self.canvas.text((x, y - off), f"{name} →", 8, INK, ha="left", bold=True)
        elif shape.turn == UP:
            self.canvas.text((x - off, y), f"{name} →", 8, INK, va="bottom", rotation=90, bold=True)
        else:
            top = y + self._grid.extent[1] + axes[0].pad_pt + 22
            self.canvas.text((x, top), f"{name}: round from the upper left →", 8, INK, ha="left", bold=True)
        if shape.hidden:
            (ax, ay), (bx, by) = shape.offsets[-2:]
            half_x, half_y = shape.extent if shape.turn == UP else shape.block, shape.extent
            middle = x + (ax + bx + half_x[0]) / 2, y + (ay + by + (shape.block if shape.turn == UP else half_y)[1]) / 2
            gap(self.canvas, middle, f"{shape.hidden} more")

    def _captions(self) -> None:
        """The left column: totals of the whole fabric, rings of the plane that is drawn."""
        topology, view = self._topology, self._view
        nodes, routers = topology.with_role("node"), topology.with_role("router")
        below = topology.of_kind("node_router")
        y = self.canvas.height_pt - TITLE_PT - 20
        words = [parts_of(nodes), f"{len(below):,} node links, {ranged(link.rate_gbps for link in below)} Gb/s"]
        y = caption(self.canvas, (MARGIN_PT, y), of_role(len(nodes), "node"), words)
        idle = sum(not view.plane.endpoints.get(one.name, 0) for one in view.routers.values())
        words = [parts_of(routers), *([f"{idle:,} of a plane without nodes"] if idle else [])]
        y = caption(self.canvas, (MARGIN_PT, y), of_role(len(routers), "router"), words)
        links = topology.of_kind("torus")
        words = [f"{ranged(link.rate_gbps for link in links)} Gb/s"]
        words += [f"{view.beside:,} not between neighbours, not drawn"] if view.beside else []
        y = caption(self.canvas, (MARGIN_PT, y), counted(len(links), "link"), words)
        for axis, size in enumerate(view.sizes):
            used = view.onward[axis] if size > PANEL else view.onward[axis].take(0, axis)
            lines = [f"{ranged(used.ravel().tolist())} from a router to the next"]
            y = caption(self.canvas, (MARGIN_PT, y), f"dimension {axis + 1}: rings of {size}", lines)

    def _headline(self) -> str:
        links = len(self._topology.of_kind("node_router"))
        own = numbers(self._topology, {"sizes": "sizes", "widths": "widths", "p": "p"})
        words = ("compute fabric", "torus", own, f"{links:,} endpoints")
        more = (attached_to(self._topology), self._view.plane.words)
        return " · ".join(word for word in (*words, *more) if word)

    def _legend(self) -> None:
        routers = self._view.routers.values()
        entries = rail_entries(routers, "router, rail")
        if any("+" in (one.rail or "") for one in routers):
            entries.insert(0, (LEAF, "router"))
        entries.append((LOCAL, "links"))
        if len(self._view.sizes) > PANEL:
            entries.append((GLOBAL, "between blocks"))
        self.canvas.legend((MARGIN_PT, 18), entries, step_pt=LEGEND_STEP_PT)
        note = "a stub at each end: there the ring closes · thicker: more links"
        note += " · hollow: no nodes" if any(not self._view.plane.endpoints.get(one.name) for one in routers) else ""
        self.canvas.text((MARGIN_PT + LEGEND_STEP_PT * len(entries) + 8, 18), note, 8, MUTED, ha="left")
