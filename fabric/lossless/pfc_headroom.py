"""PFC headroom of a port from its rate, its cable and its chip.

After a switch decides to pause its peer, data keeps arriving: the frame in front of the pause frame, what the
cable holds both ways, the MAC and PHY of both ends, what the peer sends before it reacts, and the frame it
has begun. In the buffer this grows again, because a short packet occupies a whole cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fabric.catalog.constants import Chip, Law
from fabric.errors import CatalogError, Fault, InputError
from fabric.units import KIB

MIN_PACKET_BYTES = 64
"""Shortest Ethernet frame. Source: ieee-802.3."""

WIRE_OVERHEAD_BYTES = 20
"""Preamble, start delimiter and smallest gap around each frame. Source: ieee-802.3."""

BYTES_PER_QUANTUM = 64
"""One pause quantum is 512 bit times. Source: ieee-802.3, annex 31B."""

WIDE_PORT_LANES = 8
"""The `mellanox` law doubles the pipeline latency on ports of eight lanes. Source: sonic-headroom-lua."""

Terms = dict[str, float]
Remarks = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Headroom:
    """PFC thresholds of one port and priority.

    Attributes:
        chip: Key of the chip family.
        law: The formula used.
        xoff_bytes: Headroom: bytes that may still arrive after the pause was decided.
        xon_bytes: Resume threshold.
        xon_offset_bytes: How far below the XOFF point the port resumes.
        size_bytes: Bytes to reserve for the priority group.
        terms: Parts of `xoff_bytes` by name [bytes]; they add up to it.
        source: Keys of the sources, joined by `; `.
        is_floor: True if only the physical lower bound is known.
        notes: Assumptions and doubts, for the reader of the result.
    """

    chip: str
    law: Law
    xoff_bytes: int
    xon_bytes: int
    xon_offset_bytes: int
    size_bytes: int
    terms: Mapping[str, float]
    source: str
    is_floor: bool
    notes: tuple[str, ...]


def headroom(
    chip: Chip,
    rate_gbps: int,
    cable_m: float,
    *,
    mtu_bytes: int | None = None,
    shared_headroom: bool = False,
) -> Headroom:
    """PFC thresholds of one port and priority.

    Args:
        chip: Buffer constants of the chip family.
        rate_gbps: Rate of the port [Gb/s].
        cable_m: Length of the cable [m], at least 0.
        mtu_bytes: Largest frame of the port [bytes]; None: the chip's published assumption.
        shared_headroom: True if the headroom lies in a pool that all ports share; the size then excludes it.

    Raises:
        InputError: The length or MTU is out of range, or the chip's law has no figure for the rate.
    """
    mtu = chip.port_mtu_bytes if mtu_bytes is None else mtu_bytes
    _refuse_no_port(rate_gbps, cable_m, mtu)
    terms, remarks = _LAWS[chip.law](chip, rate_gbps, cable_m, mtu)
    if chip.margin_bytes:
        terms["margin_bytes"] = float(chip.margin_bytes)
    xoff_bytes = round(sum(terms.values()))
    wide = _is_wide(chip, rate_gbps)
    xon_bytes = chip.xon_bytes * (2 if wide else 1)
    own_bytes = xon_bytes if shared_headroom else _whole_kib(xoff_bytes + xon_bytes + (mtu if wide else 0))
    return Headroom(
        chip=chip.chip,
        law=chip.law,
        xoff_bytes=xoff_bytes,
        xon_bytes=xon_bytes,
        xon_offset_bytes=chip.xon_offset_bytes,
        size_bytes=own_bytes if chip.reserved_bytes is None else chip.reserved_bytes,
        terms=terms,
        source="; ".join(chip.sources),
        is_floor=chip.law == "generic",
        notes=chip.notes + remarks,
    )


def _mellanox(chip: Chip, rate_gbps: int, cable_m: float, mtu_bytes: int) -> tuple[Terms, Remarks]:
    """Terms of XOFF after the dynamic buffer model of NVIDIA Spectrum.

    `xoff = ceil_KiB(lossless_mtu + occ * (port_mtu + cable + mac_phy + peer + tile))`, `occ = 1 + f*(w-1)`,
    `w` the cell over the shortest packet, `f` the share of shortest packets by bytes.
    Source: sonic-headroom-lua.
    """
    lossless_mtu_bytes = min(chip.lossless_mtu_bytes, mtu_bytes)
    short = chip.small_packet_pct / 100
    mean_bytes = short * MIN_PACKET_BYTES + (1 - short) * lossless_mtu_bytes
    # A packet one byte longer than a cell takes two, so no cell, however small, has a factor below 2.
    worst_factor = max(2, math.ceil(_cell_bytes(chip) / MIN_PACKET_BYTES))
    in_flight = {
        "port_mtu_bytes": float(mtu_bytes),
        "cable_bytes": _cable_bytes(chip, rate_gbps, cable_m),
        "mac_phy_bytes": chip.mac_phy_bytes,
        "peer_response_bytes": _peer_response_bytes(chip, rate_gbps),
        "tile_bytes": chip.tile_bytes_per_gbps * rate_gbps,
    }
    growth_bytes = sum(in_flight.values()) * MIN_PACKET_BYTES / mean_bytes * (worst_factor - 1)
    terms = {"lossless_mtu_bytes": float(lossless_mtu_bytes), **in_flight, "cell_growth_bytes": growth_bytes}
    return _rounded_up(terms, KIB), ()


def _broadcom_xgs(chip: Chip, rate_gbps: int, cable_m: float, mtu_bytes: int) -> tuple[Terms, Remarks]:
    """Terms of XOFF after the law of the vendor tables of Broadcom XGS chips.

    `xoff = cell * round((W(rate) + cable) / 84)`: shortest packets only, 84 bytes on the wire, one cell each.
    W is fitted to the tables at `port_mtu_bytes`; a larger frame adds its excess at both ends.
    Source: sonic-pg-profiles (derived).
    """
    fixed_bytes, row_gbps, remarks = _fixed_wire_bytes(chip, rate_gbps)
    wire = {
        "fixed_wire_bytes": fixed_bytes,
        "cable_bytes": _cable_bytes(chip, row_gbps, cable_m),
        "mtu_excess_bytes": 2.0 * max(0, mtu_bytes - chip.port_mtu_bytes),
    }
    wire_bytes = sum(wire.values())
    cells_count = math.floor(wire_bytes / (MIN_PACKET_BYTES + WIRE_OVERHEAD_BYTES) + 0.5)
    return {**wire, "cell_growth_bytes": cells_count * _cell_bytes(chip) - wire_bytes}, remarks


def _generic(chip: Chip, rate_gbps: int, cable_m: float, mtu_bytes: int) -> tuple[Terms, Remarks]:
    """Terms of the physical floor, for a chip whose law is not published.

    `frame in front + frame begun + pause frame + cable + MAC and PHY + peer's response`, times cell over 84
    if the cell is known and larger. Source: sonic-headroom-hld.
    """
    wire = {
        "port_mtu_bytes": float(mtu_bytes),
        "lossless_mtu_bytes": float(min(chip.lossless_mtu_bytes, mtu_bytes)),
        "pause_frame_bytes": float(MIN_PACKET_BYTES + WIRE_OVERHEAD_BYTES),
        "cable_bytes": _cable_bytes(chip, rate_gbps, cable_m),
        "mac_phy_bytes": chip.mac_phy_bytes,
        "peer_response_bytes": _peer_response_bytes(chip, rate_gbps),
    }
    remark = f"{chip.chip}: no published law, physical floor only; the chip's own planner may ask for more"
    if chip.cell_bytes is None:
        return _rounded_up(wire, 1), (
            remark,
            f"{chip.chip}: cell size unknown, growth by short packets not counted",
        )
    growth = max(0.0, chip.cell_bytes / (MIN_PACKET_BYTES + WIRE_OVERHEAD_BYTES) - 1)
    terms = {**wire, "cell_growth_bytes": sum(wire.values()) * growth}
    return _rounded_up(terms, chip.cell_bytes), (remark,)


_LAWS: Mapping[Law, Callable[[Chip, int, float, int], tuple[Terms, Remarks]]] = {
    "mellanox": _mellanox,
    "broadcom_xgs": _broadcom_xgs,
    "generic": _generic,
}


def _cable_bytes(chip: Chip, rate_gbps: int, cable_m: float) -> float:
    """Bytes in flight over the cable there and back [bytes], for a length [m] at a rate [Gb/s]."""
    return 2 * cable_m * rate_gbps * 1e9 / (8 * chip.signal_speed_m_per_s)


def _peer_response_bytes(chip: Chip, rate_gbps: int) -> float:
    """Bytes that the peer sends before it obeys a pause [bytes]."""
    _require(rate_gbps in chip.pause_quanta, "port_gbps", _unknown_rate(chip, rate_gbps, chip.pause_quanta))
    return float(chip.pause_quanta[rate_gbps] * BYTES_PER_QUANTUM)


def _fixed_wire_bytes(chip: Chip, rate_gbps: int) -> tuple[float, int, Remarks]:
    """W of a rate [bytes], the rate [Gb/s] whose row applies, and what to say about it."""
    rows = chip.fixed_wire_bytes
    row_gbps = min((row for row in rows if row >= rate_gbps), default=None)
    if row_gbps is None:
        fastest_gbps = max(rows, default=0)
        _require(rate_gbps <= 2 * fastest_gbps, "port_gbps", _unknown_rate(chip, rate_gbps, rows))
        scaled = rows[fastest_gbps] * rate_gbps / fastest_gbps
        remark = f"{chip.chip}: no figure for {rate_gbps}G, fixed part of {fastest_gbps}G scaled (high side)"
        return scaled, rate_gbps, (remark,)
    if row_gbps != rate_gbps:
        return rows[row_gbps], row_gbps, (f"{chip.chip}: {rate_gbps}G takes the figure of {row_gbps}G",)
    return rows[row_gbps], row_gbps, ()


def _rounded_up(terms: Terms, step_bytes: int) -> Terms:
    """The terms with one more, `rounding_bytes`, that brings their sum to a whole number of steps."""
    total_bytes = sum(terms.values())
    return {**terms, "rounding_bytes": math.ceil(total_bytes / step_bytes) * step_bytes - total_bytes}


def _whole_kib(size_bytes: int) -> int:
    """The size rounded up to whole KiB [bytes]."""
    return math.ceil(size_bytes / KIB) * KIB


def _is_wide(chip: Chip, rate_gbps: int) -> bool:
    """True for a `mellanox` port of eight lanes."""
    return chip.law == "mellanox" and chip.serdes_gbps is not None and rate_gbps >= WIDE_PORT_LANES * chip.serdes_gbps


def _cell_bytes(chip: Chip) -> int:
    """The chip's cell [bytes], which its law cannot do without."""
    if chip.cell_bytes is None:
        raise CatalogError(Fault(f"{chip.chip}: law {chip.law} needs the cell size", key="cell_bytes"))
    return chip.cell_bytes


def _unknown_rate(chip: Chip, rate_gbps: int, rows: Mapping[int, float]) -> str:
    """What is wrong with a rate, and which rates the chip's law knows."""
    known = ", ".join(f"{row}" for row in sorted(rows))
    return f"{chip.chip}: no headroom figure at {rate_gbps} Gb/s; known rates: {known}"


def _refuse_no_port(rate_gbps: int, cable_m: float, mtu_bytes: int) -> None:
    """Refuse a rate, length or frame that no port has."""
    _require(cable_m >= 0 and math.isfinite(cable_m), "cable_m", f"{cable_m} m is not a cable length")
    short = f"{mtu_bytes} bytes is below the shortest frame, {MIN_PACKET_BYTES} bytes"
    _require(mtu_bytes >= MIN_PACKET_BYTES, "mtu", short)
    _require(rate_gbps > 0, "port_gbps", f"{rate_gbps} Gb/s is not a port rate")


def _require(condition: bool, key: str, message: str) -> None:
    """Refuse an argument that the formulas cannot take."""
    if not condition:
        raise InputError(Fault(message, key=key))
