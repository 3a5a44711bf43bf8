"""Tori: every router once, rings true to the links, blocks by their bundles, long rings folded."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.model.topology import Device, Link, Port, Topology
from fabric.render.canvas import GLOBAL, LOCAL
from fabric.render.topology_plot import topology_plot
from fabric.render.torus_grid import ROOM_PT, grid_of
from fabric.render.torus_plot import torus_plot
from fabric.render.torus_view import torus_view

SIZES = st.lists(st.integers(2, 12), min_size=1, max_size=5).filter(lambda sizes: math.prod(sizes) <= 3000)


def torus(sizes: list[int], widths: list[int], idle: int = 0) -> Topology:
    """A torus with one node on every router but the last few."""
    spots = list(product(*map(range, sizes)))
    name = {spot: f"router-{number + 1:04d}" for number, spot in enumerate(spots)}
    devices = [Device(name[s], "router", "model", rail="0+1", plane=0, group=n) for n, s in enumerate(spots)]
    ends: list[tuple[str, str, str]] = []
    for number in range(len(spots) - idle):
        devices.append(Device(f"node-{number:04d}", "node", "system"))
        ends.append(("node_router", f"node-{number:04d}", name[spots[number]]))
    for axis, (size, width) in enumerate(zip(sizes, widths, strict=True)):
        for spot in spots:
            if size > 2 or spot[axis] == 0:
                after = (*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])
                a, b = sorted((name[spot], name[after]))
                ends.extend([("torus", a, b)] * width)
    links = [
        Link(f"l{n}", kind, Port(a, "1", str(n)), Port(b, "1", str(n)), 400) for n, (kind, a, b) in enumerate(ends)
    ]
    words = "x".join(map(str, sizes)), "x".join(map(str, widths))
    return Topology("torus", {"sizes": words[0], "widths": words[1], "p": 1}, tuple(devices), tuple(links))


def texts(canvas) -> list[str]:
    """All words of a picture."""
    return [words for _, words, _ in canvas._texts]


def plotted(design):
    """The picture, and its view."""
    view = torus_view(design.topology)
    assert view is not None
    return torus_plot(design, view), view


def test_a_view_finds_every_link_where_it_belongs():
    """Links by pair of routers, counted here from the tables, are those that lead onward; others lie beside."""
    topology = torus([4, 3, 2], [3, 2, 1])
    stray = Link("stray", "torus", Port("router-0001", "9", "9"), Port("router-0012", "9", "9"), 400)
    topology = Topology("torus", topology.parameters, topology.devices, (*topology.links, stray))
    view = torus_view(topology)
    assert view is not None
    assert view.beside == 1
    found = Counter()
    for axis, size in enumerate(view.sizes):
        for spot, device in view.routers.items():
            after = (*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])
            if view.onward[(axis, *spot)]:
                found[frozenset({device.name, view.routers[after].name})] += int(view.onward[(axis, *spot)])
    torus_links = (link for link in topology.of_kind("torus") if link.name != "stray")
    assert found == Counter(frozenset({link.a.device, link.b.device}) for link in torus_links)


def test_a_link_into_another_plane_is_not_drawn(drawn_of):
    """Somebody's tables may have one; the plane that is drawn keeps its own."""
    topology = torus([3, 3], [1, 1])
    other = Device("router-p1", "router", "model", plane=1, group=0)
    stray = Link("stray", "torus", Port("router-p1", "1", "1"), Port("router-0001", "9", "9"), 400)
    canvas, view = plotted(
        drawn_of(Topology("torus", topology.parameters, (*topology.devices, other), (*topology.links, stray)))
    )
    assert (view.beside, int(view.onward.sum())) == (0, 18)
    assert any("others differ from it" in words for words in texts(canvas))


def test_without_sizes_or_places_there_is_no_grid():
    """Somebody's tables may lack them."""
    topology = torus([3, 3], [1, 1])
    assert torus_view(Topology("torus", {}, topology.devices, topology.links)) is None
    assert torus_view(Topology("torus", {"sizes": "2x2"}, topology.devices, topology.links)) is None


@pytest.mark.parametrize(
    ("sizes", "idle"), [([6], 1), ([9, 4], 0), ([2, 2], 0), ([4, 3, 3], 5), ([8, 8, 8], 12), ([5, 5, 4, 4], 0),
                        ([4, 4, 3, 3, 2, 2], 0), ([27, 3, 2], 0), ([200], 0), ([2] * 6, 3)],
)  # fmt: skip
def test_routers_are_drawn_once_and_nothing_leaves_the_sheet(sizes, idle, drawn_of, outside):
    """One square for each shown router, hollow without nodes."""
    canvas, view = plotted(drawn_of(torus(sizes, [1] * len(sizes), idle)))
    assert outside(canvas) == []
    grid = grid_of(sizes)
    shown = math.prod(len(axis.shown) for axis in grid.axes)
    sides = Counter(round(patch.get_width(), 6) for patch in canvas._boxes)
    assert sides[round(grid.cell_pt, 6)] == shown
    hollow = sum(patch.get_facecolor()[:3] == (1.0, 1.0, 1.0) for patch in canvas._boxes)
    if shown == math.prod(sizes):
        assert hollow == idle
    assert ("hollow" in texts(canvas)[-1]) == (idle > 0)
    assert view.beside == 0


def test_lines_of_a_ring_are_as_wide_as_its_links(drawn_of):
    """36 links to the next in one dimension and 12 in the other: three times as wide."""
    canvas, _ = plotted(drawn_of(torus([4, 3], [36, 12])))
    widths = Counter(round(width, 9) for _, colour, width, _ in canvas._curves if colour == LOCAL)
    # A line and two stubs a ring: three rings of four routers, four rings of three.
    assert sorted(widths.values()) == [9, 12]
    assert max(widths) == pytest.approx(3 * min(widths))
    assert widths[max(widths)] == 9


def test_a_missing_link_breaks_its_ring(drawn_of):
    """Without the only link between the second and the third router the line is drawn in two pieces."""
    topology = torus([5, 3], [1, 1])
    pair = {"router-0004", "router-0007"}
    kept = tuple(link for link in topology.links if {link.a.device, link.b.device} != pair)
    whole, _ = plotted(drawn_of(topology))
    cut, _ = plotted(drawn_of(Topology("torus", topology.parameters, topology.devices, kept)))
    assert len(cut._curves) == len(whole._curves) + 1
    assert "0 to 1 from a router to the next" in texts(cut)


def test_bundles_between_blocks_say_how_many_links_they_stand_for(drawn_of):
    """Eight panels of eight by eight with two links a pair lie in a loop of eight bundles of 128."""
    canvas, _ = plotted(drawn_of(torus([8, 8, 8], [2, 2, 2])))
    assert texts(canvas).count("×128") == 8
    bundles = [points for points, colour, _, _ in canvas._lines if colour == GLOBAL]
    # Each joins two panels side by side or above each other: none is longer than the space between them.
    assert [max(math.dist(points[0], points[-1]), 26) for points in bundles] == [26] * 8


@settings(max_examples=60, derandomize=True, deadline=None)
@given(SIZES)
def test_no_two_routers_overlap_and_all_fit(sizes):
    """Any grid: squares stand apart, within the room, and what is not shown is counted."""
    grid = grid_of(sizes)
    corners = [grid.corner(spot) for spot in grid.spots()]
    assert len(set(corners)) == math.prod(len(axis.shown) for axis in grid.axes)
    for (ax, ay), (bx, by) in combinations(sorted(corners)[:150], 2):
        assert max(abs(ax - bx), abs(ay - by)) >= grid.cell_pt + 1
    assert max(x for x, _ in corners) + grid.cell_pt <= ROOM_PT[0] + 1e-6
    assert max(y for _, y in corners) + grid.cell_pt <= ROOM_PT[1] + 1e-6
    for size, axis in zip(sizes, grid.axes, strict=True):
        assert len(axis.shown) + axis.hidden == size
        assert axis.shown[-1] == size - 1
        assert axis.hidden != 1


def test_ten_thousand_routers_fold_and_stay_small(drawn_of, outside):
    """100 by 100 routers: a gap in both dimensions, under a megabyte, the same bytes twice."""
    design = drawn_of(torus([100, 100], [1, 1]))
    canvas, _ = plotted(design)
    assert outside(canvas) == []
    assert sum(words.endswith(" more") for words in texts(canvas)) == 2
    # A line ends before a gap: the first and the last shown router are joined by none.
    axis = grid_of([100, 100]).axes[1]
    span = max(x for x, _ in axis.offsets) or max(y for _, y in axis.offsets)
    assert max(math.dist(path.vertices[0], path.vertices[-1]) for path, *_ in canvas._curves) < span
    svg = topology_plot(design)
    assert len(svg) < 1_000_000
    assert svg == topology_plot(design)
