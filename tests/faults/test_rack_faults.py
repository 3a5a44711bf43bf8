"""Racks, places and policies broken in one place each."""

from __future__ import annotations

from dataclasses import replace

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
fabric: {link_layer: infiniband, switches: nvidia-qm9700, node_ports: 1}
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
