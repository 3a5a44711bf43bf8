"""Lossless rows of every switch port, from its rate and the cable that hangs on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

from fabric.addressing.plan import addresses
from fabric.catalog.constants import Chip, EcnProfile, IbChip
from fabric.catalog.load import Catalog
from fabric.lossless.credits import credit_bytes, engine_lanes, vl_plan
from fabric.lossless.ecn import choose_profile, marking
from fabric.lossless.pfc_headroom import headroom
from fabric.model.cabling import Cabling
from fabric.model.request import Request
from fabric.model.settings import LosslessPort, Settings
from fabric.model.topology import Port, Topology

GENERIC_CHIP = "generic"
"""Chip whose physical floor stands in where a switch's own constants are not known."""

RowOf = Callable[[Port, str, int, float], LosslessPort]
"""Port, switch part, rate [Gb/s], cable length [m] -> row."""


def settings(topology: Topology, cabling: Cabling, request: Request, catalog: Catalog) -> Settings:
    """Addresses of every device and link, and the lossless settings of every switch port in use."""
    devices, links = addresses(topology, request)
    length_of = {cable.name: cable.length_m for cable in cabling.cables}
    is_infiniband = request.fabric.link_layer == "infiniband"
    row_of = _infiniband(topology.family, catalog) if is_infiniband else _roce(request, catalog)
    rows = []
    for link in topology.links:
        cable_m = length_of[cabling.cable_of[link.name]]
        for end in (link.a, link.b):
            device = topology.device[end.device]
            if device.is_switch and device.part is not None:
                rows.append(row_of(end, device.part, link.rate_gbps, cable_m))
    return Settings(devices, links, tuple(sorted(rows, key=lambda row: (row.device, row.port))))


def chip_of(part: str, catalog: Catalog) -> Chip:
    """Buffer constants of a switch's chip, or the physical floor where they are not known."""
    key = catalog.switches[part].figure("chip")
    return catalog.chips.get(key) or catalog.chips[GENERIC_CHIP]


def ecn_profile_of(chip: str, catalog: Catalog) -> EcnProfile:
    """The marking profile that a chip's vendor publishes, or the fallback."""
    return choose_profile(tuple(catalog.ecn_profiles.values()), chip)


def credit_chip_of(part: str, catalog: Catalog) -> IbChip:
    """Credit constants of an InfiniBand switch's chip; where it names none those of the slowest, enough for any."""
    key = catalog.switches[part].figure("chip")
    return catalog.ib_chips.get(key) or max(catalog.ib_chips.values(), key=lambda chip: (chip.processing_ns, chip.chip))


def _roce(request: Request, catalog: Catalog) -> RowOf:
    """PFC headroom after the chip's law, and ECN thresholds after its profile.

    Switches are told whole metres of cable, so the next whole metre counts.
    """

    @cache
    def thresholds(part: str, rate_gbps: int, cable_m: int) -> tuple[int, int, int, int, int, float]:
        chip = chip_of(part, catalog)
        room = headroom(chip, rate_gbps, cable_m, mtu_bytes=request.qos.mtu)
        marks = marking(ecn_profile_of(chip.chip, catalog), rate_gbps, chip.cell_bytes)
        return room.xoff_bytes, room.xon_bytes, room.size_bytes, marks.kmin_bytes, marks.kmax_bytes, marks.pmax_pct

    def row(port: Port, part: str, rate_gbps: int, cable_m: float) -> LosslessPort:
        xoff, xon, size, kmin, kmax, pmax = thresholds(part, rate_gbps, math.ceil(cable_m))
        return LosslessPort(
            device=port.device,
            port=port.port,
            rate_gbps=rate_gbps,
            cable_m=cable_m,
            priority=request.qos.rdma_priority,
            xoff=xoff,
            xon=xon,
            kmin=kmin,
            kmax=kmax,
            pmax=pmax,
            size=size,
        )

    return row


def _infiniband(family: str, catalog: Catalog) -> RowOf:
    """Credit that full rate needs on each virtual lane in use, and the lanes that the family's routing may use."""

    @cache
    def lanes_and_credit(part: str, rate_gbps: int, cable_m: float) -> tuple[int, int]:
        chip = credit_chip_of(part, catalog)
        have = catalog.switches[part].data_virtual_lanes or chip.data_vls_count
        plan = vl_plan(lanes_per_level_count=engine_lanes(family, have), available_count=have)
        return plan.vls_count, credit_bytes(chip, rate_gbps, cable_m)

    def row(port: Port, part: str, rate_gbps: int, cable_m: float) -> LosslessPort:
        lanes, credit = lanes_and_credit(part, rate_gbps, cable_m)
        return LosslessPort(port.device, port.port, rate_gbps, cable_m, virtual_lanes=lanes, credit=credit)

    return row
