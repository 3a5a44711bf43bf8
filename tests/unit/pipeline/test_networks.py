"""Arrays of the flow model: they say what the topology says."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from fabric.catalog.load import load
from fabric.model.forwarding import NO_WAY
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.pipeline.networks import Gone, planes_of
from fabric.topology import fat_tree, port_map
from fabric.topology.size import resolve


@pytest.fixture(scope="module")
def topology() -> Topology:
    """20 nodes of 8 rails on two planes, with one storage device of two ports."""
    document = {
        "name": "case",
        "accelerator": "hgx-b300",
        "nodes": 20,
        "attached": [{"role": "storage", "count": 1, "ports": 2, "gbps": 400}],
        "fabric": {"family": "fat_tree", "link_layer": "roce", "switches": ["nvidia-sn5610"], "uplink_port_gbps": 400},
    }
    request = Request.model_validate_json(json.dumps(document))
    catalog = load()
    size = resolve(request, catalog)
    return port_map.build(fat_tree.shapes(request, size, catalog)[0], request, size, catalog)


def test_every_link_is_in_its_plane_once(topology):
    """Links of both planes together are all links; each array row names the devices of its link."""
    planes = planes_of(topology)
    assert [plane.number for plane in planes] == [0, 1]
    names = [link.name for plane in planes for link in (*plane.endpoints, *plane.links)]
    assert sorted(names) == [link.name for link in topology.links]
    for plane in planes:
        for row, link in enumerate(plane.endpoints):
            assert plane.switches[plane.network.endpoint_switch[row]].name == link.b.device
            assert plane.network.endpoint_gbps[row] == link.rate_gbps
        for row, link in enumerate(plane.links):
            assert plane.switches[plane.network.link_a[row]].name == link.a.device
            assert plane.switches[plane.network.link_b[row]].name == link.b.device


def test_nodes_have_the_same_label_in_every_plane(topology):
    """Labels follow the nodes' order; attached devices come after them and have no rail."""
    for plane in planes_of(topology):
        nodes = plane.rail >= 0
        assert np.array_equal(np.unique(plane.node[nodes]), np.arange(20))
        assert np.array_equal(np.bincount(plane.node[nodes]), np.full(20, 8))
        assert set(plane.node[~nodes]) <= {20}


def test_what_is_down_is_gone(topology):
    """Without one leaf its endpoint links and uplinks are away, and the names of the others stay with their rows."""
    plane = planes_of(topology)[0]
    gone = Gone(plane.network.endpoint_switch == 0, plane.network.link_a == 0)
    rest = plane.without(gone)
    assert len(rest.endpoints) == rest.network.endpoint_switch.size == len(plane.endpoints) - int(gone.endpoints.sum())
    assert not {link.b.device for link in rest.endpoints} & {plane.switches[0].name}
    assert not {link.a.device for link in rest.links} & {plane.switches[0].name}
    for row, link in enumerate(rest.endpoints):
        assert rest.switches[rest.network.endpoint_switch[row]].name == link.b.device


def test_links_to_nowhere_carry_nothing(topology):
    """A link whose end is no leaf, or whose rate is 0, is left out and does not stop the others."""
    first, second, *rest = topology.of_kind("node_leaf")
    wrong = (replace(first, b=replace(first.b, device="nobody")), replace(second, rate_gbps=0))
    uplinks = topology.of_kind("leaf_spine")
    planes = planes_of(replace(topology, links=(*wrong, *rest, *uplinks)))
    assert sum(len(plane.endpoints) for plane in planes) == len(rest)
    assert sum(len(plane.links) for plane in planes) == len(uplinks)


def test_tables_follow_the_tree(topology):
    """A tree has OpenSM's tables for trees: each endpoint is reached, over all uplinks."""
    for plane in planes_of(topology):
        table = plane.forwarding.link[: plane.network.edge_count]
        assert (table != NO_WAY).all()
        counts = np.bincount(table[table >= 0], minlength=plane.network.link_a.size)
        assert counts.max() - counts.min() <= plane.network.edge_count
