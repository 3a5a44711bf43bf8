"""`management.csv`: every out-of-band port that the fabric's devices need, dealt to management switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabric.addressing.ordinals import natural
from fabric.catalog.load import Catalog
from fabric.floorplan.rows import row_names
from fabric.model.design import Design
from fabric.model.topology import Device

OOB_PORTS_COUNT = 48
"""Copper ports of the management switch that the count is for: the common one-unit 1G model, no part is chosen."""


@dataclass(frozen=True, slots=True)
class ManagementPort:
    """One out-of-band port, and the port of the management switch that is kept for it.

    `mgmt_ip` is the address of the device's first port; further ports take theirs from the site.
    """

    row: str | None
    rack: str | None
    u: int | None
    device: str
    role: str
    port: str
    mgmt_ip: str | None
    oob_switch: str
    oob_port: int
    fabric: str


def management(design: Design, catalog: Catalog) -> tuple[ManagementPort, ...]:
    """Every port, row by row and rack by rack.

    A management switch serves one row, so that its copper cables stay in it: each row needs its ports over 48,
    rounded up.
    """
    at = design.placement.of if design.placement is not None else {}
    address = {one.device: one.mgmt_ip for one in design.settings.devices} if design.settings is not None else {}
    row_of = _rows(design)
    devices = sorted(design.topology.devices, key=lambda device: _walk(device, design, row_of))
    dealt = _deal(devices, [row_of.get(at[one.name].rack) if one.name in at else None for one in devices], catalog)
    return tuple(
        ManagementPort(
            row=row,
            rack=at[device.name].rack if device.name in at else None,
            u=at[device.name].u if device.name in at else None,
            device=device.name,
            role=device.role,
            port=f"mgmt{number}",
            mgmt_ip=None if number else address.get(device.name),
            oob_switch=f"oob-{switch:02d}",
            oob_port=port,
            fabric=device.fabric,
        )
        for device, row, number, switch, port in dealt
    )


def oob_switches(ports: tuple[ManagementPort, ...]) -> int:
    """How many management switches the ports need."""
    return len({port.oob_switch for port in ports})


def _rows(design: Design) -> dict[str, str]:
    """Row of every rack."""
    racks = design.floor_plan.all_racks if design.floor_plan is not None else ()
    return dict(zip((rack.name for rack in racks), row_names(racks), strict=True))


def _walk(device: Device, design: Design, row_of: dict[str, str]) -> tuple[object, ...]:
    place = design.placement.of.get(device.name) if design.placement is not None else None
    if place is None:
        return (natural(""), natural(""), 0, natural(device.name))
    return (natural(row_of.get(place.rack, "")), natural(place.rack), place.u, natural(device.name))


def _deal(
    devices: list[Device], rows: list[str | None], catalog: Catalog
) -> Iterator[tuple[Device, str | None, int, int, int]]:
    """Device, row, number of its port from 0, and switch and port from 1; a new row starts a new switch."""
    switch, used, last = 0, OOB_PORTS_COUNT, None
    for device, row in zip(devices, rows, strict=True):
        if row != last:
            used, last = OOB_PORTS_COUNT, row
        for number in range(_ports(device, catalog)):
            if used == OOB_PORTS_COUNT:
                switch, used = switch + 1, 0
            used += 1
            yield device, row, number, switch, used


def _ports(device: Device, catalog: Catalog) -> int:
    """Out-of-band ports of a device; one where the catalog does not know it."""
    part = (catalog.switches if device.is_switch else catalog.systems).get(device.part or "")
    return part.mgmt_ports if part is not None else 1
