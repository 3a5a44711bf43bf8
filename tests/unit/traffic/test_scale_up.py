"""Bytes inside scale-up domains against sums over every pair of ranks."""

import numpy as np
import pytest

from fabric.traffic._protocol import Phase
from fabric.traffic.demand import Exchange, Transfers
from fabric.traffic.ranks import seat
from fabric.traffic.scale_up import local_bytes

RANKS = seat(12, 2, np.arange(6), 4)
"""Two jobs of twelve ranks on three domains of four each."""


def _phase(demand, **more):
    return Phase("exchange", demand, "exchange", 1.0, **more)


def _pairs(demand):
    """(n_ranks, n_ranks) bytes from rank to rank."""
    count = RANKS.count
    found = np.zeros((count, count))
    if isinstance(demand, Transfers):
        np.add.at(found, (demand.source, demand.target), demand.sent_bytes)
        return found
    same = demand.group[:, None] == demand.group[None, :]
    return np.where(same, demand.sent_bytes[:, None] * demand.share[None, :], 0.0)


def _brute(pairs, *, forwards):
    """Most bytes sent or received inside a domain, each pair followed by itself."""
    sent, received = np.zeros(RANKS.count), np.zeros(RANKS.count)
    for source, target in zip(*np.nonzero(pairs), strict=True):
        stop = target
        if RANKS.domain[source] != RANKS.domain[target]:
            if not forwards:
                continue
            own = (RANKS.domain == RANKS.domain[source]) & (RANKS.index == RANKS.index[target])
            stop = np.flatnonzero(own)[0]
        if stop != source:
            sent[source] += pairs[source, target]
            received[stop] += pairs[source, target]
    return max(sent.max(), received.max())


@pytest.mark.parametrize("forwards", [False, True], ids=["direct", "forwarded"])
@pytest.mark.parametrize("kind", ["exchange", "transfers"])
def test_bytes_inside_are_those_of_every_pair(kind, forwards):
    """Unequal senders and receivers, groups that are jobs: what stays, and what moves to another index first."""
    rng = np.random.default_rng(3)
    exchange = Exchange(RANKS.job, rng.uniform(1, 9, RANKS.count), rng.uniform(0.1, 0.9, RANKS.count))
    own = rng.integers(0, 12, (2, 60)) + 12 * rng.integers(0, 2, 60)
    demand = exchange if kind == "exchange" else Transfers(own[0], own[1], rng.uniform(1, 9, 60))
    found = local_bytes(_phase(demand), RANKS, forwards=forwards)
    assert found == pytest.approx(_brute(_pairs(demand), forwards=forwards))


def test_a_phase_may_say_its_bytes():
    """What is forwarded beyond the demand, as in node-deduplicated modes, is the pattern's to say."""
    nothing = Transfers(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    assert local_bytes(_phase(nothing, scale_up_bytes=7.0), RANKS, forwards=False) == 7.0
