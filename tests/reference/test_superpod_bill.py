"""The compute cabling of the 127-node DGX SuperPOD H100 against its published bill of materials.

Source: dgx-h100-superpod-bill, tables 7 and 8: 1,536 twin-port switch transceivers,
508 twin-port system transceivers, 2,040 cables and 4 more to the UFM appliances, all multimode.
"""

from __future__ import annotations

from collections import Counter

import pytest

from fabric.catalog.load import Catalog, load
from fabric.floorplan.routes import Routes
from fabric.layout.cable import cable
from fabric.layout.market import open_market
from fabric.model.cabling import Cabling
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement, Position
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.topology.fat_tree import shapes
from fabric.topology.port_map import build
from fabric.topology.size import resolve

SUPERPOD = {
    "name": "superpod-h100",
    "accelerator": "dgx-h100",
    "nodes": 127,
    "attached": ({"role": "ufm", "count": 2, "ports": 2, "gbps": 400},),
    "fabric": {
        "family": "fat_tree",
        "link_layer": "infiniband",
        "switches": ("nvidia-qm9700",),
        "media": {"node_leaf": ("mmf",), "leaf_spine": ("mmf",)},
        "preload_optics": True,
    },
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


@pytest.fixture(scope="module")
def superpod(catalog) -> tuple[Topology, Cabling]:
    """Topology and cabling: four nodes a rack in rows of 16 racks, every switch in one row between them."""
    request = Request.model_validate(SUPERPOD)
    size = resolve(request, catalog)
    topology = build(shapes(request, size, catalog)[0], request, size, catalog)
    racks = tuple(
        {"name": f"{row}{index:02d}", "row": row, "x_m": 0.6 * index, "y_m": 3.0 * "ABC".index(row)}
        for row in "ABC"
        for index in range(16)
    )
    nodes = {device.name: number for number, device in enumerate(topology.with_role("node"))}
    others = {device.name: number for number, device in enumerate(topology.devices) if device.name not in nodes}
    places = [(name, racks[number // 64 * 32 + number % 64 // 4], 1 + number % 4 * 8) for name, number in nodes.items()]
    places += [(name, racks[16 + number % 16], 1 + number // 16) for name, number in others.items()]
    positions = tuple(
        Position(name, rack["name"], u, 1) for name, rack, u in sorted(places, key=lambda place: place[0])
    )
    routes = Routes(FloorPlan.model_validate({"racks": racks}))
    return topology, cable(topology, Placement(positions), routes, request, catalog)


def test_bill_counts_modules_and_cables(superpod):
    """1,536 + 508 + 4 modules, 2,040 + 4 cables: the optics of the 128th node's place are preloaded."""
    topology, cabling = superpod
    assert len(cabling.cables) == 2040 + 4
    role = Counter(topology.device[each.device].role for each in cabling.pluggables)
    assert role["leaf"] + role["spine"] == 1536
    assert role["node"] == 508
    assert role["ufm"] == 4


def test_every_cage_of_a_leaf_holds_one_twin_module(superpod, catalog):
    """A leaf's 32 cages are full; nodes take the flat twin module, switches the finned one."""
    topology, cabling = superpod
    cages = Counter((each.device, each.cage) for each in cabling.pluggables)
    assert set(cages.values()) == {1}
    per_leaf = Counter(device for device, _ in cages if topology.device[device].role == "leaf")
    assert set(per_leaf.values()) == {32}
    tops = {
        (topology.device[each.device].role, catalog.transceivers[each.part].top, catalog.transceivers[each.part].ports)
        for each in cabling.pluggables
    }
    assert tops == {("leaf", "finned", 2), ("spine", "finned", 2), ("node", "flat", 2), ("ufm", "flat", 1)}


def test_multimode_reach_holds_on_every_fibre(superpod, catalog):
    """OM3 up to 30 m, OM4 up to 50 m (linkx-100g-overview), and never shorter than its route."""
    _, cabling = superpod
    limit_m = {"OM3": 30.0, "OM4": 50.0}
    for each in cabling.cables:
        assert each.route_m <= each.length_m <= limit_m[catalog.cables[each.part].fibre_grade]


@pytest.mark.parametrize("order", ["regular", "free"])
@pytest.mark.parametrize(("nodes", "trunk_media"), [(128, {"dac", "acc", "mmf", "smf"}), (256, {"mmf", "smf"})])
def test_no_copper_where_a_cage_has_two_peers(catalog, order, nodes, trunk_media):
    """Rail wiring takes the two ports of a node's cage to two leaves, so no twin cable serves it.

    Four units have two links from each leaf to each spine, which a twin copper cable may carry; eight have one, so that
    every cage of a trunk faces two switches.
    """
    fabric = {"family": "fat_tree", "link_layer": "infiniband", "switches": ("nvidia-qm9700",), "port_order": order}
    request = Request.model_validate({"name": "dgx", "accelerator": "dgx-h100", "nodes": nodes, "fabric": fabric})
    size = resolve(request, catalog)
    topology = build(shapes(request, size, catalog)[0], request, size, catalog)
    routes = Routes(FloorPlan.model_validate({"racks": ({"name": "A", "x_m": 0.0, "y_m": 0.0},)}))
    market = open_market(topology, request, catalog, routes)
    media = {"node_leaf": set(), "leaf_spine": set()}
    for group, ways in zip(market.graph.groups, market.ways, strict=True):
        sold = {offer.part.medium for way in ways for ladder in way.ladders for offer in ladder.offers}
        for kind in {joint.kind for joint in group.shape.joints}:
            media[kind] |= sold
    assert media == {"node_leaf": {"mmf", "smf"}, "leaf_spine": trunk_media}
