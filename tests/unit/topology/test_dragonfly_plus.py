"""Dragonfly+: whole ports, groups without blocking, even global spread, and lanes."""

import json
import math
from collections import Counter
from dataclasses import replace

import pytest

from fabric.catalog.load import load
from fabric.errors import InfeasibleError
from fabric.flow.throughput import uniform_throughput
from fabric.lossless.buffer_dependency import judge
from fabric.model.request import Request
from fabric.pipeline.networks import planes_of
from fabric.topology import dragonfly_plus
from fabric.topology.size import resolve
from fabric.topology.uniform import theta_asked

CATALOG = load()


def asked(nodes: int, **fabric: object) -> Request:
    """HGX H100 nodes on 64-port switches, with two ports each unless said otherwise."""
    document = {
        "name": "case",
        "accelerator": "hgx-h100",
        "nodes": nodes,
        "fabric": {
            "link_layer": "infiniband", "family": "dragonfly_plus", "switches": ["nvidia-qm9700"], "node_ports": 2,
            "wiring": "rack", "uplink_port_gbps": 400, **fabric,
        },
    }  # fmt: skip
    return Request.model_validate_json(json.dumps(document))


def fitted(request: Request):
    """The shape with the fewest switches, and of these the fewest links, that carries uniform traffic."""
    size = resolve(request, CATALOG)
    listed = dragonfly_plus.shapes(request, size, CATALOG)
    by_size = sorted(listed, key=lambda s: (sum(t.count for t in s.tiers), sum(s.switch_links.values())))
    found = (dragonfly_plus.fitted(shape, request, size, CATALOG) for shape in by_size)
    return next(shape for shape in found if shape is not None), size


@pytest.mark.parametrize(
    ("nodes", "fabric"),
    [
        (64, {}),
        (100, {"unit_nodes": 8}),
        (64, {"node_ports": 8, "wiring": "rail"}),
        (60, {"parameters": {"groups": 3}}),
    ],
)
def test_ports_groups_and_lanes(nodes, fabric):
    """Every port once; leaves do not block; uniform traffic runs; one lane is enough, two with detours."""
    request = asked(nodes, **fabric)
    shape, size = fitted(request)
    topology = dragonfly_plus.build(shape, request, size, CATALOG)
    ports = Counter((port.device, port.port) for link in topology.links for port in (link.a, link.b))
    assert set(ports.values()) == {1}
    used = Counter(port.device for link in topology.links for port in (link.a, link.b))
    assert all(used[device.name] <= 64 for device in topology.devices if device.is_switch)
    assert shape.uplinks >= shape.down_ports
    group = {device.name: device.group for device in topology.devices}
    for link in topology.of_kind("leaf_spine", "global"):
        assert (group[link.a.device] == group[link.b.device]) is (link.kind == "leaf_spine")
    counts = Counter(link.kind for link in topology.links)
    assert {kind: counts[kind] for kind in shape.switch_links} == shape.switch_links
    for plane in planes_of(topology):
        assert uniform_throughput(plane.network, plane.routes).theta >= 0.995 - 1e-9
        assert judge(plane.network, plane.routes[:1]).lanes_needed == 1
        assert judge(plane.network, plane.routes).lanes_needed == 2


def test_sketch_is_what_is_built():
    """The network that traffic was counted on has the links of the topology."""
    request = asked(100, unit_nodes=8)
    shape, size = fitted(request)
    (plane,) = planes_of(dragonfly_plus.build(shape, request, size, CATALOG))
    sketch = dragonfly_plus.sketch(shape, size.growth_nodes)
    built = plane.network
    assert sorted(zip(sketch.link_a, sketch.link_b, strict=True)) == sorted(
        zip(built.link_a, built.link_b, strict=True)
    )
    assert (sketch.endpoint_switch == built.endpoint_switch).all()
    assert (sketch.position == built.position).all()


def test_groups_share_equally():
    """Every two full groups have equally many links, spread over the spines within one."""
    request = asked(96, unit_nodes=8, parameters={"groups": 4})
    shape, size = fitted(request)
    topology = dragonfly_plus.build(shape, request, size, CATALOG)
    group = {device.name: device.group for device in topology.devices}
    ends = [tuple(sorted((group[link.a.device], group[link.b.device]))) for link in topology.of_kind("global")]
    assert set(Counter(ends).values()) == {shape.group_links}
    per_spine = Counter(port.device for link in topology.of_kind("global") for port in (link.a, link.b))
    assert max(per_spine.values()) - min(per_spine.values()) <= 1
    assert max(per_spine.values()) == shape.global_ports


def test_too_many_groups_are_refused():
    """Two global ports a spine do not join thirty groups of two spines."""
    request = asked(960, unit_nodes=16, parameters={"groups": 30, "spines": 2, "global_per_spine": 2})
    with pytest.raises(InfeasibleError, match=r"no dragonfly\+ of the switches allowed"):
        dragonfly_plus.shapes(request, resolve(request, CATALOG), CATALOG)


@pytest.mark.parametrize("oversubscription", [0.5, 1, 3])
@pytest.mark.parametrize("global_per_spine", [None, 8])
def test_listed_global_links_are_those_that_ports_and_the_load_leave(oversubscription, global_per_spine):
    """Counted one by one: from the first number whose least share is enough to the last that spines have ports for."""
    parameters = {} if global_per_spine is None else {"global_per_spine": global_per_spine}
    request = asked(61, oversubscription=oversubscription, parameters=parameters)
    size = resolve(request, CATALOG)
    listed = dragonfly_plus.shapes(request, size, CATALOG)
    assert listed
    for shape in listed[:: max(1, len(listed) // 12)]:
        nodes, spine = size.growth_nodes * size.node_ports, CATALOG.switches[shape.spine_part]
        of_group = min(nodes, shape.units_per_pod * shape.unit_nodes * size.node_ports)
        load = theta_asked(request) * of_group * min(of_group, nodes - of_group) / (nodes - 1)
        last = min(shape.units_per_pod, shape.units - shape.units_per_pod)
        per_cage = spine.ports_per_cage(400)
        below = math.ceil(shape.units_per_pod * shape.leaves_per_unit * shape.trunk / per_cage)
        room = (spine.cages.count - below) * per_cage
        tried = [replace(shape, group_links=links) for links in range(1, room * shape.spines + 1)]
        held = [each.group_links for each in tried if each.global_ports <= room]
        if global_per_spine is None:
            held = [links for links in held if math.ceil(links * last / shape.units_per_pod) + 1e-9 >= load]
        else:
            held = [links for links in held if links == global_per_spine * shape.spines // (shape.groups - 1)]
        assert list(dragonfly_plus._links(shape, request, size, CATALOG)) == held
        assert shape.group_links == held[0]
