"""Dragonflies broken in one place each: groups, rails, ports and links between routers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.checks import CheckContext, run


def without(made, names):
    """The design without some links."""
    gone = set(names)
    links = tuple(link for link in made.topology.links if link.name not in gone)
    return replace(made, topology=replace(made.topology, links=links))


def between(made, kind, a, b):
    """Links of a kind between two routers."""
    return [link for link in made.topology.of_kind(kind) if {link.a.device, link.b.device} == {a, b}]


def swapped(made, edit, one, two):
    """The far ends of two links exchanged."""
    return edit.links(made, {one.name: {"b": two.b}, two.name: {"b": one.b}})


def lowered(made, edit):
    """The design with next to no throughput asked, so that a missing link is missed by its own rule alone."""
    return edit.request(made, fabric={"oversubscription": 100.0})


def test_unbroken_dragonflies_have_no_error(dragonfly, rail_dragonfly, judge):
    """What the faults of this file break is clean before, whatever it is wired like."""
    for made in (dragonfly, rail_dragonfly):
        assert [each for each in judge.findings(made) if each.severity == "error"] == []


def test_local_link_missing(dragonfly, judge, edit):
    """Two routers of a group with one link fewer than others."""
    link = between(dragonfly, "local", "router-g01-01", "router-g01-02")[0]
    found = judge.only("global-spread", "router-g01-01", lowered(without(dragonfly, [link.name]), edit))
    assert (found.measured, found.limit) == (15, 16)


def test_router_without_local_links_is_named_not_its_neighbours(rail_dragonfly, judge, edit):
    """Of many pairs that lack links the router that they share is the fault."""
    gone = [link.name for link in rail_dragonfly.topology.of_kind("local") if "router-g02-05" in str(link)]
    broken = lowered(without(rail_dragonfly, gone), edit)
    judge.only("global-spread", "router-g02-05", broken)
    named = {each.where for each in judge.findings(broken) if each.rule == "global-spread"}
    assert named == {"router-g02-05"}


def test_global_link_missing(dragonfly, judge, edit):
    """Two groups with 15 links where the design tells 16."""
    link = dragonfly.topology.of_kind("global")[0]
    found = judge.only("global-spread", "router-g01-01", lowered(without(dragonfly, [link.name]), edit))
    assert (found.measured, found.limit) == (15, 16)


def test_global_links_of_a_proposal_may_differ_by_one(dragonfly, judge, edit):
    """Without a told number pairs of groups are compared with each other, and one link more or less is none's fault."""
    told = {key: value for key, value in dragonfly.topology.parameters.items() if key != "group_links"}
    bare = replace(dragonfly, topology=replace(dragonfly.topology, parameters=told))
    links = [link.name for link in bare.topology.of_kind("global")]
    assert "global-spread" not in {each.rule for each in judge.findings(without(bare, links[:1]))}
    judge.only("global-spread", "router-g01-01", lowered(without(bare, links[:2]), edit))


def test_torus_link_missing(torus, judge, edit):
    """Two neighbours of a ring with one link fewer than the grid asks; the torus is clean before."""
    assert [each for each in judge.findings(torus) if each.severity == "error"] == []
    link = torus.topology.of_kind("torus")[0]
    where = min(link.a.device, link.b.device)
    found = judge.only("torus-grid", where, lowered(without(torus, [link.name]), edit))
    assert found.measured == found.limit - 1


def test_starved_dragonfly(dragonfly, judge, edit):
    """θ of 0.746 where a request without oversubscription asks 0.995."""
    found = judge.only("uniform-throughput", "dragonfly", edit.request(dragonfly, fabric={"oversubscription": 1.0}))
    assert found.measured == pytest.approx(0.746, abs=1e-3)
    assert found.limit == 0.995


def test_reserve_is_judged_by_the_links_between_switches(dragonfly, rail_dragonfly, judge, edit):
    """Links that carry 0.746 keep no reserve of 1.1; those that carry more than line rate are told, not cut at it."""
    found = judge.only("uniform-throughput", "dragonfly", edit.request(dragonfly, fabric={"oversubscription": 0.9}))
    assert found.measured == pytest.approx(0.746, abs=1e-3)
    assert found.limit == pytest.approx(0.995 / 0.9)
    asked = edit.request(rail_dragonfly, fabric={"oversubscription": 0.9})
    assert "uniform-throughput" not in {each.rule for each in judge.findings(asked)}


def test_local_link_that_says_global(dragonfly, judge, edit):
    """A link between two groups is no local one, and a link within one no global one."""
    link = dragonfly.topology.of_kind("global")[0]
    found = judge.findings(edit.links(dragonfly, {link.name: {"kind": "local"}}))
    assert ("link-kind", link.name) in {(each.rule, each.where) for each in found}
    link = dragonfly.topology.of_kind("local")[0]
    found = judge.findings(edit.links(dragonfly, {link.name: {"kind": "global"}}))
    assert ("link-kind", link.name) in {(each.rule, each.where) for each in found}


def test_node_link_that_says_leaf(dragonfly, judge, edit):
    """A link of a router is no link of a leaf."""
    judge.only("link-kind", "node-0001.rail0", edit.links(dragonfly, {"node-0001.rail0": {"kind": "node_leaf"}}))


def test_node_on_two_routers(dragonfly, judge, edit):
    """Two nodes that share two routers where rack wiring has one for each."""
    links = {link.name: link for link in dragonfly.topology.links}
    broken = swapped(dragonfly, edit, links["node-0001.rail0"], links["node-0005.rail0"])
    found = judge.only("node-wiring", "node-0001", broken)
    assert (found.measured, found.limit, found.unit) == (2, 1, "routers")


def test_rails_swapped_on_routers(rail_dragonfly, judge, edit):
    """Ports 0 and 1 of a node on each other's routers."""
    links = {link.name: link for link in rail_dragonfly.topology.links}
    broken = swapped(rail_dragonfly, edit, links["node-0002.rail0"], links["node-0002.rail1"])
    found = judge.only("rail-alignment", "node-0002.rail0", broken)
    assert (found.measured, found.limit) == (0, "1")


def test_nodes_swapped_on_a_router(rail_dragonfly, judge, edit):
    """Two nodes on each other's down ports of one router."""
    links = {link.name: link for link in rail_dragonfly.topology.links}
    broken = swapped(rail_dragonfly, edit, links["node-0001.rail3"], links["node-0002.rail3"])
    assert "router-g01-04" in judge.only("port-order", "node-0002.rail3", broken).message


def test_local_links_out_of_order(rail_dragonfly, judge, edit):
    """A router's links to its second and third neighbour exchanged at its own end."""
    second = between(rail_dragonfly, "local", "router-g01-01", "router-g01-02")[0]
    third = between(rail_dragonfly, "local", "router-g01-01", "router-g01-03")[0]
    moved = {second.name: {"a": third.a}, third.name: {"a": second.a}}
    found = [each for each in judge.findings(edit.links(rail_dragonfly, moved)) if each.severity == "error"]
    assert {each.rule for each in found} == {"port-order"}
    assert {each.where for each in found} <= {second.name, third.name}


def test_fewer_routers_than_told(dragonfly, judge):
    """Tables with 6 routers of a design that says 7."""
    told = {**dragonfly.topology.parameters, "routers": 7}
    found = judge.only(
        "unit-leaves", "routers", replace(dragonfly, topology=replace(dragonfly.topology, parameters=told))
    )
    assert (found.measured, found.limit) == (6, 7)


def test_too_few_routers_for_growth(rail_dragonfly, judge, edit):
    """Growth to 30 nodes is 4 units of 8, which need 32 routers."""
    found = judge.only("unit-leaves", "routers", edit.request(rail_dragonfly, growth_nodes=30))
    assert (found.measured, found.limit) == (24, 32)


def test_router_that_the_request_does_not_allow(dragonfly, judge, edit):
    """Routers are chosen from the models for leaves, whatever stands for spines."""
    choice = dragonfly.request.fabric.switches
    others = edit.request(dragonfly, fabric={"switches": choice.model_copy(update={"spine": ("nvidia-qm9790",)})})
    assert "switches-allowed" not in {each.rule for each in judge.findings(others)}
    others = edit.request(dragonfly, fabric={"switches": choice.model_copy(update={"leaf": ("nvidia-qm9790",)})})
    judge.only("switches-allowed", "router-g01-01", others)


def test_links_of_another_rate(dragonfly, judge, edit):
    """Local and global links run what the request asks of uplinks."""
    first = min(link.name for link in dragonfly.topology.of_kind("local", "global"))
    judge.only("link-rate", first, edit.request(dragonfly, fabric={"uplink_port_gbps": 200}))


def test_global_link_of_another_plane(dragonfly, judge, edit):
    """A link between routers of plane 0 whose column says 1."""
    link = dragonfly.topology.of_kind("global")[0]
    judge.only("planes-disjoint", link.name, edit.links(dragonfly, {link.name: {"plane": 1}}))


def test_group_cut_off(dragonfly, judge, edit):
    """Without its global links a group reaches no other."""
    gone = [link.name for link in dragonfly.topology.of_kind("global") if "router-g03" in str(link)]
    broken = judge.findings(without(dragonfly, gone))
    found = [each for each in broken if each.rule == "reachability"]
    assert [(each.where, each.measured, each.severity) for each in found] == [("router-g03-01", 0, "error")]
    assert "1 more routers" in found[0].message


def test_groups_joined_by_one_router_each(dragonfly, judge, edit):
    """A router whose loss parts groups is an error where the request wants the loss survived, else a warning."""
    topology = dragonfly.topology
    gone = [link.name for link in topology.of_kind("global") if "router-g03-02" in str(link)]
    cut = lowered(without(dragonfly, gone), edit)
    told = {key: value for key, value in topology.parameters.items() if key != "group_links"}
    cut = replace(cut, topology=replace(cut.topology, parameters=told))
    for switches, severity in ((0, "warning"), (1, "error")):
        found = judge.findings(edit.request(cut, survive={"switches": switches}))
        named = [(each.where, each.severity) for each in found if each.rule == "reachability"]
        assert named == [("router-g03-01", severity)]


@pytest.mark.parametrize(
    ("name", "missing"), [("dragonfly", "SHARP"), ("rail_dragonfly", "priority remap at the global hop")]
)
def test_family_that_is_not_shipping(name, missing, judge, request):
    """A dragonfly runs on open OpenSM alone, or in papers; the missing piece is named with a source."""
    made = request.getfixturevalue(name)
    found = judge.only("family-support", "dragonfly", made, severity="warning")
    assert missing in found.message
    assert found.source


def test_family_that_nobody_graded(dragonfly, judge):
    """Of an unknown family nothing is said but that it was not checked."""
    other = replace(dragonfly, topology=replace(dragonfly.topology, family="slim_fly"))
    _, gaps = run(CheckContext(other, judge.catalog))
    assert "how far a slim_fly runs on nvos is not known" in {gap.why for gap in gaps}


def _errors(made, judge):
    return [(each.rule, each.where) for each in judge.findings(made) if each.severity == "error"]


@pytest.mark.parametrize(("name", "rule"), [("dragonfly", "global-spread"), ("torus", "torus-grid")])
def test_routers_without_groups(name, rule, judge, request):
    """Every router without a group is named, and nothing else."""
    made = request.getfixturevalue(name)
    devices = tuple(replace(each, group=None) if each.is_switch else each for each in made.topology.devices)
    lost = replace(made, topology=replace(made.topology, devices=devices))
    assert _errors(lost, judge) == [(rule, each.name) for each in devices if each.is_switch]


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("dragonfly", "hyperx"),
        ("dragonfly", "torus"),
        ("dragonfly", "fat_tree"),
        ("dragonfly", "dragonfly_plus"),
        ("torus", "dragonfly"),
        ("torus", "fat_tree"),
        ("infiniband", "torus"),
        ("infiniband", "dragonfly"),
    ],
)
def test_family_that_the_links_are_not_of(name, family, judge, request):
    """A family changed in design.yaml is one finding, whatever its routing makes of the links."""
    made = request.getfixturevalue(name)
    broken = replace(made, topology=replace(made.topology, family=family))
    assert ("family", made.name) in _errors(broken, judge)
    assert {rule for rule, _ in _errors(broken, judge)} <= {"family", "unit-leaves"}


def test_link_that_a_dragonfly_has_not(dragonfly, judge, edit):
    """One local link that says that it is of a torus."""
    link = dragonfly.topology.of_kind("local")[0]
    broken = lowered(edit.links(dragonfly, {link.name: {"kind": "torus"}}), edit)
    assert set(_errors(broken, judge)) >= {("family", link.name)}


def test_dragonfly_that_says_torus(dragonfly, judge):
    """All links are of kinds that a torus has not, and that is all that is said."""
    broken = replace(dragonfly, topology=replace(dragonfly.topology, family="torus"))
    found = judge.only("family", dragonfly.name, broken)
    assert found.measured == len(dragonfly.topology.of_kind("local", "global"))


def test_torus_without_sizes(torus, judge):
    """A torus whose sizes are not told is one finding."""
    told = {key: value for key, value in torus.topology.parameters.items() if key not in ("sizes", "widths")}
    broken = replace(torus, topology=replace(torus.topology, parameters=told))
    assert ("torus-grid", torus.name) in _errors(broken, judge)
