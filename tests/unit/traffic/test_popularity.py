"""Skewed expert popularity."""

import numpy as np
import pytest

from fabric.errors import InputError
from fabric.traffic.popularity import imbalance, rank_shares, sampled_imbalance, zipf_popularity


def test_zipf_is_uniform_at_zero_and_a_distribution_always():
    """Exponent 0 gives equal shares; others fall as i^-s and still sum to 1."""
    assert zipf_popularity(4, 0.0) == pytest.approx([0.25] * 4)
    popularity = zipf_popularity(256, 0.6)
    assert popularity.sum() == pytest.approx(1)
    assert popularity[0] / popularity[7] == pytest.approx(8**0.6)


def test_placement_conserves_popularity_and_repeats():
    """Every random placement hands out each expert once, and a seed gives it again."""
    shares = rank_shares(zipf_popularity(64, 1.0), 8, samples=5, seed=3)
    assert shares.sum(axis=1) == pytest.approx([1] * 5)
    assert (shares == rank_shares(zipf_popularity(64, 1.0), 8, samples=5, seed=3)).all()
    assert (shares[0] != shares[1]).any()


def test_one_expert_per_rank_shows_the_hottest():
    """With one expert a rank the imbalance is the hottest expert over the mean."""
    popularity = zipf_popularity(16, 0.5)
    assert imbalance(rank_shares(popularity, 16, 3, 1)) == pytest.approx([popularity[0] * 16] * 3)


def test_many_copies_leave_only_the_popularity():
    """Sampling noise vanishes as a step grows."""
    assert sampled_imbalance(np.array([1.0, 3.0]), 1e8, 4, seed=1) == pytest.approx([1.5] * 4, abs=1e-3)


def test_uneven_experts_are_refused():
    """Ranks that cannot hold equally many experts are named."""
    with pytest.raises(InputError, match="10 experts cannot be spread evenly over 4 ranks"):
        rank_shares(zipf_popularity(10, 0), 4, 1, 1)
