"""What a report counts, and how far apart endpoints are, by family."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import pytest

from fabric.model.design import Design
from fabric.model.topology import Device, Link, Port, Topology
from fabric.pipeline.judging import _counts, _topology


def fabric(family, roles, joined, groups=None):
    """A node on each of the first switches (those of the edge), and links (kind, a, b) between switches by number."""
    edge = [number for number, role in enumerate(roles) if role in {"leaf", "router"}]
    devices = [
        Device(f"s{number}", role, None, group=groups[number] if groups else None) for number, role in enumerate(roles)
    ]
    devices += [Device(f"n{number}", "node", None) for number in edge]
    kind = "node_leaf" if "leaf" in roles else "node_router"
    links = [
        Link(f"n{number}", kind, Port(f"n{number}", "1", "rail0"), Port(f"s{number}", "1", "p"), 400, rail=0)
        for number in edge
    ]
    links += [
        Link(f"{a}-{b}", name, Port(f"s{a}", "2", f"to{b}"), Port(f"s{b}", "2", f"to{a}"), 400) for name, a, b in joined
    ]
    return Topology(family, {}, tuple(devices), tuple(links))


TREE = fabric("fat_tree", ["leaf", "leaf", "spine"], [("leaf_spine", 0, 2), ("leaf_spine", 1, 2)])
SINGLE = fabric("fat_tree", ["leaf"], [])
PODS = fabric(
    "fat_tree",
    ["leaf", "leaf", "spine", "spine", "core"],
    [("leaf_spine", 0, 2), ("leaf_spine", 1, 3), ("spine_core", 2, 4), ("spine_core", 3, 4)],
)
DRAGONFLY = fabric(
    "dragonfly",
    ["router"] * 4,
    [("local", 0, 1), ("local", 2, 3), ("global", 1, 2)],
    groups=[0, 0, 1, 1],
)
RING = fabric("torus", ["router"] * 5, [("torus", a, (a + 1) % 5) for a in range(5)], groups=list(range(5)))


@pytest.mark.parametrize(
    ("topology", "switches", "links"),
    [
        (TREE, {"leaf": 2, "spine": 1}, {"node_leaf": 2, "leaf_spine": 2}),
        (SINGLE, {"leaf": 1, "spine": 0}, {"node_leaf": 1, "leaf_spine": 0}),
        (PODS, {"leaf": 2, "spine": 2, "core": 1}, {"node_leaf": 2, "leaf_spine": 2, "spine_core": 2}),
        (DRAGONFLY, {"router": 4}, {"node_router": 4, "local": 2, "global": 1}),
        (RING, {"router": 5}, {"node_router": 5, "torus": 5}),
    ],
)
def test_counts_by_role_and_kind(topology, switches, links):
    """A tree always counts leaves and spines; other roles and kinds stand where there are any."""
    counts = _counts(Design(None, None, topology))
    assert (dict(counts.switches), dict(counts.links)) == (switches, links)
    assert (counts.nodes, counts.endpoints) == (len(topology.with_role("node")),) * 2


@pytest.mark.parametrize(
    ("topology", "ratio"), [(TREE, 1.0), (SINGLE, None), (PODS, 1.0), (DRAGONFLY, None), (RING, None)]
)
def test_diameter_counts_switches_on_the_longest_way(topology, ratio):
    """Switches on the shortest way between the nodes that are farthest apart, by networkx; a ratio for trees alone."""
    graph = nx.Graph((link.a.device, link.b.device) for link in topology.links)
    nodes = [device.name for device in topology.with_role("node")]
    far = dict(nx.all_pairs_shortest_path_length(graph))
    expected = max(far[a][b] - 1 for a in nodes for b in nodes) if len(nodes) > 1 else 1
    summary = _topology(topology)
    assert (summary.diameter, summary.oversubscription) == (expected, ratio)


def test_parameters_stand_in_one_order():
    """A design read back, whose parameters are sorted, has the report of the one that was made."""
    made = replace(DRAGONFLY, parameters={"p": 2, "a": 4, "groups": 2})
    assert list(_topology(made).parameters) == ["a", "groups", "p"]


def test_no_diameter_where_a_pair_has_no_way():
    """Two leaves without a common spine are no finite way apart."""
    assert _topology(fabric("fat_tree", ["leaf", "leaf", "spine"], [("leaf_spine", 0, 2)])).diameter is None
