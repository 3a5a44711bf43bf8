"""Fat-trees built by hand, so that the render room is tested without the rooms that design one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from fabric.catalog.load import Catalog, load
from fabric.flow.latency import PhaseTime
from fabric.model.cabling import Cable, Cabling, Pluggable
from fabric.model.deadlock import Deadlock
from fabric.model.design import Design
from fabric.model.floorplan import FloorPlan, Row
from fabric.model.placement import Placement, Position
from fabric.model.report import (
    BillLine,
    Bottleneck,
    Change,
    CostSummary,
    Counts,
    Failure,
    Finding,
    FlowShare,
    LinkUse,
    NotChecked,
    PhaseResult,
    PowerSummary,
    Report,
    Throughput,
    TopologySummary,
    WorkloadResult,
)
from fabric.model.request import Fabric, Request
from fabric.model.settings import DeviceAddress, Settings
from fabric.model.topology import Device, Link, Port, Topology
from fabric.render.canvas import Canvas

NODE_PART = "hgx-b200"
SWITCH_PART = "nvidia-qm9700"
RAILS = 8


def tree(units: int, unit_nodes: int, spines: int, planes: int = 1) -> Topology:
    """A two-tier tree of 400G InfiniBand rails: one leaf per unit, rail and plane, two ports a switch cage."""
    devices = [
        Device(f"node-{index + 1:04d}", "node", NODE_PART, su=index // unit_nodes + 1)
        for index in range(units * unit_nodes)
    ]
    links: list[Link] = []
    for plane in range(planes):
        devices.extend(
            Device(f"spine-p{plane}-{index + 1:02d}", "spine", SWITCH_PART, plane=plane) for index in range(spines)
        )
        next_spine_port = [0] * spines
        for unit in range(units):
            for rail in range(RAILS):
                leaf = f"leaf-p{plane}-su{unit + 1:02d}-r{rail}"
                devices.append(Device(leaf, "leaf", SWITCH_PART, su=unit + 1, rail=str(rail), plane=plane))
                for slot in range(unit_nodes):
                    node = f"node-{unit * unit_nodes + slot + 1:04d}"
                    name = f"rail{rail}" if planes == 1 else f"rail{rail}p{plane}"
                    down = switch_port(leaf, slot)
                    links.append(
                        Link(f"{node}.{name}", "node_leaf", Port(node, f"NIC{rail}", name), down, 400, rail, plane)
                    )
                for slot in range(unit_nodes):
                    spine = slot * spines // unit_nodes
                    up = switch_port(leaf, unit_nodes + slot)
                    top = switch_port(f"spine-p{plane}-{spine + 1:02d}", next_spine_port[spine])
                    next_spine_port[spine] += 1
                    links.append(Link(f"{leaf}.{up.port}", "leaf_spine", up, top, 400, plane=plane))
    return Topology(
        "fat_tree",
        {"tiers": 2, "planes": planes, "wiring": "rail", "unit_nodes": unit_nodes},
        tuple(sorted(devices, key=lambda device: device.name)),
        tuple(sorted(links, key=lambda link: link.name)),
    )


def switch_port(device: str, index: int) -> Port:
    """Port `index` of a switch with two ports a cage, as NVOS names it."""
    return Port(device, str(index // 2 + 1), f"{index // 2 + 1}/{index % 2 + 1}")


def placed(topology: Topology, per_rack: int = 4, row_racks: int = 20, switches_per_rack: int = 8) -> Design:
    """Nodes four to a rack along rows, switches in the last row; DAC within a rack, fibre elsewhere."""
    nodes = topology.with_role("node")
    switches = (*topology.with_role("leaf"), *topology.with_role("spine"))
    node_racks = -(-len(nodes) // per_rack)
    rows = [Row(name=chr(65 + r), racks=row_racks, y_m=2.4 * r) for r in range(-(-node_racks // row_racks))]
    rows.append(Row(name="Z", racks=-(-len(switches) // switches_per_rack), y_m=2.4 * len(rows), use="network"))
    plan = FloorPlan(rows=tuple(rows))
    names = [rack.name for rack in plan.all_racks]
    first_network = len(rows[:-1]) * row_racks
    positions = [
        Position(node.name, names[i // per_rack], 1 + 8 * (i % per_rack), 8) for i, node in enumerate(nodes)
    ] + [
        Position(one.name, names[first_network + i // switches_per_rack], 46 - i % switches_per_rack, 1)
        for i, one in enumerate(switches)
    ]
    placement = Placement(tuple(sorted(positions, key=lambda position: position.device)))
    return Design(
        request=Request(name="sample", accelerator=NODE_PART, nodes=len(nodes), fabric=Fabric(link_layer="infiniband")),
        floor_plan=plan,
        topology=topology,
        placement=placement,
        cabling=fibres(topology, placement, plan),
        settings=Settings(
            tuple(
                DeviceAddress(one.name, guid=f"0x{0x02FAB00000000000 + 256 * i:016x}", mgmt_ip=f"172.16.0.{i + 1}")
                for i, one in enumerate(topology.devices)
            )
        ),
        name="sample",
    )


def fibres(topology: Topology, placement: Placement, plan: FloorPlan) -> Cabling:
    """One single-mode fibre per link and one twin module per switch cage."""
    row = {rack.name: rack.row for rack in plan.all_racks}
    runs: dict[str, int] = {}
    cables = []
    for link in topology.links:
        a, b = placement.of[link.a.device].rack, placement.of[link.b.device].rack
        cross = [f"row {row[a]}"] if row[a] == row[b] else [f"row {row[a]}", "cross west", f"row {row[b]}"]
        bundle = f"{'+'.join(sorted({a, b}))} {link.kind}"
        runs[bundle] = runs.get(bundle, 0) + 1
        course = " > ".join([a, *cross, b])
        cables.append(
            Cable(f"c-{link.name}", "MFP7E30-N030", "MFP7E30", "smf", 30.0, 21.5, course, bundle, runs[bundle])
        )
    cages = sorted({(port.device, port.cage) for link in topology.links for port in (link.a, link.b)})
    modules = tuple(
        Pluggable(device, cage, "MMS4X00-NS400" if device.startswith("node") else "MMS4X00-NM")
        for device, cage in cages
    )
    return Cabling(tuple(cables), modules, {link.name: f"c-{link.name}" for link in topology.links})


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


@pytest.fixture(scope="session")
def design() -> Design:
    """32 endpoints: 4 nodes in 2 units of 2, 16 leaves, 2 spines."""
    return placed(tree(units=2, unit_nodes=2, spines=2))


@pytest.fixture(scope="session")
def make() -> Callable[..., Design]:
    """A design of any size; arguments as `tree`."""

    def build(units: int, unit_nodes: int, spines: int, planes: int = 1) -> Design:
        return placed(tree(units, unit_nodes, spines, planes))

    return build


@pytest.fixture(scope="session")
def outside() -> Callable[[Canvas], list[str]]:
    """Whatever of a picture lies beyond its sheet; texts by a letter width of 0.62 of their size."""
    share = {"left": 0.0, "center": 0.5, "right": 1.0}

    def find(canvas: Canvas) -> list[str]:
        spots: list[tuple[str, float, float]] = []
        for patch in (*canvas._grounds, *canvas._boxes):
            box = patch.get_extents()
            spots += [(str(patch), box.x0, box.y0), (str(patch), box.x1, box.y1)]
        for points, *_ in canvas._lines:
            spots += [("line", x, y) for x, y in points]
        for path, *_ in canvas._curves:
            spots += [("curve", x, y) for x, y in path.vertices]
        for (x, y), words, look in canvas._texts:
            wide = 0.62 * look["size"] * len(words)
            start, end = -share[look["ha"]] * wide, (1 - share[look["ha"]]) * wide
            ends = [(x, y - wide / 2), (x, y + wide / 2)] if look["rotation"] else [(x + start, y), (x + end, y)]
            spots += [(words, *end) for end in ends]
        return [name for name, x, y in spots if not (0 <= x <= canvas.width_pt and 0 <= y <= canvas.height_pt)]

    return find


@pytest.fixture(scope="session")
def drawn_of() -> Callable[[Topology], Design]:
    """A design that is a topology alone."""

    def make(topology: Topology) -> Design:
        request = Request(name="sample", accelerator=NODE_PART, nodes=1, fabric=Fabric(link_layer="infiniband"))
        return Design(request=request, floor_plan=None, topology=topology, name="sample")

    return make


@pytest.fixture(scope="session")
def dgx(design: Design, catalog: Catalog) -> Design:
    """The design with dgx-h100 nodes, whose four twin-port cages each carry two accelerators."""
    host = {port.rail: port for port in catalog.systems["dgx-h100"].host_ports}
    devices = tuple(replace(one, part="dgx-h100") if one.role == "node" else one for one in design.topology.devices)
    links = tuple(
        replace(link, a=Port(link.a.device, host[link.rail].cage, link.a.port)) if link.kind == "node_leaf" else link
        for link in design.topology.links
    )
    return replace(design, topology=replace(design.topology, devices=devices, links=links))


@pytest.fixture(scope="session")
def report() -> Report:
    """A report with something in every section."""
    return Report(
        name="sample",
        counts=Counts(4, 32, {"leaf": 16, "spine": 2}, {"node_leaf": 32, "leaf_spine": 32}, 64, 68),
        topology=TopologySummary("fat_tree", {"planes": 1, "wiring": "rail"}, 3, 1.0),
        cost=CostSummary(591660.0, 591660.0, 0.0, 0.0, 1234.5, 592894.5, 5, 0.12),
        power_w=PowerSummary(0.0, 612.0, 0.0, 612.0, 0.7907),
        optimality={
            "status": "feasible",
            "objective": 700000.0,
            "bound": 693000.0,
            "gap": 0.01,
            "unit": "planning_usd",
            "scope": ("switches", "places", "cables"),
            "fixed": ("node places",),
            "method": "shapes best first",
        },
        alternatives=(
            {
                "family": "fat_tree",
                "switches": {"leaf": 24, "leaf_part": "nvidia-qm9700", "spine": 4, "spine_part": "nvidia-qm9700"},
                "objective": None,
                "bound": 900000.0,
                "why_not": "cannot be cheaper",
                "difference": 200000.0,
            },
            {
                "family": "fat_tree",
                "switches": {"leaf": 12, "leaf_part": "nvidia-qm9700", "wiring": "rack"},
                "objective": 690000.0,
                "bound": 690000.0,
                "why_not": "breaks a limit",
                "difference": -10000.0,
            },
        ),
        binding=(),
        throughput=Throughput(1.0 / 3.0, None, {"uplinks": 1.0}),
        workloads=(
            WorkloadResult(
                "decode",
                "moe_all_to_all",
                {"p50": 499.04, "p99": 512.5, "p999": None},
                389.7,
                Bottleneck("node-0001.rail0", 0.837),
                {"dispatch_us": 179.2},
                "deepep",
                terms={f"dispatch_{field.name}": 1.0 for field in fields(PhaseTime)},
                phases=(PhaseResult("dispatch", 4.25e8, 132.75, {"p50": 179.2, "p99": 181.0, "p999": 181.5}, "bytes"),),
                token_us={
                    "independent": {"p50": 28944.0, "p99": 29000.0},
                    "persistent": {"p50": 28944.0, "p99": 29725.0},
                },
                distribution_us={"0.1": 480.0, "50": 499.04, "99": 512.5},
                kinds=(LinkUse("node_leaf", 32, 0.5, 0.8, 0.837),),
                switches=(LinkUse("leaf-p0-su01-r0", 2, 0.25, 0.3, 0.3), LinkUse("spine-p0-01", 16, 0.25, 0.3, 0.3)),
                edges=(LinkUse("leaf-p0-su01-r0", 2, 0.2, 0.2, 0.2), LinkUse("leaf-p0-su01-r1", 2, 0.2, 0.4, 0.4)),
                flows=(FlowShare("leaf-a", "leaf-b", 0.25),),
                helps=(
                    Change("ranks placed spread", 500.0, -12.5),
                    Change("one more uplink a leaf or router", 512.5, 0.0),
                ),
                sensitivity=(Change("twice the tokens per rank", 900.0, 387.5),),
            ),
        ),
        failures=(
            _failure("spine spine-01", 0.5, "spine", 2, p99_us=600.0, p99_change=0.25, worst_link="leaf-1.1/1"),
            *(_failure(f"link leaf-{place}.1/1", 0.2 * place, "link", max(1, 8 * place)) for place in range(5)),
            _failure(
                "link node-1.rail0", 1.0, "node_link", 32, p99_us=512.5, p99_change=0.0, worst_link="node-2.rail0"
            ),
        ),
        lossless={"ports": 96},
        deadlock=Deadlock(free=True, lanes_needed=1, lanes_available=8, cycle=None),
        findings=(Finding("reach", "warning", "c-1", "a <b> | c", 31.0, 30.0, "m", None),),
        not_checked=(NotChecked("cage-power", "not known"),),
        assumptions=("fabric.wiring: rail",),
        provenance={"tool": "fabricwright", "seed": 1},
        bill=(
            BillLine("nvidia-qm9700", "nvidia-qm9700", "switch", 18, 32870.0, "router-switch-qm9700", None),
            BillLine("MFP7E30-N030", "MFP7E30", "cable", 64, None, None, 120.5),
        ),
    )


def _failure(element: str, theta: float, kind: str, count: int, *, p99_us: float | None = None, **more) -> Failure:
    """What a loss leaves of a fabric that carries everything."""
    return Failure(element, theta, p99_us, kind=kind, count=count, theta_change=theta - 1, **more)
