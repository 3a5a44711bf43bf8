"""Uneven expert popularity: how much more the hottest rank gets than the mean one."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fabric.errors import InputError

FloatArray: TypeAlias = NDArray[np.float64]


def zipf_popularity(expert_count: int, exponent: float) -> FloatArray:
    """(expert_count,) share of tokens of each expert, hottest first: p_i = i^-s / Σ j^-s."""
    weights = np.arange(1, expert_count + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def rank_shares(popularity: FloatArray, ranks: int, samples: int, seed: int) -> FloatArray:
    """(samples, ranks) share of the tokens that each rank receives when experts are placed at random.

    Args:
        popularity: (n_experts,) share of each expert; the ranks hold equally many.
        ranks: expert-parallel ranks.
        samples: random placements to draw.
        seed: of the placements.

    Raises:
        InputError: the ranks cannot hold equally many experts.
    """
    if popularity.size % ranks:
        raise InputError(f"{popularity.size} experts cannot be spread evenly over {ranks} ranks")
    rng = np.random.default_rng(seed)
    placed = rng.permuted(np.tile(popularity, (samples, 1)), axis=1)
    return np.asarray(placed.reshape(samples, ranks, -1).sum(axis=2), dtype=np.float64)


def imbalance(shares: FloatArray) -> FloatArray:
    """(...,) hottest rank over the mean, along the last axis of the shares (..., ranks)."""
    return np.asarray(shares.max(axis=-1) / shares.mean(axis=-1), dtype=np.float64)


def sampled_imbalance(shares: FloatArray, copies_per_rank: float, samples: int, seed: int) -> FloatArray:
    """(samples,) hottest rank over the mean in single steps, each copy drawn independently from the shares.

    Even perfectly balanced experts give more than 1: a step has few copies, and their number per rank
    fluctuates.

    Args:
        shares: (ranks,) expected share of each rank.
        copies_per_rank: mean copies that a rank receives in a step.
        samples: steps to draw.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    copies = rng.multinomial(round(copies_per_rank * shares.size), shares / shares.sum(), size=samples)
    return imbalance(copies.astype(np.float64))


def imbalance_floor(ranks: int, copies_per_rank: float) -> float:
    """Estimate of the mean sampled imbalance under uniform popularity: 1 + sqrt(2 ln R / mu), 1-4 % high."""
    return 1 + float(np.sqrt(2 * np.log(ranks) / copies_per_rank))
