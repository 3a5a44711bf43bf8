"""What a small message takes on its way, link by link: the latency budget of a workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BudgetHop:
    """One link of a way and the device behind it; times in ns.

    Attributes:
        link: its name.
        cable_m: sold length; None before cables are chosen, where it is as long as those of the measured cluster.
        cable_ns: propagation along it.
        fec: error correction of its lanes; None where no document names it, and that of the measured ports counts.
        fec_ns: until its codewords have come.
        first_ns: until the first bytes of a packet have come.
        device: behind the link.
        stored_ns: until the rest of the packet has come, where the device must send it on faster than it comes.
        switch_ns: in the device, without what stands before; 0 at the end of the way, which is among the ends.
        is_published: whether the device's maker publishes its time; else it is what a measured hop leaves.
    """

    link: str
    cable_m: float | None
    cable_ns: float
    fec: str | None
    fec_ns: float
    first_ns: float
    device: str
    stored_ns: float
    switch_ns: float
    is_published: bool


@dataclass(frozen=True, slots=True)
class LatencyBudget:
    """A small message's way in one phase, and what the time assumed for a hop does to the workload.

    Attributes:
        phase: the one with most ways in series.
        ways: in series.
        ends_ns: adapters and software of both ends.
        longest: link by link, the longest of the shortest ways between ports below leaves or routers that talk.
        longest_ns: all of it with its ends.
        mean_ns: parts of the mean over all bytes, `total` with the ends.
        fitted_ns: way of the fabric that the stack was measured on, inside its fixed time.
        hop_ns: hop of switches that publish nothing: least and most that was published, and the one used.
        p50_us: median of the workload with the least and with the most.
        assumption: what the hop used is, in words.
    """

    phase: str
    ways: int
    ends_ns: float
    longest: tuple[BudgetHop, ...]
    longest_ns: float
    mean_ns: Mapping[str, float]
    fitted_ns: float
    hop_ns: Mapping[str, float]
    p50_us: Mapping[str, float | None]
    assumption: str
