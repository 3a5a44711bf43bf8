"""Three-tier fat-trees against published counts, and port by port.

Rows: NVIDIA DGX SuperPOD with DGX B200 reference architecture, table of compute fabric components for 16, 32 and 64
scalable units (source key nvidia-superpod-b200). Largest trees of k ports: k³/4 endpoints, 5k²/4 switches
(al-fares-2008).
"""

import json
from collections import Counter

import numpy as np
import pytest

from fabric.catalog.load import load
from fabric.errors import InfeasibleError
from fabric.flow.throughput import uniform_throughput
from fabric.flow.walk import distances
from fabric.model.request import Request
from fabric.model.tree_shape import PodTreeShape
from fabric.pipeline.networks import planes_of
from fabric.topology import fat_tree
from fabric.topology.size import resolve

CATALOG = load()

# Scalable units, nodes, leaves, spines, cores, node-leaf, leaf-spine, spine-core cables.
PUBLISHED = [
    (16, 512, 128, 128, 64, 4096, 4096, 4096),
    (32, 1024, 256, 256, 128, 8192, 8192, 8192),
    (64, 2048, 512, 512, 256, 16384, 16384, 16384),
]


def asked(nodes: int, **fabric: object) -> Request:
    """DGX B200 nodes on 64-port switches, in units of 32 nodes, at most three tiers."""
    document = {
        "name": "case",
        "accelerator": "dgx-b200",
        "nodes": nodes,
        "fabric": {
            "link_layer": "infiniband", "family": "fat_tree", "tiers": 3, "switches": ["nvidia-qm9700"],
            "unit_nodes": 32, **fabric,
        },
    }  # fmt: skip
    return Request.model_validate_json(json.dumps(document))


def cheapest(request: Request):
    """The shape with the fewest switches, and of these the fewest links."""
    size = resolve(request, CATALOG)
    listed = fat_tree.shapes(request, size, CATALOG)
    return min(listed, key=lambda s: (sum(t.count for t in s.tiers), sum(s.switch_links.values()))), size


@pytest.mark.parametrize("row", PUBLISHED, ids=[f"{row[0]} units" for row in PUBLISHED])
def test_published_counts(row):
    """Switches and cables of every tier."""
    _, nodes, leaf, spine, core, node_leaf, leaf_spine, spine_core = row
    shape, size = cheapest(asked(nodes))
    assert {tier.role: tier.count for tier in shape.tiers} == {"leaf": leaf, "spine": spine, "core": core}
    assert shape.switch_links == {"leaf_spine": leaf_spine, "spine_core": spine_core}
    assert size.endpoints == node_leaf


@pytest.mark.parametrize(("switch", "ports", "rate"), [("nvidia-qm9700", 64, 400)])
def test_largest_tree(switch, ports, rate):
    """k³/4 endpoints take 5k²/4 switches, and one unit more is refused with the arithmetic."""
    nodes = ports**3 // 4 // 8
    shape, _ = cheapest(asked(nodes, unit_nodes="auto", node_port_gbps=rate))
    assert sum(tier.count for tier in shape.tiers) == 5 * ports**2 // 4
    request = asked(nodes + 1)
    with pytest.raises(InfeasibleError, match="32 x 32 x 64 = 65536 endpoints"):
        fat_tree.shapes(request, resolve(request, CATALOG), CATALOG)


@pytest.mark.parametrize(
    ("nodes", "fabric"), [(300, {}), (512, {}), (96, {"oversubscription": 2}), (70, {"planes": 2, "node_ports": 4})]
)
def test_every_port_is_taken_once_and_everybody_reached(nodes, fabric):
    """Ports are whole, five hops at most, and uniform traffic runs as fast as the leaves' uplinks let it."""
    request = asked(nodes, **fabric)
    size = resolve(request, CATALOG)
    shape = next(s for s in fat_tree.shapes(request, size, CATALOG) if isinstance(s, PodTreeShape))
    topology = fat_tree.build(shape, request, size, CATALOG)
    ports = Counter((port.device, port.port) for link in topology.links for port in (link.a, link.b))
    assert set(ports.values()) == {1}
    counts = Counter(link.kind for link in topology.links)
    assert {kind: counts[kind] for kind in shape.switch_links} == shape.switch_links
    assert Counter(d.role for d in topology.devices if d.is_switch) == {t.role: t.count for t in shape.tiers}
    used = Counter(port.device for link in topology.links for port in (link.a, link.b))
    assert all(used[device.name] <= 64 for device in topology.devices if device.is_switch)
    for plane in planes_of(topology):
        hops = distances(plane.network, plane.routes)
        assert set(np.unique(hops)) <= {0, 2, 4}
        theta = uniform_throughput(plane.network, plane.routes).theta
        assert theta >= min(1.0, shape.uplinks / shape.down_ports) - 1e-9


def test_cores_join_the_spines_of_one_place():
    """Every core has the same number of links to every pod."""
    shape, size = cheapest(asked(512))
    topology = fat_tree.build(shape, asked(512), size, CATALOG)
    pod = {device.name: device.group for device in topology.devices}
    per_pod = Counter((link.b.device, pod[link.a.device]) for link in topology.of_kind("spine_core"))
    assert len(per_pod) == 64 * shape.pods
    assert len(set(per_pod.values())) == 1


def test_two_tiers_stay_the_default():
    """Without a word on tiers 512 nodes of eight ports are refused."""
    request = asked(512, tiers=2)
    with pytest.raises(InfeasibleError, match="at most two tiers"):
        fat_tree.shapes(request, resolve(request, CATALOG), CATALOG)
