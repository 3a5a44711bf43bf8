"""Demands rank to rank, folded to leaves and ports of a plane or two."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.errors import InputError
from fabric.traffic.demand import Exchange, Ports, Transfers, forwarded, labels, transposed
from fabric.traffic.fold import Carriers, fold
from fabric.traffic.planes import Balancing, Dealing
from fabric.traffic.ranks import seat

DRAWS = range(30)
SPRAYED = Dealing(Balancing.HARDWARE, 1)


def _fabric(rng):
    """Ranks of two jobs on domains of 4, some of them without ports in one of two planes."""
    ranks = seat(8, 2, rng.permutation(5), 4)
    planes, leaves = [], []
    for _ in range(2):
        kept = np.flatnonzero(rng.random(ranks.count) < 0.8)
        port = np.arange(kept.size) // (2 if rng.random() < 0.3 else 1)
        planes.append(Ports(kept, port, np.ones(kept.size)))
        leaves.append(rng.integers(0, 3, size=int(port.max(initial=0)) + 1))
    return ranks, planes, leaves


def _to_ports(pairs, planes, leaves, plane):
    """Bytes from each leaf to each port of one plane, pair by pair."""
    port = [dict(zip(each.rank.tolist(), each.port.tolist(), strict=True)) for each in planes]
    found = np.zeros((3, leaves[plane].size))
    for source, target, sent in pairs:
        shared = [each for each in range(2) if source in port[each] and target in port[each]]
        if plane in shared:
            found[leaves[plane][port[plane][source]], port[plane][target]] += sent / len(shared)
    return found


def _by_hand(pairs, planes, leaves):
    """Loads of both planes, pair by pair."""
    port = [dict(zip(each.rank.tolist(), each.port.tolist(), strict=True)) for each in planes]
    found = [(np.zeros((3, 3)), np.zeros(leaf.size), np.zeros(leaf.size)) for leaf in leaves]
    for source, target, sent in pairs:
        shared = [plane for plane in range(2) if source in port[plane] and target in port[plane]]
        for plane in shared:
            between, out, back = found[plane]
            ends = port[plane][source], port[plane][target]
            between[leaves[plane][ends[0]], leaves[plane][ends[1]]] += sent / len(shared)
            out[ends[0]] += sent / len(shared)
            back[ends[1]] += sent / len(shared)
    return found


def _demand(kind, ranks, rng):
    sent, share = rng.integers(0, 9, ranks.count).astype(float), rng.random(ranks.count)
    if kind == "exchange":
        return Exchange(ranks.job, sent, share)
    if kind == "transposed":
        return transposed(Exchange(ranks.job, sent, share))
    if kind == "by index":
        return Exchange(labels(ranks.job, ranks.index), sent, share)
    return Transfers(rng.integers(0, ranks.count, 40), rng.integers(0, ranks.count, 40), rng.random(40))


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("kind", ["exchange", "transposed", "by index", "transfers"])
def test_the_fold_loses_nothing(kind, draw, pairs):
    """Leaf to leaf, sent and received, on two planes that not every rank reaches: equal to the sum over all pairs."""
    rng = np.random.default_rng(draw)
    ranks, planes, leaves = _fabric(rng)
    demand = _demand(kind, ranks, rng)
    found = list(fold(demand, ranks, Carriers.of(ranks, planes, leaves, [3, 3]), SPRAYED, by_port=True))
    told = pairs(demand, ranks)
    for plane, (one, (between, out, back)) in enumerate(zip(found, _by_hand(told, planes, leaves), strict=True)):
        np.testing.assert_allclose(one.port_bytes, _to_ports(told, planes, leaves, plane), atol=1e-9)
        np.testing.assert_allclose(one.pair_bytes, between, atol=1e-9)
        np.testing.assert_allclose(one.sent_bytes, out, atol=1e-9)
        np.testing.assert_allclose(one.received_bytes, back, atol=1e-9)


def test_flows_are_pairs_of_ports():
    """Two jobs of 8 on domains of 4, a port each: every rank talks with the 4 of the other domain of its job."""
    ranks = seat(8, 2, np.arange(4), 4)
    ports = Ports(np.arange(16), np.arange(16), np.ones(16))
    demand = Exchange(ranks.job, np.ones(16), np.ones(16))
    carriers = Carriers.of(ranks, [ports], [np.zeros(16, dtype=int)], [1])
    (found,) = fold(demand, ranks, carriers, SPRAYED, flows=True)
    assert found.flows.pairs.tolist() == [[16 * 4]]
    assert found.flows.sent.tolist() == found.flows.received.tolist() == [4] * 16


@pytest.mark.parametrize("draw", DRAWS)
def test_turning_a_demand_round_swaps_sent_and_received(draw):
    """What a rank sends in a dispatch it receives in the combine."""
    rng = np.random.default_rng(draw)
    ranks, planes, leaves = _fabric(rng)
    demand = _demand("exchange", ranks, rng)
    carriers = Carriers.of(ranks, planes, leaves, [3, 3])
    there, back = (list(fold(each, ranks, carriers, SPRAYED)) for each in (demand, transposed(demand)))
    for one, other in zip(there, back, strict=True):
        np.testing.assert_allclose(one.pair_bytes, other.pair_bytes.T, atol=1e-9)
        np.testing.assert_allclose(one.sent_bytes, other.received_bytes, atol=1e-9)


def _rails(ranks):
    """A port a rank, a leaf an index: what stays on its rail stays on its leaf."""
    return Ports(np.arange(ranks.count), np.arange(ranks.count), np.ones(ranks.count)), ranks.index


@pytest.mark.parametrize("kind", ["exchange", "transfers"])
def test_forwarding_keeps_all_traffic_on_its_rail(kind):
    """Received bytes stay what they were; nothing goes from the leaf of one index to that of another."""
    rng = np.random.default_rng(3)
    ranks = seat(16, 2, np.arange(8), 4)
    ports, leaf = _rails(ranks)
    demand = _demand(kind, ranks, rng)
    carriers = Carriers.of(ranks, [ports], [leaf], [4])
    (direct,), (railed,) = (fold(each, ranks, carriers, SPRAYED) for each in (demand, forwarded(demand, ranks)))
    assert direct.crossing_share > 0
    assert railed.crossing_share == 0
    if kind == "exchange":
        np.testing.assert_allclose(railed.received_bytes, direct.received_bytes)


def test_forwarding_wants_full_domains():
    """12 ranks on domains of 8 leave one half-filled: bytes for the indices that it lacks would be lost."""
    ranks = seat(12, 1, np.arange(2), 8)
    with pytest.raises(InputError, match="fills its last domain in part"):
        forwarded(Exchange(ranks.job, np.ones(12), np.ones(12)), ranks)
