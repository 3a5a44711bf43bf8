"""Order statistics: a phase ends with its slowest rank, and a token waits for many phases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtri

_GRID_SD = 10.0
_GRID_POINTS = 2_001
"""Range [standard deviations] and points of the integration grid; errors stay below 1e-12."""


@dataclass(frozen=True, slots=True)
class TailTime:
    """Quantiles of a time [us]."""

    p50_us: float
    p99_us: float
    p999_us: float


@dataclass(frozen=True, slots=True)
class SerialTime:
    """Time of many phases one after the other [us], each the maximum over independent ranks."""

    mean_us: float
    p99_us: float


def rank_probability(phase_probability: float, ranks: int) -> float:
    """Probability that each rank must meet so that all R do with `phase_probability` q: q^(1/R)."""
    return float(phase_probability ** (1 / ranks))


def any_rank_beyond(rank_tail: float, ranks: int) -> float:
    """Probability that at least one of R independent ranks is in its tail of this probability."""
    return 1 - (1 - rank_tail) ** ranks


def slowest_rank(mean_us: float, sd_us: float, ranks: int) -> TailTime:
    """Quantiles of the slowest of R independent ranks, each normal.

    Equation: the q-quantile of the maximum is the rank's quantile at q^(1/R). Source: dean-barroso-2013.
    Independence is optimistic: a hot rank or a bad link repeats in every phase, so report a persistent
    straggler beside it.

    Args:
        mean_us: mean time of a rank [us].
        sd_us: its standard deviation [us].
        ranks: ranks R that all must finish.
    """
    p50, p99, p999 = (
        mean_us + sd_us * float(ndtri(rank_probability(probability, ranks))) for probability in (0.5, 0.99, 0.999)
    )
    return TailTime(p50, p99, p999)


def normal_maximum(ranks: int) -> tuple[float, float]:
    """Mean and standard deviation of the maximum of R standard normal values.

    Equation: moments of the density R·φ(z)·Φ(z)^(R-1), which vanishes at both ends of the grid, so that the sum
    over equal steps converges faster than any power of the step.
    """
    z, step = np.linspace(-_GRID_SD, _GRID_SD, _GRID_POINTS, retstep=True)
    density = ranks * np.exp(-(z**2) / 2 + (ranks - 1) * log_ndtr(z)) / np.sqrt(2 * np.pi)
    mean = float((z * density).sum() * step)
    square = float((z**2 * density).sum() * step)
    return mean, float(np.sqrt(square - mean**2))


def exponential_maximum_us(mean_us: float, ranks: int) -> float:
    """Expected maximum of R exponential times of this mean [us]: mean · (1 + 1/2 + … + 1/R)."""
    return mean_us * float((1 / np.arange(1, ranks + 1)).sum())


def serial_time(mean_us: float, sd_us: float, ranks: int, phase_count: int) -> SerialTime:
    """Mean and p99 of n phases in series, each ending with the slowest of R normal ranks.

    Equation: mean = n·E[max], p99 = n·E[max] + z₀.₉₉·sqrt(n)·sd[max] (sums of many phases are nearly normal).

    Args:
        mean_us: mean time of a rank in one phase [us].
        sd_us: its standard deviation [us].
        ranks: ranks R.
        phase_count: phases n, for example two per mixture-of-experts layer.
    """
    maximum_mean, maximum_sd = normal_maximum(ranks)
    total_us = phase_count * (mean_us + sd_us * maximum_mean)
    spread_us = float(ndtri(0.99)) * float(np.sqrt(phase_count)) * sd_us * maximum_sd
    return SerialTime(total_us, total_us + spread_us)
