"""Flow and latency against published measurements, exact tables and closed forms.

Measured rows: DeepEP README (github.com/deepseek-ai/DeepEP, commit 0297fc8) and pplx-garden docs/fabric-lib.md
(github.com/perplexityai/pplx-garden, commit 2446003). Constants: fitted to the H100 with CX-7 low-latency
collection of aiconfigurator-core 0.12.0, none of whose points is among the rows below.
"""

import numpy as np
import pytest
from scipy.special import ndtri

from fabric.flow.hashing import expected_fullest, hashed_load
from fabric.flow.latency import PhaseLoad, StackConstants, phase_time
from fabric.flow.sampling import in_series, rank_probability, slowest_of
from fabric.flow.throughput import uniform_throughput
from fabric.routing import up_down

DISPATCH = StackConstants(
    name="DeepEP low-latency dispatch",
    alpha0_us=17.4,
    alpha1_us=4.06,
    bandwidth_gbyte_s=47.84,
    message_rate_mops=11.1,
    way_us=3.7,
    relative_sd=0.05,
    min_ranks=16,
    max_ranks=64,
    link_layer="infiniband",
    nic="cx-7",
)
DISPATCH_BYTES = 128 * 8 * (7168 + 4 * 56 + 16)


def predicted_us(constants: StackConstants, ranks: int, all_bytes: float) -> float:
    """Time of a low-latency phase on nodes of 8, with the share 1 - 1/N of the bytes leaving the node."""
    nodes = ranks // 8
    remote = 1 - 1 / nodes
    sent = all_bytes * remote
    return phase_time(constants, PhaseLoad(nodes, 3.7, sent, sent, 128 * 8 * remote, 0.0)).total_us


def test_worked_dispatch_of_64_ranks():
    """17.4 + 4.06·3 + 7,585,792·7/8 / 47.84e3 = 168.3 us, within 1 % of the 166.8 measured in the fit set."""
    assert predicted_us(DISPATCH, 64, DISPATCH_BYTES) == pytest.approx(168.3, abs=0.1)
    assert predicted_us(DISPATCH, 64, DISPATCH_BYTES) == pytest.approx(166.8, rel=0.01)


def test_small_payloads_are_bound_by_messages():
    """896 remote messages at 11.1 Mop/s take 81 us; 3 kB payloads wait for them, 7.4 kB ones for their bytes."""
    small, large = (phase_time(DISPATCH, PhaseLoad(8, 3.7, 896 * each, 896 * each, 896, 0)) for each in (3000, 7408))
    assert small.messages_us == pytest.approx(80.7, abs=0.05)
    assert (small.dominant, large.dominant) == ("messages", "bytes")


@pytest.mark.parametrize(
    ("flows", "links", "fullest", "efficiency"),
    [
        (4, 4, 2.125, 0.471),
        (8, 4, 3.5381, 0.565),
        (8, 8, 2.5972, 0.385),
        (16, 8, 4.2014, 0.476),
        (16, 16, 3.0782, 0.325),
        (32, 16, 4.8304, 0.414),
        (32, 32, 3.5329, 0.283),
        (64, 32, 5.4148, 0.369),
        (128, 32, 8.6506, 0.462),
    ],
)
def test_balls_in_bins(flows, links, fullest, efficiency):
    """Exact multinomial table, computed elsewhere in rational arithmetic."""
    assert expected_fullest(flows, links) == pytest.approx(fullest, abs=5e-5)
    assert flows / links / expected_fullest(flows, links) == pytest.approx(efficiency, abs=5e-4)


@pytest.mark.parametrize(("flows", "fullest"), [(256, 14.39), (1024, 44.2), (8192, 289.7)])
def test_balls_in_bins_with_many_flows(flows, fullest):
    """Monte-Carlo figures for 32 links, met within their sampling error."""
    assert expected_fullest(flows, 32) == pytest.approx(fullest, rel=2e-3)


def test_expert_parallel_64_under_hashing(leaf_spine):
    """EP64 on 8 leaves and 32 spines, one flow a pair: median 1.86 of ideal in 1,000 hashed trials."""
    plane = leaf_spine(8, 8, 32)
    slowdown = hashed_load(plane, up_down.routes(plane), np.full((8, 8), 64), samples=1000, seed=1)
    assert slowdown.quantile(0.5) == pytest.approx(1.86, abs=0.035)
    # The load of a link is a whole number of flows, 1/14 of the ideal each.
    assert slowdown.quantile(0.99) == pytest.approx(2.29, abs=1.1 / 14)


def test_every_rank_must_meet_the_root_of_a_quantile():
    """p99 of a phase of 64 ranks is p99.984 of a rank; at 8, 64 and 256 ranks one is late in 7.7, 47 and 92 %."""
    assert rank_probability(np.array(0.99), 64) == pytest.approx(0.999843, abs=5e-7)
    late = [(slowest(ranks) > ndtri(0.99)).mean() for ranks in (8, 64, 256)]
    assert late == pytest.approx([0.077, 0.47, 0.92], abs=5e-3)


def slowest(ranks: int) -> np.ndarray:
    """Standard deviations by which the slowest of some ranks is later than their mean, in many phases."""
    return slowest_of(np.full(100_000, 1e6), 1e-6, ranks, np.random.default_rng(1)) - 1e6


@pytest.mark.parametrize(("ranks", "expected"), [(64, 2.346), (256, 2.830), (1024, 3.247)])
def test_expected_maximum_of_normal_ranks(ranks, expected):
    """Sampled tables of E[max] of standard normal values, within their sampling error."""
    assert slowest(ranks).mean() == pytest.approx(expected, abs=4e-3)


def test_serial_phases_of_one_token():
    """Dispatch 168 us, sd 8 us, 64 ranks, 116 phases: simulated mean 21.66 ms, p99 21.76 ms."""
    sample_us = 168 + 8 * slowest(64)
    assert sample_us.mean() == pytest.approx(186.8, abs=0.06)
    assert sample_us.std() == pytest.approx(3.56, abs=0.06)
    serial = in_series(sample_us[:20_000], 116, np.random.default_rng(2)).independent
    assert serial["p50"] == pytest.approx(21_660, abs=10)
    assert serial["p99"] == pytest.approx(21_760, abs=10)


@pytest.mark.parametrize(
    ("leaves", "endpoints", "uplinks", "theta"), [(16, 32, 32, 1.0), (16, 32, 16, 0.5323), (8, 32, 24, 0.8538)]
)
def test_uniform_theta_of_leaf_spine(leaf_spine, leaves, endpoints, uplinks, theta):
    """Closed form min(1, u(N-1)/(p²(l-1))), verified elsewhere by enumerating every pair in exact fractions."""
    plane = leaf_spine(leaves, endpoints, uplinks)
    found = uniform_throughput(plane, up_down.routes(plane)).theta
    assert found == pytest.approx(theta, abs=5e-5)
    total = leaves * endpoints
    assert found == pytest.approx(min(1, uplinks * (total - 1) / (endpoints**2 * (leaves - 1))), rel=1e-12)
