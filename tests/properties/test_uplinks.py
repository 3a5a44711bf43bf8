"""Uplinks of random two-tier shapes with uneven trunks: what dealing keeps, and twin cages where they can be kept."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fabric.catalog.load import Catalog, load
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.model.tree_shape import FatTreeShape
from fabric.topology import port_map
from fabric.topology.size import resolve

PORTS_PER_CAGE = 2
SPINE_PORTS = 64
"""Of the nvidia-qm9700: 32 twin cages. Source: nvidia-qm9700."""

UNIT_NODES = 16


@cache
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


@st.composite
def shapes(draw: st.DrawFn) -> FatTreeShape:
    """A shape whose spines have ports for all its uplinks, often exactly as many."""
    spines, units = draw(st.integers(2, 9)), draw(st.integers(1, 6))
    rails_per_leaf = draw(st.sampled_from((1, 2)))
    leaves = 8 // rails_per_leaf
    down_ports = UNIT_NODES * rails_per_leaf
    uplinks = draw(st.integers(spines, SPINE_PORTS - down_ports))
    last = draw(st.sampled_from((uplinks, draw(st.integers(spines, uplinks)))))
    assume(leaves * ((units - 1) * uplinks + last) <= SPINE_PORTS * spines)
    return FatTreeShape(
        leaf_part="nvidia-qm9700",
        spine_part="nvidia-qm9700",
        planes=1,
        wiring="rail",
        node_ports=8,
        node_port_gbps=400,
        uplink_gbps=400,
        unit_nodes=UNIT_NODES,
        units=units,
        rails_per_leaf=rails_per_leaf,
        leaves_per_unit=leaves,
        extra_ports=0,
        down_ports=down_ports,
        uplinks=uplinks,
        last_uplinks=last,
        spines=spines,
    )


def built(shape: FatTreeShape) -> Topology:
    """The port map of `shape`, full of nodes."""
    document = {
        "name": "drawn",
        "accelerator": "hgx-h100",
        "nodes": shape.units * shape.unit_nodes,
        "fabric": {
            "family": "fat_tree",
            "link_layer": "infiniband",
            "switches": ["nvidia-qm9700"],
            "uneven_trunks": True,
        },
    }
    request = Request.model_validate_json(json.dumps(document))
    return port_map.build(shape, request, resolve(request, catalog()), catalog())


@given(shapes())
def test_every_link_is_dealt_once_and_no_spine_is_overrun(shape):
    """Links are conserved, ports used once; spines differ by a cage at most, and none has more than its ports."""
    links = built(shape).of_kind("leaf_spine")
    assert len(links) == shape.uplinks_total
    ports = Counter((end.device, end.port) for link in links for end in (link.a, link.b))
    assert set(ports.values()) == {1}
    load = Counter(link.b.device for link in links)
    assert max(load.values()) <= SPINE_PORTS
    assert max(load.values()) - min(load.values()) <= PORTS_PER_CAGE


@given(shapes())
def test_trunks_of_a_leaf_differ_by_a_cage_at_most(shape):
    """Every leaf reaches every spine, with no trunk over a cage wider than another."""
    trunks = Counter((link.a.device, link.b.device) for link in built(shape).of_kind("leaf_spine"))
    assert len(trunks) == shape.leaves_total * shape.spines
    for leaf in {leaf for leaf, _ in trunks}:
        widths = [count for (each, _), count in trunks.items() if each == leaf]
        assert max(widths) - min(widths) <= PORTS_PER_CAGE


@given(shapes())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_twin_cages_stay_whole_where_uplinks_are_whole_cages(shape):
    """The two links of a cage end in one cage wherever a leaf has whole cages, and enough, for every spine."""
    counts = (shape.uplinks, shape.last_uplinks)
    assume(all(count % PORTS_PER_CAGE == 0 and count >= PORTS_PER_CAGE * shape.spines for count in counts))
    assume(shape.uplinks % shape.spines)
    pairs = Counter(
        (link.a.device, link.a.cage, link.b.device, link.b.cage) for link in built(shape).of_kind("leaf_spine")
    )
    assert set(pairs.values()) == {PORTS_PER_CAGE}
