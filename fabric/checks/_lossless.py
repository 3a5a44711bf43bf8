"""Lossless rows beside the links that they are for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabric.checks._context import CheckContext
from fabric.model.cabling import Cable
from fabric.model.settings import LosslessPort
from fabric.model.topology import Device, Link, Port


@dataclass(frozen=True, slots=True)
class LosslessEnd:
    """One switch port in use: its link and cable, and its row for the priority asked (None: it has none)."""

    device: Device
    port: Port
    link: Link
    cable: Cable | None
    row: LosslessPort | None

    @property
    def where(self) -> str:
        """The port as findings name it."""
        return f"{self.port.device}:{self.port.port}"


def lossless_ends(ctx: CheckContext, priority: int | None) -> Iterator[LosslessEnd]:
    """Every switch port in use with its row for `priority`."""
    rows = {(row.device, row.port): row for row in ctx.settings.lossless if row.priority == priority}
    for link in ctx.topology.links:
        cable = ctx.cable.get(ctx.cabling.cable_of.get(link.name, "")) if ctx.design.cabling is not None else None
        for port in (link.a, link.b):
            device = ctx.topology.device.get(port.device)
            if device is not None and device.is_switch:
                yield LosslessEnd(device, port, link, cable, rows.get((port.device, port.port)))


def stale(end: LosslessEnd, row: LosslessPort) -> str | None:
    """Why a row was made for another link, None where it suits."""
    if row.rate_gbps != end.link.rate_gbps:
        return f"is set for {row.rate_gbps}G, its link runs {end.link.rate_gbps}G"
    if end.cable is not None and row.cable_m < end.cable.length_m - 1e-6:
        return f"is set for {row.cable_m:g} m, {end.cable.name} is {end.cable.length_m:g} m long"
    return None
