"""Expert-parallel load balancing: copies of popular experts, and experts packed on ranks by load."""

from __future__ import annotations

import heapq

import numpy as np

from fabric.errors import InputError
from fabric.model.network import FloatArray, IntArray


def replicated(popularity: FloatArray, redundant: int) -> IntArray:
    """(n_experts + redundant,) expert of every slot: each further copy goes to the expert with most load a copy.

    Source: eplb.
    """
    copies = np.ones(popularity.size, dtype=np.int64)
    for _ in range(redundant):
        copies[int(np.argmax(popularity / copies))] += 1
    return np.repeat(np.arange(popularity.size), copies)


def packed(load: FloatArray, ranks: int) -> IntArray:
    """(n_slots,) rank of each slot: the heaviest first, each on the emptiest rank that has a slot free.

    Longest-processing-time packing with equal numbers of slots. Source: eplb.

    Raises:
        InputError: the ranks cannot hold equally many slots.
    """
    if load.size % ranks:
        raise InputError(f"{load.size} expert slots cannot be spread evenly over {ranks} ranks")
    free = np.full(ranks, load.size // ranks)
    rank_of = np.zeros(load.size, dtype=np.int64)
    emptiest = [(0.0, rank) for rank in range(ranks)]
    for slot in np.argsort(-load, kind="stable").tolist():
        filled, rank = heapq.heappop(emptiest)
        rank_of[slot] = rank
        free[rank] -= 1
        if free[rank]:
            heapq.heappush(emptiest, (filled + float(load[slot]), rank))
    return rank_of
