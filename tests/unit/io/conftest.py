"""A small made-up design: right in form, with every table filled; no claim that it could be built."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabric.model.cabling import Cable, Cabling, Pluggable
from fabric.model.design import Alternative, Design, Optimality, Provenance
from fabric.model.floorplan import FloorPlan, Row
from fabric.model.placement import Placement, Position
from fabric.model.request import Fabric, Request
from fabric.model.settings import DeviceAddress, LinkAddress, LosslessPort, Settings
from fabric.model.topology import Device, Link, Port, Topology

LEAF_PORTS = 8


def _links(nodes: int, leaves: int) -> tuple[Link, ...]:
    """Link i of a node goes to leaf i; each leaf has one uplink to the only spine."""
    down = [
        Link(
            name=f"node-{node:04d}.rail{rail}",
            kind="node_leaf",
            a=Port(f"node-{node:04d}", f"NIC{rail + 1}", f"rail{rail}"),
            b=Port(f"leaf-r{rail}", str(node // 2 + 1), f"Ethernet{node}"),
            rate_gbps=400,
            rail=rail,
        )
        for node in range(nodes)
        for rail in range(leaves)
    ]
    up = [
        Link(
            name=f"leaf-r{leaf}.Ethernet{nodes}",
            kind="leaf_spine",
            a=Port(f"leaf-r{leaf}", str(nodes // 2 + 1), f"Ethernet{nodes}"),
            b=Port("spine-01", str(leaf + 1), f"Ethernet{leaf}"),
            rate_gbps=400,
        )
        for leaf in range(leaves)
    ]
    return tuple(sorted(down + up, key=lambda link: link.name))


def _make(nodes: int = 3, leaves: int = 2) -> Design:
    links = _links(nodes, leaves)
    switches = [Device(f"leaf-r{leaf}", "leaf", "some-leaf", rail=str(leaf), su=0) for leaf in range(leaves)]
    devices = (
        *switches,
        *(Device(f"node-{node:04d}", "node", "some-node", su=0) for node in range(nodes)),
        Device("spine-01", "spine", "some-spine"),
    )
    return Design(
        request=Request(
            name="small", accelerator="some-node", nodes=nodes, fabric=Fabric(link_layer="roce", wiring="rail")
        ),
        floor_plan=FloorPlan(rows=(Row(name="A", racks=2, units=48),)),
        topology=Topology("fat_tree", {"leaves": leaves, "spines": 1}, devices, links),
        placement=Placement(tuple(Position(device.name, "A01", 1, 2) for device in devices)),
        cabling=Cabling(
            cables=tuple(Cable(f"c-{link.name}", "P-003", "P", "mmf", 3.0, 2.125, "A01", "b", 1) for link in links),
            pluggables=tuple(Pluggable("spine-01", str(leaf + 1), "T") for leaf in range(leaves)),
            cable_of={link.name: f"c-{link.name}" for link in links},
        ),
        settings=Settings(
            devices=tuple(DeviceAddress(device.name, 4200000000, "10.0.0.1") for device in devices),
            links=tuple(LinkAddress(link.name, "10.1.0.0/31", "10.1.0.1/31") for link in links),
            lossless=(LosslessPort("spine-01", "Ethernet0", 400, 3.0, 3, 40000, 20000, 1, 2, 5.5),),
        ),
        provenance=Provenance(
            tool="fabric",
            version="0",
            catalog_digest="0",
            seed=1,
            optimality=Optimality("optimal", 100, 100, "planning_usd", ("switches",), (), "search"),
            alternatives=(Alternative("fat_tree", {"leaf": "other", "leaves": 3}, None, 120, "dearer: 1.2"),),
            assumptions=("spare_nodes: 0",),
        ),
        name="small",
    )


@pytest.fixture(scope="session")
def make_design() -> Callable[..., Design]:
    """Maker of a design of so many nodes, each with one link to so many leaves."""
    return _make
