"""Experts of unequal popularity: inclusion, distinct domains, copies and packing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fabric.errors import InputError
from fabric.traffic.balancing import packed, replicated
from fabric.traffic.expert_shares import zipf_popularity
from fabric.traffic.inclusion import hit_probability, inclusion
from fabric.traffic.routing import ExpertRouting, expected_domains


@pytest.mark.parametrize("domains", [2, 4, 8, 32, 64])
def test_equal_popularity_is_the_hypergeometric_figure(domains):
    """256 experts, top 8, dealt to domains in order: the exact sums of the routing module."""
    found = hit_probability(np.full(256, 1 / 256), 8, np.arange(256) * domains // 256)
    assert found.sum() == pytest.approx(expected_domains(ExpertRouting(256, 8), domains), rel=1e-12)


def test_inclusion_is_k_times_popularity_and_never_above_one():
    """Of 0.6, 0.3 and 0.1 a token of two experts takes the first always and one of the others in their proportion."""
    assert inclusion(np.array([0.6, 0.3, 0.1]), 2) == pytest.approx([1.0, 0.75, 0.25])
    assert inclusion(np.array([0.4, 0.3, 0.2, 0.1]), 2) == pytest.approx([0.8, 0.6, 0.4, 0.2])


@pytest.mark.parametrize("seed", range(20))
def test_hit_probability_against_every_choice_of_experts(seed):
    """Conditional Poisson sampling by enumeration: choices in proportion to the product of odds, same inclusion."""
    rng = np.random.default_rng(seed)
    popularity = rng.dirichlet(np.full(7, 20.0))
    domain = rng.integers(0, 3, 7)
    wanted = inclusion(popularity, 3)
    found = hit_probability(popularity, 3, domain)
    odds = _odds(wanted, 3)
    choices = [(set(domain[list(each)].tolist()), np.prod(odds[list(each)])) for each in combinations(range(7), 3)]
    total = sum(weight for _, weight in choices)
    for each in range(found.size):
        assert found[each] == pytest.approx(sum(w for hit, w in choices if each in hit) / total, rel=1e-6)


def _odds(wanted, count):
    """Odds with these inclusion probabilities, by plain iteration over every choice."""
    odds = wanted / (1 - wanted)
    for _ in range(3000):
        weights = {each: np.prod(odds[list(each)]) for each in combinations(range(odds.size), count)}
        total = sum(weights.values())
        found = np.array([sum(w for each, w in weights.items() if i in each) / total for i in range(odds.size)])
        if np.abs(found - wanted).max() < 1e-10:
            break
        odds = odds * wanted * (1 - found) / (found * (1 - wanted))
    return odds


def test_steep_popularity_stays_a_probability():
    """Zipf's law with exponent 2: some experts are always chosen, and nothing overflows or turns negative."""
    popularity = np.random.default_rng(1).permutation(zipf_popularity(384, 2.0))
    found = hit_probability(popularity, 8, np.arange(384) // 6)
    assert ((found >= -1e-9) & (found <= 1)).all()
    assert 1 <= found.sum() <= 8 + 1e-9


def test_copies_go_to_the_most_loaded_expert():
    """Popularities 6, 3, 1 and two copies more: 6/2 is still as much as 3, the lower number first."""
    assert replicated(np.array([0.6, 0.3, 0.1]), 2).tolist() == [0, 0, 0, 1, 2]


def test_balancing_evens_out_what_was_measured():
    """DeepSeek-R1's fitted skew, 288 slots on 32 ranks: 1.002 of the mean on known popularity (trtllm-blog-4)."""
    popularity = np.random.default_rng(1).permutation(zipf_popularity(256, 0.595))
    slots = replicated(popularity, 32)
    load = (popularity / np.bincount(slots))[slots]
    assert np.bincount(packed(load, 32), weights=load).max() * 32 == pytest.approx(1.002, abs=0.002)


def test_ranks_hold_equally_many_slots():
    """Nine slots on three ranks: three each; ten are refused."""
    assert np.bincount(packed(np.array([9.0, 1, 1, 1, 1, 1, 1, 1, 1]), 3)).tolist() == [3, 3, 3]
    with pytest.raises(InputError, match="10 expert slots cannot be spread evenly over 3 ranks"):
        packed(np.ones(10), 3)


def test_experts_that_nobody_wants_change_nothing():
    """Two of four experts have all tokens and a token takes two: both always, whatever else lies about."""
    found = hit_probability(np.array([0.5, 0.5, 0.0, 0.0]), 2, np.arange(4))
    assert found.tolist() == [1, 1, 0, 0]
    found = hit_probability(np.array([0.4, 0.3, 0.3, 0.0]), 2, np.arange(4))
    assert found == pytest.approx([0.8, 0.6, 0.6, 0.0])
