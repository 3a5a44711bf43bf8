"""Dragonflies: the canonical table, whole ports, part-filled groups, and what is refused."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from fabric.catalog.load import load
from fabric.errors import InfeasibleError, InputError
from fabric.flow.throughput import uniform_throughput
from fabric.model.request import Request
from fabric.routing import dragonfly_minimal
from fabric.topology import dragonfly
from fabric.topology.dragonfly_links import links_of, soon
from fabric.topology.size import resolve

CATALOG = load()


def asked(nodes: int, *, growth_nodes: int | None = None, **fabric: object) -> Request:
    """HGX H100 nodes on 64-port switches, with one port each unless said otherwise."""
    document = {
        "name": "case",
        "accelerator": "hgx-h100",
        "nodes": nodes,
        "growth_nodes": growth_nodes,
        "fabric": {
            "link_layer": "infiniband", "family": "dragonfly", "switches": ["nvidia-qm9700"], "node_ports": 1,
            "wiring": "rack", "uplink_port_gbps": 400, **fabric,
        },
    }  # fmt: skip
    return Request.model_validate_json(json.dumps(document))


def carries(request: Request):
    """Whether uniform traffic runs at the floor."""

    def judge(network) -> bool:
        theta = uniform_throughput(network, dragonfly_minimal.routes(network)[:1]).theta
        return theta >= 0.995 / request.fabric.oversubscription - 1e-9

    return judge


def fitted(request: Request):
    """The shape with the fewest routers that carries the traffic, with its links."""
    size = resolve(request, CATALOG)
    listed = sorted(dragonfly.shapes(request, size, CATALOG), key=lambda shape: shape.routers_total)
    found = (dragonfly.fitted(shape, request, size, CATALOG) for shape in listed)
    return next(shape for shape in found if shape is not None), size


# h, p, a, groups, radix, routers, endpoints, local links, global links. Derived from the family's own formulas:
# groups = a h + 1, radix = p + a - 1 + h (caminos-lib documentation of its CanonicDragonfly).
CANONICAL = [
    (1, 1, 2, 3, 3, 6, 6, 3, 3),
    (2, 2, 4, 9, 7, 36, 72, 54, 36),
    (3, 3, 6, 19, 11, 114, 342, 285, 171),
    (4, 4, 8, 33, 15, 264, 1056, 924, 528),
    (6, 6, 12, 73, 23, 876, 5256, 4818, 2628),
    (8, 8, 16, 129, 31, 2064, 16512, 15480, 8256),
    (12, 12, 24, 289, 47, 6936, 83232, 79764, 41616),
    (16, 16, 32, 513, 63, 16416, 262656, 254448, 131328),
]


@pytest.mark.parametrize("row", CANONICAL, ids=[f"h={row[0]}" for row in CANONICAL])
def test_canonical_table(row):
    """Given p, a, h and all endpoints, the counts of the table come out, also above what is laid out link by link."""
    h, p, a, groups, radix, routers, endpoints, local, between = row
    request = asked(2, parameters={"p": p, "a": a, "h": h})
    size = replace(resolve(request, CATALOG), nodes=endpoints, growth_nodes=endpoints)
    (shape,) = dragonfly.shapes(request, size, CATALOG)
    assert (shape.groups, shape.routers_total, shape.global_ports) == (groups, routers, h)
    assert shape.switch_links == {"local": local, "global": between}
    assert shape.down_ports + shape.local_width * (a - 1) + shape.global_ports == radix


def test_published_dragonfly_of_72_is_built():
    """36 routers of seven ports in nine groups: 54 local and 36 global links, every port taken once."""
    request = asked(72, parameters={"p": 2, "a": 4, "h": 2})
    shape, size = fitted(request)
    topology = dragonfly.build(shape, request, size, CATALOG)
    kinds = Counter(link.kind for link in topology.links)
    assert kinds == {"node_router": 72, "local": 54, "global": 36}
    ports = Counter((port.device, port.port) for link in topology.links for port in (link.a, link.b))
    assert set(ports.values()) == {1}
    degree = Counter(port.device for link in topology.links for port in (link.a, link.b))
    assert {degree[router.name] for router in topology.with_role("router")} == {7}
    assert topology.parameters["h"] == 2


@pytest.mark.parametrize("nodes", [9, 31, 64, 100])
@pytest.mark.parametrize(("wiring", "node_ports"), [("rack", 8), ("rail", 8), ("rail", 2), ("rack", 1)])
def test_every_port_is_taken_once(nodes, wiring, node_ports):
    """Endpoints, local and global links share no port; cages hold one kind of link; groups stay whole."""
    request = asked(nodes, wiring=wiring, node_ports=node_ports)
    shape, size = fitted(request)
    topology = dragonfly.build(shape, request, size, CATALOG)
    group = {device.name: device.group for device in topology.devices}
    ports = Counter((port.device, port.port) for link in topology.links for port in (link.a, link.b))
    assert set(ports.values()) == {1}
    kinds: dict[tuple[str, str], set[str]] = {}
    for link in topology.links:
        for port in (link.a, link.b):
            if group[port.device] is not None and topology.device[port.device].is_switch:
                kinds.setdefault((port.device, port.cage), set()).add(link.kind)
        if link.kind == "local":
            assert group[link.a.device] == group[link.b.device]
        if link.kind == "global":
            assert group[link.a.device] != group[link.b.device]
    assert {len(each) for each in kinds.values()} == {1}
    assert Counter(link.kind for link in topology.links)["node_router"] == nodes * node_ports
    assert dict(shape.switch_links) == {
        kind: sum(link.kind == kind for link in topology.links) for kind in ("local", "global")
    }


def test_the_fewest_links_are_taken():
    """One link less between groups, or one width less, no longer carries uniform traffic, or breaks a bound."""
    request = asked(100, node_ports=8)
    shape, size = fitted(request)
    judge, links = carries(request), links_of(shape, request, size, CATALOG.switches["nvidia-qm9700"])
    assert judge(dragonfly.sketch(shape, size.growth_nodes))
    least = links.between(shape.local_width)[0]
    for fewer in range(least, shape.group_links):
        assert not judge(dragonfly.sketch(replace(shape, group_links=fewer), size.growth_nodes))


def test_a_part_filled_group_has_its_share_of_links():
    """Five units in groups of two: the last group has half the routers and half the links to each other group."""
    request = asked(5 * 2, node_ports=8, unit_nodes=2, parameters={"a": 2})
    shape, size = fitted(request)
    assert shape.group_routers == (2, 2, 1)
    topology = dragonfly.build(shape, request, size, CATALOG)
    between = Counter(
        tuple(sorted({topology.device[port.device].group for port in (link.a, link.b)}))
        for link in topology.of_kind("global")
    )
    assert between[0, 1] == shape.group_links
    assert between[0, 2] == between[1, 2] == -(-shape.group_links // 2)


def test_starved_parameters_are_refused():
    """p=2, a=4, h=1 carries 0.609 of uniform traffic: too little at 1:1, enough at 2:1."""
    request = asked(40, parameters={"p": 2, "a": 4, "h": 1})
    size = resolve(request, CATALOG)
    with pytest.raises(InfeasibleError, match="no dragonfly of the switches allowed"):
        dragonfly.shapes(request, size, CATALOG)
    request = asked(40, parameters={"p": 2, "a": 4, "h": 1}, oversubscription=2)
    shape, size = fitted(request)
    assert (shape.groups, shape.global_ports) == (5, 1)
    theta = uniform_throughput(
        dragonfly.sketch(shape, size.growth_nodes), dragonfly_minimal.routes(dragonfly.sketch(shape, size.growth_nodes))
    )
    assert theta.theta == pytest.approx(39 / 64)


@pytest.mark.parametrize("count", range(20))
def test_the_first_that_holds_is_found_soon(count):
    """Wherever it is, and with few looks where it is near the beginning."""
    for answer in range(count + 1):
        looks = []
        found = soon(count, lambda place: looks.append(place) or place >= answer)  # noqa: B023
        assert found == (answer if answer < count else None)
        assert len(looks) <= 3 + 2 * answer.bit_length()


@pytest.mark.parametrize(
    ("nodes", "fabric", "expected"),
    [
        (33, {"p": 8}, {"down_ports": 8}),
        (11, {"a": 5}, {"routers_per_group": 5, "groups": 3}),
        (22, {"a": 4, "p": 2}, {}),
    ],
)
def test_fixed_parameters_are_kept_where_others_divide_better(nodes, fabric, expected):
    """What is asked enters the list of shapes, although nobody would choose it."""
    unit = {} if "p" in fabric else {"unit_nodes": 1}
    shape, _ = fitted(asked(nodes, parameters=fabric, **unit))
    assert {key: getattr(shape, key) for key in expected} == expected


@pytest.mark.parametrize("family", ["rack", "rail"])
def test_growth_leaves_the_installed_nodes_enough(family):
    """Half of the nodes stand in the first groups: they too run uniform traffic at the floor."""
    request = asked(8, growth_nodes=16, node_ports=8, wiring=family)
    shape, size = fitted(request)
    assert carries(request)(dragonfly.sketch(shape, size.growth_nodes))
    assert carries(request)(dragonfly.sketch(shape, size.installed_nodes))


@pytest.mark.parametrize(
    "fabric", [{}, {"family": "torus"}, {"family": "dragonfly_plus"}, {"family": "fat_tree", "tiers": 3}]
)
def test_too_many_links_are_refused_by_counting(fabric):
    """200,000 nodes of eight ports are 1.6 million links: said at once, with how many would do."""
    request = asked(200_000, node_ports=8, parameters={}, **fabric)
    with pytest.raises(InputError, match=r"1,600,000 links of nodes; .* up to 131,072: 16384 nodes"):
        resolve(request, CATALOG)
