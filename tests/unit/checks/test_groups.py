"""Leaves and spines in groups, as a dragonfly+ and the pods of three tiers have them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from fabric.checks._context import CheckContext
from fabric.checks._protocol import CHECKS
from fabric.model.design import Design
from fabric.model.topology import Device, Link, Port, Topology

GROUPS, LEAVES, SPINES = 3, 2, 2


def dragonfly_plus():
    """3 groups of 2 leaves with one node each and 2 spines; every spine joined to one of every other group."""
    devices = [Device(f"node-{g}{n}", "node", None, su=g, group=g) for g in range(GROUPS) for n in range(LEAVES)]
    devices += [Device(f"leaf-{g}{n}", "leaf", None, su=g, group=g) for g in range(GROUPS) for n in range(LEAVES)]
    devices += [Device(f"spine-{g}{n}", "spine", None, group=g) for g in range(GROUPS) for n in range(SPINES)]
    port = itertools.count()

    def link(kind, a, b):
        return Link(f"{a}.{b}", kind, Port(a, "1", f"p{next(port)}"), Port(b, "1", f"p{next(port)}"), 400)

    links = [link("node_leaf", f"node-{g}{n}", f"leaf-{g}{n}") for g in range(GROUPS) for n in range(LEAVES)]
    for g in range(GROUPS):
        links += [link("leaf_spine", f"leaf-{g}{a}", f"spine-{g}{b}") for a in range(LEAVES) for b in range(SPINES)]
    for one, two in itertools.combinations(range(GROUPS), 2):
        links += [link("global", f"spine-{one}{number}", f"spine-{two}{number}") for number in range(SPINES)]
    told = {"groups": GROUPS, "leaves": LEAVES, "spines": SPINES}
    return Topology("dragonfly_plus", told, tuple(devices), tuple(links))


def pods():
    """2 pods of 2 leaves with one node each and 2 spines; spine i of both joined twice to each of its 2 cores."""
    base = dragonfly_plus()
    kept = tuple(each for each in base.links if each.kind != "global" and "-2" not in each.name)
    devices = [each for each in base.devices if each.group != 2]
    devices += [Device(f"core-{number}", "core", None) for number in range(2 * SPINES)]
    links = [
        Link(
            f"spine-{g}{number}.{core}.{turn}",
            "spine_core",
            Port(f"spine-{g}{number}", "2", f"u{2 * core + turn}"),
            Port(f"core-{core}", "1", f"d{g}{turn}"),
            400,
        )
        for g in range(2)
        for number in range(SPINES)
        for core in (2 * number, 2 * number + 1)
        for turn in range(2)
    ]
    return Topology("fat_tree", {"pods": 2, "cores": 4, "leaves": 4, "spines": 4}, tuple(devices), (*kept, *links))


def judged(topology, *rules):
    """Rule and object of all that some rules say."""
    ctx = CheckContext(Design(None, None, topology), None)
    return [(rule, each.where) for rule in rules for each in CHECKS[rule].judge(ctx)]


def without(topology, *names):
    """The fabric without some links."""
    return replace(topology, links=tuple(link for link in topology.links if link.name not in names))


RULES = ("equal-spread", "symmetry", "spine-count", "global-spread", "link-kind", "reachability", "planes-disjoint")


def test_groups_are_judged_each_by_itself():
    """A leaf need not reach the spines of other groups."""
    assert judged(dragonfly_plus(), *RULES, "unit-leaves") == []


@pytest.mark.parametrize("family", ["dragonfly_plus", "dragonfly"])
def test_uplink_missing_within_a_group(family):
    """A leaf with one of its two uplinks; the other spines of the plane are none of its business."""
    broken = replace(without(dragonfly_plus(), "leaf-01.spine-01"), family=family)
    assert judged(broken, "equal-spread", "symmetry") == [("equal-spread", "leaf-01")]


def test_global_links_between_two_groups_missing():
    """A pair of groups without a link of its own, where the others share two."""
    broken = without(dragonfly_plus(), "spine-10.spine-20", "spine-11.spine-21")
    assert judged(broken, *RULES) == [("global-spread", "spine-10")]


def test_global_link_within_a_group_is_none():
    """Two spines of one group joined by a link that calls itself global."""
    topology = dragonfly_plus()
    wrong = Link("spine-00.spine-01", "global", Port("spine-00", "9", "x"), Port("spine-01", "9", "x"), 400)
    broken = replace(topology, links=(*topology.links, wrong))
    assert judged(broken, "link-kind") == [("link-kind", "spine-00.spine-01")]


def test_pods_are_clean():
    """Three tiers, each pod with its spines, each spine with cores of its own."""
    assert judged(pods(), *RULES, "unit-leaves") == []


def test_core_link_missing():
    """A spine with one link to a core and two to the other."""
    broken = without(pods(), "spine-01.2.1")
    assert judged(broken, "equal-spread") == [("equal-spread", "spine-01")]


def test_core_missing_on_one_spine():
    """A spine that lost both links to a core spreads equally over what is left, but is unlike the others."""
    broken = without(pods(), "spine-01.2.0", "spine-01.2.1")
    assert judged(broken, "equal-spread", "symmetry") == [("symmetry", "spine-01")]


def test_pods_on_one_core_alone():
    """With a single core left two pods come apart when it is lost."""
    gone = [link.name for link in pods().of_kind("spine_core") if link.b.device != "core-0"]
    assert judged(without(pods(), *gone), "reachability")


def test_fewer_cores_than_told():
    """Tables with 4 cores of a design that says 5."""
    told = replace(pods(), parameters={**pods().parameters, "cores": 5})
    assert judged(told, "unit-leaves") == [("unit-leaves", "cores")]
