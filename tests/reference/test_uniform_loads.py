"""Loads that families count by themselves, against the flow model on the network itself."""

import json
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.catalog.load import load
from fabric.flow.throughput import uniform_throughput
from fabric.model.outline import Outline
from fabric.model.request import Request
from fabric.pipeline.networks import planes_of
from fabric.routing._protocol import SCHEMES, default_scheme
from fabric.topology import dragonfly, dragonfly_load, dragonfly_plus, torus
from fabric.topology.global_links import ARRANGEMENTS
from fabric.topology.size import resolve
from fabric.topology.uniform import UNIFORM_FLOOR, fillings, seated

CATALOG = load()
FAMILIES = {"dragonfly": dragonfly, "dragonfly_plus": dragonfly_plus, "torus": torus}
WIRINGS = ("rack", "rail")


ALONE = Request.model_validate_json(
    '{"name": "alone", "accelerator": "hgx-h100", "nodes": 2, "fabric": {"link_layer": "infiniband"}}'
)
"""A request without attached endpoints."""


def fullest(shape, endpoints) -> float:
    """Load of the fullest link, by the family's own count."""
    if shape.family == "torus":
        axes = enumerate(shape.widths)
        return max(torus._on_axis(shape, axis, endpoints) / width for axis, width in axes)
    count = {"dragonfly": dragonfly_load.on_dragonfly, "dragonfly_plus": dragonfly_load.on_dragonfly_plus}
    return count[shape.family](shape, endpoints)


def asked(nodes: int, family: str, node_ports: int, wiring: str, parameters: dict[str, str], attached=()) -> Request:
    """A request for HGX H100 nodes on 64-port switches."""
    document = {
        "name": "case",
        "accelerator": "hgx-h100",
        "nodes": nodes,
        "attached": attached,
        "fabric": {
            "link_layer": "infiniband", "family": family, "switches": ["nvidia-qm9700"], "node_ports": node_ports,
            "wiring": wiring, "parameters": parameters,
        },
    }  # fmt: skip
    return Request.model_validate_json(json.dumps(document))


def shapes(nodes: int, family: str, *keys):
    """Its shapes in a family."""
    request = asked(nodes, family, *keys)
    return FAMILIES[family].shapes(request, resolve(request, CATALOG), CATALOG)


def drawn(draw, family: str):
    """A shape of a family with links drawn, and nodes that fill it in part or whole."""
    nodes, ports, wiring = draw(st.integers(6, 60)), draw(st.sampled_from([1, 2, 8])), draw(st.sampled_from(WIRINGS))
    arrangement = {} if family == "torus" else {"arrangement": draw(st.sampled_from(sorted(ARRANGEMENTS)))}
    shape = draw(st.sampled_from(shapes(nodes, family, ports, wiring, arrangement)))
    if family == "torus":
        shape = replace(shape, widths=tuple(draw(st.integers(1, 4)) for _ in shape.sizes))
    else:
        shape = replace(shape, group_links=draw(st.integers(1, 12)))
    if family == "dragonfly":
        shape = replace(shape, local_width=draw(st.integers(1, 4)))
    return shape, draw(st.integers(2, nodes))


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=60)
@given(st.data())
def test_counted_loads_are_those_of_the_flow_model(family, data):
    """The same throughput, also with part-filled groups, idle routers and few nodes installed."""
    shape, nodes = drawn(data.draw, family)
    network = FAMILIES[family].sketch(shape, nodes)
    expected = uniform_throughput(network, SCHEMES[default_scheme(family)].routes(network)[:1]).theta
    load = fullest(shape, seated(shape, ALONE, nodes)[0]) * shape.node_port_gbps / shape.uplink_gbps
    assert expected == pytest.approx(min(1.0, (nodes * shape.node_ports - 1) / load if load else 1.0), rel=1e-12)


def test_loads_do_not_depend_on_how_many_groups_are_counted_at_once(monkeypatch):
    """One group after the other, or all together."""
    shape = shapes(50, "dragonfly", 8, "rack", {})[0]
    together = fullest(shape, seated(shape, ALONE, 50)[0])
    monkeypatch.setattr(dragonfly_load, "CELLS_AT_ONCE", 1)
    assert fullest(shape, seated(shape, ALONE, 50)[0]) == pytest.approx(together, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("nodes", [33, 40, 57])
def test_attached_endpoints_load_links_too(family, nodes):
    """The port map of a fitted shape runs at the floor with all that hangs on it; the count is the flow model's."""
    storage = [{"role": "storage", "count": 5, "ports": 2, "gbps": 400}]
    request = asked(nodes, family, 2, "rail", {}, storage)
    size = resolve(request, CATALOG)
    listed = FAMILIES[family].shapes(request, size, CATALOG)
    fits = (
        FAMILIES[family].fitted(shape, request, size, CATALOG) for shape in listed if not isinstance(shape, Outline)
    )
    shape = next(shape for shape in fits if shape is not None)
    (plane,) = planes_of(FAMILIES[family].build(shape, request, size, CATALOG))
    theta = uniform_throughput(plane.network, plane.routes[:1]).theta
    assert theta >= UNIFORM_FLOOR - 1e-9
    if family != "torus":  # whose routers are numbered along the grid
        (endpoints,) = seated(shape, request, nodes)
        load = fullest(shape, endpoints) * shape.node_port_gbps / shape.uplink_gbps
        assert theta == pytest.approx(min(1.0, (endpoints.sum() - 1) / load), rel=1e-9)


@pytest.mark.parametrize("family", ["dragonfly", "dragonfly_plus"])
def test_one_link_fewer_between_groups_does_not_carry(family):
    """Bounds by counting leave the fewest, also where attached endpoints share each node's peers."""
    storage = [{"role": "storage", "count": 4, "ports": 8, "gbps": 400}]
    for attached in ([], storage):
        request = asked(16, family, 4, "rack", {}, attached)
        size = resolve(request, CATALOG)
        for shape in list(FAMILIES[family].shapes(request, size, CATALOG))[:12]:
            found = FAMILIES[family].fitted(shape, request, size, CATALOG)
            if found is not None and found.group_links > 1:
                fewer = replace(found, group_links=found.group_links - 1)
                assert not FAMILIES[family]._carries(fewer, request, fillings(fewer, request, size))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_plane_carries_with_what_is_attached_to_it(family):
    """One storage port is on one of two planes; the other has fewer endpoints to spread over."""
    document = {
        "name": "case",
        "accelerator": "hgx-b300",
        "nodes": 16,
        "attached": [{"role": "storage", "count": 1, "ports": 1, "gbps": 400}],
        "fabric": {
            "link_layer": "roce", "family": family, "switches": ["nvidia-sn5600"], "node_ports": 2, "planes": 2,
            "wiring": "rack", "unit_nodes": 4,
        },
    }  # fmt: skip
    request = Request.model_validate_json(json.dumps(document))
    size = resolve(request, CATALOG)
    listed = (shape for shape in FAMILIES[family].shapes(request, size, CATALOG) if not isinstance(shape, Outline))
    fits = (found for shape in listed if (found := FAMILIES[family].fitted(shape, request, size, CATALOG)) is not None)
    for shape in islice(fits, 10):
        for plane in planes_of(FAMILIES[family].build(shape, request, size, CATALOG)):
            assert uniform_throughput(plane.network, plane.routes[:1]).theta >= UNIFORM_FLOOR - 1e-9
