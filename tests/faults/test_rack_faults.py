"""Racks, places and policies broken in one place each."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fabric.checks import CheckContext, run
from fabric.model.floorplan import TrayDrop, TrayNode, Trays, TraySegment

NODE = "node-0001"


def _rack_of(made, device):
    return made.placement.of[device].rack


def test_device_in_no_rack(roce, judge):
    """A node whose row names no rack."""
    positions = tuple(each for each in roce.placement.positions if each.device != NODE)
    broken = replace(roce, placement=replace(roce.placement, positions=positions))
    judge.only("rack-space", NODE, broken)


def test_rack_that_the_plan_lacks(roce, judge, edit):
    """A node in a rack that no floor plan has."""
    judge.only("rack-space", NODE, edit.places(roce, {NODE: {"rack": "Z99"}}))


def test_two_devices_in_one_place(roce, judge, edit):
    """A node put on top of its neighbour."""
    there = roce.placement.of["node-0002"]
    broken = edit.loose(edit.places(roce, {NODE: {"rack": there.rack, "u": there.u}}))
    found = judge.only("rack-space", "node-0002", broken)
    assert NODE in found.message


def test_device_over_the_top(roce, judge, edit):
    """A rack cut down to 40 units under a leaf that stands above."""
    position = roce.placement.of["leaf-su01-r0"]
    assert position.u > 40
    found = judge.only("rack-space", "leaf-su01-r0", edit.rack(roce, position.rack, units=40))
    assert found.limit == 40


def test_device_in_blocked_units(roce, judge, edit):
    """Units that hold something else."""
    position = roce.placement.of[NODE]
    judge.only("rack-space", NODE, edit.rack(roce, position.rack, blocked_u=((position.u, position.u),)))


def test_device_lower_than_its_part(roce, judge, edit, catalog):
    """A leaf of 4 U in a row that says 2."""
    found = judge.only(
        "rack-space", "leaf-su01-r0", roce, edit.part(catalog, "switches", "chaoqing-n9500-64oc", rack_units=4)
    )
    assert (found.measured, found.limit) == (2, 4)


def test_node_in_a_network_rack(roce, judge, edit):
    """A rack for the network alone holds no node."""
    judge.only("rack-use", NODE, edit.rack(roce, _rack_of(roce, NODE), use="network"))


def test_switch_in_a_node_rack(roce, judge, edit):
    """A rack for nodes alone holds no switch."""
    judge.only("rack-use", "leaf-su01-r0", edit.rack(roce, _rack_of(roce, "leaf-su01-r0"), use="node"))


def test_more_nodes_than_the_rack_may_hold(roce, judge, edit):
    """The floor plan says one node for this rack."""
    rack = _rack_of(roce, NODE)
    assert judge.only("rack-use", rack, edit.rack(roce, rack, nodes=1)).limit == 1


def test_part_of_a_whole_rack(roce, judge, edit, catalog):
    """Nodes that come in racks of 18 at fixed places, standing in fours elsewhere."""
    changed = edit.part(
        catalog,
        "systems",
        "hgx-b200",
        whole_rack=True,
        nodes_per_rack=18,
        rack_kw=100.0,
        rack_first_u=tuple(range(1, 19)),
    )
    found = judge.only("rack-use", _rack_of(roce, NODE), roce, changed)
    assert (found.measured, found.limit) == (4, 18)


def test_rack_over_its_power(roce, judge, edit):
    """Four nodes in a rack of 5 kW."""
    rack = _rack_of(roce, NODE)
    found = judge.only("rack-power", rack, edit.rack(roce, rack, power_kw=5.0))
    assert found.limit == 5000.0


def test_reserved_power_is_not_for_devices(roce, judge, edit):
    """What is reserved counts against the rack's limit."""
    rack = _rack_of(roce, NODE)
    judge.only("rack-power", rack, edit.rack(roce, rack, reserved_kw=59.0))


def test_air_cooled_node_in_a_liquid_rack(roce, judge, edit):
    """An air-cooled node where only liquid is offered."""
    judge.only("cooling-feed", NODE, edit.rack(roce, _rack_of(roce, NODE), cooling="liquid"))


def test_feed_that_the_rack_has_not(roce, judge, edit):
    """A switch on alternating current in a rack with direct current."""
    judge.only("cooling-feed", "leaf-su01-r0", edit.rack(roce, _rack_of(roce, "leaf-su01-r0"), feed="dc"))


def test_all_spines_in_one_rack(make, judge):
    """The placement that is cheapest puts all spines together; the judge says so."""
    text = """
name: together
accelerator: hgx-h100
nodes: 96
fabric: {family: fat_tree, link_layer: infiniband, switches: nvidia-qm9700, node_ports: 1}
"""
    made = make(text)
    racks = {made.placement.of[spine.name].rack for spine in made.topology.with_role("spine")}
    assert len(racks) == 1
    judge.only("spine-diversity", racks.pop(), made, severity="warning")


def test_more_switches_than_a_rack_may_hold(roce, judge, edit):
    """One switch a rack is the limit, and there are more."""
    rack = _rack_of(roce, "leaf-su01-r0")
    broken = edit.request(roce, placement={"max_switches_per_rack": 1})
    judge.only("placement-policy", rack, broken)


def test_leaf_outside_network_racks(roce, judge, edit):
    """Leaves belong into network racks, and this one stands in a rack for anything."""
    broken = edit.rack(roce, _rack_of(roce, "leaf-su01-r0"), use="any")
    judge.only("placement-policy", "leaf-su01-r0", edit.request(broken, placement={"leaf": "network_rack"}))


def test_leaf_away_from_its_nodes(roce, judge, edit):
    """A leaf must stand with its nodes, and stands among switches alone."""
    nodes = {_rack_of(roce, node.name) for node in roce.topology.with_role("node")}
    away = [leaf.name for leaf in roce.topology.with_role("leaf") if _rack_of(roce, leaf.name) not in nodes]
    judge.only("placement-policy", min(away), edit.request(roce, placement={"leaf": "own_rack"}))


def test_spine_outside_a_network_row(roce, judge, edit):
    """Spines belong into rows of network racks alone."""
    judge.only("placement-policy", "spine-01", edit.request(roce, placement={"spine": "network_row"}))


def test_leaf_at_the_wrong_end_of_its_row_is_a_warning(roce, judge, edit):
    """Where leaves are wished at one end of the row, the middle is told, and the other way round."""
    warned = set()
    for policy in ("row_middle", "row_end"):
        findings = judge.findings(edit.request(roce, placement={"leaf": policy}))
        assert [each for each in findings if each.severity == "error"] == []
        warned |= {each.where for each in findings if each.rule == "placement-policy"}
    assert warned == {leaf.name for leaf in roce.topology.with_role("leaf")}


@pytest.mark.parametrize("policy", ["row_middle", "row_end"])
def test_row_of_one_rack_is_middle_and_end(policy, roce, judge, edit):
    """Every rack in a row of its own: no leaf stands in the wrong place of its row."""
    alone = roce
    for number, rack in enumerate(roce.floor_plan.all_racks):
        alone = edit.rack(alone, rack.name, row=f"row{number}")
    findings = judge.findings(edit.request(alone, placement={"leaf": policy}))
    assert "placement-policy" not in {each.rule for each in findings}


def test_moved_nodes_are_named_before_their_cables(roce, judge, edit):
    """Two nodes changed places after their cables were made: one is now too far, the other nearer than it was."""
    far, near = "node-0024", NODE
    here, there = roce.placement.of[far], roce.placement.of[near]
    places = {far: {"rack": there.rack, "u": there.u}, near: {"rack": here.rack, "u": here.u}}
    broken = edit.places(roce, places)
    assert judge.only("route-length", far, broken).message == (
        f"8 cables of {far} do not fit its place: it stands in {there.rack} U {there.u}; was it moved?"
    )
    found = [each for each in judge.findings(broken) if each.rule == "route-length"]
    assert [each.where for each in found if each.severity == "error"][0::8] == [far, _cables(roce, far)[-1]]
    assert [each.where for each in found if each.severity == "warning"][0::8] == [near, _cables(roce, near)[-1]]


def _cables(made, device):
    """Names of the cables of a node in order."""
    return sorted(name for link, name in made.cabling.cable_of.items() if link.startswith(f"{device}."))


def test_device_with_a_cable_that_fits_was_not_moved(roce, judge, edit):
    """Of the 8 cables of a node 7 are wrong: each is named, and the node is not."""
    names = _cables(roce, NODE)
    broken = edit.cables(roce, {name: {"route_m": 1.0} for name in names[1:]})
    judge.only("route-length", names[1], broken)
    assert [each.where for each in judge.findings(broken) if each.rule == "route-length"] == names[1:]


def test_wrong_routes_everywhere_name_no_device(roce, judge, edit):
    """Where both ends of every cable look moved, no device is accused."""
    broken = edit.cables(roce, {cable.name: {"route_m": 1.0} for cable in roce.cabling.cables})
    named = {each.where for each in judge.findings(broken) if each.rule == "route-length"}
    assert named.isdisjoint(roce.topology.device)


def _on_one_tray(made, edit, **size):
    """The design in a hall too small to matter, half of its racks at either end of one tray, and the cables across."""
    racks = tuple(
        rack.model_copy(update={"x_m": number / 1000, "y_m": 0.0})
        for number, rack in enumerate(made.floor_plan.all_racks)
    )
    node_of = {rack.name: "west" if number < len(racks) // 2 else "east" for number, rack in enumerate(racks)}
    trays = Trays(
        nodes=(TrayNode(name="west", x_m=0, y_m=0, z_m=2.9), TrayNode(name="east", x_m=0.1, y_m=0, z_m=2.9)),
        segments=(TraySegment(a="west", b="east", **size),),
        drops=tuple(TrayDrop(rack=rack, node=node) for rack, node in node_of.items()),
    )
    side = {each.device: node_of[each.rack] for each in made.placement.positions}
    across = [
        made.cabling.cable_of[link.name] for link in made.topology.links if side[link.a.device] != side[link.b.device]
    ]
    plan = made.floor_plan.model_copy(update={"racks": racks, "rows": (), "trays": trays})
    return replace(edit.loose(made), floor_plan=plan), across


def test_tray_with_more_cables_than_it_takes(roce, judge, edit):
    """Fibres of 3.0 mm (DGX H100 data centre design) in trays of a little more and a little less than they need."""
    _, across = _on_one_tray(roce, edit)
    area_mm2 = len(across) * math.pi / 4 * 3.0**2
    wide, _ = _on_one_tray(roce, edit, width_mm=area_mm2 / 50 + 0.1, depth_mm=100, fill_max=0.5)
    assert [each for each in judge.findings(wide) if each.severity == "error"] == []
    exact, _ = _on_one_tray(roce, edit, width_mm=area_mm2 / 50, depth_mm=100, fill_max=0.5)
    assert [each for each in judge.findings(exact) if each.rule == "tray-fill"] == []
    narrow, _ = _on_one_tray(roce, edit, width_mm=area_mm2 / 50 - 0.1, depth_mm=100, fill_max=0.5)
    found = judge.only("tray-fill", "west > east", narrow)
    assert (found.measured, found.limit) == pytest.approx((area_mm2, area_mm2 - 5), abs=0.05)
    assert found.message.startswith(f"{len(across)} cables take ")


def test_splitter_lies_in_a_tray_once(split, judge, edit):
    """A cable whose two legs both cross a tray is one cable there."""
    _, across = _on_one_tray(split, edit)
    assert len(set(across)) < len(across)
    narrow, _ = _on_one_tray(split, edit, width_mm=1, depth_mm=1)
    assert judge.only("tray-fill", "west > east", narrow).message.startswith(f"{len(set(across))} cables take ")


def test_trays_beside_each_other_share_their_cables(roce, judge, edit):
    """Two trays of half the size between the same nodes take as much as one."""
    one, across = _on_one_tray(roce, edit, width_mm=1000, depth_mm=100)
    half = TraySegment(a="east", b="west", width_mm=len(across) * 3.0**2 * math.pi / 400 + 0.1, depth_mm=100)
    for segments, fits in (((half, half), True), ((half,), False)):
        trays = one.floor_plan.trays.model_copy(update={"segments": segments})
        made = replace(one, floor_plan=one.floor_plan.model_copy(update={"trays": trays}))
        assert ("tray-fill" not in {each.rule for each in judge.findings(made)}) is fits


def test_ladders_of_unknown_width_are_not_checked(roce, catalog):
    """Without a width the rule says so instead of passing."""
    _, gaps = run(CheckContext(roce, catalog))
    assert [gap.why for gap in gaps if gap.rule == "tray-fill"] == ["the floor plan names no width for its ladders"]


def test_trays_of_cables_without_a_diameter_are_not_checked(roce, catalog, edit):
    """Each part that lies in a tray and whose diameter nobody gave is named."""
    tray, across = _on_one_tray(roce, edit)
    part = {cable.name: cable.part for cable in roce.cabling.cables}[across[0]]
    _, gaps = run(CheckContext(tray, edit.part(catalog, "cables", part, outer_diameter_mm=None)))
    assert [gap.why for gap in gaps if gap.rule == "tray-fill"] == [f"the diameter of {part} is not known"]
