"""Schema of what a link layer takes besides bytes: ends, switches, and the error correction of its lanes."""

from __future__ import annotations

from pydantic import Field, model_validator

from fabric.catalog.record import Figure, PartRecord, Sourced
from fabric.units import FIBRE_NS_PER_M

LINE_RATE = 17 / 16
"""Bits on the lanes for each bit of a frame: 257/256 by transcoding, 544/514 by the code. Source: ieee-802.3."""


class Fec(PartRecord):
    """Error correction on lanes of one rate: a port waits for whole codewords before it knows what they say.

    Attributes:
        code: its name.
        codeword_bits: length of a codeword, parity included.
        interleaved: codewords that a port receives side by side, by its rate [Gb/s].
    """

    code: str
    codeword_bits: int = Field(ge=1)
    interleaved: dict[int, int]


class LinkTimes(Sourced):
    """What a small message takes on a link layer, measured end to end, and what of it can be told apart.

    A hop is one switch, the error correction behind it, the first bytes of a packet on its link, and one cable. The
    ends are the same without a switch: adapters and software, and one link.

    Attributes:
        name: as reports write it.
        ends_ns: both ends and one link [ns].
        hop_ns: one switch with its link [ns].
        least_hop_ns: least published time of a switch of this layer, from port to port [ns].
        most_hop_ns: most of a hop that was published, of switches that hold packets on the chip [ns].
        port_gbps: rate of the measured ports.
        lane_gbps: rate of their lanes.
        cable_m: length taken for a cable of the measured cluster.
        first_bytes: of a packet that a switch has before it sends on.
        fec: by the rate of a lane [Gb/s], as far as documents name it.
    """

    name: str
    ends_ns: Figure
    hop_ns: Figure
    least_hop_ns: Figure
    most_hop_ns: Figure
    port_gbps: int = Field(ge=1)
    lane_gbps: int = Field(ge=1)
    cable_m: Figure
    first_bytes: int = Field(ge=1)
    fec: dict[int, Fec]

    def code(self, rate_gbps: float, lane_gbps: int | None) -> Fec | None:
        """The error correction of a port; None where it is not known."""
        code = self.fec.get(lane_gbps or 0)
        return code if code is not None and round(rate_gbps) in code.interleaved else None

    def fec_ns(self, rate_gbps: float, lane_gbps: int | None) -> float:
        """Time [ns] that a port's codewords take to arrive, that of the measured ports where its code is not known.

        Equation: codewords side by side · bits of one / rate on the lanes. The time to decode stays with the switch.
        """
        code = self.code(rate_gbps, lane_gbps)
        if code is None:
            code, rate_gbps = self.fec[self.lane_gbps], self.port_gbps
        return code.interleaved[round(rate_gbps)] * code.codeword_bits / (rate_gbps * LINE_RATE)

    def first_ns(self, rate_gbps: float) -> float:
        """Time [ns] that the first bytes of a packet take at a rate."""
        return self.first_bytes * 8 / rate_gbps

    @property
    def cable_ns(self) -> float:
        """Time [ns] on a cable of the measured cluster."""
        return self.cable_m * FIBRE_NS_PER_M

    @property
    def link_ns(self) -> float:
        """What of a measured hop is its link: error correction, first bytes and cable [ns]."""
        return self.fec_ns(self.port_gbps, self.lane_gbps) + self.first_ns(self.port_gbps) + self.cable_ns

    def way_ns(self, switches: float) -> float:
        """Time [ns] of a small message over so many switches of the measured cluster."""
        return self.ends_ns + switches * self.hop_ns

    def switch_ns(self, port_to_port_ns: float | None, hop_ns: float) -> float:
        """Time [ns] in a switch without what follows, from what it publishes, else from a hop.

        What a maker says from port to port holds error correction and first bytes, as of the measured ports.
        """
        if port_to_port_ns is None:
            return hop_ns - self.link_ns
        return max(0.0, port_to_port_ns + self.cable_ns - self.link_ns)

    @model_validator(mode="after")
    def _holds_its_link(self) -> LinkTimes:
        code = self.code(self.port_gbps, self.lane_gbps)
        if code is None:
            raise ValueError("fec must hold the code of the measured ports")
        if min(self.ends_ns, self.least_hop_ns + self.cable_ns) < self.link_ns:
            raise ValueError(f"a hop and the ends hold a link, which takes {self.link_ns:.1f} ns")
        if not self.least_hop_ns <= self.hop_ns <= self.most_hop_ns:
            raise ValueError("least_hop_ns, hop_ns and most_hop_ns must ascend")
        return self
