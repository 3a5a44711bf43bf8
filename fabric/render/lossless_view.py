"""The lossless part of a switch view: buffers, marking, priorities and watchdog of one Ethernet switch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabric.catalog.constants import Chip
from fabric.catalog.parts import Switch
from fabric.model.request import Qos
from fabric.model.settings import LosslessPort
from fabric.model.switch_view import (
    BufferView,
    EcnProfile,
    HeadroomProfile,
    LosslessView,
    QosView,
    WatchdogView,
)
from fabric.nos.spec import Nos
from fabric.units import gbps_to_mbps

_CLASSES = 8
_CODE_POINTS = 64


@dataclass(frozen=True, slots=True)
class PortProfiles:
    """Cable length [m] and names of the profiles of one port."""

    cable_m: int
    headroom: str | None
    ecn: str | None


def port_profiles(row: LosslessPort) -> PortProfiles:
    """What one row of settings says about its port; the length is rounded up to whole metres."""
    cable_m = math.ceil(row.cable_m)
    # SONiC looks a profile up under this name before it makes one of its own from the platform's table.
    headroom = f"pg_lossless_{gbps_to_mbps(row.rate_gbps)}_{cable_m}m_profile"
    ecn = None if row.kmin is None else f"ecn_{row.kmin}_{row.kmax}_{_percent(row.pmax)}"
    return PortProfiles(cable_m, None if row.xoff is None else headroom, ecn)


def lossless_view(
    rows: Sequence[LosslessPort], ports_count: int, part: Switch, chip: Chip | None, qos: Qos, nos: Nos
) -> LosslessView | None:
    """Lossless settings of one Ethernet switch, None when none of its ports has any; credits need none.

    Args:
        rows: settings of the switch's ports.
        ports_count: ports of the switch, in use or not.
        part: the switch.
        chip: buffer constants of its chip family, None if the catalog names none.
        qos: priorities of the request.
        nos: the switch's system, for its defaults.
    """
    if part.link_layer != "ethernet" or not any(row.xoff is not None for row in rows):
        return None
    model = nos.platform(part.figure("chip")).buffer_model
    return LosslessView(
        qos=_qos(qos, nos.numbers),
        buffer=_buffer(rows, part, chip, nos.numbers, model),
        ecn=_ecn(rows),
        watchdog=_watchdog(ports_count, nos.numbers),
    )


def _percent(pmax: float | None) -> int:
    """Marking probability in whole percent, at least 1: systems know no fraction, and 0 would never mark."""
    return max(1, round(pmax or 0))


def _ecn(rows: Sequence[LosslessPort]) -> tuple[EcnProfile, ...]:
    profiles = {
        port_profiles(row).ecn: (row.kmin, row.kmax, _percent(row.pmax)) for row in rows if row.kmin is not None
    }
    return tuple(
        EcnProfile(name, kmin, kmax, pmax)
        for name, (kmin, kmax, pmax) in sorted(profiles.items())
        if name and kmin is not None and kmax is not None
    )


def _qos(qos: Qos, numbers: Mapping[str, int]) -> QosView:
    """The chain of priorities: RDMA and CNP as requested, all else in the lowest class that is free."""
    rdma, cnp = qos.rdma_priority, qos.cnp_priority
    best_effort = min(set(range(_CLASSES)) - {rdma, cnp})
    classes = {qos.rdma_dscp: rdma, qos.cnp_dscp: cnp}
    return QosView(
        rdma_tc=rdma,
        cnp_tc=cnp,
        best_effort_tc=best_effort,
        traffic_classes=tuple(classes.get(dscp, best_effort) for dscp in range(_CODE_POINTS)),
        priority_groups=tuple(rdma if tc == rdma else best_effort for tc in range(_CLASSES)),
        rdma_weight_pct=numbers["rdma_weight_pct"],
        best_effort_weight_pct=numbers["best_effort_weight_pct"],
    )


def _buffer(
    rows: Sequence[LosslessPort], part: Switch, chip: Chip | None, numbers: Mapping[str, int], model: str
) -> BufferView:
    """Pool and profiles; ports of one rate and rounded length share a profile that is enough for each of them."""
    shared: dict[str, list[LosslessPort]] = {}
    for row in rows:
        name = port_profiles(row).headroom
        if name:
            shared.setdefault(name, []).append(row)
    profiles = tuple(
        HeadroomProfile(
            name=name,
            size_bytes=max(row.size or 0 for row in members),
            xon_bytes=max(row.xon or 0 for row in members),
            xon_offset_bytes=chip.xon_offset_bytes if chip else 0,
            xoff_bytes=max(row.xoff or 0 for row in members),
            dynamic_th=chip.dynamic_th if chip else 0,
        )
        for name, members in sorted(shared.items())
    )
    pool_bytes = part.buffer.ingress_lossless_pool_bytes or part.buffer.usable_pool_bytes
    return BufferView(
        model=model,
        pool_bytes=None if model == "dynamic" else pool_bytes or (chip.lossless_pool_bytes if chip else None),
        headroom_pool_bytes=part.buffer.shared_headroom_bytes or (chip.headroom_pool_bytes if chip else 0),
        lossy_reserved_bytes=numbers["lossy_reserved_bytes"],
        lossy_dynamic_th=numbers["lossy_dynamic_th"],
        unlimited_dynamic_th=numbers["unlimited_dynamic_th"],
        profiles=profiles,
    )


def _watchdog(ports_count: int, numbers: Mapping[str, int]) -> WatchdogView:
    """The system's default times, longer on a switch of many ports, whose counters take longer to read."""
    steps = max(1, (ports_count - 1) // numbers["watchdog_ports_per_step"] + 1)
    return WatchdogView(
        poll_ms=min(numbers["watchdog_poll_ms"] * steps, numbers["watchdog_poll_max_ms"]),
        detect_ms=numbers["watchdog_detect_ms"] * steps,
        restore_ms=numbers["watchdog_restore_ms"] * steps,
    )
