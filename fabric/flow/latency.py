"""Completion time of one communication phase, term by term, with the constants of a software stack."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Literal

Term = Literal["alpha", "bytes", "links", "messages"]


@dataclass(frozen=True, slots=True)
class StackConstants:
    """What one phase (dispatch or combine) of one software stack on one NIC was fitted to.

    The values belong to the catalog, each with its source. One stack's never stand in for another's.

    Attributes:
        name: the stack and phase, as the report shows it.
        alpha0_us: fixed time of the phase [us].
        alpha1_us: further time per doubling of the nodes [us].
        bandwidth_gbyte_s: payload bandwidth of one NIC [GB/s]; of the scale-up port where one node is fitted.
        message_rate_mops: messages that one NIC starts [10⁶/s].
        hop_ns: one more switch with its cable [ns].
        fitted_hop_count: switches on a path of the fitted fabric, whose time is inside alpha.
        relative_sd: standard deviation of one rank's time over its mean.
        min_ranks: fewest ranks fitted.
        max_ranks: most ranks fitted.
        link_layer: of the fitted fabric, `ethernet` or `infiniband`.
        nic: NIC of the fit, by catalog key.
    """

    name: str
    alpha0_us: float
    alpha1_us: float
    bandwidth_gbyte_s: float
    message_rate_mops: float
    hop_ns: float
    fitted_hop_count: int
    relative_sd: float
    min_ranks: int
    max_ranks: int
    link_layer: str
    nic: str


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """Terms of one phase's time; bytes, links and messages overlap, so the longest of them counts.

    Attributes:
        alpha0_us: fixed time [us].
        alpha1_us: time that grows with the nodes [us].
        hops_us: switches beyond (or, negative, short of) those of the fitted fabric [us].
        bytes_us: payload through the busiest NIC [us].
        links_us: load of the fullest link [us].
        messages_us: messages through the busiest NIC [us].
    """

    alpha0_us: float
    alpha1_us: float
    hops_us: float
    bytes_us: float
    links_us: float
    messages_us: float

    @property
    def alpha_us(self) -> float:
        """Time that does not depend on bytes [us]."""
        return self.alpha0_us + self.alpha1_us + self.hops_us

    @property
    def serial_us(self) -> float:
        """The longest of the overlapping terms [us]."""
        return max(self.bytes_us, self.links_us, self.messages_us)

    @property
    def total_us(self) -> float:
        """Time of the phase [us]."""
        return self.alpha_us + self.serial_us

    @property
    def dominant(self) -> Term:
        """The term that takes most of the time."""
        terms: dict[Term, float] = {
            "alpha": self.alpha_us,
            "bytes": self.bytes_us,
            "links": self.links_us,
            "messages": self.messages_us,
        }
        return max(terms, key=lambda term: terms[term])


def phase_time(
    constants: StackConstants, nodes: int, hops: float, nic_bytes: float, messages: float, links_us: float
) -> PhaseTime:
    """Time of one phase.

    Equation: t = α0 + α1·log2(N) + (h - h_fit)·t_hop + max(bytes/B, max over links bytes/rate, n/rate).

    Args:
        constants: of the stack and phase.
        nodes: nodes N that take part.
        hops: switches on a path, the mean where paths differ.
        nic_bytes: bytes of the busiest rank through its NIC [byte].
        messages: messages of the busiest rank through its NIC.
        links_us: time of the fullest link inside the fabric [us].
    """
    return PhaseTime(
        alpha0_us=constants.alpha0_us,
        alpha1_us=constants.alpha1_us * log2(nodes),
        hops_us=(hops - constants.fitted_hop_count) * constants.hop_ns / 1000,
        bytes_us=nic_bytes / (constants.bandwidth_gbyte_s * 1000),
        links_us=links_us,
        messages_us=messages / constants.message_rate_mops,
    )


def outside_fit(constants: StackConstants, ranks: int, link_layer: str, nic: str) -> tuple[str, ...]:
    """What is stretched when these constants are used here, one phrase each; empty inside the fit."""
    stretched = []
    if not constants.min_ranks <= ranks <= constants.max_ranks:
        stretched.append(f"{ranks} ranks where {constants.min_ranks} to {constants.max_ranks} were measured")
    if link_layer != constants.link_layer:
        stretched.append(f"link layer {link_layer} where {constants.link_layer} was measured")
    if nic != constants.nic:
        stretched.append(f"NIC {nic} where {constants.nic} was measured")
    return tuple(stretched)
