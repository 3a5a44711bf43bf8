"""Counts, tiers, rails and planes broken in one place each."""

from __future__ import annotations

from dataclasses import replace

from fabric.model.topology import Port

LEAF = "leaf-su01-r0"


def _uplinks(made, leaf):
    return [link for link in made.topology.links if link.kind == "leaf_spine" and link.a.device == leaf]


def _free(spine, number):
    """Port `number` of those that no link of the small design uses: cages 41 and up, two ports each at 400G."""
    cage, slot = divmod(number, 2)
    return Port(spine, str(41 + cage), f"Ethernet{(40 + cage) * 8 + slot * 4}")


def test_one_node_too_few(roce, judge, edit):
    """24 nodes where 25 are asked."""
    found = judge.only("counts", "hgx-b200", edit.request(roce, nodes=25))
    assert (found.measured, found.limit) == (24, 25)


def test_node_without_one_link(roce, judge, edit):
    """A node with seven of its eight ports cabled."""
    found = judge.only("counts", "node-0005", edit.without_links(roce, ["node-0005.rail3"]))
    assert (found.measured, found.limit) == (7, 8)


def test_attached_device_missing_a_link(infiniband, judge, edit):
    """The UFM is asked with two links and has one."""
    link = next(link.name for link in infiniband.topology.links if link.a.device == "ufm-01")
    judge.only("counts", "ufm", edit.without_links(infiniband, [link]))


def test_too_few_leaves_for_growth(roce, judge, edit):
    """Growth to 60 nodes is 3 units of 24, which need 24 leaves."""
    found = judge.only("unit-leaves", "leaves", edit.request(roce, growth_nodes=60))
    assert (found.measured, found.limit) == (8, 24)


def test_parameters_that_count_another_fabric(roce, judge):
    """The design says 6 spines, its tables hold 4."""
    topology = replace(roce.topology, parameters={**roce.topology.parameters, "spines": 6})
    judge.only("unit-leaves", "spines", replace(roce, topology=topology))


def test_uplinks_of_another_rate(roce, judge, edit):
    """The request wants uplinks of 800G."""
    first = min(link.name for link in _uplinks(roce, LEAF))
    judge.only("link-rate", first, edit.request(roce, fabric={"uplink_port_gbps": 800}))


def test_trunks_of_five_and_seven(roce, judge, edit):
    """One uplink moved from one spine to the next."""
    link = _uplinks(roce, LEAF)[0]
    other = next(each.b.device for each in _uplinks(roce, LEAF) if each.b.device != link.b.device)
    found = judge.only("equal-spread", LEAF, edit.rewire(roce, {link.name: _free(other, 0)}))
    assert (found.measured, found.limit) == (5, 7)


def test_one_uplink_dropped(roce, judge, edit):
    """A leaf with 23 uplinks for 24 down: unequal, and at 1.05:1 within an oversubscription of 1.2."""
    broken = edit.without_links(roce, [_uplinks(roce, LEAF)[0].name])
    judge.only("equal-spread", LEAF, edit.request(broken, fabric={"oversubscription": 1.2}))


def test_too_few_spines(roce, judge, edit):
    """Four spines where eight are the least."""
    judge.only("spine-count", "spine-01", edit.request(roce, fabric={"min_spines": 8}))


def test_leaf_with_fewer_uplinks_than_others(roce, judge, edit):
    """One link less to every spine: equal, but not as its neighbours."""
    first = {link.b.device: link.name for link in _uplinks(roce, LEAF)}
    broken = edit.request(edit.without_links(roce, first.values()), fabric={"oversubscription": 2.0})
    found = judge.only("symmetry", LEAF, broken)
    assert (found.measured, found.limit) == (20, 24)


def test_oversubscribed_leaf(roce, judge, edit):
    """24 down over 24 up where twice as much up is asked."""
    found = judge.only("oversubscription", LEAF, edit.request(roce, fabric={"oversubscription": 0.5}))
    assert found.measured == 1.0


def test_rails_swapped_on_one_node(roce, judge, edit):
    """Ports 0 and 1 of a node on each other's leaves."""
    links = {link.name: link for link in roce.topology.links}
    one, two = links["node-0002.rail0"], links["node-0002.rail1"]
    broken = edit.loose(edit.links(roce, {one.name: {"b": two.b}, two.name: {"b": one.b}}))
    found = judge.only("rail-alignment", one.name, broken)
    assert (found.measured, found.limit) == (0, "1")
    judge.only("rail-alignment", two.name, broken)


def test_two_leaves_of_one_rail(roce, judge, edit):
    """A leaf that says it serves its neighbour's rail: its links are wrong, and it is named too."""
    broken = edit.devices(roce, leaf_su01_r1={"rail": "0"})
    judge.only("rail-alignment", "leaf-su01-r1", broken)


def test_rail_column_against_port_name(roce, judge, edit):
    """A link whose rail column differs from its port's name."""
    judge.only("rail-alignment", "node-0001.rail2", edit.links(roce, {"node-0001.rail2": {"rail": 3}}))


def test_mixed_units(roce, judge, edit):
    """A node of another unit than its leaves."""
    judge.only("rail-alignment", "node-0001.rail0", edit.devices(roce, node_0001={"su": 2}))


def test_rails_where_rack_wiring_is_asked(roce, judge, edit):
    """Rack wiring has all ports of a node on one leaf."""
    found = judge.only("node-wiring", "node-0001", edit.request(roce, fabric={"wiring": "rack"}))
    assert (found.measured, found.limit) == (8, 1)


def test_attached_device_twice_on_one_leaf(infiniband, judge, edit):
    """Both ports of the UFM on one leaf go down together."""
    one, two = [link for link in infiniband.topology.links if link.a.device == "ufm-01"]
    taken = {link.b.port for link in infiniband.topology.links if link.b.device == one.b.device}
    taken |= {link.a.port for link in infiniband.topology.links if link.a.device == one.b.device}
    twin = f"{one.b.cage}/{2 if one.b.port.endswith('/1') else 1}"
    assert twin not in taken
    broken = edit.rewire(infiniband, {two.name: Port(one.b.device, one.b.cage, twin)})
    judge.only("node-wiring", "ufm-01", edit.request(broken, fabric={"oversubscription": 1.2}))


def test_node_port_in_the_other_plane(planes, judge, edit):
    """The two planes of one rail swapped at the leaves."""
    links = {link.name: link for link in planes.topology.links}
    one, two = links["node-0001.rail0p0"], links["node-0001.rail0p1"]
    broken = edit.loose(edit.links(planes, {one.name: {"b": two.b}, two.name: {"b": one.b}}))
    judge.only("planes-disjoint", "node-0001:rail0p0", broken)


def test_uplink_that_says_another_plane(planes, judge, edit):
    """A link of plane 0 whose column says 1."""
    link = next(link for link in planes.topology.links if link.kind == "leaf_spine" and link.plane == 0)
    judge.only("planes-disjoint", link.name, edit.links(planes, {link.name: {"plane": 1}}))


def test_uplink_between_planes(planes, judge, edit):
    """A leaf of plane 0 linked to a spine of plane 1 names the link, whatever its trunks say besides."""
    link = next(link for link in planes.topology.links if link.kind == "leaf_spine" and link.plane == 0)
    broken = edit.rewire(planes, {link.name: _free("spine-p1-01", 10)})
    findings = judge.findings(broken)
    assert link.name in {each.where for each in findings if each.rule == "planes-disjoint"}


def test_leaf_on_one_spine_alone(roce, judge, edit):
    """All 24 uplinks of a leaf on one spine: without it the leaf's nodes are cut off."""
    spine = _uplinks(roce, LEAF)[0].b.device
    moved = [link for link in _uplinks(roce, LEAF) if link.b.device != spine]
    broken = edit.rewire(roce, {link.name: _free(spine, number) for number, link in enumerate(moved)})
    found = judge.only("reachability", LEAF, edit.request(broken, fabric={"uneven_trunks": True}))
    assert (found.measured, found.limit) == (1, 2)
    assert spine in found.message


def test_two_leaves_without_a_common_spine(roce, judge, edit):
    """Two leaves on different spines do not reach each other, although others reach both."""
    first, second = LEAF, "leaf-su01-r1"
    spines = sorted({link.b.device for link in _uplinks(roce, first)})
    moves = {}
    for leaf, mine in ((first, spines[:2]), (second, spines[2:])):
        away = [link for link in _uplinks(roce, leaf) if link.b.device not in mine]
        moves |= {link.name: _free(mine[number % 2], len(moves) // 2 + number) for number, link in enumerate(away)}
    broken = edit.request(edit.rewire(roce, moves), fabric={"uneven_trunks": True})
    found = judge.only("reachability", first, broken)
    assert (found.measured, second in found.message) == (0, True)
