"""Links that several jobs share: what each may have of them, and how long work lasts while the others go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.model.network import FloatArray, IntArray

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


def stretches(own_us: FloatArray, wanted: Sequence[FloatArray], uses: IntArray) -> FloatArray:
    """(n_moments,) times as long the fullest arc of a job takes beside others; 1 where it sends nothing.

    Args:
        own_us: (n_arcs,) time of the job's bytes at the rate of each arc [us].
        wanted: of each of the others (n_uses, n_arcs) the shares that it takes where nobody else does.
        uses: (n_others, n_moments) row of these that each of them keeps to.
    """
    longest_us = float(own_us.max(initial=0.0))
    if not longest_us:
        return np.ones(uses.shape[1])
    at_once = max(1, _MOST_CELLS // own_us.size)
    parts = range(0, uses.shape[1], at_once)
    return np.concatenate([_fullest_us(own_us, wanted, uses[:, each : each + at_once]) for each in parts]) / longest_us


_MOST_CELLS = 500_000
"""Arcs times moments looked at together: some arrays of them stay below 32 MB."""

_ROUNDING = 1e-9
"""Relative error that bounds of a time are given."""


def _fullest_us(own_us: FloatArray, wanted: Sequence[FloatArray], uses: IntArray) -> FloatArray:
    """(n_moments,) time of the fullest arc with what the others leave; shares are filled only where it may be.

    Equation: 1/(n + 1) and 1 - Σ_k w_k are below a share r = 1 - Σ_k min(w_k, r), and 1 - Σ_k min(w_k, 1/(n + 1)) is
    above it.
    """
    even = 1 / (len(wanted) + 1)
    least, most = np.ones((uses.shape[1], own_us.size)), np.ones((uses.shape[1], own_us.size))
    for rows, use in zip(wanted, uses, strict=True):
        least -= rows[use]
        most -= np.minimum(rows, even)[use]
    longest_us = (own_us / most).max(axis=1, keepdims=True)
    moment, arc = np.nonzero(own_us / np.maximum(least, even) >= longest_us * (1 - _ROUNDING))
    told = np.array([rows[use[moment], arc] for rows, use in zip(wanted, uses, strict=True)])
    times_us = own_us[arc] / fair_share(told.reshape(len(wanted), arc.size))
    return np.asarray(np.maximum.reduceat(times_us, np.flatnonzero(np.diff(moment, prepend=-1))), dtype=np.float64)


def moments(cycles: Sequence[Cycle], samples: int, seed: int) -> FloatArray:
    """(n_samples, n_jobs) times in the cycles of jobs that know nothing of each other, drawn at random [us].

    One time falls into each of n equal parts of a cycle, so that few samples already meet every state in proportion.
    """
    rng = np.random.default_rng(seed)
    drawn = [(rng.permutation(samples) + rng.random(samples)) / samples for _ in cycles]
    periods = [cycle.lasts_us.sum() for cycle in cycles]
    return np.array([period * each for period, each in zip(periods, drawn, strict=True)]).reshape(-1, samples).T


def lasting_us(cycles: Sequence[Cycle], begin_us: FloatArray, whole_us: Callable[[IntArray], FloatArray]) -> FloatArray:
    """(n_samples,) how long some work lasts that is the faster or slower for what other jobs are doing [us].

    The others run through their cycles meanwhile: work that is short against them meets one of their states, long
    work all of them in proportion.

    Args:
        cycles: of the others.
        begin_us: (n_samples, n_jobs) time in the cycle of each when the work begins [us].
        whole_us: how long the whole work would take (n_samples,) if they kept to some uses (n_jobs, n_samples) of their
            links [us].
    """
    lasts_us = _padded([cycle.lasts_us for cycle in cycles])
    use = _padded([cycle.use for cycle in cycles]).astype(np.int64)
    states = np.array([cycle.use.size for cycle in cycles], dtype=np.int64)
    state, left_us = _at(cycles, begin_us)
    uses = np.take_along_axis(use, state, axis=1)
    first_us = full_us = whole_us(uses)
    lasted_us, left = np.zeros(full_us.size), np.ones(full_us.size)
    is_steady = np.ones(full_us.size, dtype=np.bool_)
    for _ in range(MOST_CHANGES):
        until_us = left_us.min(axis=0, initial=np.inf)
        step_us = np.minimum(left * full_us, until_us)
        left -= np.divide(step_us, full_us, out=left.copy(), where=full_us > 0)
        left[step_us < until_us] = 0.0
        lasted_us += step_us
        if not left.any():
            break
        left_us -= step_us
        job, sample = np.nonzero(left_us <= 0)
        now = (state[job, sample] + 1) % states[job]
        state[job, sample], left_us[job, sample], uses[job, sample] = now, lasts_us[job, now], use[job, now]
        full_us = whole_us(uses)
        is_steady &= (full_us == first_us) | (left == 0)
    # Nothing that others do is to change a digit of what it does not slow down.
    return np.where(is_steady, first_us, lasted_us / (1 - left))


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
