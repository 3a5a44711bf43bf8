"""Links that several jobs share: what each may have of them, and how long work lasts while the others go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.model.network import BoolArray, FloatArray, IntArray

MOST_CHANGES = 100
"""Changes of what the others do after which the rest of some work runs as fast as it did until then, on average."""


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """What a job does again and again: states one after the other.

    Attributes:
        lasts_us: (n_states,) how long each of them lasts, above 0 [us].
        use: (n_states,) row of `wanted` that it is.
        wanted: (n_uses, n_arcs) share of the rate of each arc that the job takes where nobody else does.
    """

    lasts_us: FloatArray
    use: IntArray
    wanted: FloatArray

    @property
    def mean(self) -> FloatArray:
        """(n_arcs,) mean of `wanted` over the time of the cycle."""
        return np.asarray(self.lasts_us @ self.wanted[self.use] / self.lasts_us.sum(), dtype=np.float64)


def fair_share(wanted: FloatArray) -> FloatArray:
    """(n_arcs,) max-min fair share of each arc for a job that takes all it can get, beside others that want less.

    Equation: the share r with r + Σ_k min(w_k, r) = 1. With the m smallest wishes granted the others have r_m = (1 -
    their sum) / (n + 1 - m) each, and r is the largest r_m: 1/(n + 1) at least. Source: bertsekas-gallager-1992.

    Args:
        wanted: (n_others, n_arcs) share of each arc that each of the others would take, from 0 to 1.
    """
    others, arcs = wanted.shape
    granted = np.concatenate([np.zeros((1, arcs)), np.cumsum(np.sort(wanted, axis=0), axis=0)])
    return np.asarray(((1 - granted) / np.arange(others + 1, 0, -1)[:, None]).max(axis=0), dtype=np.float64)


class Claims:
    """Arcs of a job with what others want of them, for many moments at once."""

    def __init__(self, own_us: FloatArray, wanted: Sequence[FloatArray]) -> None:
        """Of one job and its others.

        Args:
            own_us: (n_arcs,) time of the job's bytes at the rate of each arc [us].
            wanted: of each of the others (n_uses, n_arcs) the shares that it takes where nobody else does.
        """
        self._own_us, self._wanted = own_us, wanted
        most = np.array([rows.max(axis=0) for rows in wanted]).reshape(len(wanted), own_us.size)
        self._level = _ABOVE * fair_share(most)
        rows = np.concatenate([np.zeros((0, own_us.size)), *wanted])
        is_below = rows < self._level
        self._sums = np.concatenate([np.minimum(rows, self._level), np.where(is_below, rows, 0.0), is_below], axis=1)
        self._first = np.cumsum([0, *(len(each) for each in wanted)])

    def stretches(self, uses: IntArray) -> FloatArray:
        """(n_moments,) times as long the fullest arc takes beside the others; 1 where the job sends nothing.

        Args:
            uses: (n_others, n_moments) row of `wanted` that each of them keeps to.
        """
        moments, longest_us = uses.shape[1], float(self._own_us.max(initial=0.0))
        if not longest_us:
            return np.ones(moments)
        at_once = max(1, _MOST_CELLS // self._own_us.size)
        parts = [self._fullest_us(uses[:, each : each + at_once]) for each in range(0, moments, at_once)]
        return np.concatenate(parts) / longest_us

    def _fullest_us(self, uses: IntArray) -> FloatArray:
        """(n_moments,) time of the fullest arc with what the others leave; shares are filled where it may be, only.

        Equation: g(r) = r + Σ_k min(w_k, r) is concave with slopes from 1 to n + 1, so one level t bounds the share r
        of g(r) = 1. Those who want less than t leave r at least; at most r is t / g(t) where g(t) > 1, else
        t + 1 - g(t).
        """
        level, others = self._level, len(self._wanted)
        chosen = np.zeros((uses.shape[1], self._first[-1]))
        for first, use in zip(self._first.tolist(), uses, strict=False):
            chosen[np.arange(use.size), first + use] = 1.0
        taken, granted, satisfied = np.split(chosen @ self._sums, 3, axis=1)
        least = np.maximum((1 - granted) / (others + 1 - satisfied), 1 / (others + 1))
        reached = level + taken
        most = np.where(reached > 1, level / reached, level + 1 - reached)
        longest_us = (self._own_us / most).max(axis=1)
        moment, arc = np.nonzero(self._own_us / least > longest_us[:, None] * (1 + _ROUNDING))
        told = np.array([rows[use[moment], arc] for rows, use in zip(self._wanted, uses, strict=True)])
        np.maximum.at(longest_us, moment, self._own_us[arc] / fair_share(told.reshape(others, arc.size)))
        return np.asarray(longest_us, dtype=np.float64)


_ABOVE = 1.3
"""Level at which shares are bounded over the least share of each arc: bounds from above are looser than from below."""

_MOST_CELLS = 500_000
"""Arcs times moments looked at together: some arrays of them stay below 64 MB."""

_ROUNDING = 1e-12
"""Relative difference of two bounds of a time below which they are equal."""


def moments(cycles: Sequence[Cycle], samples: int, seed: int) -> FloatArray:
    """(n_samples, n_jobs) times in the cycles of jobs that know nothing of each other, drawn at random [us].

    One time falls into each of n equal parts of a cycle, so that few samples already meet every state in proportion.
    """
    rng = np.random.default_rng(seed)
    drawn = [(rng.permutation(samples) + rng.random(samples)) / samples for _ in cycles]
    periods = [cycle.lasts_us.sum() for cycle in cycles]
    return np.array([period * each for period, each in zip(periods, drawn, strict=True)]).reshape(-1, samples).T


def lasting_us(
    cycles: Sequence[Cycle], begin_us: FloatArray, whole_us: Callable[[IntArray, IntArray], FloatArray]
) -> FloatArray:
    """(n_samples,) how long some work lasts that is the faster or slower for what other jobs are doing [us].

    The others run through their cycles meanwhile: work that is short against them meets one of their states, long
    work all of them in proportion.

    Args:
        cycles: of the others.
        begin_us: (n_samples, n_jobs) time in the cycle of each when the work begins [us].
        whole_us: how long the whole work would take (n_states, n_some) if they kept to some uses (n_jobs, n_states,
            n_some) of their links, in some of the samples (n_some,) [us].
    """
    turns, going = _Turns(cycles, begin_us), np.arange(len(begin_us))
    lasted_us, left = np.zeros(going.size), np.ones(going.size)
    first_us, is_steady = np.zeros(going.size), np.ones(going.size, dtype=np.bool_)
    seen = 0
    while seen < MOST_CHANGES and going.size:
        # Most work ends after few changes, and what all of many do is looked up faster at once.
        most_at_once = max(1, _MOST_CELLS // max(1, going.size * len(cycles)))
        until_us, uses = turns.next(min(seen + 1, most_at_once, MOST_CHANGES - seen))
        full_us = whole_us(uses, going)
        if not seen:
            first_us = full_us[0]
        at_first_us, now_left = first_us[going], left[going]
        for now_us, rest_us in zip(full_us, until_us, strict=True):
            is_steady[going] &= (now_us == at_first_us) | (now_left == 0)
            step_us = np.minimum(now_left * now_us, rest_us)
            now_left -= np.divide(step_us, now_us, out=now_left.copy(), where=now_us > 0)
            now_left[step_us < rest_us] = 0.0
            lasted_us[going] += step_us
        left[going] = now_left
        seen += len(until_us)
        turns.keep(now_left > 0)
        going = going[now_left > 0]
    # Nothing that others do is to change a digit of what it does not slow down.
    return np.where(is_steady, first_us, lasted_us / (1 - left))


class _Turns:
    """What jobs do from some times in their cycles on, change by change."""

    def __init__(self, cycles: Sequence[Cycle], begin_us: FloatArray) -> None:
        self._lasts_us = _padded([cycle.lasts_us for cycle in cycles])
        self._use = _padded([cycle.use for cycle in cycles]).astype(np.int64)
        self._states = np.array([cycle.use.size for cycle in cycles], dtype=np.int64)
        self._state, self._left_us = _at(cycles, begin_us)
        self._uses = np.take_along_axis(self._use, self._state, axis=1)

    def next(self, changes: int) -> tuple[FloatArray, IntArray]:
        """(n_changes, n_samples) time until each change [us], and (n_jobs, n_changes, n_samples) uses before it."""
        jobs, samples = self._state.shape
        until_us = np.empty((changes, samples))
        uses = np.empty((jobs, changes, samples), dtype=np.int64)
        for change in range(changes):
            uses[:, change] = self._uses
            until_us[change] = self._left_us.min(axis=0, initial=np.inf)
            self._left_us -= until_us[change]
            job, sample = np.nonzero(self._left_us <= 0)
            now = (self._state[job, sample] + 1) % self._states[job]
            self._state[job, sample], self._uses[job, sample] = now, self._use[job, now]
            self._left_us[job, sample] = self._lasts_us[job, now]
        return until_us, uses

    def keep(self, samples: BoolArray) -> None:
        """Follow some of the samples alone (n_samples,) from here on."""
        self._state, self._uses = self._state[:, samples], self._uses[:, samples]
        self._left_us = self._left_us[:, samples]


def _padded(rows: Sequence[FloatArray | IntArray]) -> FloatArray:
    """(n_rows, n_longest) rows of any length, shorter ones filled up with zeros."""
    found = np.zeros((len(rows), max((row.size for row in rows), default=1)))
    for place, row in enumerate(rows):
        found[place, : row.size] = row
    return found


def _at(cycles: Sequence[Cycle], time_us: FloatArray) -> tuple[IntArray, FloatArray]:
    """(n_jobs, n_samples) state of every cycle at a time in it or beyond it, and how long it still lasts [us]."""
    state, left_us = np.zeros(time_us.T.shape, dtype=np.int64), np.zeros(time_us.T.shape)
    for job, cycle in enumerate(cycles):
        ends_us = np.cumsum(cycle.lasts_us)
        into_us = time_us[:, job] % ends_us[-1]
        state[job] = np.minimum(np.searchsorted(ends_us, into_us, side="right"), ends_us.size - 1)
        left_us[job] = ends_us[state[job]] - into_us
    return state, left_us
