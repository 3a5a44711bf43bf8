"""Placement of routers and of tiers that are no complete bipartite graph: limits, policy, bound and objective."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from fabric.errors import InfeasibleError
from fabric.floorplan.routes import Routes
from fabric.layout.down_cages import down_ports_count
from fabric.layout.housing import Needs
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots
from fabric.layout.place import furnish, place
from fabric.model.floorplan import FixedPlace, FloorPlan, Rack, Row
from fabric.model.placement import DeviceSpace, NodeHousing, Placement
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Port, Topology

NODE = NodeHousing(DeviceSpace(units=8, power_w=10_000))
SPACES = {"router": DeviceSpace(units=2, power_w=2_000), "leaf": DeviceSpace(1, 1_000), "spine": DeviceSpace(2, 2_000)}

Price = Callable[[np.ndarray], np.ndarray]


def node_cents(length_m: np.ndarray) -> np.ndarray:
    """Copper to 3 m, optics beyond."""
    return (np.where(length_m <= 3, 8_000, 30_000) + 200 * np.ceil(length_m)).astype(np.int64)


def switch_cents(length_m: np.ndarray) -> np.ndarray:
    """Copper to 2 m, optics beyond, so that a group wants to share a rack."""
    return (np.where(length_m <= 2, 9_000, 120_000) + 300 * np.ceil(length_m)).astype(np.int64)


def short_cents(length_m: np.ndarray) -> np.ndarray:
    """Copper alone, at most 2 m long."""
    return np.where(length_m <= 2, 9_000, UNREACHABLE_COST).astype(np.int64)


PRICES: dict[str, Price] = {
    kind: node_cents if kind.startswith("node") else switch_cents
    for kind in ("node_router", "node_leaf", "local", "global")
}


def dragonfly(groups: int, routers: int, nodes: int, planes: int = 1) -> Topology:
    """Groups of routers with so many nodes each, all joined in a group, two links between every two groups."""
    devices, ends = [], []
    names = [(p, g, r) for p in range(planes) for g in range(groups) for r in range(routers)]
    for p, g, r in names:
        devices.append(Device(f"router-p{p}-g{g}-{r}", "router", "r", su=g * routers + r, plane=p, group=g))
        if p == 0:
            devices += [Device(f"node-{g}-{r}-{i}", "node", "n", su=g * routers + r) for i in range(nodes)]
        ends += [("node_router", f"node-{g}-{r}-{i}", f"router-p{p}-g{g}-{r}") for i in range(nodes)]
        ends += [("local", f"router-p{p}-g{g}-{r}", f"router-p{p}-g{g}-{o}") for o in range(r + 1, routers)]
    for p, (g, o), k in itertools.product(range(planes), itertools.combinations(range(groups), 2), range(2)):
        ends.append(("global", f"router-p{p}-g{g}-{(o + k) % routers}", f"router-p{p}-g{o}-{(g + k) % routers}"))
    return linked(devices, ends)


def dragonfly_plus(groups: int) -> Topology:
    """Groups of two leaves with a node each and two spines, all joined in a group, a link between every two groups."""
    devices, ends = [], []
    for g in range(groups):
        for i in range(2):
            devices.append(Device(f"leaf-{g}-{i}", "leaf", "l", su=g, plane=0, group=g))
            devices.append(Device(f"spine-{g}-{i}", "spine", "s", plane=0, group=g))
            devices.append(Device(f"node-{g}-{i}", "node", "n", su=g))
            ends.append(("node_leaf", f"node-{g}-{i}", f"leaf-{g}-{i}"))
            ends += [("local", f"leaf-{g}-{i}", f"spine-{g}-{o}") for o in range(2)]
    for g, o in itertools.combinations(range(groups), 2):
        ends.append(("global", f"spine-{g}-{o % 2}", f"spine-{o}-{g % 2}"))
    return linked(devices, ends)


def linked(devices: list[Device], ends: list[tuple[str, str, str]]) -> Topology:
    """A topology with a port of its own for every end."""
    links = [
        Link(f"link-{n:04d}", kind, Port(a, str(n), str(n)), Port(b, str(n), str(n)), 400, plane=0)
        for n, (kind, a, b) in enumerate(ends)
    ]
    return Topology("dragonfly", {}, tuple(sorted(devices, key=lambda device: device.name)), tuple(links))


def placed(
    topology: Topology, plan: FloorPlan, prices: dict[str, Price] = PRICES, work: int = 20_000, **policy: object
) -> Placement:
    """Place `topology` on `plan`, every link priced by itself."""
    keys = {"name": "t", "accelerator": "n", "nodes": 1, "fabric": {"link_layer": "roce"}, "placement": policy}
    spaces = {device.name: SPACES.get(device.role, NODE.space) for device in topology.devices}
    lots = [
        Lots(kind, np.array(numbers)[:, None], lambda route_m, price=price: price(route_m[..., 0]))
        for kind, price in prices.items()
        if (numbers := [number for number, link in enumerate(topology.links) if link.kind == kind])
    ]
    furnished = furnish(topology, Request.model_validate(keys), Routes(plan), Needs(spaces, NODE), lots)
    return place(furnished, work)


def cents(topology: Topology, plan: FloorPlan, placement: Placement) -> int:
    """Price of all links, one by one from their definition."""
    routes, total = Routes(plan), 0
    for link in topology.links:
        a, b = placement.of[link.a.device], placement.of[link.b.device]
        length_m = routes.lengths_m(routes.index[a.rack], a.mid_u, routes.index[b.rack], b.mid_u)
        total += int(PRICES[link.kind](length_m))
    return total


def judge(topology: Topology, plan: FloorPlan, placement: Placement) -> None:
    """Every device stands once, no unit is used twice, no rack draws more than it may, and the proof is about these."""
    assert [position.device for position in placement.positions] == [device.name for device in topology.devices]
    space = {device.name: SPACES.get(device.role, NODE.space) for device in topology.devices}
    by_rack = defaultdict(list)
    for position in placement.positions:
        assert position.units == space[position.device].units
        by_rack[position.rack].append(position)
    for rack in plan.all_racks:
        used = [u for p in by_rack[rack.name] for u in range(p.u, p.u + p.units)]
        assert len(used) == len(set(used))
        assert all(1 <= u <= rack.units for u in used)
        if rack.power_kw is not None:
            assert sum(space[p.device].power_w for p in by_rack[rack.name]) <= 1000 * rack.power_kw
    proof = placement.termination
    assert proof is not None
    assert proof.bound <= proof.objective == cents(topology, plan, placement)


ROWS = FloorPlan(rows=(Row(name="A", racks=6, power_kw=45), Row(name="N", racks=3, power_kw=9, use="network", y_m=3)))


@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("leaf", ["free", "own_rack", "network_rack", "row_middle"])
def test_routers_stand_where_leaves_may(leaf: str, planes: int) -> None:
    """Every limit holds, and the policy for leaves rules routers."""
    topology = dragonfly(groups=3, routers=2, nodes=2, planes=planes)
    placement = placed(topology, ROWS, leaf=leaf)
    judge(topology, ROWS, placement)
    use = {rack.name: rack.use for rack in ROWS.all_racks}
    nodes_of = defaultdict(set)
    for link in topology.of_kind("node_router"):
        nodes_of[link.b.device].add(placement.of[link.a.device].rack)
    for router in topology.with_role("router"):
        rack = placement.of[router.name].rack
        assert leaf != "network_rack" or use[rack] == "network"
        assert leaf != "own_rack" or rack in nodes_of[router.name]


def test_a_group_shares_a_rack_where_that_makes_its_links_copper() -> None:
    """Six routers of two groups, racks of four places: each group of three keeps together."""
    topology = dragonfly(groups=2, routers=3, nodes=1)
    plan = FloorPlan(
        rows=(Row(name="A", racks=2, power_kw=45, use="node"), Row(name="N", racks=3, power_kw=9, use="network", y_m=3))
    )
    placement = placed(topology, plan)
    judge(topology, plan, placement)
    racks = [{placement.of[f"router-p0-g{group}-{router}"].rack for router in range(3)} for group in range(2)]
    assert [len(each) for each in racks] == [1, 1]


def test_places_kept_for_routers_are_theirs() -> None:
    """A plan may keep units for routers, and units kept for leaves stay free of them."""
    kept = tuple(FixedPlace(u=u, role="router") for u in (30, 34))
    closed = tuple(FixedPlace(u=u, role="leaf") for u in (40, 42))
    racks = tuple(
        Rack(name=f"R{i}", x_m=0.6 * i, y_m=0, power_kw=45, place=(*kept, *closed), units=48) for i in range(3)
    )
    topology, plan = dragonfly(groups=2, routers=2, nodes=1), FloorPlan(racks=racks)
    placement = placed(topology, plan)
    judge(topology, plan, placement)
    assert {placement.of[router.name].u for router in topology.with_role("router")} <= {30, 34}


def test_leaves_and_spines_of_groups_stand_as_their_roles_may() -> None:
    """Spines in a row of their own, leaves in the racks of their nodes."""
    plan = FloorPlan(rows=(*ROWS.rows, Row(name="S", racks=2, power_kw=20, use="network", y_m=6)))
    topology = dragonfly_plus(groups=3)
    placement = placed(topology, plan, leaf="own_rack", spine="network_row")
    judge(topology, plan, placement)
    assert {placement.of[spine.name].rack[0] for spine in topology.with_role("spine")} <= {"N", "S"}
    assert {placement.of[leaf.name].rack[0] for leaf in topology.with_role("leaf")} == {"A"}


def test_objective_meets_the_best_of_all_places() -> None:
    """Four routers and every order of them in the units that are free: the placement is as cheap as any."""
    plan = FloorPlan(
        racks=(
            Rack(name="A", x_m=0, y_m=0, units=20, use="node"),
            Rack(name="B", x_m=8, y_m=0, units=20, use="node"),
            Rack(name="N", x_m=2, y_m=3, units=4, use="network"),
            Rack(name="M", x_m=9, y_m=3, units=6, use="network"),
        )
    )
    topology = dragonfly(groups=2, routers=2, nodes=1)
    placement = placed(topology, plan)
    judge(topology, plan, placement)
    routers = [router.name for router in topology.with_role("router")]
    slots = [(rack.name, u) for rack in plan.racks[2:] for u in range(rack.units - 1, 0, -2)]
    best = min(
        cents(topology, plan, moved(placement, dict(zip(routers, order, strict=True))))
        for order in itertools.permutations(slots, len(routers))
    )
    assert placement.termination is not None
    assert placement.termination.objective == best


def moved(placement: Placement, places: dict[str, tuple[str, int]]) -> Placement:
    """The placement with some devices elsewhere."""
    positions = []
    for each in placement.positions:
        rack, u = places.get(each.device, (each.rack, each.u))
        positions.append(type(each)(each.device, rack, u, each.units))
    return Placement(tuple(positions))


def test_routers_beyond_every_cable_are_refused_with_a_proof() -> None:
    """Local links of copper alone, and groups larger than a rack of the network."""
    plan = FloorPlan(
        racks=(
            *(Rack(name=f"A{i}", x_m=0.6 * i, y_m=0, units=20, use="node") for i in range(2)),
            *(Rack(name=f"N{i}", x_m=30.0 * i, y_m=5, units=2, use="network") for i in range(4)),
        )
    )
    with pytest.raises(InfeasibleError, match="local links out of reach"):
        placed(dragonfly(groups=2, routers=2, nodes=1), plan, PRICES | {"local": short_cents})


@pytest.mark.parametrize(("name", "count"), [("down_ports", 8), ("p", 4), ("endpoints_per_leaf", 16), ("trunk", 0)])
def test_families_tell_their_down_ports(name: str, count: int) -> None:
    """Each by a name of its own; another number tells nothing."""
    topology = replace(dragonfly(groups=2, routers=2, nodes=1), parameters={name: count or 3})
    assert down_ports_count(topology) == count
