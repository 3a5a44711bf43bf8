"""Rows of a design folder's tables: one frozen record per table, its fields the columns in their order.

Fields without a default are the columns that even a hand-written proposal must have. Pluggables and lossless settings
are rows as they are; devices, links and cables join several records of a design, here in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from operator import attrgetter

from fabric.model.cabling import Cable, Cabling, Pluggable
from fabric.model.design import Design
from fabric.model.design_head import DesignHead
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement, Position
from fabric.model.settings import DeviceAddress, LinkAddress, LosslessPort, Settings
from fabric.model.topology import COMPUTE, Device, Link, Port, Topology


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One device: what it is, where it stands (`u` is its lowest rack unit), and its own numbers."""

    name: str
    role: str
    part: str | None = None
    rack: str | None = None
    u: int | None = None
    units: int | None = None
    su: int | None = None
    rail: str | None = None
    plane: int | None = None
    group: int | None = None
    asn: int | None = None
    loopback: str | None = None
    guid: str | None = None
    mgmt_ip: str | None = None
    fabric: str = COMPUTE


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One link, port to port, with the cable that makes it and the addresses of its ends."""

    link: str
    kind: str
    a_device: str
    a_cage: str
    a_port: str
    b_device: str
    b_cage: str
    b_port: str
    rate_gbps: int
    cable: str | None = None
    a_ip: str | None = None
    b_ip: str | None = None
    rail: int | None = None
    plane: int | None = None
    fabric: str = COMPUTE


@dataclass(frozen=True, slots=True)
class CableRow:
    """One assembly: length as sold and route as measured [m]."""

    cable: str
    part: str
    family: str
    medium: str
    length_m: float
    route_m: float
    route: str | None = None
    bundle: str | None = None
    run: int | None = None
    fabric: str = COMPUTE


_CABLE = attrgetter(*(field.name for field in fields(Cable)))
_CAGE = attrgetter("device", "cage")
_CABLE_ROW = attrgetter(*(field.name for field in fields(CableRow)))


def _priority(row: LosslessPort) -> tuple[str, str, int]:
    return row.device, row.port, row.priority or 0


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows of all five tables."""

    devices: tuple[DeviceRow, ...]
    links: tuple[LinkRow, ...]
    cables: tuple[CableRow, ...]
    pluggables: tuple[Pluggable, ...]
    lossless: tuple[LosslessPort, ...]

    def ordered(self) -> Tables:
        """The same rows, each table sorted by its key."""
        return Tables(
            devices=tuple(sorted(self.devices, key=lambda row: row.name)),
            links=tuple(sorted(self.links, key=lambda row: row.link)),
            cables=tuple(sorted(self.cables, key=lambda row: row.cable)),
            pluggables=tuple(sorted(self.pluggables, key=_CAGE)),
            lossless=tuple(sorted(self.lossless, key=_priority)),
        )


def devices(design: Design) -> Iterator[DeviceRow]:
    """Rows of `devices.csv`, sorted by name."""
    place = design.placement.of if design.placement else {}
    numbers = {row.device: row for row in design.settings.devices} if design.settings else {}
    for device in sorted(design.topology.devices, key=lambda device: device.name):
        own = numbers.get(device.name, DeviceAddress(device.name))
        yield _device_row(device, place.get(device.name), own)


def links(design: Design) -> Iterator[LinkRow]:
    """Rows of `links.csv`, sorted by name."""
    cable_of = design.cabling.cable_of if design.cabling else {}
    ends = {row.link: row for row in design.settings.links} if design.settings else {}
    for link in sorted(design.topology.links, key=lambda link: link.name):
        yield _link_row(link, cable_of.get(link.name), ends.get(link.name))


def cables(design: Design) -> Iterator[CableRow]:
    """Rows of `cables.csv`, sorted by name."""
    found = design.cabling.cables if design.cabling else ()
    return (CableRow(*_CABLE(cable)) for cable in sorted(found, key=lambda cable: cable.name))


def pluggables(design: Design) -> list[Pluggable]:
    """Rows of `pluggables.csv`, sorted by device and cage."""
    return sorted(design.cabling.pluggables if design.cabling else (), key=_CAGE)


def lossless(design: Design) -> list[LosslessPort]:
    """Rows of `lossless.csv`, sorted by device, port and priority."""
    return sorted(design.settings.lossless if design.settings else (), key=_priority)


def _device_row(device: Device, position: Position | None, numbers: DeviceAddress) -> DeviceRow:
    return DeviceRow(
        name=device.name,
        role=device.role,
        part=device.part,
        rack=position.rack if position else None,
        u=position.u if position else None,
        units=position.units if position else None,
        su=device.su,
        rail=device.rail,
        plane=device.plane,
        group=device.group,
        asn=numbers.asn,
        loopback=numbers.loopback,
        guid=numbers.guid,
        mgmt_ip=numbers.mgmt_ip,
        fabric=device.fabric,
    )


def _link_row(link: Link, cable: str | None, ends: LinkAddress | None) -> LinkRow:
    return LinkRow(
        link=link.name,
        kind=link.kind,
        a_device=link.a.device,
        a_cage=link.a.cage,
        a_port=link.a.port,
        b_device=link.b.device,
        b_cage=link.b.cage,
        b_port=link.b.port,
        rate_gbps=link.rate_gbps,
        cable=cable,
        a_ip=ends.a_ip if ends else None,
        b_ip=ends.b_ip if ends else None,
        rail=link.rail,
        plane=link.plane,
        fabric=link.fabric,
    )


def design(head: DesignHead, floor_plan: FloorPlan | None, rows: Tables) -> Design:
    """The design that a head, a floor plan and rows describe."""
    return Design(
        request=head.request,
        floor_plan=floor_plan,
        topology=_topology(head, rows),
        placement=_placement(rows),
        cabling=_cabling(rows),
        settings=_settings(rows),
        provenance=head.provenance,
        name=head.name,
    )


def _topology(head: DesignHead, rows: Tables) -> Topology:
    devices = tuple(
        Device(row.name, row.role, row.part, row.fabric, row.su, row.rail, row.plane, row.group) for row in rows.devices
    )
    links = tuple(
        Link(
            row.link,
            row.kind,
            Port(row.a_device, row.a_cage, row.a_port),
            Port(row.b_device, row.b_cage, row.b_port),
            row.rate_gbps,
            row.rail,
            row.plane,
            row.fabric,
        )
        for row in rows.links
    )
    return Topology(head.family, head.parameters, devices, links)


def _placement(rows: Tables) -> Placement | None:
    """Where the devices stand, None when no device has a rack."""
    positions = tuple(
        Position(row.name, row.rack, row.u, row.units)
        for row in rows.devices
        if row.rack is not None and row.u is not None and row.units is not None
    )
    return Placement(positions) if positions else None


def _cabling(rows: Tables) -> Cabling | None:
    """What makes the links, None when there is neither a cable nor a pluggable."""
    if not rows.cables and not rows.pluggables:
        return None
    cables = tuple(Cable(*_CABLE_ROW(row)) for row in rows.cables)
    return Cabling(cables, rows.pluggables, {row.link: row.cable for row in rows.links if row.cable is not None})


def _settings(rows: Tables) -> Settings | None:
    """What is configured, None when no address and no lossless row is there."""
    devices = tuple(
        DeviceAddress(row.name, row.asn, row.loopback, row.guid, row.mgmt_ip)
        for row in rows.devices
        if (row.asn, row.loopback, row.guid, row.mgmt_ip) != (None, None, None, None)
    )
    links = tuple(
        LinkAddress(row.link, row.a_ip, row.b_ip) for row in rows.links if row.a_ip is not None and row.b_ip is not None
    )
    if not devices and not links and not rows.lossless:
        return None
    return Settings(devices, links, rows.lossless)
