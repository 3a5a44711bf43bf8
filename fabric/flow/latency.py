"""Completion time of one communication phase, term by term, with the constants of a software stack."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log2
from typing import Literal

Term = Literal["alpha", "bytes", "skew", "links", "messages", "scale_up", "queueing", "retransmission", "sharing"]


@dataclass(frozen=True, slots=True)
class StackConstants:
    """What one phase (dispatch or combine) of one software stack on one NIC was fitted to.

    The values belong to the catalog, each with its source. One stack's never stand in for another's.

    Attributes:
        name: phase of the stack: where a library chooses between protocols, the one that these are of.
        alpha0_us: fixed time of the phase [us].
        alpha1_us: further time per doubling of the nodes [us].
        bandwidth_gbyte_s: payload bandwidth of one NIC [GB/s]; of the scale-up port where one node is fitted.
        message_rate_mops: messages that one NIC starts [10⁶/s].
        way_us: a small message's way over the fitted fabric, both ends included, which is inside alpha [us].
        relative_sd: standard deviation of one rank's time over its mean.
        step_us: one step in series between nodes [us].
        local_step_us: one step in series within a node [us].
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
    way_us: float
    relative_sd: float
    min_ranks: int
    max_ranks: int
    link_layer: str
    nic: str
    step_us: float = 0.0
    local_step_us: float = 0.0


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """Terms of one phase's time. Bytes (with skew), links, messages and scale-up bytes overlap, so the longest counts.

    Attributes:
        alpha0_us: fixed time [us].
        alpha1_us: time that grows with the nodes [us].
        steps_us: steps in series of a chain [us].
        hops_us: ends and switches of the ways in series beyond (if negative: below) those of the fitted fabric [us].
        cables_us: propagation along their cables beyond that of the measured ones, the mean over all bytes [us].
        bytes_us: payload through a mean port [us].
        skew_us: how much longer the busiest port takes [us].
        links_us: load of the fullest link, headers included, spread evenly [us].
        messages_us: messages through the busiest adapter, all its planes together [us].
        scale_up_us: bytes that stay inside scale-up domains, through their busiest port [us].
        queueing_us: waiting for flows that share a link or a plane by chance, and for requests before one's own [us].
        retransmission_us: sending again what was lost [us].
        collided_us: the longest of the terms that overlap, with flows that collide as usual [us].
        sharing_us: waiting for other jobs on links that they use too, the mean over what they may be doing [us].
    """

    alpha0_us: float
    alpha1_us: float
    steps_us: float
    hops_us: float
    cables_us: float
    bytes_us: float
    skew_us: float
    links_us: float
    messages_us: float
    scale_up_us: float
    queueing_us: float
    retransmission_us: float
    collided_us: float
    sharing_us: float = 0.0

    @property
    def terms(self) -> dict[str, float]:
        """Every term by its name [us]."""
        return {name: value for name, value in asdict(self).items() if name != "collided_us"}

    @property
    def alpha_us(self) -> float:
        """Time that does not depend on bytes [us]."""
        return self.alpha0_us + self.alpha1_us + self.steps_us + self.hops_us + self.cables_us

    @property
    def serial_us(self) -> float:
        """The longest of the overlapping terms [us]."""
        return max(self.bytes_us + self.skew_us, self.links_us, self.messages_us, self.scale_up_us)

    @property
    def total_us(self) -> float:
        """Time of the phase [us]."""
        return self.alpha_us + self.serial_us + self.queueing_us + self.retransmission_us + self.sharing_us

    @property
    def dominant(self) -> Term:
        """The term that takes most of the time."""
        terms: dict[Term, float] = {
            "alpha": self.alpha_us,
            "bytes": self.bytes_us,
            "skew": self.skew_us,
            "links": self.links_us,
            "messages": self.messages_us,
            "scale_up": self.scale_up_us,
            "queueing": self.queueing_us,
            "retransmission": self.retransmission_us,
            "sharing": self.sharing_us,
        }
        return max(terms, key=lambda term: terms[term])


@dataclass(frozen=True, slots=True)
class PhaseLoad:
    """What a phase puts on ports and links, as far as its time depends on it.

    Attributes:
        nodes: scale-up domains that take part.
        way_us: a small message's way, both ends included, on cables as long as the measured ones; the mean where ways
            differ [us].
        port_bytes: through a mean port [byte].
        busiest_bytes: through the busiest port [byte].
        messages: through the busiest adapter.
        links_us: time of the fullest link when traffic is spread evenly [us].
        cables_us: propagation along the cables of a way beyond that of the measured ones, likewise [us].
        scale_up_us: bytes inside scale-up domains, through the busiest port [us].
        slowdown: time of the fullest link over `links_us`, by flows that share it by chance.
        plane_slowdown: bytes of the fullest plane of a port over its mean, by flows that share it by chance.
        network_steps: steps in series between domains.
        local_steps: steps in series within one.
        arrivals: share of time in which a receiver is busy, where requests come at random.
    """

    nodes: int
    way_us: float
    port_bytes: float
    busiest_bytes: float
    messages: float
    links_us: float
    cables_us: float = 0.0
    scale_up_us: float = 0.0
    slowdown: float = 1.0
    plane_slowdown: float = 1.0
    network_steps: int = 0
    local_steps: int = 0
    arrivals: float = 0.0

    @property
    def ways(self) -> int:
        """Ways over the network in series: one a step of a chain."""
        return max(1, self.network_steps) if self.links_us else 0


def mean_wait(arrivals: float) -> float:
    """Mean wait of an M/D/1 queue [service times] whose server is busy for a share of the time.

    Equation: ρ / (2 (1 - ρ)). Source: bertsekas-gallager-1992.
    """
    return arrivals / (2 * (1 - arrivals))


def phase_time(constants: StackConstants, load: PhaseLoad, loss: Loss | None = None) -> PhaseTime:
    """Time of one phase.

    Equation: t = α0 + α1·log2(N) + n·t_step + w·(way - way_fit + cables) + max(bytes/B, fullest link, messages/rate,
    scale-up) + queueing + retransmission, with w ways in series. Queueing is what collisions on links and planes add to
    the maximum, and the mean wait of an M/D/1 queue, ρ / (2 (1 - ρ)) of the service time, where requests come at random
    (bertsekas-gallager-1992).

    Args:
        constants: of the stack and phase.
        load: of the phase.
        loss: packets lost, and what the adapter does then; None in a lossless fabric.
    """
    bytes_us = load.port_bytes / (constants.bandwidth_gbyte_s * 1000)
    busiest_us = load.busiest_bytes / (constants.bandwidth_gbyte_s * 1000)
    messages_us = load.messages / constants.message_rate_mops
    serial_us = max(busiest_us, load.links_us, messages_us, load.scale_up_us)
    network_us = max(busiest_us * load.plane_slowdown, messages_us, load.links_us * load.slowdown)
    collided_us = max(network_us, load.scale_up_us)
    waiting_us = mean_wait(load.arrivals) * network_us
    return PhaseTime(
        alpha0_us=constants.alpha0_us,
        alpha1_us=constants.alpha1_us * log2(load.nodes),
        steps_us=load.network_steps * constants.step_us + load.local_steps * constants.local_step_us,
        hops_us=load.ways * (load.way_us - constants.way_us),
        cables_us=load.ways * load.cables_us,
        bytes_us=bytes_us,
        skew_us=busiest_us - bytes_us,
        links_us=load.links_us,
        messages_us=messages_us,
        scale_up_us=load.scale_up_us,
        queueing_us=collided_us - serial_us + waiting_us,
        retransmission_us=loss.extra_us(network_us) if loss is not None else 0.0,
        collided_us=collided_us,
    )


@dataclass(frozen=True, slots=True)
class Loss:
    """Packets lost at random, and how an adapter sends again.

    Attributes:
        probability: that a packet is lost, headers or payload.
        window_packets: packets in flight in a round trip: go-back-N sends all of them again.
        selective: whether the lost packet alone is sent again.
    """

    probability: float
    window_packets: float
    selective: bool

    @property
    def efficiency(self) -> float:
        """Share of sent packets that count.

        Equation: 1 - p with selective repeat, (1 - p) / (1 - p + p·W) with go-back-N of window W. Source:
        bertsekas-gallager-1992.
        """
        kept = 1 - self.probability
        return kept if self.selective else kept / (kept + self.probability * self.window_packets)

    def extra_us(self, time_us: float) -> float:
        """Time [us] that sending again adds to the sending of `time_us`."""
        return time_us * (1 / self.efficiency - 1)


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
