"""Workloads that run at the same time: where they meet on links, and what that adds to the time of one of them.

They stand on nodes of their own, so they share links between switches and no port of a node. Each of the others runs
through its phases again and again, as fast as it would alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from fabric.flow import sampling
from fabric.flow.sharing import Cycle, fair_share, lasting_us, moments, stretch
from fabric.flow.wire import wire_factor
from fabric.model.network import FloatArray, IntArray
from fabric.model.report import Sharing
from fabric.model.workload import Workload, together
from fabric.pipeline.carried import Carried, PlaneLoad
from fabric.pipeline.carrying import Carrier, Setting
from fabric.units import bytes_per_us

_EQUAL = 1e-9
"""Relative difference below which two links are equally full."""

_DIGITS = 9
"""Digits to which two links are alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Company:
    """The workloads beside another one.

    Attributes:
        names: of all of them.
        running: names of those that find a path; one that does not stands still.
        cycles: of those, over the arcs between switches of all planes, plane by plane.
        begin_us: (n_samples, n_running) time in each cycle at which the other workload begins [us].
    """

    names: tuple[str, ...]
    running: tuple[str, ...]
    cycles: tuple[Cycle, ...]
    begin_us: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """A phase beside others.

    Attributes:
        company: the others.
        begin_us: (n_samples, n_running) time in each of their cycles at which the phase begins to send [us].
        worst: time of the fullest link between switches in the plane that takes longest, without the others [us], and
            how many times as long it takes with them, while these keep to some uses of their links, one number for all
            of them together.
        ends_us: time of the fullest arc of an endpoint [us].
    """

    company: Company
    begin_us: FloatArray
    worst: Callable[[int], tuple[float, float]]
    ends_us: float

    def serial_us(self, drawn_us: FloatArray, least_us: FloatArray) -> FloatArray:
        """(n_samples,) time in which the bytes of the phase pass all that they pass [us].

        Args:
            drawn_us: (n_samples,) time of the fullest arc without the others [us].
            least_us: (n_samples,) what it takes whatever the links do [us].
        """

        def whole_us(uses: IntArray) -> FloatArray:
            codes, kind = np.unique(uses @ _strides(self.company.cycles), return_inverse=True)
            usual_us, stretched = (np.array(each)[kind] for each in zip(*map(self.worst, codes.tolist()), strict=True))
            # Where an endpoint is the fullest, no draw says what links between switches take.
            between_us = np.where(drawn_us > self.ends_us, drawn_us, np.minimum(usual_us, drawn_us))
            return np.asarray(np.maximum(least_us, np.maximum(drawn_us, between_us * stretched)), dtype=np.float64)

        return lasting_us(self.company.cycles, self.begin_us, whole_us)


def company_of(workload: Workload, setting: Setting, known: Carrier) -> Company:
    """The workloads beside one, and what they do on the planes of a carrier; none where it runs alone.

    Raises:
        InputError: as of `carry`, for any of them.
    """
    request = setting.request
    present = () if setting.is_quiet else together(workload, request.workloads)
    carried = {each.name: known(each) for each in present if each.name != workload.name}
    headers = wire_factor(request.fabric.link_layer)
    cycles = {name: _cycle(phases, headers) for name, phases in carried.items() if phases is not None}
    begin_us = moments(tuple(cycles.values()), request.samples, request.seed)
    return Company(tuple(carried), tuple(cycles), tuple(cycles.values()), begin_us)


def _cycle(phases: tuple[Carried, ...], headers: float) -> Cycle:
    """The phases of a job one after the other, each silent for its fixed times before it sends.

    Requests that come at random keep links busy all the time, for as large a share as they do receivers.
    """
    wanted = [np.zeros(sum(2 * len(load.plane.links) for load in phases[0].loads))]
    states: list[tuple[float, int]] = []
    for use, each in enumerate(phases, start=1):
        total_us, arrivals = each.time.total_us, each.phase.arrivals
        sending_us = min(each.collided_us, total_us)
        busy = np.minimum(_arcs_us(each.loads) * headers / max(sending_us, _LEAST_US), 1.0)
        wanted.append(arrivals * busy if arrivals else busy)
        states += [(total_us, use)] if arrivals else [(total_us - sending_us, 0), (sending_us, use)]
    lasting = [state for state in states if state[0] > 0] or [(1.0, 0)]
    lasts_us, uses = zip(*lasting, strict=True)
    return Cycle(np.array(lasts_us), np.array(uses), np.array(wanted))


_LEAST_US = 1e-9
"""What sends for less does not send [us]."""


def _arcs_us(loads: tuple[PlaneLoad, ...]) -> FloatArray:
    """(n_arcs,) time of the payload on each arc between switches, plane by plane, up before down [us]."""
    found = []
    for load in loads:
        rate = bytes_per_us(1.0) * load.plane.network.link_gbps
        found += [load.arcs.link_up_bytes / rate, load.arcs.link_down_bytes / rate]
    return np.concatenate(found)


def meet(carried: tuple[Carried, ...], company: Company) -> tuple[tuple[Met, FloatArray], ...]:
    """Every phase beside others, and what these add to it (n_samples,) with flows that collide as usual [us]."""
    found = []
    now_us = company.begin_us
    for each in carried:
        ends_us = max(load.ends_us for load in each.loads)
        met = Met(company, now_us + each.time.alpha_us, _worst(each, company), ends_us)
        drawn_us = np.full(len(now_us), each.loads[each.fullest].median_us)
        serial_us = met.serial_us(drawn_us, np.full(len(now_us), each.collided_us))
        added_us = (serial_us - each.collided_us) * (1 + each.mean_wait)
        now_us = now_us + (each.time.total_us + added_us)[:, None]
        found.append((met, added_us))
    return tuple(found)


def _worst(carried: Carried, company: Company) -> Callable[[int], tuple[float, float]]:
    """As `Met.worst`: each kind of moment is looked at once, on the arcs alone that may be the longest."""
    own_us = _arcs_us(carried.loads)
    cuts = np.cumsum([2 * len(load.plane.links) for load in carried.loads])[:-1]
    kept = [_telling(own_us, arcs, company.cycles) for arcs in np.split(np.arange(own_us.size), cuts)]
    strides = _strides(company.cycles)

    @cache
    def worst(code: int) -> tuple[float, float]:
        uses = [code // stride % len(cycle.wanted) for stride, cycle in zip(strides, company.cycles, strict=True)]
        times = []
        for arcs in kept:
            wanted = [cycle.wanted[use, arcs] for use, cycle in zip(uses, company.cycles, strict=True)]
            times.append(stretch(own_us[arcs], fair_share(np.array(wanted).reshape(len(wanted), arcs.size))))
        usual_us = [load.between_us for load in carried.loads]
        plane = int(np.argmax([us * each for us, each in zip(usual_us, times, strict=True)]))
        return usual_us[plane], times[plane]

    return worst


def _telling(own_us: FloatArray, arcs: IntArray, cycles: tuple[Cycle, ...]) -> IntArray:
    """Those of some arcs that may be the longest whatever the others do, one for all that are alike to everybody."""
    own = own_us[arcs]
    if not own.any():
        return arcs[:0]
    most = [cycle.wanted[:, arcs].max(axis=0) for cycle in cycles]
    arcs = arcs[own >= own.max() * (1 - _EQUAL) * fair_share(np.array(most).reshape(len(most), own.size))]
    rows = [own_us[None, arcs] / own.max(), *(cycle.wanted[:, arcs] for cycle in cycles)]
    alike = np.unique(np.concatenate(rows).round(_DIGITS), axis=1, return_index=True)[1]
    return arcs[np.sort(alike)]


def _strides(cycles: tuple[Cycle, ...]) -> IntArray:
    """(n_jobs,) what to multiply the uses of jobs with so that their sum tells all of them."""
    counts = [len(cycle.wanted) for cycle in cycles]
    return np.cumprod([1, *counts])[: len(counts)].astype(np.int64)


def sharing_of(carried: tuple[Carried, ...], added_us: FloatArray, company: Company) -> Sharing | None:
    """What the others do to a workload to which they add so much (n_samples,) [us]; None where it runs alone."""
    if not company.names:
        return None
    quantiles = sampling.quantiles(added_us)
    apart = Sharing(company.names, None, None, None, quantiles)
    if not company.cycles:
        return apart
    wanted = np.array([cycle.mean for cycle in company.cycles])
    own_us = np.max([_arcs_us(each.loads) for each in carried], axis=0)
    times_us = np.where(wanted.any(axis=0), own_us / fair_share(wanted), 0.0)
    if not times_us.any():
        return apart
    arc = int(np.argmax(times_us >= times_us.max() * (1 - _EQUAL)))
    most = int(wanted[:, arc].argmax())
    names = [link.name for load in carried[0].loads for _ in ("up", "down") for link in load.plane.links]
    return Sharing(company.names, names[arc], company.running[most], float(wanted[most, arc]), quantiles)
