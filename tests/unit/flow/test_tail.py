"""Order statistics, against sampling and known moments."""

import numpy as np
import pytest

from fabric.flow.tail import exponential_maximum_us, normal_maximum, serial_time, slowest_rank


def test_one_rank_is_the_plain_normal():
    """With one rank the maximum is the value itself: mean 0, deviation 1, quantiles of a normal table."""
    assert normal_maximum(1) == pytest.approx((0, 1), abs=1e-9)
    tail = slowest_rank(100, 10, 1)
    assert (tail.p50_us, tail.p99_us, tail.p999_us) == pytest.approx((100, 123.263, 130.902), abs=1e-3)


def test_two_ranks_have_a_closed_form():
    """E[max of two standard normals] = 1/sqrt(pi), variance 1 - 1/pi."""
    assert normal_maximum(2) == pytest.approx((np.pi**-0.5, (1 - 1 / np.pi) ** 0.5), abs=1e-9)


def test_quantiles_of_the_slowest_match_sampling():
    """100,000 sampled phases of 64 ranks give the same median and p99."""
    sampled = np.random.default_rng(2).normal(168, 8, size=(100_000, 64)).max(axis=1)
    tail = slowest_rank(168, 8, 64)
    assert np.quantile(sampled, [0.5, 0.99]) == pytest.approx([tail.p50_us, tail.p99_us], abs=0.2)


def test_no_spread_no_tail():
    """Ranks that all take the same time finish together, phase after phase."""
    assert slowest_rank(50, 0, 256).p999_us == 50
    serial = serial_time(50, 0, 256, 10)
    assert (serial.mean_us, serial.p99_us) == (500, 500)


def test_exponential_maximum_is_a_harmonic_sum():
    """Three exponential times of mean 6 us: 6·(1 + 1/2 + 1/3) = 11."""
    assert exponential_maximum_us(6, 3) == pytest.approx(11)
