"""Every single failure, against loading what is left of the planes pair by pair."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from fabric.flow.link_load import bottleneck, even_load
from fabric.flow.throughput import uniform_throughput
from fabric.model.topology import Device, Link, Port, Topology
from fabric.pipeline import failures as module
from fabric.pipeline.elements import KINDS, SWITCH_KINDS, elements, gone
from fabric.pipeline.failures import Failures
from fabric.pipeline.networks import Gone, planes_of
from fabric.units import bytes_per_us


class Cabled:
    """Devices and links of a topology, every device with two ports a cage."""

    def __init__(self) -> None:
        self.devices, self.links, self._ports = {}, [], defaultdict(int)

    def device(self, name, role, **more):
        """A device, once."""
        self.devices.setdefault(name, Device(name, role, None, **more))

    def link(self, kind, a, b, gbps=400, rail=None):
        """A link on the next free ports of its ends, named after the first of these."""
        ends = []
        for name in (a, b):
            number = self._ports[name]
            self._ports[name] += 1
            ends.append(Port(name, f"{number // 2}", f"{number}"))
        self.links.append(Link(f"{a}.{ends[0].port}", kind, *ends, gbps, rail))

    def planes(self, family, **parameters):
        """All of it as arrays."""
        return planes_of(Topology(family, parameters, tuple(self.devices.values()), tuple(self.links)))


def tree(seed=None, leaves=4, spines=3, trunk=2, planes=1):
    """Leaves of 4 nodes under spines; with a seed some links are missing or faster, in every plane others."""
    rng = np.random.default_rng(seed)
    made = Cabled()
    for plane in range(planes):
        for leaf in range(leaves):
            made.device(f"leaf-{plane}-{leaf}", "leaf", plane=plane)
        for spine in range(spines):
            made.device(f"spine-{plane}-{spine}", "spine", plane=plane)
    for node in range(4 * leaves):
        made.device(f"node-{node:02d}", "node")
        for plane in range(planes):
            gbps = 400 if seed is None else int(rng.choice([0, 400, 400, 400, 800]))
            if gbps:
                made.link("node_leaf", f"node-{node:02d}", f"leaf-{plane}-{node // 4}", gbps, rail=0)
    for plane, leaf, spine, _ in itertools.product(range(planes), range(leaves), range(spines), range(trunk)):
        gbps = 400 if seed is None else int(rng.choice([0, 400, 400, 400, 800]))
        if gbps:
            made.link("leaf_spine", f"leaf-{plane}-{leaf}", f"spine-{plane}-{spine}", gbps)
    return made.planes("fat_tree")


def pods():
    """Three pods of two leaves and two spines, each spine of a pod with two cores of its own."""
    made = Cabled()
    for pod in range(3):
        for leaf in range(2):
            made.device(f"leaf-{pod}-{leaf}", "leaf")
        for spine in range(2):
            made.device(f"spine-{pod}-{spine}", "spine")
    for core in range(4):
        made.device(f"core-{core}", "core")
    for node, (pod, leaf) in enumerate(itertools.product(range(3), range(2))):
        for port in range(2):
            made.device(f"node-{node}-{port}", "node")
            made.link("node_leaf", f"node-{node}-{port}", f"leaf-{pod}-{leaf}", rail=0)
        for spine in range(2):
            made.link("leaf_spine", f"leaf-{pod}-{leaf}", f"spine-{pod}-{spine}")
    for pod, core in itertools.product(range(3), range(4)):
        made.link("spine_core", f"spine-{pod}-{core // 2}", f"core-{core}")
    return made.planes("fat_tree")


def dragonfly(a=3, h=1):
    """Groups joined by one link each, in the order of their numbers."""
    made, groups = Cabled(), a * h + 1
    for group, router in itertools.product(range(groups), range(a)):
        made.device(f"router-{group}-{router}", "router", group=group)
        made.device(f"node-{group}-{router}", "node")
        made.link("node_router", f"node-{group}-{router}", f"router-{group}-{router}", rail=0)
    for group in range(groups):
        for one, other in itertools.combinations(range(a), 2):
            made.link("local", f"router-{group}-{one}", f"router-{group}-{other}")
    for one, other in itertools.combinations(range(groups), 2):
        made.link("global", f"router-{one}-{(other - 1) // h}", f"router-{other}-{one // h}")
    return made.planes("dragonfly")


def torus(*sizes):
    """Routers of one node, two links to the next in each dimension."""
    made, spots = Cabled(), list(itertools.product(*map(range, sizes)))
    for number, _ in enumerate(spots):
        made.device(f"router-{number:02d}", "router", group=number)
        made.device(f"node-{number:02d}", "node")
        made.link("node_router", f"node-{number:02d}", f"router-{number:02d}", rail=0)
    for number, spot in enumerate(spots):
        for axis, size in enumerate(sizes):
            after = spots.index((*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :]))
            for _ in range(2):
                made.link("torus", f"router-{number:02d}", f"router-{after:02d}")
    return made.planes("torus", sizes="x".join(map(str, sizes)))


def parted(plane):
    """Pairs of leaves of a plane without a way, by a demand from each to each."""
    ends = np.zeros(len(plane.endpoints))
    every = np.ones((plane.network.edge_count,) * 2)
    return {tuple(pair) for pair in even_load(plane.network, plane.routes, every, ends, ends).unreachable.tolist()}


def left_theta(planes, *down_elements) -> float:
    """Throughput without some elements: every pair of ports on its own, in the planes where they still meet."""
    down = gone(planes, down_elements)
    leaf_of = [plane.network.endpoint_switch for plane in planes]
    apart = [parted(plane.without(down[at]) if at in down else plane) for at, plane in enumerate(planes)]
    up = []
    for at, plane in enumerate(planes):
        mask = ~down[at].endpoints if at in down else np.ones(len(plane.endpoints), dtype=bool)
        up.append(
            {
                (n, r): i
                for i, (n, r) in enumerate(zip(plane.node.tolist(), plane.rail.tolist(), strict=True))
                if mask[i]
            }
        )
    pairs = [np.zeros((plane.network.edge_count,) * 2) for plane in planes]
    sent = [np.zeros(len(plane.endpoints)) for plane in planes]
    received = [np.zeros(len(plane.endpoints)) for plane in planes]
    for at, plane in enumerate(planes):
        ports = list(zip(plane.node.tolist(), plane.rail.tolist(), strict=True))
        here = [port for port in ports if any(port in ends for ends in up)]
        for a, b in itertools.permutations(here, 2):
            own_bytes = plane.network.endpoint_gbps[ports.index(a)] * bytes_per_us(1.0) / (len(here) - 1)
            ways = [
                other
                for other, ends in enumerate(up)
                if a in ends and b in ends and (leaf_of[other][ends[a]], leaf_of[other][ends[b]]) not in apart[other]
            ]
            if not ways:
                return 0.0
            for other in [at] if at in ways else ways:
                i, j = up[other][a], up[other][b]
                leaf = planes[other].network.endpoint_switch
                share = own_bytes / (1 if at in ways else len(ways))
                pairs[other][leaf[i], leaf[j]] += share
                sent[other][i] += share
                received[other][j] += share
    theta = []
    for at, plane in enumerate(planes):
        left = plane.without(down[at]) if at in down else plane
        ends = [values[at][list(up[at].values())] for values in (sent, received)]
        if not ends[0].any():
            continue
        load = even_load(left.network, left.routes, pairs[at], *ends)
        theta.append(0.0 if load.unreachable.size else 1 / bottleneck(left.network, load).time_us)
    return min(theta, default=0.0)


FABRICS = {
    "tree": tree(),
    "thin": tree(trunk=1, spines=5),
    **{f"tree {seed}": tree(seed) for seed in range(6)},
    "two planes": tree(planes=2),
    **{f"two planes {seed}": tree(seed, leaves=3, planes=2) for seed in range(3)},
    "one spine a plane": tree(planes=2, spines=1, trunk=1),
    **{f"few spines {seed}": tree(seed, leaves=3, spines=2, trunk=1, planes=2) for seed in range(6)},
    **{f"one spine of three planes {seed}": tree(seed, leaves=3, spines=1, trunk=2, planes=3) for seed in range(3)},
    "pods": pods(),
    "dragonfly": dragonfly(),
    "torus": torus(3, 3),
    "ring": torus(5),
}


@pytest.mark.parametrize("name", FABRICS)
def test_every_element_is_judged_as_if_it_were_tried(name):
    """Each element stands in one class, and the class has the throughput that loading all pairs anew gives."""
    planes = FABRICS[name]
    every = Failures(planes)
    for kind in KINDS:
        found = {member: loss.theta for loss in every.of_kind(kind) for member in loss.alike.names}
        tried = [] if kind == "plane" and len(planes) == 1 else list(elements(planes, kind))
        assert sorted(found) == sorted(element.name for element in tried)
        for element in tried:
            assert found[element.name] == pytest.approx(left_theta(planes, element), rel=1e-9, abs=1e-12), element.title
    whole = left_theta(planes)
    if not any(parted(plane) for plane in planes):
        assert whole == pytest.approx(min(uniform_throughput(each.network, each.routes).theta for each in planes))
    assert every.whole.theta == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("tree", {"node_link": 1, "link": 1, "cage": 4, "spine": 1, "leaf": 1}),
        ("two planes", {"node_link": 1, "link": 1, "cage": 4, "spine": 1, "leaf": 1, "plane": 1}),
        ("pods", {"node_link": 1, "link": 2, "core": 1, "spine": 1, "leaf": 1}),
        ("torus", {"node_link": 1, "link": 2, "router": 1}),
        ("ring", {"node_link": 1, "link": 1, "router": 1}),
    ],
)
def test_regular_fabrics_have_few_classes(name, classes):
    """One class for all elements of a kind that a symmetry joins; all of them proved."""
    every = Failures(FABRICS[name])
    found = {kind: every.of_kind(kind) for kind in KINDS}
    assert {kind: len(losses) for kind, losses in found.items() if kind in classes} == classes
    assert all(loss.alike.is_proved for losses in found.values() for loss in losses)


def test_too_many_to_try_are_taken_by_their_look(monkeypatch):
    """Where the work is not allowed one stands for all that look alike, and that is said."""
    monkeypatch.setattr(module, "MOST_US", 0.0)
    monkeypatch.setattr(module, "MOST_STEPS", 0)
    every = Failures(dragonfly(4, 2))
    for kind, count in (("router", 36), ("link", 54 + 36)):
        losses = every.of_kind(kind)
        assert sum(len(loss.alike.names) for loss in losses) == count
        assert len(losses) == (1 if kind == "router" else 2)
        assert not any(loss.alike.is_proved for loss in losses)


def test_the_coarsest_classes_are_few(monkeypatch):
    """A dragonfly with a link down looks different from every router: where even that is too much, tiers count."""
    monkeypatch.setattr(module, "MOST_US", 0.0)
    (plane,) = dragonfly(4, 2)
    hurt = plane.without(Gone(np.zeros(36, dtype=bool), np.arange(90) == 60))
    (loss,) = Failures((hurt,)).of_kind("router")
    assert len(loss.alike.names) == 36


def theta(planes, kind) -> float:
    """Throughput without the worst element of a kind, over that of the whole."""
    every = Failures(planes)
    return every.of_kind(kind)[0].theta / every.whole.theta


@pytest.mark.parametrize("spines", [4, 16])
def test_one_of_equal_uplinks_and_one_of_equal_spines(spines):
    """Leaves as full as their uplinks lose 1 of u with one uplink, and 1 of s with one spine."""
    made = Cabled()
    for leaf, port in itertools.product(range(2), range(spines)):
        made.device(f"leaf-{leaf}", "leaf")
        made.device(f"spine-{port:02d}", "spine")
        made.link("leaf_spine", f"leaf-{leaf}", f"spine-{port:02d}")
        for copy in range(4):
            made.device(f"node-{leaf}-{port:02d}-{copy}", "node")
            made.link("node_leaf", f"node-{leaf}-{port:02d}-{copy}", f"leaf-{leaf}", rail=0)
    planes = made.planes("fat_tree")
    assert theta(planes, "link") == pytest.approx(1 - 1 / spines, rel=1e-12)
    assert theta(planes, "spine") == pytest.approx(1 - 1 / spines, rel=1e-12)


def test_one_plane_of_eight():
    """The other seven carry what the eighth did: an eighth less; so does a leaf of it for its own nodes."""
    planes = tree(planes=8, leaves=2)
    assert theta(planes, "plane") == pytest.approx(7 / 8, rel=1e-12)
    assert theta(planes, "leaf") == pytest.approx(7 / 8, rel=1e-12)
    assert theta(planes, "node_link") == pytest.approx(7 / 8, rel=1e-12)


def test_a_plane_without_its_middle_is_left_to_pairs_below_a_leaf():
    """Two planes of one spine each: without one of them all pairs but those below a leaf use the other plane."""
    planes = tree(planes=2, leaves=4, spines=1, trunk=4)
    every = Failures(planes)
    assert every.whole.theta == pytest.approx(1.0)
    (lost,) = every.of_kind("spine")
    # A port has 12 peers below other leaves, each with both shares, and 3 below its own.
    assert lost.theta == pytest.approx(15 / (2 * 12 + 3), rel=1e-12)
    (leaf,) = every.of_kind("leaf")
    assert leaf.theta == pytest.approx(1 / 2, rel=1e-12)


def test_what_nobody_moves_is_lost():
    """Flows hashed to planes for good: a plane, a leaf or a node's link down leaves pairs without a way."""
    planes = tree(planes=2, spines=2, trunk=1)
    every = Failures(planes, moves=False)
    for kind in ("plane", "leaf", "node_link"):
        assert [loss.theta for loss in every.of_kind(kind)] == [0.0]
    assert every.of_kind("spine")[0].theta == Failures(planes).of_kind("spine")[0].theta > 0
    assert Failures(tree(planes=2, spines=1), moves=False).of_kind("spine")[0].theta == 0.0
    (alone,) = tree()
    assert [loss.theta for loss in Failures((alone,), moves=False).of_kind("node_link")] == [
        loss.theta for loss in Failures((alone,)).of_kind("node_link")
    ]


def test_what_is_lost_with_the_last_leaf():
    """Without the only leaf of the only plane nothing is left; of two planes the other one carries all of it."""
    lost = Failures(tree(leaves=1, spines=0)).of_kind("leaf")[0]
    assert (lost.theta, lost.worst_link) == (0.0, None)
    every = Failures(tree(leaves=1, spines=0, planes=2))
    lost = every.of_kind("leaf")[0]
    assert (lost.theta, len(every.planes_without(lost.alike.first))) == (0.5, 1)


def test_losses_come_worst_first():
    """Every kind is sorted by what is left."""
    every = Failures(FABRICS["tree 1"])
    for kind in ("link", "cage", *SWITCH_KINDS):
        left = [round(loss.theta, 9) for loss in every.of_kind(kind)]
        assert left == sorted(left)


def test_attached_devices_have_one_plane():
    """A device that is no node uses the plane it hangs on; without its link it leaves the traffic."""
    (plane,) = tree()
    attached = replace(plane, rail=np.where(np.arange(16) == 3, -1, plane.rail))
    found = {loss.theta for loss in Failures((attached,)).of_kind("node_link")}
    assert found == {loss.theta for loss in Failures((plane,)).of_kind("node_link")}
