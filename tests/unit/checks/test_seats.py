"""Which end of a cable sits in which cage."""

from __future__ import annotations

from types import SimpleNamespace

from fabric.catalog.parts import CableEnd, CablePart
from fabric.checks._cages import CageKind
from fabric.checks._seats import HEAD, Seating
from fabric.model.cabling import Cable
from fabric.model.topology import Link, Port


def part(head, *tails):
    """A copper cable with ends of (top, ports)."""
    ends = [CableEnd(form_factor="osfp", top=top, ports=ports) for top, ports in (head, *tails)]
    return CablePart(
        name="made up",
        vendor="test",
        sources=("test",),
        confidence="estimate",
        medium="dac",
        length_m=1.0,
        link_layers=("ethernet",),
        head=ends[0],
        tails=tuple(ends[1:]),
    )


def kind(side, top):
    """A twin-port cage of 400G ports."""
    return CageKind(side, "any", "osfp", top, rate_gbps=400, lane_gbps=100, ports=2)


SWITCH, NODE, OTHER = ("leaf", "1"), ("n1", "NIC1"), ("n2", "NIC1")
KINDS = {SWITCH: kind("switch", "finned"), NODE: kind("node", "flat"), OTHER: kind("node", "flat")}
CABLE = Cable("c", "p", "p", "dac", 1.0, 1.0)


def link(a, b, number=1):
    """A link between two cages."""
    return Link(f"{a[0]}.{number}", "node_leaf", Port(*a, f"a{number}"), Port(*b, f"b{number}"), 400)


def seats(cable_part, *links):
    """Seats as (end, cage, links)."""
    seating = Seating(SimpleNamespace(cables={"p": cable_part}, transceivers={}), KINDS, {})
    return [(seat.end, seat.cage, seat.links_count) for seat in seating.seats(CABLE, links)]


def test_splitter_has_its_head_where_the_links_meet():
    """Two links of one leaf cage to two nodes: the head is in the leaf."""
    splitter = part(("finned", 2), ("flat", 1), ("flat", 1))
    expected = [(HEAD, SWITCH, 2), (0, NODE, 1), (1, OTHER, 1)]
    assert seats(splitter, link(NODE, SWITCH, 1), link(OTHER, SWITCH, 2)) == expected


def test_single_leg_turns_to_the_cage_that_it_fits():
    """One leg linked: both cages could hold the head, and its finned top says which."""
    splitter = part(("finned", 2), ("flat", 1), ("flat", 1))
    expected = [(HEAD, SWITCH, 1), (0, NODE, 1)]
    assert seats(splitter, link(NODE, SWITCH)) == expected
    assert seats(splitter, link(SWITCH, NODE)) == expected


def test_straight_cable_does_not_reach_three_cages():
    """Two links that share only one cage are no work for a cable with two ends."""
    straight = part(("finned", 2), ("flat", 2))
    assert seats(straight, link(NODE, SWITCH, 1), link(OTHER, SWITCH, 2)) == []


def test_links_without_a_common_cage_have_no_seats():
    """Nothing to hold a head."""
    splitter = part(("finned", 2), ("flat", 1), ("flat", 1))
    assert seats(splitter, link(NODE, SWITCH, 1), link(OTHER, ("leaf", "2"), 2)) == []
