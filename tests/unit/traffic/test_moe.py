"""Bytes per rank and per pair of one MoE phase."""

import pytest

from fabric.errors import InputError
from fabric.traffic.moe import ExpertParallel, Mode, moe_phase
from fabric.traffic.routing import ExpertRouting

ROUTING = ExpertRouting(expert_count=64, top_k=4)
PARALLEL = ExpertParallel(ranks=16, ranks_per_node=4)


@pytest.mark.parametrize("mode", Mode)
def test_nic_carries_the_pair_bytes_of_every_remote_peer(mode):
    """The two ways to count what leaves a node agree: per peer, and per token."""
    phase = moe_phase(mode, PARALLEL, ROUTING, tokens_per_rank=100, copy_bytes=10)
    assert phase.nic_bytes == pytest.approx(100 * phase.copies_per_token * 10 * 3 / 4)
    assert phase.message_count * 10 == pytest.approx(phase.nic_bytes)
    assert phase.remote_peer_count == (3 if mode is Mode.NODE_DEDUP else 12)


def test_each_deduplication_saves_nic_bytes():
    """Fewer copies leave the node per rank than per expert, and fewest per node."""
    low_latency, rank_dedup, node_dedup = (moe_phase(mode, PARALLEL, ROUTING, 100, 10).nic_bytes for mode in Mode)
    assert low_latency > rank_dedup > node_dedup


def test_forwarding_moves_bytes_to_the_scale_up_network():
    """Node-deduplicated copies reach their other ranks inside the node: U(R), less the relay's own."""
    rank_dedup = moe_phase(Mode.RANK_DEDUP, PARALLEL, ROUTING, 100, 10)
    node_dedup = moe_phase(Mode.NODE_DEDUP, PARALLEL, ROUTING, 100, 10)
    assert node_dedup.local_bytes == pytest.approx(100 * rank_dedup.copies_per_token * 10 * 3 / 4)
    assert rank_dedup.local_bytes == pytest.approx(rank_dedup.pair_bytes * 3)


@pytest.mark.parametrize("mode", Mode)
def test_one_node_needs_no_nic(mode):
    """All ranks in one scale-up domain send nothing through a NIC."""
    phase = moe_phase(mode, ExpertParallel(8, 8), ROUTING, 100, 10)
    assert (phase.nic_bytes, phase.remote_peer_count) == (0, 0)
    assert phase.local_bytes > 0


def test_ranks_fill_whole_nodes():
    """A layout with a partly filled node is refused."""
    with pytest.raises(InputError, match="12 ranks do not fill whole nodes of 8"):
        ExpertParallel(12, 8)
