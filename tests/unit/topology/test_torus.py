"""Tori: grids, widths against closed forms, folding, and whole ports."""

import json
import math
from collections import Counter
from itertools import product

import pytest

from fabric.catalog.load import load
from fabric.errors import InfeasibleError
from fabric.model.request import Request
from fabric.topology import torus
from fabric.topology.size import resolve

CATALOG = load()


def asked(nodes: int, **fabric: object) -> Request:
    """HGX H100 nodes of one port on 64-port switches."""
    document = {
        "name": "case",
        "accelerator": "hgx-h100",
        "nodes": nodes,
        "fabric": {
            "link_layer": "infiniband", "family": "torus", "switches": ["nvidia-qm9700"], "node_ports": 1,
            "wiring": "rack", "uplink_port_gbps": 400, **fabric,
        },
    }  # fmt: skip
    return Request.model_validate_json(json.dumps(document))


def fitted(request: Request):
    """The listed shapes that carry uniform traffic, with their links."""
    size = resolve(request, CATALOG)
    listed = torus.shapes(request, size, CATALOG)
    found = [torus.fitted(shape, request, size, CATALOG) for shape in listed]
    return [shape for shape in found if shape is not None], size


def test_grid_asked_with_its_widths():
    """4 x 4 routers of 8 endpoints: 8 x 4/8 x 128/127 links' worth of load; four links leave 0.992, five 1.24."""
    (shape,), size = fitted(asked(128, parameters={"sizes": [4, 4], "p": 8}))
    assert (shape.sizes, shape.widths) == ((4, 4), (5, 5))
    (shape,), size = fitted(asked(128, parameters={"sizes": [4, 4], "p": 8}, oversubscription=1.01))
    assert shape.widths == (4, 4)
    assert shape.switch_links == {"torus": 2 * 16 * 4}
    topology = torus.build(shape, asked(128, parameters={"sizes": [4, 4], "p": 8}), size, CATALOG)
    ports = Counter((port.device, port.port) for link in topology.links for port in (link.a, link.b))
    assert set(ports.values()) == {1}
    degree = Counter(port.device for link in topology.links for port in (link.a, link.b))
    assert {degree[router.name] for router in topology.with_role("router")} == {8 + 16}


@pytest.mark.parametrize(("sizes", "neighbours"), [([2, 2], 2), ([2, 5], 3), ([3, 3, 3], 6), ([7], 2)])
def test_neighbours(sizes, neighbours):
    """A ring of two has one neighbour, every other ring two; every link joins routers one step apart."""
    count = math.prod(sizes)
    request = asked(count, unit_nodes=1, parameters={"sizes": sizes, "p": 1})
    shapes, size = fitted(request)
    topology = torus.build(shapes[0], request, size, CATALOG)
    spots = list(product(*map(range, sizes)))
    spot = {device.name: spots[device.group] for device in topology.with_role("router")}
    near: dict[str, set[str]] = {name: set() for name in spot}
    for link in topology.of_kind("torus"):
        a, b = link.a.device, link.b.device
        near[a].add(b)
        near[b].add(a)
        steps = [min((x - y) % k, (y - x) % k) for x, y, k in zip(spot[a], spot[b], sizes, strict=True)]
        assert sorted(steps) == [0] * (len(sizes) - 1) + [1]
    assert {len(each) for each in near.values()} == {neighbours}


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 9])
def test_rings_are_folded(size):
    """Routers next to each other on a ring stand at most two places apart along the units."""
    request = asked(size, unit_nodes=1, parameters={"sizes": [size], "p": 1})
    shapes, sized = fitted(request)
    topology = torus.build(shapes[0], request, sized, CATALOG)
    place = {device.group: device.su for device in topology.with_role("router")}
    assert all(abs(place[spot] - place[(spot + 1) % size]) <= 2 for spot in range(size))


@pytest.mark.parametrize("routers", [2, 7, 12, 30])
def test_grids_are_the_smallest(routers):
    """Every grid that holds the routers has one listed that is no longer in any ring."""
    listed = set(torus._grids(routers))
    for sizes in product(range(2, routers + 1), repeat=2):
        if math.prod(sizes) >= routers:
            sorted_sizes = tuple(sorted(sizes, reverse=True))
            assert any(
                len(grid) == 2 and all(a <= b for a, b in zip(grid, sorted_sizes, strict=True)) for grid in listed
            ) or any(len(grid) == 1 and grid[0] <= sorted_sizes[0] for grid in listed)
    assert all(math.prod(grid) >= routers for grid in listed)


def test_routers_without_nodes_complete_the_grid():
    """Ten nodes on a grid of twelve: two routers carry none and are linked like the others."""
    request = asked(10, unit_nodes=1, parameters={"sizes": [4, 3], "p": 1})
    shapes, size = fitted(request)
    topology = torus.build(shapes[0], request, size, CATALOG)
    with_nodes = {link.b.device for link in topology.of_kind("node_router")}
    assert len(topology.with_role("router")) == 12
    assert len(with_nodes) == 10


def test_a_grid_that_is_too_small_is_refused():
    """Five routers for eight units."""
    request = asked(8, unit_nodes=1, parameters={"sizes": [5], "p": 1})
    with pytest.raises(InfeasibleError, match="no torus of the switches allowed"):
        torus.shapes(request, resolve(request, CATALOG), CATALOG)


def test_one_router_is_no_torus():
    """What one router holds has no grid."""
    assert not list(torus._grids(1))
