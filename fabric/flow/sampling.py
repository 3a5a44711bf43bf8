"""Quantiles of a workload's time by seeded draws: the slowest of many ranks, phase after phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from fabric.model.network import FloatArray

PROBABILITIES: Mapping[str, float] = MappingProxyType({"p50": 0.5, "p99": 0.99, "p999": 0.999})
"""Quantiles that a report names."""

_DRAWN = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
"""Quantiles that make a picture."""

_CONFIDENCE = 0.95
"""Of the intervals round sampled quantiles."""

_APART, _FORGOTTEN = 50, 50
"""Requests between two whose waits are taken, and how many such stretches come before the first."""

_MOST_DRAWS = 4_000_000
"""Most draws of a sum of phases at once: memory stays below 32 MB."""


@dataclass(frozen=True, slots=True)
class Serial:
    """Time of many phases in series [us].

    Attributes:
        independent: quantiles where every phase has another slowest rank.
        persistent: quantiles where the slowest rank is the same in all of them.
    """

    independent: Mapping[str, float]
    persistent: Mapping[str, float]


def rank_probability(phase_probability: FloatArray, ranks: int) -> FloatArray:
    """(n,) probabilities that each rank must meet so that all R do with q (n,): q^(1/R). Source: dean-barroso-2013."""
    return np.asarray(phase_probability ** (1 / ranks), dtype=np.float64)


def slowest_of(time_us: FloatArray, relative_sd: float, ranks: int, rng: np.random.Generator) -> FloatArray:
    """(n_samples,) time of the slowest of R independent ranks whose mean times are `time_us` [us].

    Equation: the slowest of R normal values is at the quantile u^(1/R) of one of them, u uniform. One u falls into each
    of n equal strata, so that few samples already give steady quantiles.
    """
    uniform = (rng.permutation(time_us.size) + rng.random(time_us.size)) / time_us.size
    return np.asarray(time_us * (1 + relative_sd * ndtri(rank_probability(uniform, ranks))), dtype=np.float64)


def waits(load: float, samples: int, rng: np.random.Generator) -> FloatArray:
    """(n_samples,) waits [service times] before a server that takes equally long for all, with random arrivals.

    Equation: Lindley's W' = max(0, W + 1 - A), A exponential of mean 1/load, as the walk above its lowest point so far;
    one wait in `_APART` is taken, after as many as make the start forgotten. Source: bertsekas-gallager-1992.
    """
    steps = 1 - rng.exponential(1 / load, size=_APART * (samples + _FORGOTTEN))
    walk = np.concatenate([[0.0], np.cumsum(steps)])
    waiting = walk - np.minimum.accumulate(walk)
    return np.asarray(waiting[_APART * _FORGOTTEN :: _APART][:samples], dtype=np.float64)


def quantiles(sample_us: FloatArray) -> dict[str, float]:
    """Quantiles of a sample [us], by name."""
    return {name: float(np.quantile(sample_us, probability)) for name, probability in PROBABILITIES.items()}


def distribution(sample_us: FloatArray) -> dict[str, float]:
    """Quantiles of a sample [us] close enough together to draw its distribution, by percentage."""
    return {f"{100 * each:g}": float(np.quantile(sample_us, each)) for each in _DRAWN}


def intervals(sample_us: FloatArray) -> dict[str, tuple[float, float] | None]:
    """95 % confidence intervals of the quantiles of a sample [us], by name, from order statistics.

    The number of draws below the true quantile is binomial. Where the sample is too small for the upper end, that is
    its largest value, and the interval is narrower than it says; where both ends are one draw, there is none.
    """
    ordered = np.sort(sample_us)
    found: dict[str, tuple[float, float] | None] = {}
    for name, probability in PROBABILITIES.items():
        interval = binom.interval(_CONFIDENCE, ordered.size, probability)
        low, high = np.clip([interval[0] - 1, interval[1]], 0, ordered.size - 1).astype(np.int64).tolist()
        found[name] = (float(ordered[low]), float(ordered[high])) if low < high else None
    return found


def in_series(sample_us: FloatArray, count: int, rng: np.random.Generator) -> Serial:
    """Quantiles of `count` phases in series, drawn from a sample of one [us].

    Independence is optimistic (a hot rank or a bad link repeats in every phase), persistence the other end.
    """
    total = np.zeros(sample_us.size)
    at_once = max(1, _MOST_DRAWS // sample_us.size)
    for first in range(0, count, at_once):
        drawn = rng.integers(0, sample_us.size, size=(sample_us.size, min(at_once, count - first)))
        total += sample_us[drawn].sum(axis=1)
    return Serial(quantiles(total), {name: count * value for name, value in quantiles(sample_us).items()})
