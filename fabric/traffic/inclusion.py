"""Which experts a token reaches when they are unequally popular, and how many domains they lie in."""

from __future__ import annotations

import numpy as np

from fabric.model.network import FloatArray, IntArray

_CLOSE = 1e-12
"""Largest error of an inclusion probability."""

_ROUNDS = 200
"""Most rounds of the fixed point; ten suffice for the popularities that were measured."""


def inclusion(popularity: FloatArray, top_k: int) -> FloatArray:
    """(n_experts,) probability that a token goes to each expert: k times its popularity, at most 1.

    A token takes k distinct experts, so what the most popular ones cannot take goes to the others in proportion.
    """
    found = np.zeros(popularity.size)
    full = np.zeros(popularity.size, dtype=np.bool_)
    while True:
        open_share = float(popularity[~full].sum())
        left = top_k - int(full.sum())
        found = np.where(full, 1.0, popularity * (left / open_share if open_share else 0.0))
        if not (found > 1).any():
            return found
        full |= found >= 1


def hit_probability(popularity: FloatArray, top_k: int, domain: IntArray) -> FloatArray:
    """(n_domains,) probability that at least one of a token's k experts lies in each domain.

    Equation: experts are drawn as a conditional Poisson sample of size k with odds w that give each its inclusion
    probability; then P(none in d) = e_k(w outside d) / e_k(w), with e_k the elementary symmetric polynomial. With equal
    popularity this is the hypergeometric figure. Source: chen-dempster-liu-1994.

    Args:
        popularity: (n_experts,) share of each expert.
        top_k: distinct experts of a token, at most the number with any share.
        domain: (n_experts,) domain of each expert.
    """
    wanted = inclusion(popularity, top_k)
    sure, maybe = wanted >= 1, (wanted > 0) & (wanted < 1)
    left = top_k - int(sure.sum())
    missed = np.ones(int(domain.max(initial=-1)) + 1)
    if left:
        odds = _odds(wanted[maybe], left)
        outside = domain[maybe, None] != np.arange(missed.size)  # (n_experts, n_domains)
        missed = _symmetric(odds[:, None] * outside, left)[left] / _symmetric(odds, left)[left]
    missed[domain[sure]] = 0.0
    return np.asarray(1 - missed, dtype=np.float64)


def _odds(wanted: FloatArray, count: int) -> FloatArray:
    """(n,) odds of a conditional Poisson sample of `count` with these inclusion probabilities, of mean 1."""
    odds = wanted / (1 - wanted)
    for _ in range(_ROUNDS):
        odds /= odds.mean()
        found = _inclusion_of(odds, count)
        error = float(np.abs(found - wanted).max(initial=0.0))
        if error < _CLOSE:
            break
        odds = odds * wanted * (1 - found) / (found * (1 - wanted))
    return odds


def _inclusion_of(odds: FloatArray, count: int) -> FloatArray:
    """(n,) inclusion probabilities of a conditional Poisson sample: w · e_(k-1)(w without it) / e_k(w)."""
    whole = _symmetric(odds, count)
    without = np.ones(odds.size)
    # e_j of all but one follows from e_j of all: e_j(w \\ i) = e_j(w) - w_i e_(j-1)(w \\ i).
    for size in range(1, count):
        without = whole[size] - odds * without
    return np.asarray(odds * without / whole[count], dtype=np.float64)


def _symmetric(odds: FloatArray, count: int) -> FloatArray:
    """(count + 1, …) elementary symmetric polynomials e_0 … e_count of the odds (n, …)."""
    sums = np.zeros((count + 1, *odds.shape[1:]))
    sums[0] = 1.0
    for each in odds:
        sums[1:] += each * sums[:-1]
    return sums
