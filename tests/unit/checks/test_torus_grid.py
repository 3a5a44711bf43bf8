"""A torus as built passes; a lost link, a wrong place and wrong sizes are named."""

import json
from dataclasses import replace

import pytest

from fabric.catalog.load import load
from fabric.checks import CheckContext
from fabric.checks.torus_grid import judge
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.topology import torus
from fabric.topology.size import resolve

CATALOG = load()


@pytest.fixture(scope="module")
def topology() -> Topology:
    """Sixteen routers, two links to each neighbour in one dimension and three in the other; ten of them with nodes."""
    fabric = {
        "link_layer": "infiniband", "family": "torus", "switches": ["nvidia-qm9700"], "node_ports": 1,
        "wiring": "rack", "uplink_port_gbps": 400, "unit_nodes": 1, "parameters": {"sizes": [4, 4]},
    }  # fmt: skip
    document = {"name": "case", "accelerator": "hgx-h100", "nodes": 10, "fabric": fabric}
    request = Request.model_validate_json(json.dumps(document))
    size = resolve(request, CATALOG)
    (shape,) = torus.shapes(request, size, CATALOG)
    return torus.build(replace(shape, widths=(2, 3)), request, size, CATALOG)


def found(topology: Topology) -> list[tuple[str, str]]:
    """Objects and messages."""
    return [(each.where, each.message) for each in judge(CheckContext(Design(None, None, topology), CATALOG))]


def test_as_built(topology):
    """Nothing to say."""
    assert not found(topology)


def test_a_lost_link_is_named_by_its_ends(topology):
    """Two routers that share one link less."""
    lost = topology.of_kind("torus")[0]
    links = tuple(link for link in topology.links if link is not lost)
    ends = sorted((lost.a.device, lost.b.device))
    ((where, message),) = found(replace(topology, links=links))
    assert where == ends[0]
    assert f"links with {ends[1]}, due are" in message


def test_two_routers_at_one_place(topology):
    """Both are named, and so are the links that no longer fit."""
    first, second = topology.with_role("router")[:2]
    devices = tuple(replace(d, group=first.group) if d is second else d for d in topology.devices)
    messages = dict(found(replace(topology, devices=devices)))
    assert {first.name, second.name} <= set(messages)
    assert any(f"is at place {first.group}" in message for message in messages.values())


def test_wrong_sizes(topology):
    """A grid of 2 x 8 is told for one of 4 x 4."""
    assert found(replace(topology, parameters={**topology.parameters, "sizes": "2x8"}))
