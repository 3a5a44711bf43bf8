"""Cuts of tray graphs, worked out by hand."""

from __future__ import annotations

import pytest

from fabric.floorplan.cuts import Cut, cuts
from fabric.model.floorplan import TrayDrop, TrayNode, Trays, TraySegment


def graph(*segments, drops):
    """Tray nodes in one line, joined by segments such as "ab" of 1 mm² each, with drops such as "Xa" (rack, node)."""
    names = sorted({name for segment in segments for name in segment})
    return Trays(
        nodes=tuple(TrayNode(name=name, x_m=x_m, y_m=0.0, z_m=2.9) for x_m, name in enumerate(names)),
        segments=tuple(TraySegment(a=a, b=b, width_mm=2, depth_mm=1, fill_max=0.5) for a, b in segments),
        drops=tuple(TrayDrop(rack=rack, node=node) for rack, node in drops),
    )


def test_each_node_and_both_sides_of_each_bridge_are_cut_off():
    """A ring of three with a tail: one bridge; a rack with drops on both of its sides is inside of neither."""
    found = cuts(graph("ab", "bc", "ca", "cd", drops=("Xa", "Yb", "Zd", "Wa", "Wd")))
    alone = [
        Cut(frozenset("X"), frozenset("XW"), 2.0, "a > b, a > c"),
        Cut(frozenset("Y"), frozenset("Y"), 2.0, "a > b, b > c"),
        Cut(frozenset(), frozenset(), 3.0, "a > c, b > c, c > d"),
        Cut(frozenset("Z"), frozenset("ZW"), 1.0, "c > d"),
    ]
    bridge = [
        Cut(frozenset("XY"), frozenset("XYW"), 1.0, "c > d"),
        Cut(frozenset("Z"), frozenset("ZW"), 1.0, "c > d"),
    ]
    assert found == (*alone, *bridge)


def test_trays_beside_each_other_are_one_way_out():
    """Their room adds up, whichever end is named first."""
    found = cuts(graph("ab", "ba", drops=("Xa", "Yb")))
    assert [cut.limit_mm2 for cut in found] == pytest.approx([2.0] * 4)
    assert {cut.name for cut in found} == {"a > b"}


def test_ladders_have_no_cuts():
    """Without a graph no tray has a width."""
    assert cuts(Trays()) == ()
