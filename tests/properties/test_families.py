"""Fabrics of groups, rings and pods with random parameters, built port by port."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fabric.catalog.load import load
from fabric.flow.throughput import uniform_throughput
from fabric.lossless.buffer_dependency import judge
from fabric.model.network import Network
from fabric.model.outline import listed
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.pipeline.networks import planes_of
from fabric.topology._protocol import FAMILIES
from fabric.topology.global_links import ARRANGEMENTS
from fabric.topology.size import resolve
from fabric.topology.uniform import UNIFORM_FLOOR

CATALOG = load()
SITES = {
    "one plane": ("hgx-h100", {"link_layer": "infiniband", "switches": ["nvidia-qm9700"]}, 64),
    "two planes": (
        "rubin-nvl8",
        {
            "link_layer": "roce", "switches": ["chaoqing-n9500-64oc"], "node_port_gbps": 400, "uplink_port_gbps": 400,
            "planes": 2,
        },
        128,
    ),
}  # fmt: skip
"""System, keys of `fabric`, and ports of a switch."""

SHAPES_COUNT = 20
"""Shapes drawn from, the first of a list that may be long."""

KEYS = {
    "dragonfly": {"family": "dragonfly"},
    "dragonfly_plus": {"family": "dragonfly_plus"},
    "torus": {"family": "torus"},
    "pods": {"family": "fat_tree", "tiers": 3},
}


def fabrics(name: str) -> st.SearchStrategy[Topology]:
    """Topologies with the links that uniform traffic wants."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Topology:
        system, keys, _ = SITES[draw(st.sampled_from(sorted(SITES)))]
        keys = keys | {
            "wiring": draw(st.sampled_from(["rack", "rail"])),
            "node_ports": draw(st.sampled_from([1, 2, 8])),
        }
        if name.startswith("dragonfly"):
            keys["parameters"] = {"arrangement": draw(st.sampled_from(sorted(ARRANGEMENTS)))}
        nodes = draw(st.integers(300, 420) if name == "pods" else st.integers(4, 80))
        document = {"name": "case", "accelerator": system, "nodes": nodes, "fabric": keys | KEYS[name]}
        request = Request.model_validate_json(json.dumps(document))
        size, family = resolve(request, CATALOG), FAMILIES[request.fabric.family]
        first = list(itertools.islice(listed(family.listings(request, size, CATALOG)), SHAPES_COUNT))
        shape = draw(st.sampled_from(first))
        if family.fitted is not None:
            shape = family.fitted(shape, request, size, CATALOG)
        assume(shape is not None)
        return family.build(shape, request, size, CATALOG)

    return drawn()


def of_switches(topology: Topology, kinds: tuple[str, ...]) -> Counter[str]:
    """Links of these kinds by switch."""
    return Counter(port.device for link in topology.of_kind(*kinds) for port in (link.a, link.b))


def relabelled(network: Network, order: list[int]) -> Network:
    """The network with switch i as number order[i]; edges stay before the others."""
    new = np.array(order)
    old = np.argsort(new)
    return replace(
        network,
        endpoint_switch=new[network.endpoint_switch],
        link_a=new[network.link_a],
        link_b=new[network.link_b],
        tier=network.tier[old],
        position=network.position[old],
    )


@pytest.mark.parametrize("name", KEYS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_ports_are_conserved_and_planes_connected(name, data):
    """Every port ends one link, no switch has more than its ports, a cage one kind; each plane hangs together."""
    topology = data.draw(fabrics(name))
    taken = Counter((port.device, port.port) for link in topology.links for port in (link.a, link.b))
    assert set(taken.values()) == {1}
    used = Counter(device for device, _ in taken)
    ports = {part: count for (_, keys, count) in SITES.values() for part in keys["switches"]}
    assert all(used[device.name] <= ports[device.part] for device in topology.devices if device.is_switch)
    kinds = {
        (port.device, port.cage, link.kind)
        for link in topology.links
        for port in (link.a, link.b)
        if topology.device[port.device].is_switch
    }
    assert len(kinds) == len({(device, cage) for device, cage, _ in kinds})
    for plane in planes_of(topology):
        network = plane.network
        graph = nx.Graph(zip(network.link_a.tolist(), network.link_b.tolist(), strict=True))
        assert graph.number_of_nodes() == network.switch_count
        assert nx.is_connected(graph)


@pytest.mark.parametrize("name", ["dragonfly", "dragonfly_plus"])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_global_links_are_spread_evenly(name, data):
    """Whole groups share equally many links two by two; switches of a group differ by one; local links are alike."""
    topology = data.draw(fabrics(name))
    role = "router" if name == "dragonfly" else "spine"
    members: dict[tuple[int | None, int | None], list[str]] = {}
    for device in topology.with_role(role):
        members.setdefault((device.plane, device.group), []).append(device.name)
    edges = Counter((device.plane, device.group) for device in topology.with_role("router", "leaf"))
    whole = max(edges.values())
    home = {name: key for key, names in members.items() for name in names}
    pairs = Counter(frozenset((home[link.a.device], home[link.b.device])) for link in topology.of_kind("global"))
    full = [key for key in members if edges[key] == whole]
    of_full = {pairs[frozenset(two)] for two in itertools.combinations(full, 2) if two[0][0] == two[1][0]}
    assert len(of_full) <= 1
    assert 0 not in of_full
    across, local = of_switches(topology, ("global",)), of_switches(topology, ("local", "leaf_spine"))
    for names in members.values():
        assert max(across[name] for name in names) - min(across[name] for name in names) <= 1
        assert len({local[name] for name in names}) == 1


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_torus_is_regular(data):
    """Every router has the same links to others, whether nodes stand below it or not."""
    topology = data.draw(fabrics("torus"))
    links = of_switches(topology, ("torus",))
    assert len({links[device.name] for device in topology.with_role("router")}) == 1


@pytest.mark.parametrize("name", KEYS)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_labels_change_nothing(name, data):
    """Throughput and lanes are those of the port map, whatever its switches are numbered."""
    plane = planes_of(data.draw(fabrics(name)))[0]
    network = plane.network
    edges = data.draw(st.permutations(range(network.edge_count)))
    others = data.draw(st.permutations(range(network.edge_count, network.switch_count)))
    moved = replace(plane, network=relabelled(network, [*edges, *others]))
    assert moved.network.switch_count == network.switch_count
    before, after = (uniform_throughput(each.network, each.routes).theta for each in (plane, moved))
    assert before == pytest.approx(after, rel=1e-9)
    assert before >= UNIFORM_FLOOR - 1e-9
    assert judge(network, plane.routes).lanes_needed == judge(moved.network, moved.routes).lanes_needed
