"""Unequal popularity under a limit of groups: every choice of experts by enumeration, and equal popularity."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fabric.traffic.expert_shares import zipf_popularity
from fabric.traffic.group_limit import is_possible, limited_hits
from fabric.traffic.inclusion import hit_probability, inclusion
from fabric.traffic.routing import ExpertRouting, expected_domains


@pytest.mark.parametrize("domains", [2, 4, 8, 16, 32])
def test_equal_popularity_is_the_limit_of_the_routing_module(domains):
    """DeepSeek-V3, 4 of 8 groups: its exact sums."""
    found = limited_hits(np.full((1, 256), 1 / 256), 8, np.arange(256) * domains // 256, 8, 4)
    assert found.sum() == pytest.approx(expected_domains(ExpertRouting(256, 8, 8, 4), domains), rel=1e-9)


def test_all_groups_are_no_limit():
    """Every group allowed: the figure without a limit."""
    popularity, domain = np.random.default_rng(1).permutation(zipf_popularity(64, 0.6)), np.arange(64) // 8
    assert limited_hits(popularity[None], 4, domain, 8, 8)[0] == pytest.approx(
        hit_probability(popularity, 4, domain), rel=1e-6
    )


@pytest.mark.parametrize("seed", range(10))
def test_against_every_choice(seed):
    """Nine experts in three groups, three of two groups a token: sets of groups and experts one by one."""
    rng = np.random.default_rng(seed)
    popularity, domain = rng.dirichlet(np.full(9, 30.0)), rng.integers(0, 3, 9)
    wanted = inclusion(popularity, 3)
    odds = wanted / (1 - wanted)
    choices = [
        each
        for chosen in combinations(range(3), 2)
        for each in combinations([expert for expert in range(9) if expert // 3 in chosen], 3)
    ]
    for _ in range(4000):
        weights = np.array([np.prod(odds[list(each)]) for each in choices])
        found = np.array([weights[[i in each for each in choices]].sum() for i in range(9)]) / weights.sum()
        if np.abs(found - wanted).max() < 1e-11:
            break
        odds = odds * wanted * (1 - found) / (found * (1 - wanted))
    hits = limited_hits(popularity[None], 3, domain, 3, 2)[0]
    for each in range(hits.size):
        touched = np.array([each in domain[list(choice)] for choice in choices])
        assert hits[each] == pytest.approx(weights[touched].sum() / weights.sum(), rel=1e-6)


def test_measured_skew_stays_within_the_limit():
    """Zipf's law of 0.595 over eight nodes, in 58 layers: a hundredth from equal popularity, and never over four."""
    rng = np.random.default_rng(2)
    layers = np.stack([rng.permutation(zipf_popularity(256, 0.595)) for _ in range(58)])
    found = limited_hits(layers, 8, np.arange(256) // 32, 8, 4)
    assert (found < 1).all()
    assert found.sum(axis=1) == pytest.approx(expected_domains(ExpertRouting(256, 8, 8, 4), 8), rel=0.02)
    assert found.sum(axis=1).max() < 4


def test_favourites_of_too_many_groups():
    """An expert in every one of eight groups that three of four tokens want: half of the groups cannot serve them."""
    popularity = np.full(256, 0.25 / 248)
    popularity[::32] = 0.75 / 8
    assert not is_possible(popularity, 8, 8, 4)
    assert limited_hits(popularity[None], 8, np.arange(256) // 32, 8, 4) is None
