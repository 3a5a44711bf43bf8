"""The records of PFC headroom: a chip's buffer constants in, a headroom with named terms out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Law = Literal["mellanox", "broadcom_xgs", "generic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipBuffer:
    """Buffer constants of one chip family; the values stand in the catalog, one file per family.

    Attributes:
        chip: Key of the chip family.
        law: Which formula the chip follows.
        cell_bytes: Allocation unit of the buffer; None if unknown.
        port_mtu_bytes: Largest frame that the law's constants assume, in both directions.
        lossless_mtu_bytes: Largest frame of the lossless class.
        small_packet_pct: Share of 64-byte packets by count, `mellanox` law [%].
        signal_speed_m_per_s: Propagation speed in the cable.
        mac_phy_bytes: Bytes in the MAC and PHY of both ends.
        tile_bytes_per_gbps: Bytes that cross between the tiles of the chip, per Gb/s of the port.
        pause_quanta: Peer's response per rate [Gb/s] in quanta of 512 bit times.
        fixed_wire_bytes: `broadcom_xgs`: wire bytes per rate [Gb/s] that do not depend on the cable.
        xon_bytes: Resume threshold; on `mellanox` also the reserved pipeline latency.
        xon_offset_bytes: How far below the XOFF point a port resumes.
        reserved_bytes: Size of a priority group whose headroom lies in a pool; None: `xon_bytes`.
        margin_bytes: Fixed bytes added to the law's XOFF.
        serdes_gbps: Rate of one lane; None if it does not matter to the law.
        lossless_pool_bytes: Ingress lossless pool of a published configuration, None if not known.
        headroom_pool_bytes: Part of that pool that is headroom shared by all ports.
        dynamic_th: Exponent n of the priority group's dynamic threshold, alpha = 2^n.
        sources: Keys of the sources.
        confidence: How sure the constants are.
        notes: What a reader of a result must know.
    """

    chip: str
    law: Law
    port_mtu_bytes: int
    lossless_mtu_bytes: int
    signal_speed_m_per_s: float
    xon_bytes: int
    sources: tuple[str, ...]
    confidence: str
    cell_bytes: int | None = None
    small_packet_pct: float = 100.0
    mac_phy_bytes: float = 0.0
    tile_bytes_per_gbps: float = 0.0
    pause_quanta: Mapping[int, int] = field(default_factory=dict)
    fixed_wire_bytes: Mapping[int, float] = field(default_factory=dict)
    xon_offset_bytes: int = 0
    reserved_bytes: int | None = None
    margin_bytes: int = 0
    serdes_gbps: int | None = None
    lossless_pool_bytes: int | None = None
    headroom_pool_bytes: int = 0
    dynamic_th: int = 0
    notes: tuple[str, ...] = ()

    @property
    def shared_pool_bytes(self) -> int | None:
        """Bytes that dynamic thresholds share: the pool without its headroom; None if not known."""
        if self.lossless_pool_bytes is None:
            return None
        return self.lossless_pool_bytes - self.headroom_pool_bytes

    def cable_bytes(self, rate_gbps: int, cable_m: float) -> float:
        """Bytes in flight over the cable there and back [bytes], for a length [m] at a rate [Gb/s]."""
        return 2 * cable_m * rate_gbps * 1e9 / (8 * self.signal_speed_m_per_s)


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
