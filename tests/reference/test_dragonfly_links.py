"""Links that a dragonfly is fitted with, against trying every number of them."""

import json
from dataclasses import replace

import pytest

from fabric.catalog.load import load
from fabric.flow.throughput import uniform_throughput
from fabric.model.request import Request
from fabric.routing import dragonfly_minimal
from fabric.topology import dragonfly
from fabric.topology.dragonfly_links import links_of
from fabric.topology.size import resolve

CATALOG = load()
ROUTER = CATALOG.switches["nvidia-qm9700"]


def carries(network) -> bool:
    """Whether uniform traffic runs at the floor."""
    return uniform_throughput(network, dragonfly_minimal.routes(network)[:1]).theta >= 0.995 - 1e-9


@pytest.mark.parametrize("nodes", [9, 11, 13, 20, 40])
@pytest.mark.parametrize("fabric", [{"node_ports": 8}, {"node_ports": 1, "unit_nodes": 8}, {"node_ports": 2}])
def test_no_fewer_links_than_the_bounds_allow(nodes, fabric):
    """Below the range that counting leaves no number of links between groups carries the traffic, at any width."""
    document = {
        "name": "case",
        "accelerator": "hgx-h100",
        "nodes": nodes,
        "fabric": {
            "link_layer": "infiniband", "family": "dragonfly", "switches": ["nvidia-qm9700"], "wiring": "rack",
            "uplink_port_gbps": 400, **fabric,
        },
    }  # fmt: skip
    request = Request.model_validate_json(json.dumps(document))
    size = resolve(request, CATALOG)
    for shape in dragonfly.shapes(request, size, CATALOG)[:12]:
        links = links_of(shape, request, size, ROUTER)
        for width in links.widths()[:6]:
            legal = links.between(width)
            low = legal[0] if legal else links.most(width) + 1
            for fewer in range(max(1, low - 4), low):
                starved = replace(shape, local_width=width, group_links=fewer)
                assert not carries(dragonfly.sketch(starved, nodes)), (shape, width, fewer)
