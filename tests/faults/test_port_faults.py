"""Names, parts, ports, cages and cables broken in one place each."""

from __future__ import annotations

from dataclasses import replace

from fabric.catalog.parts import CageMode, PortGroup
from fabric.model.cabling import Pluggable
from fabric.model.placement import Position
from fabric.model.topology import Port

FIRST_UPLINK = "leaf-su01-r0.Ethernet96"


def _link(made, name):
    return next(link for link in made.topology.links if link.name == name)


def test_place_of_no_device(roce, judge):
    """A position of a device that stands in no table names it."""
    ghost = Position("ghost", roce.placement.positions[0].rack, 1, 1)
    broken = replace(roce, placement=replace(roce.placement, positions=(*roce.placement.positions, ghost)))
    judge.only("known-names", "ghost", broken)


def test_cable_row_twice(roce, judge):
    """Two rows of one cable name are found even with everything else in order."""
    cable = roce.cabling.cables[0]
    broken = replace(roce, cabling=replace(roce.cabling, cables=(*roce.cabling.cables, cable)))
    judge.only("known-names", cable.name, broken)


def test_unknown_cable_part(roce, judge, edit):
    """A part that no catalog file describes is one error, whatever hangs on it."""
    cable = roce.cabling.cables[0].name
    judge.only("known-parts", "MFP-UNHEARD-OF", edit.cables(roce, {cable: {"part": "MFP-UNHEARD-OF"}}))


def test_part_no_longer_sold(roce, judge, edit, catalog):
    """A part that went out of sale cannot be ordered."""
    part = roce.cabling.cables[0].part
    judge.only("part-sale", part, roce, edit.part(catalog, "cables", part, status="no_longer_sold"))


def test_prototype_is_a_warning(roce, judge, edit, catalog):
    """A part that is announced may be planned with."""
    part = roce.cabling.pluggables[0].part
    changed = edit.part(catalog, "transceivers", part, status="prototype")
    judge.only("part-sale", part, roce, changed, severity="warning")


def test_switch_not_allowed(roce, judge, edit):
    """A spine of a model that the request does not list."""
    choice = roce.request.fabric.switches.model_copy(update={"spine": ("nvidia-sn5600",)})
    judge.only("switches-allowed", "spine-01", edit.request(roce, fabric={"switches": choice}))


def test_two_halves_are_no_switch(roce, judge, edit, catalog):
    """A chassis of two switches that do not forward to each other is not one switch."""
    changed = edit.part(catalog, "switches", "chaoqing-n9500-64oc", isolated_halves=2)
    judge.only("switches-allowed", "leaf-su01-r0", roce, changed)


def test_uplink_called_node_link(roce, judge, edit):
    """A leaf-spine link under another kind would hide from the rules of its tier."""
    broken = edit.links(roce, {FIRST_UPLINK: {"kind": "node_leaf"}})
    judge.only("link-kind", FIRST_UPLINK, broken)


def test_port_used_twice(roce, judge, edit):
    """Two links of one cage on one of its ports."""
    link = _link(roce, FIRST_UPLINK)
    twin = next(each for each in roce.topology.links if each.b.cage == link.b.cage and each.b.device == link.b.device)
    other = next(
        each
        for each in roce.topology.links
        if (each.b.device, each.b.cage) == (twin.b.device, twin.b.cage) and each.b.port != twin.b.port
    )
    broken = edit.links(roce, {other.name: {"b": twin.b}})
    judge.only("port-conservation", f"{twin.b.device}:{twin.b.port}", broken)


def test_port_in_another_cage(roce, judge, edit):
    """A port whose name says cage 1 in a row that says cage 60."""
    link = _link(roce, "node-0001.rail0")
    module = next(each.part for each in roce.cabling.pluggables if each.device == link.b.device)
    broken = edit.links(roce, {link.name: {"b": replace(link.b, cage="60")}})
    broken = edit.pluggables(broken, [Pluggable(link.b.device, "60", module)])
    found = judge.only("port-conservation", f"{link.b.device}:{link.b.port}", broken)
    assert (found.measured, found.limit) == ("60", link.b.cage)


def test_cage_that_the_node_has_not(roce, judge, edit):
    """A node end in a cage that its system lacks."""
    link = _link(roce, "node-0001.rail0")
    broken = edit.links(roce, {link.name: {"a": Port("node-0001", "NIC99", "rail0")}})
    module = next(each.part for each in roce.cabling.pluggables if each.device == "node-0001")
    broken = edit.pluggables(broken, [Pluggable("node-0001", "NIC99", module)], [("node-0001", link.a.cage)])
    judge.only("port-conservation", "node-0001:rail0", broken)


def test_more_ports_than_the_switch_runs(roce, judge, edit, catalog):
    """48 linked ports on a switch that runs 40 at once."""
    changed = edit.part(catalog, "switches", "chaoqing-n9500-64oc", max_logical_ports=40)
    found = judge.only("port-limits", "leaf-su01-r0", roce, changed)
    assert (found.measured, found.limit) == (48, 40)


def test_more_ports_than_a_group_of_cages_runs(roce, judge, edit, catalog):
    """Four linked ports in two cages that share three."""
    group = PortGroup(cages=2, max_ports=3)
    changed = edit.part(catalog, "switches", "chaoqing-n9500-64oc", port_group=group)
    assert judge.only("port-limits", "leaf-su01-r0", roce, changed).limit == 3


def test_two_pluggables_in_one_cage(roce, judge, edit):
    """A second module in a full cage."""
    module = roce.cabling.pluggables[0]
    judge.only("cage-conservation", f"{module.device}:{module.cage}", edit.pluggables(roce, [module]))


def test_three_links_in_a_twin_cage(roce, judge, edit):
    """A link moved onto a cage whose two ports are taken, under a port name of its own cage."""
    link = _link(roce, FIRST_UPLINK)
    full = next(each.b for each in roce.topology.links if each.b.device == link.b.device and each.b.cage != link.b.cage)
    broken = edit.links(roce, {FIRST_UPLINK: {"b": replace(link.b, cage=full.cage)}})
    errors = {each.where for each in judge.findings(broken) if each.rule == "cage-conservation"}
    assert errors == {f"{full.device}:{full.cage}"}


def test_copper_beside_fibre_in_one_cage(infiniband, judge, edit):
    """One port of a twin cage on copper, the other on glass."""
    copper = next(
        cable
        for cable in infiniband.cabling.cables
        if cable.medium == "acc" and sum(name == cable.name for name in infiniband.cabling.cable_of.values()) == 2
    )
    links = [link for link, name in infiniband.cabling.cable_of.items() if name == copper.name]
    fibre = next(cable for cable in infiniband.cabling.cables if cable.medium == "mmf")
    extra = replace(fibre, name="c-extra")
    cabling = infiniband.cabling
    broken = replace(
        infiniband,
        cabling=replace(cabling, cables=(*cabling.cables, extra), cable_of={**cabling.cable_of, links[1]: "c-extra"}),
    )
    end = _link(infiniband, links[1]).a
    errors = {(each.rule, each.where) for each in judge.findings(broken) if each.severity == "error"}
    assert ("cage-conservation", f"{end.device}:{end.cage}") in errors


def test_link_without_cable(roce, judge):
    """A link that no cable makes, and the cable that it leaves behind."""
    cable = roce.cabling.cable_of[FIRST_UPLINK]
    cable_of = {link: name for link, name in roce.cabling.cable_of.items() if link != FIRST_UPLINK}
    broken = replace(roce, cabling=replace(roce.cabling, cable_of=cable_of))
    judge.only("cable-conservation", FIRST_UPLINK, broken)
    judge.only("cable-conservation", cable, broken)


def test_fibre_with_two_links(roce, judge):
    """A single-port fibre cannot carry a second link."""
    link = _link(roce, FIRST_UPLINK)
    other = next(
        each.name
        for each in roce.topology.links
        if each.name != link.name and (each.a.device, each.a.cage) == (link.a.device, link.a.cage)
    )
    cable = roce.cabling.cable_of[FIRST_UPLINK]
    broken = replace(roce, cabling=replace(roce.cabling, cable_of={**roce.cabling.cable_of, other: cable}))
    judge.only("cable-conservation", cable, broken)


def test_half_used_twin_cable_is_a_warning(infiniband, judge, edit):
    """A twin cable that makes one of its two links is paid for twice."""
    copper = next(cable.name for cable in infiniband.cabling.cables if cable.medium == "acc")
    links = [link for link, name in infiniband.cabling.cable_of.items() if name == copper]
    broken = edit.request(infiniband, fabric={"uneven_trunks": True, "oversubscription": 2.0})
    broken = edit.without_links(broken, links[:1])
    findings = [each for each in judge.findings(broken) if each.rule == "cable-conservation"]
    assert [(each.where, each.severity) for each in findings] == [(copper, "warning")]


def test_fibre_end_without_pluggable(roce, judge, edit):
    """A fibre that ends in an empty cage."""
    judge.only("pluggable-match", "node-0001:NIC1", edit.pluggables(roce, drop=[("node-0001", "NIC1")]))


def test_pluggable_in_an_unused_cage(roce, judge, edit):
    """A module that nothing needs is an error, unless the request preloads optics."""
    spare = Pluggable("leaf-su01-r0", "64", roce.cabling.pluggables[0].part)
    broken = edit.pluggables(roce, [spare])
    judge.only("pluggable-match", "leaf-su01-r0:64", broken)
    preloaded = edit.request(broken, fabric={"preload_optics": True})
    assert [each for each in judge.findings(preloaded) if each.severity == "error"] == []


def test_pluggable_beside_copper(infiniband, judge, edit):
    """A copper cable brings its own ends."""
    copper = next(cable.name for cable in infiniband.cabling.cables if cable.medium == "acc")
    end = next(link for link in infiniband.topology.links if infiniband.cabling.cable_of[link.name] == copper).a
    module = next(each.part for each in infiniband.cabling.pluggables if each.device == end.device)
    broken = edit.pluggables(infiniband, [Pluggable(end.device, end.cage, module)])
    judge.only("pluggable-match", f"{end.device}:{end.cage}", broken)


def test_lanes_of_two_rates(roce, judge, edit, catalog):
    """Without a cable between, ports on lanes of 50G and 100G do not link."""
    mode = CageMode(rate_gbps=400, ports=1, lane_gbps=50)
    changed = edit.part(catalog, "systems", "hgx-b200", cage_modes=(mode,))
    judge.only("speed-match", "node-0001.rail0", replace(roce, cabling=None), changed)


def test_rate_that_the_node_has_not(roce, judge, edit, catalog):
    """A 400G link into a cage that runs 200G at most."""
    mode = CageMode(rate_gbps=200, ports=1, lane_gbps=100)
    changed = edit.part(catalog, "systems", "hgx-b200", cage_modes=(mode,))
    judge.only("speed-match", "node-0001:NIC1", roce, changed)


def test_module_of_the_other_link_layer(roce, judge, edit, catalog):
    """An InfiniBand module in an Ethernet fabric."""
    module = roce.cabling.pluggables[0].part
    changed = edit.part(catalog, "transceivers", module, link_layers=("infiniband",))
    judge.only("link-layer", module, roce, changed)


def test_two_nodes_on_each_others_ports(infiniband, judge, edit):
    """Nodes 1 and 2 changed places on one leaf: the links work, and no other leaf tells which port is whose."""
    first, second = (infiniband.topology.links[index] for index in _of_rail(infiniband, "node-0001", "node-0002"))
    swapped = edit.rewire(infiniband, {first.name: second.b, second.name: first.b})
    found = [finding.where for finding in judge.findings(swapped) if finding.rule == "port-order"]
    assert found in ([first.name], [second.name])
    judge.only("port-order", found[0], swapped)


def test_two_legs_of_one_splitter_swapped(split, judge, edit):
    """The two nodes on one splitter changed legs: same cable, same cage, and only the order tells."""
    cable_of = split.cabling.cable_of
    legs = [link for link in split.topology.links if cable_of[link.name] == cable_of["node-0001.rail0"]]
    assert [link.a.device for link in legs] == ["node-0001", "node-0002"]
    swapped = edit.links(split, {legs[0].name: {"b": legs[1].b}, legs[1].name: {"b": legs[0].b}})
    judge.only("port-order", legs[1].name, swapped)


def _of_rail(made, *nodes, rail=3):
    """Index of each node's link of one rail."""
    links = made.topology.links
    return [next(i for i, link in enumerate(links) if link.a.device == node and link.rail == rail) for node in nodes]


def test_uplinks_against_the_order_of_the_spines(roce, judge, edit):
    """The first and the last uplink of a leaf changed ends: equal trunks, out of order."""
    ups = [link for link in roce.topology.links if link.kind == "leaf_spine" and link.a.device == "leaf-su01-r0"]
    ups.sort(key=lambda link: int(link.a.port.removeprefix("Ethernet")))
    first, last = ups[0], ups[-1]
    swapped = edit.rewire(roce, {first.name: last.b, last.name: first.b})
    judge.only("port-order", first.name, swapped)
    judge.only("port-order", last.name, swapped)
    assert sum(finding.rule == "port-order" for finding in judge.findings(swapped)) == 2


def test_free_ports_have_no_order(infiniband, judge, edit):
    """The same swap where the request leaves ports free."""
    first, second = (infiniband.topology.links[index] for index in _of_rail(infiniband, "node-0001", "node-0002"))
    swapped = edit.rewire(infiniband, {first.name: second.b, second.name: first.b})
    found = judge.findings(edit.request(swapped, fabric={"port_order": "free"}))
    assert "port-order" not in {finding.rule for finding in found}
