"""Who talks with whom, folded to pairs of leaves: exact for every uplink, with no list of endpoint pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LeafPairs:
    """Ordered pairs of endpoints that exchange traffic.

    Attributes:
        pairs: (n_leaves, n_leaves) number of pairs from a leaf to a leaf, same leaf included.
        peers: (n_endpoints,) peers of each endpoint, in the order the endpoints were given.
    """

    pairs: IntArray
    peers: IntArray

    @property
    def crossing_share(self) -> float:
        """Share of the pairs whose ends stand on different leaves; 0 where there are no pairs."""
        total = int(self.pairs.sum())
        return 1 - int(self.pairs.trace()) / total if total else 0.0


def group_labels(*columns: IntArray) -> IntArray:
    """One dense label per distinct combination of the columns, each (n_endpoints,)."""
    labels = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        values, dense = np.unique(column, return_inverse=True)
        _, labels = np.unique(labels * values.size + dense, return_inverse=True)
    return labels.astype(np.int64)


def remote_pairs(leaf: IntArray, group: IntArray, node: IntArray, leaf_count: int) -> LeafPairs:
    """Pairs in which each endpoint talks with every member of its group on other nodes.

    The group is the job where ranks address each other directly; `group_labels(job, index_in_node)` where
    traffic is forwarded inside the node first, so that only ranks of equal index meet on the network; and a
    label of its own per endpoint as `node` counts every other endpoint as remote.

    Args:
        leaf: (n_endpoints,) leaf of each participating endpoint, in [0, leaf_count).
        group: (n_endpoints,) label of its group.
        node: (n_endpoints,) label of its node.
        leaf_count: leaves of this plane.
    """
    inner = group_labels(group, node)
    outer = group_labels(group)
    pairs = _pairs_within(leaf, outer, leaf_count) - _pairs_within(leaf, inner, leaf_count)
    peers = np.bincount(outer)[outer] - np.bincount(inner)[inner]
    return LeafPairs(pairs, peers)


def _pairs_within(leaf: IntArray, group: IntArray, leaf_count: int) -> IntArray:
    """(n_leaves, n_leaves) ordered pairs that share a group, each endpoint with itself included."""
    ones = np.ones(leaf.size, dtype=np.int64)
    shape = (int(group.max(initial=-1)) + 1, leaf_count)
    members = csr_array((ones, (group, leaf)), shape=shape)  # (n_groups, n_leaves) counts
    return np.asarray((members.T @ members).toarray(), dtype=np.int64)
