"""The worst single failure, against trying every element of the kind."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.flow.throughput import uniform_throughput
from fabric.model.topology import Device, Link, Port, Topology
from fabric.pipeline.failures import worst_failures
from fabric.pipeline.networks import Gone, Plane, planes_of


def _plane(seed: int | None) -> Plane:
    """Four leaves of 4 endpoints under three spines; with a seed some endpoints and uplinks are missing or faster."""
    rng = np.random.default_rng(seed)

    def rates_gbps(count: int) -> list[int]:
        return [400] * count if seed is None else rng.choice([0, 400, 400, 400, 800], size=count).tolist()

    leaves = [Device(f"leaf-{leaf}", "leaf", None) for leaf in range(4)]
    spines = [Device(f"spine-{spine}", "spine", None) for spine in range(3)]
    nodes = [Device(f"node-{node:02d}", "node", None) for node in range(16)]
    down = [
        Link(
            node.name, "node_leaf", Port(node.name, "1", "rail0"), Port(leaves[at // 4].name, f"{at}", f"{at}"), rate, 0
        )
        for at, (node, rate) in enumerate(zip(nodes, rates_gbps(16), strict=True))
    ]
    pairs = [(leaf, spine, copy) for leaf in leaves for spine in spines for copy in range(2)]
    up = [
        Link(
            f"{leaf.name}.{spine.name}.{copy}",
            "leaf_spine",
            Port(leaf.name, f"up-{copy}", f"{spine.name}.{copy}"),
            Port(spine.name, leaf.name, f"{leaf.name}.{copy}"),
            rate,
        )
        for (leaf, spine, copy), rate in zip(pairs, rates_gbps(24), strict=True)
    ]
    links = tuple(link for link in (*down, *up) if link.rate_gbps)
    (plane,) = planes_of(Topology("fat_tree", {}, (*leaves, *nodes, *spines), links))
    return plane


def _theta_without(plane: Plane, endpoints: np.ndarray, uplinks: np.ndarray) -> float:
    left = plane.without(Gone(endpoints, uplinks))
    return uniform_throughput(left.network, left.routes).theta


@pytest.mark.parametrize("seed", [None, *range(12)])
def test_worst_spine_and_leaf_are_those_of_trying_all(seed):
    """Trying one of each set of equals finds the same least throughput as trying every spine and every leaf."""
    plane = _plane(seed)
    ports = plane.network
    nobody = np.zeros(ports.endpoint_switch.size, dtype=bool)
    spines = [
        _theta_without(plane, nobody, ports.link_b == spine) for spine in range(ports.edge_count, ports.switch_count)
    ]
    leaves = [
        _theta_without(plane, ports.endpoint_switch == leaf, ports.link_a == leaf) for leaf in range(ports.edge_count)
    ]
    found = {damage.element.split()[0]: damage.theta for damage in worst_failures((plane,))}
    assert found["spine"] == pytest.approx(min(spines), abs=1e-12)
    assert found["leaf"] == pytest.approx(min(leaves), abs=1e-12)


def test_equals_are_tried_once(monkeypatch):
    """A regular plane has one kind of link, cage, spine and leaf: one trial each, after the plane as it is."""
    trials = []

    def counted(network, routes):
        trials.append(network)
        return uniform_throughput(network, routes)

    monkeypatch.setattr("fabric.pipeline.failures.uniform_throughput", counted)
    names = [damage.element for damage in worst_failures((_plane(None),))]
    assert names == ["link leaf-0.spine-0.0", "cage leaf-0:up-0", "spine spine-0", "leaf leaf-0"]
    assert len(trials) == 1 + len(names)


def test_damaged_planes_lack_the_element():
    """The planes handed on are those without the element: a spine down takes its two links of each of four leaves."""
    plane = _plane(None)
    damage = next(damage for damage in worst_failures((plane,)) if damage.element == "spine spine-0")
    assert len(damage.planes[0].links) == len(plane.links) - 8


def _one_tier(planes: int) -> tuple[Plane, ...]:
    """Four nodes on the only leaf of every plane."""
    leaves = [Device(f"leaf-{plane}", "leaf", None, plane=plane) for plane in range(planes)]
    nodes = [Device(f"node-{node:02d}", "node", None) for node in range(4)]
    links = [
        Link(
            f"{node.name}.{leaf.name}", "node_leaf", Port(node.name, "1", leaf.name), Port(leaf.name, "1", "1"), 400, 0
        )
        for leaf in leaves
        for node in nodes
    ]
    return planes_of(Topology("fat_tree", {}, (*leaves, *nodes), tuple(links)))


def test_one_tier_has_only_leaves():
    """Without spines and uplinks no link, cage or spine can fail; without the only leaf there is nothing left."""
    (damage,) = worst_failures(_one_tier(planes=1))
    assert (damage.element, damage.theta, damage.planes) == ("leaf leaf-0", 0.0, ())


def test_other_planes_carry_on_where_one_is_lost():
    """Of two planes of one leaf each the second stays whole."""
    (damage,) = worst_failures(_one_tier(planes=2))
    assert (damage.element, damage.theta, len(damage.planes)) == ("leaf leaf-0", 1.0, 1)


def test_only_the_kinds_asked_are_tried():
    """Whoever asks for links and spines alone gets the same worst of these, and no others."""
    plane = _plane(None)
    every = {damage.element: damage.theta for damage in worst_failures((plane,))}
    asked = {damage.element: damage.theta for damage in worst_failures((plane,), ("link", "spine"))}
    assert asked == {name: theta for name, theta in every.items() if name.split()[0] in {"link", "spine"}}
    assert len(asked) == 2
