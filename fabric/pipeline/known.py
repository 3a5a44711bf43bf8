"""Workloads of a design carried once each, and what each of them does to links, for whoever runs beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from fabric.flow.sharing import Cycle
from fabric.flow.wire import wire_factor
from fabric.model.workload import Workload
from fabric.pipeline.carried import Carried
from fabric.pipeline.carrying import Setting, carry
from fabric.pipeline.jobs import seats_of
from fabric.pipeline.networks import Plane
from fabric.traffic.ranks import Ranks

Planes: TypeAlias = tuple[Plane, ...]
"""Planes that carry workloads."""

_Key: TypeAlias = tuple[str, str, str, int, float | None, Planes]
"""Name of a workload, and what else decides what it does to links, but for where it stands."""


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What a workload does to links while its ranks stand where they do; no cycle without a path."""

    workload: Workload
    ranks: Ranks
    cycle: Cycle | None


class Known:
    """Workloads on some planes in some setting, each carried once.

    What one does to links is kept for changes of setting and planes too (`under`), so that a change that is tried for
    each of several workloads carries each of them once, unless it moves their ranks.

    Attributes:
        setting: what all workloads share.
        planes: that carry them.
    """

    def __init__(self, setting: Setting, planes: Planes, kept: dict[_Key, _Kept] | None = None) -> None:
        self.setting, self.planes = setting, planes
        self._kept: dict[_Key, _Kept] = {} if kept is None else kept
        self._carried: dict[str, tuple[Workload, tuple[Carried, ...] | None]] = {}
        self._seats: dict[str, Ranks] = {}
        self._altered: dict[str, Planes | None] = {}

    def carried(self, workload: Workload) -> tuple[Carried, ...] | None:
        """`carry` for a workload of the setting.

        Raises:
            InputError: as of `carry`.
        """
        found = self._carried.get(workload.name)
        if found is not None and found[0] is workload:
            return found[1]
        if not any(each.beside for each in self.setting.request.workloads):
            self._carried.clear()  # who runs alone is asked for by nobody else
        phases = carry(workload, self.setting, self.planes, self._ranks(workload))
        self._carried[workload.name] = (workload, phases)
        return phases

    def cycle(self, workload: Workload) -> Cycle | None:
        """What a workload of the setting does again and again; None where two of its ranks have no path.

        Raises:
            InputError: as of `carry`.
        """
        setting, ranks = self.setting, self._ranks(workload)
        others = setting.request.model_dump_json(exclude={"workloads"})
        key = (workload.name, others, setting.balancing, setting.more_hops, setting.hop_ns, self.planes)
        kept = self._kept.get(key)
        if kept is not None and kept.workload is workload and kept.ranks.are_as(ranks):
            return kept.cycle
        phases = self.carried(workload)
        headers = wire_factor(setting.request.fabric.link_layer)
        cycle = _cycle(phases, headers) if phases is not None else None
        self._kept.setdefault(key, _Kept(workload, ranks, cycle))
        return cycle

    def under(self, workload: Workload, setting: Setting, planes: Planes) -> Known:
        """The same with a workload in the place of the one of its name, and with other planes or another setting.

        Catalog, system, hosts and cables are to stay the same.
        """
        return Known(with_workload(workload, setting), planes, self._kept)

    def altered(self, change: str, make: Callable[[Planes], Planes | None]) -> Planes | None:
        """The planes after a change called so; the same ones whenever they are asked for."""
        if change not in self._altered:
            self._altered[change] = make(self.planes)
        return self._altered[change]

    def _ranks(self, workload: Workload) -> Ranks:
        if workload.name not in self._seats:
            request = self.setting.request
            self._seats |= seats_of(workload, self.setting.hosts, request.seed, request.workloads)
        return self._seats[workload.name]


def with_workload(workload: Workload, setting: Setting) -> Setting:
    """The setting with a workload in the place of the one of its name: where it stands moves those beside it."""
    request = setting.request
    listed = tuple(workload if each.name == workload.name else each for each in request.workloads)
    return replace(setting, request=request.model_copy(update={"workloads": listed}))


def _cycle(phases: tuple[Carried, ...], headers: float) -> Cycle:
    """The phases of a job one after the other, each silent for its fixed times before it sends.

    Requests that come at random keep links busy all the time, for as large a share as they do receivers.
    """
    wanted = [np.zeros(sum(2 * len(load.plane.links) for load in phases[0].loads))]
    states: list[tuple[float, int]] = []
    for use, each in enumerate(phases, start=1):
        total_us, arrivals = each.time.total_us, each.phase.arrivals
        sending_us = min(each.time.collided_us, total_us)
        busy = np.minimum(each.arcs_us * headers / max(sending_us, _LEAST_US), 1.0)
        wanted.append(arrivals * busy if arrivals else busy)
        states += [(total_us, use)] if arrivals else [(total_us - sending_us, 0), (sending_us, use)]
    lasting = [state for state in states if state[0] > 0] or [(1.0, 0)]
    lasts_us, uses = zip(*lasting, strict=True)
    return Cycle(np.array(lasts_us), np.array(uses), np.array(wanted))


_LEAST_US = 1e-9
"""What sends for less does not send [us]."""
