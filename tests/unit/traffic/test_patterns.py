"""Patterns: what crosses the network, in totals worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.errors import InputError
from fabric.model.workload import MoeNumbers, RankMatrix, Workload
from fabric.traffic._protocol import PATTERNS, Job
from fabric.traffic.demand import Ports
from fabric.traffic.fold import Carriers, fold
from fabric.traffic.planes import Balancing, Dealing
from fabric.traffic.ranks import seat

MODEL = MoeNumbers(experts=256, top_k=8, payload_dim=7168, layers=58, kv_bytes_per_token=70272)


def _phases(pattern, ranks=64, domain=8, jobs=1, **keys):
    """The phases of a job on domains of 8, a port a rank, a leaf an index."""
    keys.setdefault("expert_parallel" if pattern == "moe_all_to_all" else "ranks", ranks)
    work = Workload(name="job", pattern=pattern, **keys)
    placed = seat(ranks, jobs, np.arange(ranks * jobs // domain + 1), domain)
    model = work.model if isinstance(work.model, MoeNumbers) else None
    for phase in PATTERNS[pattern](Job(work, placed, model)):
        ports = Ports(np.arange(placed.count), np.arange(placed.count), np.ones(placed.count))
        carriers = Carriers.of(placed, [ports], [placed.index], [domain])
        (folded,) = fold(phase.demand, placed, carriers, Dealing(Balancing.HARDWARE, 1))
        yield phase, folded


def _one(pattern, **keys):
    ((phase, folded),) = _phases(pattern, **keys)
    return phase, folded


def test_low_latency_bytes_of_deepseek_at_64_ranks():
    """128 tokens, 8 copies of 7,408 bytes, 7/8 leave the node: 6.64 MB a port out and in; combine 14,336 a copy."""
    (dispatch, out), (combine, back) = _phases("moe_all_to_all", model=MODEL, tokens_per_rank=128)
    assert out.sent_bytes == pytest.approx(np.full(64, 128 * 8 * 7408 * 7 / 8))
    assert out.received_bytes == pytest.approx(out.sent_bytes)
    assert back.sent_bytes == pytest.approx(np.full(64, 128 * 8 * 14336 * 7 / 8))
    assert (dispatch.constants, combine.constants, dispatch.message_count) == ("dispatch", "combine", 896)


def test_normal_kernels_stay_on_their_rail():
    """One copy a distinct node, to the rank of the sender's index: 5.2947 copies a token, 7/8 of them remote."""
    (_, out), _ = _phases("moe_all_to_all", model=MODEL, tokens_per_rank=4096, mode="normal")
    assert out.sent_bytes == pytest.approx(np.full(64, 4096 * 5.29465 * 7392 * 7 / 8), rel=1e-5)
    assert out.crossing_share == 0


@pytest.mark.parametrize("mode", ["low_latency", "normal", "rank_dedup"])
def test_skew_moves_bytes_and_adds_none(mode):
    """Zipf's law: the bytes of all ports together hardly change; one port receives more, and sends it back."""
    keys = {"model": MODEL, "tokens_per_rank": 128, "mode": mode}
    (_, even), _ = _phases("moe_all_to_all", **keys)
    (phase, skewed), (_, back) = _phases("moe_all_to_all", popularity={"zipf": 0.6}, **keys)
    assert skewed.received_bytes.sum() == pytest.approx(even.received_bytes.sum(), rel=0.03)
    assert skewed.received_bytes.max() > 1.15 * even.received_bytes.max()
    assert back.sent_bytes.argmax() == skewed.received_bytes.argmax()
    assert phase.hottest.size == 58
    assert phase.hottest[0] == pytest.approx(skewed.received_bytes.max() / even.received_bytes.max(), rel=0.05)


def test_the_hottest_rank_as_measured():
    """DeepSeek-R1 at 32 ranks, s = 0.595: 2.35 of the mean over layers (2.564 measured, trtllm-blog-4)."""
    keys = {"model": MODEL.model_copy(update={"layers": 400}), "tokens_per_rank": 128, "popularity": {"zipf": 0.595}}
    (phase, _), _ = _phases("moe_all_to_all", ranks=32, **keys)
    assert phase.hottest.mean() == pytest.approx(2.35, abs=0.05)


def test_balanced_experts_are_even():
    """32 more slots on 32 ranks, packed by load: the hottest rank within 1 % of the mean in every layer."""
    keys = {"model": MODEL, "tokens_per_rank": 128, "popularity": "zipf", "redundant_experts": 32}
    (phase, _), _ = _phases("moe_all_to_all", ranks=32, **keys)
    assert phase.hottest.max() < 1.01


def test_a_histogram_counts_experts_in_their_order():
    """Four experts on four ranks, tokens 4, 2, 1 and 1 of two each: the first takes one of every token's two."""
    model = MoeNumbers(experts=4, top_k=2, payload_dim=100)
    keys = {"model": model, "tokens_per_rank": 10, "popularity": {"histogram": (4.0, 2.0, 1.0, 1.0)}}
    (phase, folded), _ = _phases("moe_all_to_all", ranks=4, domain=1, **keys)
    assert phase.hottest == pytest.approx([2.0])
    assert folded.received_bytes / folded.received_bytes.sum() == pytest.approx([0.5, 0.25, 0.125, 0.125], rel=0.01)
    with pytest.raises(InputError, match="the histogram has 4 numbers, the model 256 experts"):
        list(_phases("moe_all_to_all", **(keys | {"model": MODEL})))


def test_experts_that_do_not_divide_are_dealt_unevenly():
    """256 experts on 48 ranks: five or six each, so that the fullest receives 6 of 5.33, as even as that can be."""
    (phase, _), _ = _phases("moe_all_to_all", ranks=48, model=MODEL, tokens_per_rank=128)
    assert phase.hottest == pytest.approx([6 * 48 / 256])


@pytest.mark.parametrize(
    ("pattern", "crossing", "network", "local"),
    [
        ("all_gather", 63 * 1e6, 7, 56),
        ("reduce_scatter", 63 / 64 * 1e6, 7, 56),
        ("all_reduce", 2 * 63 / 64 * 1e6, 14, 112),
    ],
)
def test_rings_cross_every_domain_once(pattern, crossing, network, local):
    """64 ranks, eight rings on eight rails: an eighth of what passes a place of the ring on every port, on its rail."""
    phase, folded = _one(pattern, bytes_per_rank=1_000_000)
    assert folded.sent_bytes == pytest.approx(np.full(64, crossing / 8))
    assert folded.received_bytes == pytest.approx(folded.sent_bytes)
    assert folded.crossing_share == 0
    assert (phase.network_steps, phase.local_steps, phase.constants) == (network, local, "ring")


def test_two_trees_share_the_work():
    """Eight domains: 7 edges a tree, half of the bytes up and down each, on eight rails; 2 log2 8 steps."""
    phase, folded = _one("all_reduce", bytes_per_rank=1_000_000, algorithm="tree")
    assert folded.sent_bytes.sum() == pytest.approx(2 * 7 * 2 * 5e5)
    assert folded.crossing_share == 0
    assert phase.network_steps == 6


def test_sums_in_switches_send_and_receive_once():
    """An eighth of the data on each of eight rails, up and down in one way over the network."""
    phase, folded = _one("all_reduce", bytes_per_rank=8000, algorithm="in_network")
    assert folded.sent_bytes.tolist() == folded.received_bytes.tolist() == [1000] * 64
    assert (phase.network_steps, phase.constants) == (1, "in_network")


def test_a_pipeline_hands_on():
    """Eight stages: every rank but those of the last sends once, to the next domain."""
    _, folded = _one("pipeline", bytes_per_rank=1000)
    assert folded.sent_bytes.tolist() == [1000] * 56 + [0] * 8
    assert folded.received_bytes.tolist() == [0] * 8 + [1000] * 56
    _, folded = _one("pipeline", model=MODEL, tokens_per_rank=2)
    assert folded.sent_bytes[0] == 2 * 7168 * 2


def test_incast_of_key_value_caches():
    """72 ranks, eight senders a receiver: 64 send one cache of 4096 tokens, 287.8 MB, eight receive eight each."""
    _, folded = _one("kv_transfer", ranks=72, model=MODEL, tokens_per_rank=4096, incast=8)
    cache = 4096 * 70272
    assert cache == pytest.approx(287.8e6, rel=1e-3)
    assert sorted(folded.received_bytes.tolist()) == [0] * 64 + [8 * cache] * 8
    with pytest.raises(InputError, match="64 senders and their receiver are more than the 64 ranks"):
        _one("kv_transfer", bytes_per_rank=1, incast=64)


def test_bursts_come_together_at_random_times():
    """16 answers of 1000 bytes to every rank; 7/8 of the answering ranks are on other nodes."""
    phase, folded = _one("bursts", bytes_per_rank=1000, fan_out=16, load=0.7)
    assert folded.received_bytes == pytest.approx(np.full(64, 16 * 1000 * 7 / 8))
    assert phase.arrivals == 0.7


def test_a_permutation_sends_once():
    """Two jobs of 32: every rank sends to one other of its own job, nobody to itself."""
    work = Workload(name="job", pattern="permutation", ranks=32, bytes_per_rank=5)
    ranks = seat(32, 2, np.arange(8), 8)
    (phase,) = PATTERNS["permutation"](Job(work, ranks, seed=3))
    assert sorted(phase.demand.target.tolist()) == list(range(64))
    assert (phase.demand.target != phase.demand.source).all()
    assert (phase.demand.target // 32 == phase.demand.source // 32).all()


def test_a_matrix_is_the_same_in_every_job():
    """Two transfers of a job of 9 ranks in two jobs: four, at the right ranks."""
    listed = RankMatrix(9, np.array([0, 8]), np.array([8, 0]), np.array([10.0, 20.0]))
    work = Workload(name="job", pattern="matrix", matrix="some.csv").with_matrix(listed)
    ranks = seat(9, 2, np.arange(4), 8)
    (phase,) = PATTERNS["matrix"](Job(work, ranks))
    assert phase.demand.source.tolist() == [0, 8, 9, 17]
    assert phase.demand.target.tolist() == [8, 0, 17, 9]
    assert phase.demand.sent_bytes.tolist() == [10, 20, 10, 20]
