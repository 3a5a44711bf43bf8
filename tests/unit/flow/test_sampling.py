"""Sampled quantiles against the closed forms of order statistics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from fabric.flow.sampling import (
    PROBABILITIES,
    distribution,
    in_series,
    intervals,
    quantiles,
    rank_probability,
    slowest_of,
    waits,
)
from fabric.flow.wire import wire_factor


def _draw(samples, ranks=64, sd=0.03, seed=1):
    return slowest_of(np.full(samples, 100.0), sd, ranks, np.random.default_rng(seed))


def _closed(ranks=64, sd=3.0):
    """Quantiles of the slowest of normal ranks of mean 100, in closed form."""
    return {
        name: 100 + sd * float(ndtri(rank_probability(np.array(probability), ranks)))
        for name, probability in PROBABILITIES.items()
    }


def test_one_rank_is_its_own_slowest():
    """With R = 1 the quantiles are the rank's: at the median its mean, at p99 2.326 standard deviations more."""
    assert _closed(1, 10.0) == pytest.approx({"p50": 100, "p99": 123.26348, "p999": 130.90232})
    assert (_draw(100, sd=0.0) == 100.0).all()


def test_the_slowest_rank_has_its_closed_quantiles():
    """64 normal ranks, mean 100, sd 3: the q-quantile of the slowest is that of one at q^(1/64)."""
    found, exact = quantiles(_draw(20_000)), _closed()
    assert found["p50"] == pytest.approx(exact["p50"], abs=0.01)
    assert found["p99"] == pytest.approx(exact["p99"], abs=0.1)
    assert found["p999"] == pytest.approx(exact["p999"], abs=0.3)


def test_intervals_hold_the_true_quantile():
    """Of 200 samples of 1000 draws each, at least 95 % of the intervals of the median and of p99 hold the truth."""
    truth = {name: _closed()[name] for name in ("p50", "p99")}
    held = dict.fromkeys(truth, 0)
    for seed in range(200):
        found = intervals(_draw(1000, seed=seed))
        for name, value in truth.items():
            held[name] += found[name][0] <= value <= found[name][1]
    assert min(held.values()) >= 190


@pytest.mark.parametrize(
    ("samples", "without"), [(1, list(PROBABILITIES)), (2, ["p99", "p999"]), (25, ["p999"]), (50, [])]
)
def test_too_few_samples_have_no_interval(samples, without):
    """One of no width would say that the quantile is known."""
    found = intervals(_draw(samples))
    assert [name for name, ends in found.items() if ends is None] == without


def test_many_phases_in_series():
    """116 phases of 168 us, sd 8, 64 ranks: mean 21.67 ms and p99 21.76 ms if independent (worked figures)."""
    sample = slowest_of(np.full(4000, 168.0), 8 / 168, 64, np.random.default_rng(3))
    found = in_series(sample, 116, np.random.default_rng(4))
    mean_us, p99_us = 116 * sample.mean(), 116 * sample.mean() + ndtri(0.99) * np.sqrt(116) * sample.std()
    assert mean_us == pytest.approx(21_670, abs=10)
    assert found.independent["p50"] == pytest.approx(mean_us, rel=1e-3)
    assert found.independent["p99"] == pytest.approx(p99_us, rel=1e-3)
    assert found.persistent["p99"] == pytest.approx(116 * quantiles(sample)["p99"])
    assert found.persistent["p99"] > found.independent["p99"]


def test_the_distribution_rises():
    """Its quantiles are in order and hold those that a report names."""
    sample = _draw(1000)
    drawn = list(distribution(sample).values())
    assert drawn == sorted(drawn)
    named = quantiles(sample)
    assert [distribution(sample)[f"{100 * each:g}"] for each in PROBABILITIES.values()] == list(named.values())


@pytest.mark.parametrize("load", [0.3, 0.5, 0.7, 0.9])
def test_waits_of_a_queue(load):
    """M/D/1: the mean wait is rho / (2 (1 - rho)) service times, and 1 - rho of all do not wait."""
    found = waits(load, 20_000, np.random.default_rng(5))
    assert found.mean() == pytest.approx(load / (2 * (1 - load)), rel=0.1)
    assert (found == 0).mean() == pytest.approx(1 - load, abs=0.02)


def test_headers_of_full_packets():
    """26 bytes on InfiniBand and 82 on RoCE for 4096 of payload."""
    assert wire_factor("infiniband") == pytest.approx(1 + 26 / 4096)
    assert wire_factor("roce") == pytest.approx(1 + 82 / 4096)
