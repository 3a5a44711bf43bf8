"""Phases on the fabric: what each puts on every plane, and the terms of its time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.flow.latency import PhaseTime, StackConstants, mean_wait
from fabric.flow.link_load import ArcLoad
from fabric.flow.link_load import Bottleneck as ArcBottleneck
from fabric.flow.offered import Offered
from fabric.flow.spreading import Way
from fabric.model.network import FloatArray
from fabric.pipeline.networks import Plane
from fabric.pipeline.scale_up import Inside
from fabric.traffic._protocol import Job, Phase
from fabric.traffic.fold import Carriers, Folded
from fabric.traffic.planes import Dealing
from fabric.units import bytes_per_us


@dataclass(frozen=True, slots=True, eq=False)
class PlaneLoad:
    """What one phase puts on one plane.

    Attributes:
        plane: the plane.
        folded: the demand on it.
        offered: the same as its ways to spread see it.
        spread: how its switches spread packets.
        arcs: load of every arc, the expected one where chance decides.
        worst: the fullest arc; None without any traffic.
        links_us: its time, headers included [us].
        drawn_us: (n_samples,) times of the fullest arc of all planes, ascending; one, that of this plane, where nothing
            is drawn [us].
        between_us: time of its fullest arc between switches, in half of the draws, headers included [us].
        ends_us: time of its fullest arc of an endpoint, headers included [us].
    """

    plane: Plane
    folded: Folded
    offered: Offered
    spread: Way
    arcs: ArcLoad
    worst: ArcBottleneck | None
    links_us: float
    drawn_us: FloatArray
    between_us: float
    ends_us: float

    @property
    def median_us(self) -> float:
        """Time that the fullest arc takes in half of the draws [us]."""
        return float(np.median(self.drawn_us))

    @property
    def rank(self) -> tuple[float, float]:
        """By what planes are compared: the time in half of the draws, then the expected one [us]."""
        return self.median_us, self.links_us

    @property
    def link(self) -> str:
        """Name of the fullest link; empty without any traffic."""
        return self.plane.link(self.worst) if self.worst is not None else ""

    @property
    def byte_count(self) -> float:
        """Bytes that cross the plane."""
        return float(self.folded.sent_bytes.sum())

    def utilization(self, time_us: float) -> tuple[FloatArray, FloatArray]:
        """(n_endpoints,) and (n_links,) share of a time [us] in which each link's busier direction carries payload."""
        network, arcs = self.plane.network, self.arcs
        ends = np.maximum(arcs.endpoint_up_bytes, arcs.endpoint_down_bytes) / network.endpoint_gbps
        links = np.maximum(arcs.link_up_bytes, arcs.link_down_bytes) / network.link_gbps
        return ends / bytes_per_us(time_us), links / bytes_per_us(time_us)


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """A phase on the fabric.

    Attributes:
        job: whose phase it is.
        phase: as it enters the network, forwarding done.
        carriers: the planes, with the ports of the ranks.
        dealing: how planes share what two ranks exchange.
        loads: of every plane.
        ports_drawn: (n_samples,) bytes of the fullest plane of any port over the busiest port's mean, ascending; one
            where nothing is drawn.
        time: term by term.
        ideal_us: its bytes at line rate [us].
        constants: those of the stack that time it.
        inside: what stays in scale-up domains, and what times it.
    """

    job: Job
    phase: Phase
    carriers: Carriers
    dealing: Dealing
    loads: tuple[PlaneLoad, ...]
    ports_drawn: FloatArray
    time: PhaseTime
    ideal_us: float
    constants: StackConstants
    inside: Inside

    @property
    def fullest(self) -> int:
        """The plane with the fullest link."""
        return max(range(len(self.loads)), key=lambda each: self.loads[each].rank)

    @property
    def collided_us(self) -> float:
        """The longest of the terms that overlap, with the collisions of half of the draws [us]."""
        of_ports_us = (self.time.bytes_us + self.time.skew_us) * float(np.median(self.ports_drawn))
        of_links_us = self.loads[self.fullest].median_us
        return max(of_ports_us, of_links_us, self.time.messages_us, self.time.scale_up_us)

    @property
    def mean_wait(self) -> float:
        """Mean wait before a request [service times]; 0 where all start together."""
        return mean_wait(self.phase.arrivals)
