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


def stretch(own_us: FloatArray, share: FloatArray) -> float:
    """How many times as long the fullest arc takes when a job has a share of each arc; 1 where it sends nothing.

    Args:
        own_us: (n_arcs,) time of the job's bytes at the rate of each arc [us].
        share: (n_arcs,) what it has of that rate.
    """
    longest_us = float(own_us.max(initial=0.0))
    return float((own_us / share).max(initial=0.0)) / longest_us if longest_us else 1.0


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
        whole_us: how long the whole work would take (n_samples,) if they kept to some uses (n_samples, n_jobs) of their
            links [us].
    """
    state, left_us = _at(cycles, begin_us)
    first_us = full_us = whole_us(_uses(cycles, state))
    lasted_us, left = np.zeros(full_us.size), np.ones(full_us.size)
    is_steady = np.ones(full_us.size, dtype=np.bool_)
    for _ in range(MOST_CHANGES):
        until_us = left_us.min(axis=1, initial=np.inf)
        step_us = np.minimum(left * full_us, until_us)
        left -= np.divide(step_us, full_us, out=left.copy(), where=full_us > 0)
        left[step_us < until_us] = 0.0
        lasted_us += step_us
        if not left.any():
            break
        left_us -= step_us[:, None]
        for job, cycle in enumerate(cycles):
            over = left_us[:, job] <= 0
            state[over, job] = (state[over, job] + 1) % cycle.use.size
            left_us[over, job] = cycle.lasts_us[state[over, job]]
        full_us = whole_us(_uses(cycles, state))
        is_steady &= (full_us == first_us) | (left == 0)
    # Nothing that others do is to change a digit of what it does not slow down.
    return np.where(is_steady, first_us, lasted_us / (1 - left))


def _uses(cycles: Sequence[Cycle], state: IntArray) -> IntArray:
    """(n_samples, n_jobs) uses of the links in some states."""
    uses = np.zeros(state.shape, dtype=np.int64)
    for job, cycle in enumerate(cycles):
        uses[:, job] = cycle.use[state[:, job]]
    return uses


def _at(cycles: Sequence[Cycle], time_us: FloatArray) -> tuple[IntArray, FloatArray]:
    """(n_samples, n_jobs) state of every cycle at a time in it or beyond it, and how long it still lasts [us]."""
    state, left_us = np.zeros(time_us.shape, dtype=np.int64), np.zeros(time_us.shape)
    for job, cycle in enumerate(cycles):
        ends_us = np.cumsum(cycle.lasts_us)
        into_us = time_us[:, job] % ends_us[-1]
        state[:, job] = np.minimum(np.searchsorted(ends_us, into_us, side="right"), ends_us.size - 1)
        left_us[:, job] = ends_us[state[:, job]] - into_us
    return state, left_us
