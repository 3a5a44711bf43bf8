"""Which domains a token reaches when experts are unequally popular and a token may use few groups of them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fabric.model.network import BoolArray, FloatArray, IntArray
from fabric.traffic.inclusion import inclusion

_CLOSE = 1e-9
"""Largest error of an inclusion probability."""

_ROUNDS = 400
"""Most rounds of the fixed point; some forty suffice for the popularities that were measured."""


def is_possible(popularity: FloatArray, top_k: int, groups: int, groups_per_token: int) -> bool:
    """Whether so popular experts can be reached within the limit: no group is chosen less often than its favourite.

    A token uses `groups_per_token` groups, and an expert is chosen no more often than its group.
    """
    favourites = inclusion(popularity, top_k).reshape(groups, -1).max(axis=1)
    return bool(favourites.sum() < groups_per_token and favourites.max() < 1)


def limited_hits(
    layers: FloatArray, top_k: int, domain: IntArray, groups: int, groups_per_token: int
) -> FloatArray | None:
    """(n_layers, n_domains) probability that at least one of a token's k experts lies in each domain.

    None where the limit does not allow such popularity in some layer.

    Equation: a token draws a set S of groups and k experts of these in proportion to the product of their odds w, which
    give each expert its inclusion probability. With P_g(x) = Π (1 + w_e x) over the experts of group g, the sum over
    all S of e_k(w of S) is the coefficient of y^t x^k in Π_g (1 + y P_g(x)), t groups a token; a domain is missed with
    the same coefficient without its experts, over that. Equal odds give the limit of equal popularity. Source:
    chen-dempster-liu-1994, for one group.

    Args:
        layers: (n_layers, n_experts) share of each expert, by groups of equal size.
        top_k: distinct experts of a token.
        domain: (n_experts,) domain of each expert.
        groups: of experts.
        groups_per_token: that the experts of one token may come from.
    """
    if not all(is_possible(each, top_k, groups, groups_per_token) for each in layers):
        return None
    wanted = np.stack([inclusion(each, top_k).reshape(groups, -1) for each in layers])
    odds = _odds(wanted.tobytes(), wanted.shape, top_k, groups_per_token)
    if odds is None:
        return None
    place = domain.reshape(groups, -1)
    whole = _over_groups(_polynomials(odds, top_k), groups_per_token)[..., groups_per_token, top_k]
    hits = []
    for each in range(int(domain.max(initial=-1)) + 1):
        missed = _over_groups(_polynomials(odds * (place != each), top_k), groups_per_token)
        hits.append(1 - missed[..., groups_per_token, top_k] / whole)
    return np.stack(hits, axis=1)


@lru_cache(maxsize=8)
def _odds(probabilities: bytes, shape: tuple[int, ...], top_k: int, limit: int) -> FloatArray | None:
    """(n_layers, n_groups, n_members) odds with these inclusion probabilities; None where rounds do not close in.

    Odds of a group raise how often it is chosen and how often its experts are then: half a step keeps them from
    swinging. Kept, because jobs of any number of ranks ask for the same.
    """
    wanted = np.frombuffer(probabilities).reshape(shape)
    odds = wanted / (1 - wanted)
    for _ in range(_ROUNDS):
        odds = odds / odds.mean(axis=(1, 2), keepdims=True)
        found = _inclusion(odds, top_k, limit)
        if float(np.abs(found - wanted).max()) < _CLOSE:
            return np.asarray(odds, dtype=np.float64)
        raised = np.maximum(wanted * (1 - found), 0.0)
        odds = odds * np.sqrt(np.divide(raised, found * (1 - wanted), out=np.ones(odds.shape), where=found > 0))
    return None


def _inclusion(odds: FloatArray, top_k: int, limit: int) -> FloatArray:
    """(n_layers, n_groups, n_members) inclusion: w · [y^t x^(k-1)] of y P_g without it and all other groups."""
    own, groups = _polynomials(odds, top_k), odds.shape[1]
    without = np.ones(odds.shape)
    others = ~np.eye(groups, dtype=np.bool_)
    rest = _over_groups(np.repeat(own[:, None], groups, axis=1), limit, others)[..., limit - 1, :]
    inner = without * rest[:, :, None, top_k - 1]
    # As in one group: coefficient j without an expert is that of all, less its odds times coefficient j - 1 without it.
    for size in range(1, top_k):
        without = own[:, :, None, size] - odds * without
        inner = inner + without * rest[:, :, None, top_k - 1 - size]
    whole = _over_groups(own, limit)[:, limit, top_k]
    return np.asarray(odds * inner / whole[:, None, None], dtype=np.float64)


def _polynomials(odds: FloatArray, top_k: int) -> FloatArray:
    """(…, top_k + 1) coefficients of Π (1 + w x) over the last axis of the odds."""
    sums = np.zeros((*odds.shape[:-1], top_k + 1))
    sums[..., 0] = 1.0
    for member in range(odds.shape[-1]):
        sums[..., 1:] += odds[..., member, None] * sums[..., :-1]
    return sums


def _over_groups(factors: FloatArray, limit: int, kept: BoolArray | None = None) -> FloatArray:
    """(…, limit + 1, top_k + 1) coefficients of y and x in Π (1 + y P_g(x)), of groups that are kept (…, n_groups)."""
    size = factors.shape[-1]
    sums = np.zeros((*factors.shape[:-2], limit + 1, size))
    sums[..., 0, 0] = 1.0
    for group in range(factors.shape[-2]):
        factor = factors[..., group, :] if kept is None else factors[..., group, :] * kept[..., group, None]
        more = np.zeros_like(sums)
        for power in range(size):
            more[..., 1:, power:] += factor[..., None, power, None] * sums[..., :-1, : size - power]
        sums = sums + more
    return sums
