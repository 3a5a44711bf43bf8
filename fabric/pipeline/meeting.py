"""Workloads that run at the same time: where they meet on links, and what that adds to the time of one of them.

They stand on nodes of their own, so they share links between switches and no port of a node. Each of the others runs
through its phases again and again, as fast as it would alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul

import numpy as np

from fabric.flow import sampling
from fabric.flow.sharing import Claims, Cycle, fair_share, lasting_us, moments
from fabric.model.network import FloatArray, IntArray
from fabric.model.report import Sharing
from fabric.model.workload import Workload, together
from fabric.pipeline.carried import Carried
from fabric.pipeline.known import Known

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
        worst: the fullest link between switches, without the others and with them.
        ends_us: time of the fullest arc of an endpoint [us].
    """

    company: Company
    begin_us: FloatArray
    worst: Worst
    ends_us: float

    def serial_us(self, drawn_us: FloatArray, least_us: FloatArray) -> FloatArray:
        """(n_samples,) time in which the bytes of the phase pass all that they pass [us].

        Args:
            drawn_us: (n_samples,) time of the fullest arc without the others [us].
            least_us: (n_samples,) what it takes whatever the links do [us].
        """

        def whole_us(uses: IntArray, going: IntArray) -> FloatArray:
            jobs, states, samples = uses.shape
            found = self.worst(uses.reshape(jobs, states * samples))
            usual_us, stretched = (each.reshape(states, samples) for each in found)
            # Where an endpoint is the fullest, no draw says what links between switches take.
            own_us = drawn_us[going]
            between_us = np.where(own_us > self.ends_us, own_us, np.minimum(usual_us, own_us))
            return np.asarray(np.maximum(least_us[going], np.maximum(own_us, between_us * stretched)), dtype=np.float64)

        return lasting_us(self.company.cycles, self.begin_us, whole_us)


def company_of(workload: Workload, known: Known) -> Company:
    """The workloads beside one, and what they do where it is known; none where it runs alone.

    Raises:
        InputError: as of `carry`, for any of them.
    """
    request = known.setting.request
    present = () if known.setting.is_quiet else together(workload, request.workloads)
    found = {each.name: known.cycle(each) for each in present if each.name != workload.name}
    cycles = {name: cycle for name, cycle in found.items() if cycle is not None}
    begin_us = moments(tuple(cycles.values()), request.samples, request.seed)
    return Company(tuple(found), tuple(cycles), tuple(cycles.values()), begin_us)


def meet(carried: tuple[Carried, ...], company: Company) -> tuple[tuple[Met, FloatArray], ...]:
    """Every phase beside others, and what these add to it (n_samples,) with flows that collide as usual [us]."""
    found = []
    now_us = company.begin_us
    for each in carried:
        ends_us = max(load.ends_us for load in each.loads)
        met = Met(company, now_us + each.time.alpha_us, Worst(each, company.cycles), ends_us)
        drawn_us = np.full(len(now_us), each.loads[each.fullest].median_us)
        serial_us = met.serial_us(drawn_us, np.full(len(now_us), each.time.collided_us))
        added_us = (serial_us - each.time.collided_us) * (1 + each.mean_wait)
        now_us = now_us + (each.time.total_us + added_us)[:, None]
        found.append((met, added_us))
    return tuple(found)


class Worst:
    """How long the fullest link of a phase takes while others keep to some uses of their links.

    Each kind of moment is looked at once, on the arcs alone that may be the longest.
    """

    def __init__(self, carried: Carried, cycles: Sequence[Cycle]) -> None:
        """Of a phase, and of what the others do."""
        own_us = carried.arcs_us
        cuts = np.cumsum([2 * len(load.plane.links) for load in carried.loads])[:-1]
        kept = [_telling(own_us, arcs, cycles) for arcs in np.split(np.arange(own_us.size), cuts)]
        self._planes = [Claims(own_us[arcs], [cycle.wanted[:, arcs] for cycle in cycles]) for arcs in kept]
        self._usual_us = np.array([load.between_us for load in carried.loads])
        self._digits = _digits([cycle.wanted[:, np.concatenate(kept)] for cycle in cycles])
        self._kinds, self._found = np.zeros(0, dtype=self._digits.dtype), np.zeros((2, 0))

    def __call__(self, uses: IntArray) -> tuple[FloatArray, FloatArray]:
        """(n_moments,) time of the fullest link between switches without the others [us], and times as long with them.

        Of several planes it is that of the one that takes longest.

        Args:
            uses: (n_jobs, n_moments) of their links by the others.
        """
        kinds = np.take_along_axis(self._digits, uses, axis=1).sum(axis=0)
        place = np.searchsorted(self._kinds, kinds)
        strange = np.flatnonzero(np.append(self._kinds, -1)[place] != kinds)
        if strange.size:
            more, first = np.unique(kinds[strange], return_index=True)
            place = np.searchsorted(self._kinds, more)
            self._found = np.insert(self._found, place, self._looked_at(uses[:, strange[first]]), axis=1)
            self._kinds = np.insert(self._kinds, place, more)
            place = np.searchsorted(self._kinds, kinds)
        usual_us, stretched = self._found[:, place]
        return usual_us, stretched

    def _looked_at(self, uses: IntArray) -> FloatArray:
        """(2, n_kinds) time of the fullest link [us], and how many times as long it takes."""
        times = np.array([claims.stretches(uses) for claims in self._planes])
        plane = (self._usual_us[:, None] * times).argmax(axis=0)
        return np.array([self._usual_us[plane], times[plane, np.arange(plane.size)]])


def _telling(own_us: FloatArray, arcs: IntArray, cycles: Sequence[Cycle]) -> IntArray:
    """Those of some arcs that may be the longest whatever the others do, one for all that are alike to everybody."""
    own = own_us[arcs]
    if not own.any():
        return arcs[:0]
    most = [cycle.wanted[:, arcs].max(axis=0) for cycle in cycles]
    arcs = arcs[own >= own.max() * (1 - _EQUAL) * fair_share(np.array(most).reshape(len(most), own.size))]
    rows = [own_us[None, arcs] / own.max(), *(cycle.wanted[:, arcs] for cycle in cycles)]
    return arcs[np.unique(_alike(np.concatenate(rows).T.round(_DIGITS)))]


def _alike(rows: FloatArray) -> IntArray:
    """(n_rows,) the first row that is equal to each."""
    first: dict[bytes, int] = {}
    return np.array([first.setdefault(row.tobytes(), place) for place, row in enumerate(rows)], dtype=np.int64)


def _digits(wanted: Sequence[FloatArray]) -> IntArray:
    """(n_jobs, n_uses) numbers of the uses of jobs, alike for uses that are, whose sum tells all jobs apart.

    Each number is a digit in its own place: Python's own integers where 64 bits are too short for all of them.
    """
    alike = [_alike(rows) for rows in wanted]
    *places, kinds = accumulate([int(each.max()) + 1 for each in alike], mul, initial=1)
    found = np.zeros((len(wanted), max(map(len, wanted), default=0)), dtype=np.int64 if kinds < 2**63 else object)
    for row, each, place in zip(found, alike, places, strict=True):
        row[: each.size] = each.astype(found.dtype) * place
    return found


def sharing_of(carried: tuple[Carried, ...], added_us: FloatArray, company: Company) -> Sharing | None:
    """What the others do to a workload to which they add so much (n_samples,) [us]; None where it runs alone."""
    if not company.names:
        return None
    quantiles = sampling.quantiles(added_us)
    apart = Sharing(company.names, None, None, None, quantiles)
    if not company.cycles:
        return apart
    wanted = np.array([cycle.mean for cycle in company.cycles])
    own_us = np.max([each.arcs_us for each in carried], axis=0)
    times_us = np.where(wanted.any(axis=0), own_us / fair_share(wanted), 0.0)
    if not times_us.any():
        return apart
    arc = int(np.argmax(times_us >= times_us.max() * (1 - _EQUAL)))
    most = int(wanted[:, arc].argmax())
    names = [link.name for load in carried[0].loads for _ in ("up", "down") for link in load.plane.links]
    return Sharing(company.names, names[arc], company.running[most], float(wanted[most, arc]), quantiles)
