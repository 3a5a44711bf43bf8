"""Folding endpoint pairs to leaf pairs, against a list of every pair."""

import numpy as np
import pytest

from fabric.traffic.leaf_pairs import group_labels, remote_pairs


def test_equals_a_list_of_every_pair():
    """Random groups, nodes and leaves: the fold counts exactly the pairs that a double loop finds."""
    rng = np.random.default_rng(7)
    leaf, group, node = (rng.integers(0, top, size=60) for top in (5, 3, 12))
    expected = np.zeros((6, 6), dtype=int)
    peers = np.zeros(60, dtype=int)
    for a in range(60):
        for b in range(60):
            if group[a] == group[b] and node[a] != node[b]:
                expected[leaf[a], leaf[b]] += 1
                peers[a] += 1
    folded = remote_pairs(leaf, group, node, leaf_count=6)
    assert (folded.pairs == expected).all()
    assert (folded.peers == peers).all()
    assert folded.crossing_share == pytest.approx(1 - expected.trace() / expected.sum())


def test_same_index_forwarding_stays_on_rail_leaves():
    """Ranks that meet only their own index on other nodes never leave their rail's leaf."""
    node, index = np.divmod(np.arange(32), 8)
    folded = remote_pairs(index, group_labels(np.zeros(32, dtype=int), index), node, leaf_count=8)
    assert folded.crossing_share == 0
    assert (folded.peers == 3).all()


def test_no_pairs_no_crossing():
    """A job inside one node asks nothing of the network."""
    zeros = np.zeros(8, dtype=int)
    folded = remote_pairs(zeros, zeros, zeros, leaf_count=2)
    assert folded.pairs.sum() == 0
    assert folded.crossing_share == 0


def test_a_hundred_thousand_endpoints_fold():
    """Memory follows leaves squared: 100,352 endpoints in jobs of 64 fold without a list of pairs."""
    endpoint = np.arange(100_352)
    folded = remote_pairs(endpoint // 64, endpoint // 64, endpoint // 8, leaf_count=1568)
    assert folded.pairs.sum() == 100_352 * 56
