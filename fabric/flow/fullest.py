"""The fullest of many links whose loads are counts of independent flows: its distribution, and draws from it."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc

from fabric.flow.hash_ways import LinkFlows
from fabric.model.network import FloatArray

_TAIL_LOG = 40.0
"""Minus the logarithm of the probability at which a tail is cut; far below the rounding of the results."""

_NEARLY = 1e-6
"""Part of a flow that rounding may add or take."""

_POINTS = 4096
"""Values by which the fullest link is told apart where flows have many sizes."""

_DIGITS = 9
"""Digits to which two links are alike."""


def fullest_per_gbps(flows: LinkFlows, link_gbps: FloatArray, samples: int, seed: int) -> FloatArray:
    """(samples,) flows over rate of the fullest arc, ascending.

    Equation: the flows on a link are n trials of probability p with n p = μ and n p (1 − p) = σ², which is exact
    where all its flows are alike; n need not be whole. P(fullest ≤ x) = Π P(flows on a link ≤ x times its rate), over
    the arcs as if they were independent: the fullest is a little smaller than it would be of links that share one
    number of flows. Draws invert it. Flows of unlike size count in the mean size of what the link carries, which
    leaves mean and variance as they are.

    Args:
        flows: mean and variance on every arc, and the size of a flow.
        link_gbps: (n_links,) rate of each link [Gb/s].
        samples: draws, at least 1.
        seed: of the draws.
    """
    size = np.ones(flows.mean.size) if flows.size is None else flows.size
    gbps = np.tile(link_gbps, 2)
    rows = np.column_stack([flows.mean / size, flows.variance / size**2, gbps / size])[flows.mean > 0]
    if not rows.size:
        return np.zeros(samples)
    kinds, count = np.unique(rows.round(_DIGITS), axis=0, return_counts=True)
    mean, variance, rate = kinds.T
    p = np.maximum(1 - variance / mean, _NEARLY)
    trials = mean / p
    deviation = np.sqrt(2 * _TAIL_LOG * variance)
    low = ((mean - deviation) / rate).max()
    most = (mean + deviation + _TAIL_LOG / 3) / rate
    high = most.max()
    grid = _wholes(low, high, np.unique(rate)) if flows.size is None else np.linspace(max(low, 0.0), high, _POINTS)
    within = np.ones(grid.size)
    for each in range(mean.size):
        below = np.searchsorted(grid, most[each], side="right")
        whole = np.floor(grid[:below] * rate[each] + _NEARLY)
        rest = trials[each] - whole
        chance = betainc(np.maximum(rest, _NEARLY), whole + 1, 1 - p[each])
        within[:below] *= np.where(rest <= _NEARLY, 1.0, chance) ** count[each]
    drawn = np.random.default_rng(seed).random(samples) * within[-1]
    return np.sort(grid[np.searchsorted(within, drawn)])


def _wholes(low: float, high: float, rates: FloatArray) -> FloatArray:
    """(n_points,) values between two at which a link of some rate has a whole number of flows, ascending."""
    return np.unique(
        np.concatenate([np.arange(max(0, int(low * each)), int(high * each) + 2) / each for each in rates])
    )
