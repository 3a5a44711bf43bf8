"""Room in trays: thinner assemblies where the cheapest do not fit, on as few cables as that takes."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from fabric.floorplan.routes import Routes
from fabric.layout.cable import cable
from fabric.layout.ties import squared_um
from fabric.model.floorplan import FloorPlan, Rack, Slack, TrayDrop, TrayNode, Trays, TraySegment
from fabric.model.placement import Placement, Position

COPPER_MM2, FIBRE_MM2 = math.pi / 4 * 9.43**2, math.pi / 4 * 3.0**2

PAIRS = ("n1:A l1:1", "n2:A l1:1", "n3:A l1:2", "n4:A l1:2")
"""Two cages of a leaf with two nodes each: a splitter of 180 USD each, or two fibres and modules for 1,560 USD."""

SPLITTERS, FIBRES = {"split-3": 2}, {"om3-3": 4, "sr4-twin": 2, "sr4": 4}


@pytest.fixture
def trays(bench):
    """The bench with diameters of copper and fibre; cables nodes in one rack to a leaf in the next, over one tray."""

    def run(room_mm2, request=None, topology=None):
        topology = topology or bench.topology(*PAIRS)
        at = {"west": ("W", 0.0), "east": ("E", 0.5)}
        trays = Trays(
            nodes=tuple(TrayNode(name=node, x_m=x_m, y_m=0.0, z_m=0.5) for node, (_, x_m) in at.items()),
            segments=(TraySegment(a="east", b="west", width_mm=room_mm2 / 50, depth_mm=100),),
            drops=tuple(TrayDrop(rack=rack, node=node) for node, (rack, _) in at.items()),
        )
        racks = tuple(Rack(name=rack, x_m=x_m, y_m=0.0, units=10) for rack, x_m in at.values())
        plan = FloorPlan(racks=racks, trays=trays, slack_per_end_m=Slack(copper=0.0, fibre=0.0))
        units = {"W": iter(range(1, 10)), "E": iter(range(1, 10))}
        side = {device.name: "W" if device.role == "node" else "E" for device in topology.devices}
        positions = tuple(Position(name, rack, next(units[rack]), 1) for name, rack in side.items())
        return cable(topology, Placement(positions), Routes(plan), request or bench.request(), bench.catalog)

    for key, part in bench.cables.items():
        diameter_mm = 3.0 if part.medium in {"mmf", "smf"} else 9.43
        bench.cables[key] = part.model_copy(update={"outer_diameter_mm": diameter_mm})
    return run


def bought(cabling):
    """How many of each part."""
    return Counter(each.part for each in (*cabling.cables, *cabling.pluggables))


def test_the_cheapest_cables_that_fit_are_bought_as_without_trays(trays):
    """Room for two splitters to the last bit is room enough, and no program is asked."""
    found = trays(2 * COPPER_MM2)
    assert bought(found) == SPLITTERS
    assert found.termination is None


def test_only_as_many_cables_are_thinner_as_that_takes(trays):
    """Room for a splitter and two fibres: one pair of nodes on copper, the other on fibres; it is the best there is."""
    mixed = {"split-3": 1, "om3-3": 2, "sr4-twin": 1, "sr4": 2}
    for room_mm2 in (COPPER_MM2 + 2 * FIBRE_MM2, 2 * COPPER_MM2 - 0.01):
        found = trays(room_mm2)
        assert bought(found) == mixed
        assert found.termination.status == "optimal"
        assert found.termination.objective == found.termination.bound == 18000 + 156000
    assert bought(trays(COPPER_MM2 + 2 * FIBRE_MM2 - 0.01)) == FIBRES
    assert bought(trays(4 * FIBRE_MM2)) == FIBRES


def test_where_nothing_fits_the_cheapest_is_bought(trays):
    """Four fibres are the thinnest; without room for them the judge will say so of the cheapest cabling."""
    found = trays(4 * FIBRE_MM2 - 0.01)
    assert bought(found) == SPLITTERS
    assert found.termination is None


def test_a_cable_of_unknown_diameter_is_no_way_out(trays, bench):
    """Fibres whose diameter nobody gave are not taken for thin ones; where all are unknown, none counts."""
    for key, part in bench.cables.items():
        if part.medium in {"mmf", "smf"}:
            bench.cables[key] = part.model_copy(update={"outer_diameter_mm": None})
    assert bought(trays(COPPER_MM2)) == SPLITTERS
    bench.cables |= {key: part.model_copy(update={"outer_diameter_mm": None}) for key, part in bench.cables.items()}
    assert bought(trays(1.0)) == SPLITTERS


def test_numbers_and_trays_are_kept_together(trays, bench):
    """Room for a splitter and two fibres, and five numbers: the mixture has four and the switch."""
    request = bench.request()
    for limit, parts in ((5, 4), (4, 3)):
        limits = request.limits.model_copy(update={"part_numbers": limit})
        found = trays(COPPER_MM2 + 2 * FIBRE_MM2, request.model_copy(update={"limits": limits}))
        assert len(bought(found)) == parts
    assert bought(found) == FIBRES


def test_a_splitter_lies_in_a_tray_once(trays, bench):
    """Room for one splitter is room for both of its legs."""
    assert bought(trays(COPPER_MM2, topology=bench.topology(*PAIRS[:2]))) == {"split-3": 1}


def test_diameters_are_squared_as_whole_micrometres(bench):
    """9.43 mm is 9,430 um; a fraction of a micrometre is rounded up, so that no room is promised that is not there."""
    part = bench.cables["dac-1"]
    assert squared_um(part) is None
    for diameter_mm, um in ((9.43, 9430), (3.0, 3000), (3.1754, 3176)):
        assert squared_um(part.model_copy(update={"outer_diameter_mm": diameter_mm})) == um**2
