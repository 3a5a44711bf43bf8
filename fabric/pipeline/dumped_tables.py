"""Planes with the forwarding tables that their subnet managers really set, and how these compare with computed ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fabric.addressing.port_numbers import PortNumbers
from fabric.catalog.load import Catalog
from fabric.errors import Fault, InputError
from fabric.flow.table_load import astray, circle
from fabric.io.opensm_subnet import Dumped, Subnet, read
from fabric.io.opensm_tables import parse, raise_all
from fabric.model.design import Design
from fabric.model.forwarding import ARRIVED, Ports
from fabric.model.network import BoolArray
from fabric.model.report import Finding
from fabric.model.topology import Link, Port
from fabric.model.workload import Workload
from fabric.pipeline.carrying import HASHED
from fabric.pipeline.networks import Plane
from fabric.pipeline.throughput import uniform_theta

BY_DESTINATION = HASHED | {"auto"}
"""Ways to route a workload that follow the tables of an InfiniBand fabric."""


@dataclass(frozen=True, slots=True)
class TableUse:
    """What the tables of a plane make of uniform all-to-all, beside computed ones.

    Attributes:
        plane: its number.
        entries: of all its switches.
        uniform_theta: share of line rate that uniform all-to-all runs at; 0 where a pair has no way.
        computed_theta: the same under the computed tables.
    """

    plane: int
    entries: int
    uniform_theta: float
    computed_theta: float


def with_tables(
    planes: Sequence[Plane], left: Sequence[Plane], design: Design, catalog: Catalog, path: Path
) -> tuple[Plane, ...]:
    """The planes with the tables of a file or of a folder of files.

    Args:
        planes: of the design.
        left: those with whatever the user says is down; nothing that is down needs an entry.
        design: whose planes these are.
        catalog: its parts, which number the ports.
        path: of the dumps.

    Raises:
        ArtifactError: every fault of the files, as `opensm_subnet.read` finds them; then every way that ends on a
            switch that has no entry, or goes round in a circle.
        InputError: the fabric is no InfiniBand.
    """
    if design.request is None or design.request.fabric.part_layer != "infiniband":
        raise InputError(Fault("forwarding tables belong to InfiniBand, and this design is RoCE", key="--tables"))
    ports = PortNumbers(design.topology, catalog)
    by_number = {plane.number: plane for plane in left}
    subnets = [_subnet(plane, by_number.get(plane.number), design, ports) for plane in planes]
    found = read(parse(path), subnets)
    raise_all([fault for plane, dumped in zip(planes, found, strict=True) for fault in _lost(plane, dumped)])
    return tuple(replace(plane, dumped=each.forwarding) for plane, each in zip(planes, found, strict=True))


def followed(workloads: Sequence[Workload]) -> None:
    """Raise `InputError` for every workload that asks for ways which no table tells."""
    faults = [
        Fault(f"{each.routing} follows no forwarding table; leave it out or leave out --tables", key=_key(each))
        for each in workloads
        if each.routing not in BY_DESTINATION
    ]
    if faults:
        raise InputError(*faults)


def compared(planes: Sequence[Plane]) -> Iterator[TableUse]:
    """Every plane's tables beside computed ones."""
    for plane in planes:
        theta, computed = uniform_theta(plane), uniform_theta(plane.computed)
        yield TableUse(plane.number, plane.forwarding.link.size, theta, computed)


def cut(planes: Sequence[Plane]) -> Iterator[Finding]:
    """How many ways of every plane lead over something that is down."""
    for plane in planes:
        found = astray(plane.network, plane.forwarding)
        if found.switch.size:
            first = plane.switches[int(found.switch[0])].name
            what = f"{found.switch.size} entries lead over what is down, the first in {first}"
            message = f"{what}; what follows them is lost until the subnet manager has routed anew"
            yield Finding("forwarding-tables", "error", f"plane {plane.number}", message, found.switch.size)


def _key(workload: Workload) -> str:
    return f"workloads.{workload.name}.routing"


def _subnet(plane: Plane, left: Plane | None, design: Design, numbers: PortNumbers) -> Subnet:
    """What the words of a dump mean on a plane."""
    devices = design.settings.devices if design.settings is not None else ()
    guid = {row.device: row.guid for row in devices}
    names = [device.name for device in plane.switches]
    ends = [(link, plane.switches[int(a)].name) for link, a in zip(plane.links, plane.network.link_a, strict=True)]
    near = np.array([numbers.of(_end(link, name), link) for link, name in ends], dtype=np.int64)
    far = np.array([numbers.of(_end(link, name, far=True), link) for link, name in ends], dtype=np.int64)
    below = np.array([numbers.of(link.b, link) for link in plane.endpoints], dtype=np.int64)
    switch_is_up, endpoint_is_up = _up(plane, left)
    return Subnet(
        name=f"plane {plane.number}",
        network=plane.network,
        ports=Ports(near, far, below),
        switches=tuple(names),
        guids={found: number for number, name in enumerate(names) if (found := guid.get(name))},
        endpoints=tuple((link.a.device, link.a.port) for link in plane.endpoints),
        switch_is_up=switch_is_up,
        endpoint_is_up=endpoint_is_up,
    )


def _end(link: Link, name: str, *, far: bool = False) -> Port:
    """The end of a link at a switch, or the other one."""
    return link.b if (link.a.device == name) == far else link.a


def _up(plane: Plane, left: Plane | None) -> tuple[BoolArray, BoolArray]:
    """(n_switches,) switches and (n_endpoints,) endpoints that have a link left."""
    if left is None:
        return np.zeros(len(plane.switches), dtype=np.bool_), np.zeros(len(plane.endpoints), dtype=np.bool_)
    network = left.network
    switches = np.zeros(len(plane.switches), dtype=np.bool_)
    for ends in (network.endpoint_switch, network.link_a, network.link_b):
        switches[ends] = True
    names = {link.name for link in left.endpoints}
    return switches, np.array([link.name in names for link in plane.endpoints], dtype=np.bool_)


def _lost(plane: Plane, dumped: Dumped) -> Iterator[Fault]:
    """Every way that does not arrive, told where it ends; what is down is nobody's target."""
    found = astray(plane.network, dumped.forwarding)
    known = dumped.forwarding.link[plane.network.endpoint_switch, np.arange(len(plane.endpoints))] == ARRIVED
    told: set[tuple[int, int]] = set()
    for switch, endpoint, goes_round in zip(
        found.switch.tolist(), found.endpoint.tolist(), found.circle.tolist(), strict=True
    ):
        if dumped.tables[switch] is None or not known[endpoint]:
            continue
        target = f"{plane.endpoints[endpoint].a.device} {plane.endpoints[endpoint].a.port}"
        if not goes_round:
            yield dumped.fault(switch, endpoint, f"{plane.switches[switch].name} has no entry for {target}")
            continue
        round_trip = circle(plane.network, dumped.forwarding, switch, endpoint)
        first = min(round_trip)
        if (first, endpoint) not in told:
            told.add((first, endpoint))
            turn = round_trip.index(first)
            names = (plane.switches[each].name for each in (*round_trip[turn:], *round_trip[:turn], first))
            yield dumped.fault(first, endpoint, f"packets for {target} go round: {' > '.join(names)}")
