"""Traffic against published measurements and worked figures.

Measured rows: DeepEP README (github.com/deepseek-ai/DeepEP, commit 0297fc8), UCCL-EP ep/README.md
(github.com/uccl-project/uccl, commit 021c2c0), TensorRT-LLM tech blog 4. Model numbers: the models' published
configurations.
"""

import numpy as np
import pytest

from fabric.model.workload import MoeNumbers, Workload
from fabric.traffic.balancing import packed, replicated
from fabric.traffic.demand import Exchange, Ports, forwarded
from fabric.traffic.expert_shares import layer_copies, zipf_popularity
from fabric.traffic.fold import Carriers, fold
from fabric.traffic.moe import ExpertParallel, Mode, moe_phase
from fabric.traffic.payload import copy_bytes, payload_format
from fabric.traffic.planes import Balancing, Dealing
from fabric.traffic.ranks import seat
from fabric.traffic.routing import ExpertRouting, expected_domains

FP8_BYTES = copy_bytes(7168, payload_format("fp8"))
BF16_BYTES = copy_bytes(7168, payload_format("bf16"))
LOW_LATENCY_FP8_BYTES = copy_bytes(7168, payload_format("fp8"), header_bytes=16)
DEEPSEEK_V3 = ExpertRouting(expert_count=256, top_k=8, group_count=8, groups_per_token=4)
UNLIMITED = ExpertRouting(expert_count=256, top_k=8)

# DeepEP README, low-latency kernels on H800: ranks, dispatch us and GB/s, combine us and GB/s.
DEEPEP_LOW_LATENCY = [
    (8, 77, 98, 114, 127),
    (16, 118, 63, 195, 74),
    (32, 155, 48, 273, 53),
    (64, 173, 43, 314, 46),
    (128, 192, 39, 369, 39),
    (256, 194, 39, 360, 40),
]


@pytest.mark.parametrize("row", DEEPEP_LOW_LATENCY)
def test_low_latency_bytes_explain_published_bandwidth(row):
    """T·k·b over the published time is the published bandwidth within 2.1 %: they count all 128 x 8 copies."""
    _, dispatch_us, dispatch_gbyte_s, combine_us, combine_gbyte_s = row
    dispatch = 128 * 8 * LOW_LATENCY_FP8_BYTES / dispatch_us / 1000
    combine = 128 * 8 * BF16_BYTES / combine_us / 1000
    # The sides round to whole GB/s and us, and the benchmark masks about 10 selections.
    assert dispatch == pytest.approx(dispatch_gbyte_s, rel=0.0215)
    assert combine == pytest.approx(combine_gbyte_s, rel=0.0215)


@pytest.mark.parametrize(("domains", "expected"), [(2, 1.993), (4, 3.614), (8, 5.295), (16, 6.523), (32, 7.267)])
def test_distinct_domains_of_a_uniform_router(domains, expected):
    """256 experts, top-8, without a group limit: hypergeometric arithmetic."""
    assert expected_domains(UNLIMITED, domains) == pytest.approx(expected, abs=5e-4)


# UCCL-EP normal kernels, 288 experts, 4096 tokens: nodes, fp8 or bf16 phase, GB/s, us (H200, then B200).
UCCL_NORMAL = [
    (2, FP8_BYTES, 50, 1196),
    (3, FP8_BYTES, 53, 1633),
    (4, FP8_BYTES, 54, 2022),
    (2, FP8_BYTES, 53, 1141),
    (3, FP8_BYTES, 53, 1637),
    (4, FP8_BYTES, 53, 2072),
    (2, BF16_BYTES, 60, 1965),
    (3, BF16_BYTES, 59, 2887),
    (4, BF16_BYTES, 57, 3724),
]


@pytest.mark.parametrize(("nodes", "bytes_per_copy", "gbyte_s", "time_us"), UCCL_NORMAL)
def test_measured_distinct_nodes(nodes, bytes_per_copy, gbyte_s, time_us):
    """Published bandwidth times time, over T·b, is the number of distinct nodes a token reached: within 1.1 %."""
    measured = gbyte_s * time_us * 1000 / 4096 / bytes_per_copy
    predicted = expected_domains(ExpertRouting(expert_count=288, top_k=8), nodes)
    assert predicted == pytest.approx(measured, rel=0.011)


@pytest.mark.parametrize(("nodes", "expected"), [(2, 1.926), (4, 2.928), (8, 3.629), (16, 5.339), (32, 6.597)])
def test_group_limit_is_a_node_limit_only_up_to_8_nodes(nodes, expected):
    """DeepSeek-V3, 4 of 8 groups: summed over all 70 group choices; above 8 nodes a token passes four nodes."""
    assert expected_domains(DEEPSEEK_V3, nodes) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(
    ("experts", "top_k", "expected"),
    [(384, 8, 5.28), (128, 8, 5.34), (128, 4, 3.34), (128, 1, 1.0), (512, 22, 7.60), (896, 16, 7.07)],
    ids=["kimi-k2", "qwen3-235b", "gpt-oss-120b", "llama-4-maverick", "nemotron-3-super", "kimi-k3"],
)
def test_distinct_nodes_of_other_models(experts, top_k, expected):
    """Any model is its few numbers: eight nodes, no group limit."""
    assert expected_domains(ExpertRouting(experts, top_k), 8) == pytest.approx(expected, abs=5e-3)


def test_low_latency_bytes_of_deepseek_at_64_ranks():
    """128 tokens: 118,528 bytes a rank pair, 6.64 MB a NIC, 896 remote messages; worked by hand."""
    phase = moe_phase(Mode.LOW_LATENCY, ExpertParallel(64, 8), DEEPSEEK_V3, 128, LOW_LATENCY_FP8_BYTES)
    assert phase.pair_bytes == 118_528
    assert phase.nic_bytes == pytest.approx(6.64e6, rel=1e-3)
    assert phase.message_count == 896


def test_node_limit_cuts_normal_bytes_to_45_percent():
    """4096 tokens at 64 ranks: 96.1 MB a NIC with the limit; undeduplicated 211.9 MB; forwarding 2.03 or 1.45."""
    parallel = ExpertParallel(64, 8)
    limited = moe_phase(Mode.NODE_DEDUP, parallel, DEEPSEEK_V3, 4096, FP8_BYTES)
    plain = moe_phase(Mode.LOW_LATENCY, parallel, DEEPSEEK_V3, 4096, FP8_BYTES)
    assert limited.nic_bytes == pytest.approx(96.1e6, rel=1e-3)
    assert plain.nic_bytes == pytest.approx(211.9e6, rel=1e-3)
    forward = [expected_domains(routing, 64) / expected_domains(routing, 8) for routing in (UNLIMITED, DEEPSEEK_V3)]
    assert forward == pytest.approx([1.45, 2.03], abs=0.01)


@pytest.mark.parametrize(
    ("nodes", "published_gbyte_s"),
    [(2, 90), (4, 61), (4, 58), (4, 57), (8, 51), (8, 50), (4, 60), (8, 52)],
)
def test_published_bandwidth_collapses_on_one_nic_rate(nodes, published_gbyte_s):
    """DeepEP V1, V2 and UCCL MI300X rows are N/(N-1) times 44.6 GB/s, their median NIC rate, within 5 %."""
    assert 44.6 / ExpertParallel(8 * nodes, 8).remote_share == pytest.approx(published_gbyte_s, rel=0.05)


def test_same_index_forwarding_share():
    """Rail-optimised with forwarding: (N - nl)/(N - 1) crosses the spine, 0 when all nodes fit on a rail leaf."""
    assert rail_share(nodes=32, nodes_per_leaf=8, forwarding=True) == pytest.approx((32 - 8) / 31)
    assert rail_share(nodes=32, nodes_per_leaf=32, forwarding=True) == 0


def test_rail_wiring_without_forwarding_share():
    """Direct sends change rail: 1 - (1/g)·(nl - 1)/(N - 1), which is 87.5 % for N = nl = 32, g = 8."""
    assert rail_share(nodes=32, nodes_per_leaf=32, forwarding=False) == pytest.approx(0.875)
    assert rail_share(nodes=32, nodes_per_leaf=8, forwarding=False) == pytest.approx(1 - 7 / 31 / 8)


def test_rack_wiring_share():
    """All NICs of a node on one leaf: 1 - (nl - 1)/(N - 1), which is 90.3 % for N = 32, nl = 4."""
    node = np.repeat(np.arange(32), 8)
    assert _crossing(node // 4, forwarding=False) == pytest.approx(1 - 3 / 31)


def rail_share(nodes: int, nodes_per_leaf: int, *, forwarding: bool) -> float:
    """Share over the spine of nodes of 8 ranks, each rank on the leaf of its rail and unit."""
    node, rail = np.divmod(np.arange(nodes * 8), 8)
    return _crossing(node // nodes_per_leaf * 8 + rail, forwarding=forwarding)


def _crossing(leaf: np.ndarray, *, forwarding: bool) -> float:
    """Share over the spine of one job on nodes of 8 ranks, a port each on the leaves given."""
    ranks = seat(leaf.size, 1, np.arange(leaf.size // 8), 8)
    demand = Exchange(ranks.job, np.ones(leaf.size), np.ones(leaf.size))
    demand = forwarded(demand, ranks) if forwarding else demand
    ports = Ports(np.arange(leaf.size), np.arange(leaf.size), np.ones(leaf.size))
    carriers = Carriers.of(ranks, [ports], [leaf], [int(leaf.max()) + 1])
    (folded,) = fold(demand, ranks, carriers, Dealing(Balancing.HARDWARE, 1))
    return folded.crossing_share


def test_zipf_placement_covers_the_measured_imbalance():
    """DeepSeek-R1, EP32, no balancing: measured 2.564; s = 0.595 gives a mean of 2.35 and a 5-95 % range around it."""
    model = MoeNumbers(experts=256, top_k=1, payload_dim=1, layers=4000)
    work = Workload(
        name="a",
        pattern="moe_all_to_all",
        model=model,
        expert_parallel=32,
        tokens_per_rank=1,
        popularity={"zipf": 0.595},
    )
    copies = layer_copies(work, model, 32, each_copy=True, seed=1)
    found = copies.max(axis=1) / copies.mean(axis=1)
    assert found.mean() == pytest.approx(2.35, abs=0.03)
    assert np.quantile(found, [0.05, 0.95]) == pytest.approx([2.03, 2.94], abs=0.05)
    assert zipf_popularity(256, 0.595)[0] * 256 == pytest.approx(11.95, rel=0.01)


def balanced_load(ranks: int, slots: int = 288) -> np.ndarray:
    """(n_ranks,) share of the copies that each rank takes, Zipf 0.595, replicated and packed by known popularity."""
    popularity = zipf_popularity(256, 0.595)
    expert = replicated(popularity, slots - 256)
    load = popularity[expert] / np.bincount(expert)[expert]
    return np.bincount(packed(load, ranks), weights=load, minlength=ranks)


def drawn_imbalance(share: np.ndarray, mean_copies: int) -> float:
    """Mean of the hottest rank over the mean when each step draws its copies, 400 steps."""
    steps = np.random.default_rng(1).multinomial(mean_copies * share.size, share, size=400)
    return float(steps.max(axis=1).mean() / mean_copies)


@pytest.mark.parametrize(("ranks", "measured"), [(32, 1.109), (36, 1.115)])
def test_redundant_experts_leave_what_chance_makes(ranks, measured):
    """TensorRT-LLM tech blog 4, table 1, 288 slots: packed evenly by popularity, the rest of the measured is chance."""
    load = balanced_load(ranks)
    assert load.max() / load.mean() == pytest.approx(1.002, abs=0.003)
    assert drawn_imbalance(load, 1024) == pytest.approx(measured, abs=0.055)
    assert load.max() / load.mean() < drawn_imbalance(load, 1024) < measured


@pytest.mark.parametrize(
    ("ranks", "mean_copies", "simulated"),
    [(32, 1024, 1.065), (64, 64, 1.31), (64, 128, 1.21), (64, 256, 1.15), (64, 1024, 1.07)],
)
def test_floor_of_imbalance_of_equally_popular_experts(ranks, mean_copies, simulated):
    """Worked figures of the floor that models.md names: 1 + sqrt(2 ln R / copies) lies 0 to 5 % above draws."""
    drawn = drawn_imbalance(np.full(ranks, 1 / ranks), mean_copies)
    assert drawn == pytest.approx(simulated, abs=0.01)
    assert 0 <= 1 + np.sqrt(2 * np.log(ranks) / mean_copies) - drawn < 0.05 * drawn
