"""ECN marking: a chip's profile, its thresholds in whole cells, and whether marking comes before pausing.

Marking must start while the ingress buffer is still below its pause threshold; otherwise senders are
stopped by PFC and never slowed by congestion control. How far below depends on how many ports fill the pool
at once, hence three grades.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fabric.catalog.constants import EcnProfile
from fabric.errors import CatalogError, Fault, InputError

UNLIMITED_EXPONENT = 7
"""From this dynamic threshold on a queue may fill the pool; from its negative minus one on it gets nothing.
Source: sai."""


@dataclass(frozen=True, slots=True)
class Marking:
    """Thresholds [bytes] and largest marking probability [%] of one port, and the profile they come from."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_pct: float
    profile: str
    source: str


@dataclass(frozen=True, slots=True)
class EcnGrades:
    """Upper bounds [bytes] on the thresholds and whether a marking keeps them.

    `must`: Kmin below the pause threshold of one ingress that feeds one egress; else marking never comes
    first. `should`: Kmax below it too, so that every packet is marked before a pause. `strict`: Kmin holds
    even if every port feeds every other at once; shipped configurations often break it, so it is for
    information.
    """

    pause_bytes: float
    strict_bytes: float
    must: bool
    should: bool
    strict: bool


def choose_profile(profiles: Sequence[EcnProfile], chip: str) -> EcnProfile:
    """The profile preferred for a chip family, or the fallback.

    Raises:
        CatalogError: No profile applies, or more than one.
    """
    fitting = [profile for profile in profiles if chip in profile.preferred_chips]
    fitting = fitting or [profile for profile in profiles if profile.is_fallback]
    if len(fitting) != 1:
        names = ", ".join(profile.profile for profile in fitting) or "none"
        raise CatalogError(Fault(f"{chip}: exactly one ECN profile must apply, found {names}"))
    return fitting[0]


def marking(profile: EcnProfile, rate_gbps: int, cell_bytes: int | None) -> Marking:
    """Thresholds of a profile at a rate [Gb/s], rounded up to whole cells [bytes] if the cell is known."""
    if not (0 < profile.kmin_bytes <= profile.kmax_bytes and 0 < profile.pmax_pct / 100 <= 1):
        raise CatalogError(Fault(f"{profile.profile}: needs 0 < kmin <= kmax and 0 < pmax <= 100 %"))
    factor = rate_gbps / profile.reference_gbps if profile.reference_gbps else 1.0
    cell = cell_bytes or 1
    return Marking(
        kmin_bytes=math.ceil(profile.kmin_bytes * factor / cell) * cell,
        kmax_bytes=math.ceil(profile.kmax_bytes * factor / cell) * cell,
        pmax_pct=profile.pmax_pct,
        profile=profile.profile,
        source="; ".join(profile.sources),
    )


def alpha(dynamic_th: int) -> float:
    """Factor of a dynamic threshold: 2 to its exponent, 0 or infinite at the ends. Source: sai."""
    if dynamic_th >= UNLIMITED_EXPONENT:
        return math.inf
    return 0.0 if dynamic_th <= -UNLIMITED_EXPONENT - 1 else 2.0**dynamic_th


def dynamic_threshold_bytes(shared_bytes: float, used_bytes: float, factor: float) -> float:
    """Pause threshold `factor * (pool - used)` of a pool [bytes] in part used [bytes]. Source: sai."""
    return factor * max(0.0, shared_bytes - used_bytes)


def equal_share_bytes(shared_bytes: float, queues_count: int, factor: float) -> float:
    """What each of n equally congested queues holds when its threshold stops it: `factor*B / (1 + n*factor)`.

    It is the fixed point of `dynamic_threshold_bytes` with `used = n * share`; an infinite factor gives B /
    n.
    """
    return shared_bytes / (1 / factor + queues_count) if factor > 0 else 0.0


def static_pause_bound_bytes(
    buffer_bytes: float, ports_count: int, flight_bytes: float, priorities_count: int = 8
) -> float:
    """Largest fixed pause threshold that lets every port and priority reach it at once without loss.

    `(B - p*n*t_flight) / (p*n)` for B bytes, n ports, p priorities and t_flight bytes of headroom each.
    Source: dcqcn-2015.
    """
    groups_count = priorities_count * ports_count
    return (buffer_bytes - groups_count * flight_bytes) / groups_count


def strict_kmin_bound_bytes(shared_bytes: float, ports_count: int, priorities_count: int, factor: float) -> float:
    """Kmin below which marking comes first even if one ingress feeds all n egress queues.

    `factor*B / (n * (1 + p*factor))`, B the pool without headroom. With p = 8 and factor = beta/8 it is the
    bound of DCQCN, `beta*(B - 8*n*t_flight) / (8*n*(beta + 1))`. Source: dcqcn-2015 (generalised).
    """
    return shared_bytes / (ports_count * (1 / factor + priorities_count)) if factor > 0 else 0.0


def grades(
    marks: Marking, shared_bytes: float, dynamic_th: int, *, ports_count: int, priorities_count: int
) -> EcnGrades:
    """How well a marking keeps ahead of pausing.

    Args:
        marks: The thresholds to judge.
        shared_bytes: Lossless pool without headroom [bytes], above 0.
        dynamic_th: Exponent of the priority group's dynamic threshold.
        ports_count: Ports that share the pool.
        priorities_count: Lossless priorities of each port.

    Raises:
        InputError: The pool, or a count, is not positive.
    """
    if shared_bytes <= 0 or ports_count < 1 or priorities_count < 1:
        raise InputError(Fault("ECN grades need a shared pool, a port and a lossless priority"))
    factor = alpha(dynamic_th)
    pause_bytes = equal_share_bytes(shared_bytes, 1, factor)
    strict_bytes = strict_kmin_bound_bytes(shared_bytes, ports_count, priorities_count, factor)
    return EcnGrades(
        pause_bytes=pause_bytes,
        strict_bytes=strict_bytes,
        must=marks.kmin_bytes < pause_bytes,
        should=marks.kmax_bytes < pause_bytes,
        strict=marks.kmin_bytes < strict_bytes,
    )
