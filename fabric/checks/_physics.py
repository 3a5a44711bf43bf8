"""Floors of lossless settings: what arrives after a port has said stop, whatever the chip's own law asks on top."""

from __future__ import annotations

from fabric.catalog.constants import Chip, IbChip
from fabric.model.request import COPPER
from fabric.units import COPPER_NS_PER_M, FIBRE_NS_PER_M

MIN_FRAME_BYTES = 64
"""Shortest frame. Source: ieee-802.3."""

WIRE_BYTES = 84
"""Shortest frame with preamble and smallest gap. Source: ieee-802.3."""

PAUSE_QUANTA = {100: 394, 200: 453, 400: 905}
"""Longest response of a peer to a pause, in quanta of 64 bytes, by rate [Gb/s]. Source: ieee-802.3, annex 31B.

Faster ports have no agreed figure; where the chip's file has none either, it grows with the rate.
"""

QUANTUM_BYTES = 64


def loop_bytes(rate_gbps: int, cable_m: float, medium: str) -> float:
    """Bytes on a cable there and back: 2·τ·L·R/8."""
    ns_per_m = COPPER_NS_PER_M if medium in COPPER else FIBRE_NS_PER_M
    return 2 * ns_per_m * cable_m * rate_gbps / 8


def headroom_floor_bytes(rate_gbps: int, cable_m: float, medium: str, mtu_bytes: int, chip: Chip | None) -> float:
    """Least headroom of one port and priority [bytes].

    One frame before the pause and one begun after it, what the cable holds, and what the peer sends until it reacts;
    the last two arrive in the short packets that the chip's constants assume and take whole cells.
    Source: sonic-headroom-hld; lossless facts of the chip from its part file.
    """
    response_bytes = _quanta(rate_gbps, chip) * QUANTUM_BYTES
    last_frame_bytes = mtu_bytes if chip is None else min(mtu_bytes, chip.lossless_mtu_bytes)
    in_flight_bytes = loop_bytes(rate_gbps, cable_m, medium) + response_bytes
    return mtu_bytes + last_frame_bytes + WIRE_BYTES + in_flight_bytes * _cell_growth(chip)


def _quanta(rate_gbps: int, chip: Chip | None) -> float:
    """Response of the peer to a pause [quanta]: as the chip's file has it, else of the standard."""
    if chip is not None and rate_gbps in chip.pause_quanta:
        return chip.pause_quanta[rate_gbps]
    row_gbps = max((known for known in PAUSE_QUANTA if known <= rate_gbps), default=0)
    fastest = row_gbps == max(PAUSE_QUANTA)
    return PAUSE_QUANTA.get(row_gbps, 0) * (rate_gbps / row_gbps if fastest else 1)


def _cell_growth(chip: Chip | None) -> float:
    """Buffer bytes per wire byte: short packets, by their share of all bytes, take a cell each."""
    if chip is None or chip.cell_bytes is None:
        return 1.0
    share = chip.small_packet_pct / 100
    mean_bytes = share * MIN_FRAME_BYTES + (1 - share) * chip.lossless_mtu_bytes
    return 1 + MIN_FRAME_BYTES / mean_bytes * max(0.0, chip.cell_bytes / WIRE_BYTES - 1) if share else 1.0


def credit_floor_bytes(rate_gbps: int, cable_m: float, medium: str, chip: IbChip) -> float:
    """Least credit of a lane at full rate [bytes]: the loop over cable and receiver, and one packet."""
    return loop_bytes(rate_gbps, cable_m, medium) + rate_gbps / 8 * chip.processing_ns + chip.mtu_bytes
