"""Placement of whole topologies: every limit kept, the bound below, the objective counted from the units taken."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from fabric.errors import InfeasibleError, InputError, LimitReachedError
from fabric.floorplan.generate import generate
from fabric.floorplan.routes import Routes
from fabric.layout.housing import Needs
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots
from fabric.layout.place import furnish, place
from fabric.model.floorplan import FixedPlace, FloorPlan, Rack, Row
from fabric.model.placement import DeviceSpace, NodeHousing, Placement
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Port, Topology
from fabric.units import RACK_UNIT_M

NODE = NodeHousing(DeviceSpace(units=8, power_w=10_000))
SWITCH = DeviceSpace(units=1, power_w=2_000)


def fat_tree(nodes: int, unit: int, rails: int, spines: int, trunk: int = 1, planes: int = 1) -> Topology:
    """A rail-wired two-tier tree; no spines make one tier."""
    devices = [Device(f"node-{i:04d}", "node", "n", su=i // unit) for i in range(nodes)]
    links = []
    for plane in range(planes):
        devices += [Device(f"spine-p{plane}-{s:02d}", "spine", "s", plane=plane) for s in range(spines)]
        for su, rail in itertools.product(range(-(-nodes // unit)), range(rails)):
            leaf = f"leaf-p{plane}-s{su:02d}-r{rail}"
            devices.append(Device(leaf, "leaf", "l", su=su, plane=plane))
            for i in range(su * unit, min(nodes, (su + 1) * unit)):
                end = Port(f"node-{i:04d}", str(rail), f"rail{rail}p{plane}")
                links.append(Link(f"{end.device}.{end.port}", "node_leaf", end, Port(leaf, str(i), str(i)), 400))
            for s, t in itertools.product(range(spines), range(trunk)):
                up = Port(leaf, f"u{s}-{t}", f"u{s}-{t}")
                down = Port(f"spine-p{plane}-{s:02d}", f"{leaf}-{t}", f"{leaf}-{t}")
                links.append(Link(f"{leaf}.{up.port}", "leaf_spine", up, down, 400))
    return Topology(
        "fat_tree",
        {},
        tuple(sorted(devices, key=lambda device: device.name)),
        tuple(sorted(links, key=lambda link: link.name)),
    )


def node_leaf_cents(length_m: np.ndarray) -> np.ndarray:
    """Copper to 2 m, optics beyond, 2 USD a metre."""
    return (np.where(length_m <= 2, 8_000, 90_000) + 200 * np.ceil(length_m)).astype(np.int64)


def leaf_spine_cents(length_m: np.ndarray) -> np.ndarray:
    """Optics only, 3 USD a metre."""
    return (120_000 + 300 * np.ceil(length_m)).astype(np.int64)


Prices = Mapping[str, Callable[[np.ndarray], np.ndarray]]

PRICES = {"node_leaf": node_leaf_cents, "leaf_spine": leaf_spine_cents}


def lots(topology: Topology, prices: Prices = PRICES) -> tuple[Lots, ...]:
    """Every link by itself, at the price of its kind."""
    return tuple(
        Lots(kind, np.array(numbers)[:, None], lambda route_m, price=prices[kind]: price(route_m[..., 0]))
        for kind in prices
        if (numbers := [number for number, link in enumerate(topology.links) if link.kind == kind])
    )


def request(**keys: object) -> Request:
    """A request with a placement policy; its other figures are of no concern here."""
    base = {"name": "t", "accelerator": "n", "nodes": 1, "fabric": {"link_layer": "roce"}}
    return Request.model_validate({**base, **keys})


def placed(
    topology: Topology,
    plan: FloorPlan,
    housing: NodeHousing = NODE,
    switch: DeviceSpace = SWITCH,
    prices: Prices = PRICES,
    **keys: object,
) -> Placement:
    """Place `topology` on `plan`."""
    spaces = {d.name: switch if d.is_switch else housing.space for d in topology.devices}
    needs = Needs(spaces, housing)
    return place(furnish(topology, request(**keys), Routes(plan), needs, lots(topology, prices)))


def cents(topology: Topology, plan: FloorPlan, placement: Placement) -> int:
    """Price of all links, one by one from their definition."""
    routes, total = Routes(plan), 0
    for link in topology.links:
        a, b = placement.of[link.a.device], placement.of[link.b.device]
        length_m = routes.lengths_m(routes.index[a.rack], a.mid_u, routes.index[b.rack], b.mid_u)
        total += int(PRICES[link.kind](length_m))
    return total


def judge(topology: Topology, plan: FloorPlan, placement: Placement, housing: NodeHousing = NODE) -> None:
    """Every device stands once, no unit is used twice or blocked, and no rack draws more than it may."""
    assert [p.device for p in placement.positions] == [d.name for d in topology.devices]
    role = {device.name: device.role for device in topology.devices}
    by_rack = defaultdict(list)
    for position in placement.positions:
        by_rack[position.rack].append(position)
    for rack in plan.all_racks:
        here = by_rack.get(rack.name, [])
        used = [u for p in here for u in range(p.u, p.u + p.units)]
        assert len(used) == len(set(used))
        assert all(1 <= u <= rack.units for u in used)
        assert not any(low <= u <= high for u in used for low, high in rack.blocked_u)
        kinds = {role[p.device] for p in here}
        assert not (rack.use == "node" and kinds & {"leaf", "spine"})
        assert not (rack.use == "network" and "node" in kinds)
        if rack.power_kw is not None:
            nodes = sum(role[p.device] == "node" for p in here)
            power_w = nodes * housing.space.power_w + (len(here) - nodes) * SWITCH.power_w
            assert power_w <= 1000 * (rack.power_kw - rack.reserved_kw) + 1e-6
    proof = placement.termination
    assert proof is not None
    assert proof.bound <= proof.objective == cents(topology, plan, placement)


PLANS = {
    "any": FloorPlan(rows=(Row(name="A", racks=6, power_kw=45), Row(name="B", racks=6, power_kw=45, y_m=2.4))),
    "network": FloorPlan(
        rows=(
            Row(name="A", racks=9, power_kw=45, use="node"),
            Row(name="N", racks=2, power_kw=20, use="network", y_m=2.4),
        )
    ),
    "blocked": FloorPlan(
        racks=tuple(
            Rack(name=f"R{i}", x_m=0.6 * i, y_m=0, power_kw=45, reserved_kw=1, blocked_u=((1, 2), (40, 48)))
            for i in range(12)
        )
    ),
}


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("leaf", ["free", "own_rack", "network_rack", "row_middle", "row_end"])
def test_every_placement_keeps_every_limit(plan, planes, leaf):
    """Units, power, use and policy hold on three kinds of plan, or the plan is refused."""
    topology = fat_tree(nodes=32, unit=16, rails=2, spines=2, planes=planes)
    try:
        placement = placed(topology, PLANS[plan], placement={"leaf": leaf})
    except InfeasibleError:
        assert (plan, leaf) in {
            ("network", "own_rack"),
            ("any", "network_rack"),
            ("blocked", "network_rack"),
        }
        return
    judge(topology, PLANS[plan], placement)
    racks = {rack.name: rack for rack in PLANS[plan].all_racks}
    where = {d.name: racks[placement.of[d.name].rack] for d in topology.devices}
    nodes_of = defaultdict(set)
    for link in topology.of_kind("node_leaf"):
        nodes_of[link.b.device].add(where[link.a.device].name)
    for device in topology.with_role("leaf"):
        if leaf == "own_rack":
            assert where[device.name].name in nodes_of[device.name]
        if leaf == "network_rack":
            assert where[device.name].use == "network"


def random_plan(seed: int) -> tuple[Topology, FloorPlan]:
    """A tree of a few switches on a plan of few racks with few units."""
    rng = np.random.default_rng(seed)
    racks = tuple(
        Rack(
            name=f"R{i}",
            x_m=float(rng.integers(0, 30)),
            y_m=float(3 * i),
            units=int(rng.integers(9, 12)),
            power_kw=30,
            use=["any", "any", "network"][int(rng.integers(0, 3))],
        )
        for i in range(4)
    )
    node_racks = max(1, sum(rack.use == "any" for rack in racks) - 1)
    topology = fat_tree(int(node_racks), unit=int(rng.integers(1, 3)), rails=1, spines=int(rng.integers(1, 3)))
    return topology, FloorPlan(racks=racks)


def least_cents(topology: Topology, plan: FloorPlan, placement: Placement) -> int:
    """Least price over all units for the switches, the nodes staying where they are."""
    routes = Routes(plan)
    switches = [device.name for device in topology.devices if device.is_switch]
    taken = {(p.rack, u) for p in placement.positions if p.device not in switches for u in range(p.u, p.u + p.units)}
    free = [(rack.name, u) for rack in plan.all_racks for u in range(1, rack.units + 1) if (rack.name, u) not in taken]
    # A switch one unit lower costs the same or more on overhead trays, so a few units from the top are enough.
    top: Counter[str] = Counter()
    slots = []
    for rack, u in sorted(free, key=lambda slot: -slot[1]):
        top[rack] += 1
        if top[rack] <= 4:
            slots.append((routes.index[rack], float(u)))
    at = {p.device: (routes.index[p.rack], p.mid_u) for p in placement.positions if p.device not in switches}
    price = {
        (kind, x, y): int(PRICES[kind](routes.lengths_m(x[0], x[1], y[0], y[1])))
        for kind in PRICES
        for x in {*slots, *at.values()}
        for y in slots
    }
    ends = [(link.kind, link.a.device, link.b.device) for link in topology.links]
    best = None
    for chosen in itertools.permutations(slots, len(switches)):
        where = {**at, **dict(zip(switches, chosen, strict=True))}
        total = sum(price[kind, where[a], where[b]] for kind, a, b in ends)
        best = total if best is None else min(best, total)
    assert best is not None
    return best


@pytest.mark.parametrize("seed", range(50))
def test_small_plans_end_at_the_exhaustive_optimum(seed):
    """On random plans of four racks the bound is below and the objective at the optimum, within one cable step."""
    topology, plan = random_plan(seed)
    placement = placed(topology, plan)
    judge(topology, plan, placement)
    proof = placement.termination
    assert proof is not None
    optimum = least_cents(topology, plan, placement)
    assert proof.bound <= optimum <= proof.objective
    assert proof.objective - optimum <= 300 * len(topology.links)
    assert (proof.status == "optimal") == (proof.bound == proof.objective)


def test_nodes_of_a_unit_stand_side_by_side():
    """Sixteen nodes of unit 0 fill the first four racks of a row, four each from the bottom up."""
    topology = fat_tree(nodes=32, unit=16, rails=2, spines=2)
    placement = placed(topology, PLANS["network"])
    racks = [placement.of[f"node-{i:04d}"].rack for i in range(16)]
    assert racks == [f"A{i:02d}" for i in range(1, 5) for _ in range(4)]
    assert [placement.of[f"node-{i:04d}"].u for i in range(4)] == [1, 9, 17, 25]


def test_growth_keeps_its_places():
    """With room for 36 nodes in 9 racks and growth to 36, no switch takes a unit that a grown node needs."""
    plan = PLANS["network"]
    topology = fat_tree(nodes=28, unit=4, rails=1, spines=2)
    placement = placed(topology, plan, nodes=28, growth_nodes=36)
    judge(topology, plan, placement)
    grown = placed(fat_tree(nodes=36, unit=4, rails=1, spines=2), plan)
    for i in range(28):
        assert placement.of[f"node-{i:04d}"] == grown.of[f"node-{i:04d}"]


def test_places_kept_for_a_role_are_used_and_respected():
    """A rack that keeps U40 for a leaf gives its leaves that unit and nothing else that unit."""
    kept = (FixedPlace(u=40, role="leaf"),)
    racks = tuple(Rack(name=f"R{i}", x_m=0.6 * i, y_m=0, power_kw=45, place=kept) for i in range(6))
    topology = fat_tree(nodes=16, unit=8, rails=2, spines=2)
    placement = placed(topology, FloorPlan(racks=racks), placement={"leaf": "own_rack"})
    judge(topology, FloorPlan(racks=racks), placement)
    for device in topology.devices:
        assert (placement.of[device.name].u == 40) == (device.role == "leaf")


def test_spread_spines_share_no_rack_more_than_they_must():
    """Four spines on two network racks stand two and two under `spread`."""
    topology = fat_tree(nodes=16, unit=8, rails=2, spines=4)
    placement = placed(topology, PLANS["network"], placement={"spine": "spread"})
    racks = Counter(placement.of[device.name].rack for device in topology.with_role("spine"))
    assert sorted(racks.values()) == [2, 2]


def test_a_rack_takes_no_more_switches_than_asked():
    """`max_switches_per_rack: 2` holds for leaves and spines together."""
    topology = fat_tree(nodes=32, unit=16, rails=2, spines=4)
    placement = placed(topology, PLANS["any"], placement={"max_switches_per_rack": 2})
    racks = Counter(placement.of[d.name].rack for d in topology.devices if d.is_switch)
    assert max(racks.values()) <= 2


def test_one_tier_is_optimal_up_to_the_units():
    """A single leaf beside its nodes: one flow, no spines, status and bound agree."""
    topology = fat_tree(nodes=4, unit=4, rails=1, spines=0)
    placement = placed(topology, PLANS["any"])
    judge(topology, PLANS["any"], placement)
    assert placement.of["leaf-p0-s00-r0"].rack == placement.of["node-0000"].rack


def test_attached_devices_stand_in_different_network_racks():
    """Two UFM hosts go to the two network racks, one each."""
    base = fat_tree(nodes=8, unit=8, rails=2, spines=2)
    ufm = tuple(Device(f"ufm-{i}", "ufm", "u") for i in range(2))
    links = tuple(
        Link(
            f"ufm-{i}.1",
            "node_leaf",
            Port(f"ufm-{i}", "1", "1"),
            Port(f"leaf-p0-s00-r{i}", "40", "40"),
            400,
        )
        for i in range(2)
    )
    topology = Topology("fat_tree", {}, base.devices + ufm, base.links + links)
    topology = Topology("fat_tree", {}, tuple(sorted(topology.devices, key=lambda d: d.name)), topology.links)
    spaces = {
        d.name: SWITCH if d.is_switch else NODE.space if d.role == "node" else DeviceSpace(1, 800)
        for d in topology.devices
    }
    placement = place(furnish(topology, request(), Routes(PLANS["network"]), Needs(spaces, NODE), lots(topology)))
    assert {placement.of["ufm-0"].rack, placement.of["ufm-1"].rack} == {"N01", "N02"}


def test_whole_racks_fill_their_trays_and_hold_no_switch():
    """36 trays fill two of three racks at the fixed units; switches stand elsewhere."""
    trays = NodeHousing(DeviceSpace(1, 5_000), 18, whole_rack=True, first_u=tuple(range(5, 23)), rack_power_w=120_000)
    racks = tuple(Rack(name=f"R{i}", x_m=0.6 * i, y_m=0, power_kw=130) for i in range(3))
    topology = fat_tree(nodes=36, unit=18, rails=1, spines=2)
    placement = placed(topology, FloorPlan(racks=racks), trays)
    nodes = [placement.of[f"node-{i:04d}"] for i in range(36)]
    assert sorted({p.u for p in nodes}) == list(range(5, 23))
    assert not {p.rack for p in nodes} & {placement.of[d.name].rack for d in topology.devices if d.is_switch}
    with pytest.raises(InputError, match="20 is no whole number of racks of 18 nodes"):
        placed(fat_tree(nodes=20, unit=18, rails=1, spines=2), FloorPlan(racks=racks), trays)


def test_too_few_racks_are_refused_with_the_arithmetic():
    """Nine racks of 45 kW hold four nodes of 10 kW each: 36 of the 40 that are asked for."""
    with pytest.raises(InfeasibleError) as error:
        placed(fat_tree(nodes=40, unit=8, rails=1, spines=2), PLANS["network"])
    assert [str(conflict) for conflict in error.value.conflict] == [
        "nodes: 40: 40 nodes of 8 U and 10 kW are needed, the floor plan holds 36",
        "floorplan.racks: 9 racks: 6 by units (48 U), 4 by power (45 kW): 4 nodes each",
        "floorplan.racks: 2 racks: for the network: 0 nodes each",
    ]


def test_a_rack_limit_under_one_node_is_refused():
    """Racks of 9 kW hold no node of 10 kW."""
    plan = FloorPlan(rows=(Row(name="A", racks=4, power_kw=9),))
    with pytest.raises(InfeasibleError, match="0 by power"):
        placed(fat_tree(nodes=4, unit=4, rails=1, spines=0), plan)


def test_too_little_room_for_switches_is_refused_with_the_arithmetic():
    """Two network racks of 20 kW feed 20 switches of 2 kW; 22 leaves do not fit."""
    with pytest.raises(InfeasibleError, match="22 leaf switches of 1 U and 2 kW are needed") as error:
        placed(fat_tree(nodes=22, unit=1, rails=1, spines=1), PLANS["network"], placement={"leaf": "network_rack"})
    assert "the 2 racks that may hold them have room for 20" in str(error.value)


def test_an_empty_search_claims_no_proof():
    """Leaves and spines fit one by one but not together: the error says that nothing is proved."""
    with pytest.raises(LimitReachedError, match="no arrangement of nodes that was tried"):
        placed(fat_tree(nodes=18, unit=1, rails=1, spines=3), PLANS["network"])


def reaching(limit_m: float):
    """Prices with trunks of at most `limit_m`."""
    within = {"node_leaf": node_leaf_cents}
    return within | {"leaf_spine": lambda m: np.where(m <= limit_m, leaf_spine_cents(m), UNREACHABLE_COST)}


def test_trunks_that_no_place_brings_within_reach_are_refused_with_proof():
    """16 leaves and 4 spines stand in two racks of 10, and no cable of 1 m leaves a rack."""
    topology = fat_tree(nodes=32, unit=16, rails=8, spines=4)
    with pytest.raises(InfeasibleError, match="leaf_spine links out of reach: wherever the switches stand"):
        placed(topology, PLANS["network"], prices=reaching(1.0))


def test_trunks_within_reach_by_the_unit_are_found():
    """Leaves above and below two spines are 2 U from both; spines above leaves would be 3 U apart at most."""
    plan = FloorPlan(racks=(Rack(name="R", x_m=0, y_m=0, units=12, blocked_u=((9, 12),)),))
    topology = fat_tree(nodes=1, unit=1, rails=2, spines=2)
    placement = placed(topology, plan, NodeHousing(DeviceSpace(4, 1_000)), prices=reaching(2 * RACK_UNIT_M + 1e-6))
    assert [placement.of[f"spine-p0-{i:02d}"].u for i in range(2)] == [7, 6]
    assert {placement.of[f"leaf-p0-s00-r{rail}"].u for rail in range(2)} == {8, 5}


def test_cooling_and_feed_keep_switches_out():
    """A liquid-cooled switch stands only where a rack offers liquid."""
    racks = tuple(
        Rack(name=f"R{i}", x_m=0.6 * i, y_m=0, power_kw=45, cooling="liquid" if i == 5 else "air") for i in range(6)
    )
    topology = fat_tree(nodes=8, unit=8, rails=1, spines=1)
    switch = DeviceSpace(1, 2_000, cooling="liquid")
    placement = placed(topology, FloorPlan(racks=racks), NodeHousing(DeviceSpace(8, 10_000, "air")), switch)
    assert {placement.of[d.name].rack for d in topology.devices if d.is_switch} == {"R5"}


def test_the_same_input_gives_the_same_placement():
    """Two runs agree in every position and in the proof."""
    topology = fat_tree(nodes=32, unit=16, rails=2, spines=2)
    assert placed(topology, PLANS["any"]) == placed(topology, PLANS["any"])


def test_a_generated_plan_holds_a_thousand_endpoints():
    """128 nodes with 16 + 8 switches on the plan made for them: placed, with a gap under half a percent."""
    topology = fat_tree(nodes=128, unit=64, rails=8, spines=8, trunk=8)
    switches = [SWITCH] * 24
    plan = generate(128, NODE, switches)
    placement = placed(topology, plan)
    judge(topology, plan, placement)
    assert placement.termination is not None
    assert placement.termination.gap < 0.005
