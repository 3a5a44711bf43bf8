"""What planes get of what two ranks exchange, and where these meet, against sums over every pair of ranks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fabric.traffic.demand import Exchange, Ports, Transfers, labels
from fabric.traffic.fold import Carriers, fold
from fabric.traffic.planes import Balancing, Dealing, cut_off, meetings
from fabric.traffic.ranks import Ranks, seat

SPRAYED = Dealing(Balancing.HARDWARE, 4)
LEAVES, PLANES = 3, 3


@pytest.mark.parametrize("queue_pairs", range(1, 10))
@pytest.mark.parametrize("planes", range(1, 6))
def test_queue_pairs_are_dealt_in_turn(queue_pairs, planes):
    """As if each were given to the next plane: the fullest has ⌈q/P⌉ of q, and fewer than planes leave some idle."""
    dealt = [sum(pair % planes == plane for pair in range(queue_pairs)) for plane in range(planes)]
    dealing = Dealing(Balancing.SOFTWARE, queue_pairs)
    together = np.ones(planes, dtype=bool)
    assert dealing.flows(together).tolist() == dealt
    assert dealing.shares(together).tolist() == [float(Fraction(each, queue_pairs)) for each in dealt]
    assert dealing.fullest(planes) == float(Fraction(-(-queue_pairs // planes), queue_pairs))


@pytest.mark.parametrize("balancing", Balancing)
def test_one_plane_gets_all(balancing):
    """Whoever balances: the whole traffic and every queue pair, exactly."""
    dealing = Dealing(balancing, 3)
    assert dealing.shares(np.array([[True], [False]])).tolist() == [[1.0], [0.0]]
    assert dealing.flows(np.array([[True]])).tolist() == [[3.0]]


def test_queue_pairs_move_to_the_planes_that_are_left():
    """Five queue pairs on planes 0 to 3 without plane 1: two, two and one on those left."""
    together = np.array([True, False, True, True])
    assert Dealing(Balancing.SOFTWARE, 5).flows(together).tolist() == [2, 0, 2, 1]
    assert Dealing(Balancing.HARDWARE, 5).shares(together).tolist() == [1 / 3, 0, 1 / 3, 1 / 3]


def _fabric(rng):
    """Two jobs on domains of 4: some ranks lack ports in a plane, some have two, some leaves no way to each other."""
    ranks = seat(8, 2, rng.permutation(5), 4)
    planes, leaves, joined = [], [], []
    for _ in range(PLANES):
        has = rng.random((ranks.count, 2)) < (0.8, 0.3)
        rank, _ = np.nonzero(has)
        planes.append(Ports(rank, np.arange(rank.size), 1 / has.sum(axis=1)[rank]))
        leaves.append(rng.integers(0, LEAVES, size=rank.size))
        ways = rng.random((LEAVES, LEAVES)) < 0.7
        ways |= ways.T
        np.fill_diagonal(ways, val=True)
        joined.append(None if rng.random() < 0.3 else ways)
    return ranks, planes, leaves, joined


def _demand(kind, ranks, rng):
    if kind == "transfers":
        return Transfers(rng.integers(0, ranks.count, 40), rng.integers(0, ranks.count, 40), rng.random(40) + 0.1)
    group = ranks.job if kind == "jobs" else labels(ranks.job, ranks.index)
    return Exchange(group, rng.integers(0, 9, ranks.count).astype(float), rng.random(ranks.count))


def _talking(pairs):
    return [(source, target, sent) for source, target, sent in pairs if sent]


def _meet(one, other, planes, leaves, joined):
    """Planes in which both have ports, and ways between all leaves of these."""
    found = []
    for plane, (ports, leaf, ways) in enumerate(zip(planes, leaves, joined, strict=True)):
        ends = [leaf[ports.port[ports.rank == rank]] for rank in (one, other)]
        if all(each.size for each in ends):
            found += [plane] * all(ways is None or ways[a, b] for a in ends[0] for b in ends[1])
    return found


def _hashed(dealing, planes):
    """Queue pairs that a plane sees of a pair: all where each message is sprayed, else those that a hash picks."""
    return dealing.queue_pairs / (1 if dealing.balancing is Balancing.HARDWARE else planes)


def _shares(dealing, planes):
    """Share and queue pairs of each of some planes, one queue pair after the other."""
    if dealing.balancing is not Balancing.SOFTWARE:
        return {plane: (1 / len(planes), _hashed(dealing, len(planes))) for plane in planes}
    dealt = dict.fromkeys(planes, 0)
    for pair in range(dealing.queue_pairs if planes else 0):
        dealt[planes[pair % len(planes)]] += 1
    return {plane: (count / dealing.queue_pairs, count) for plane, count in dealt.items() if count}


def _by_hand(pairs, fabric, dealing):
    """Of every plane bytes from leaf to port, flows from leaf to leaf, and flows of ports, pair by pair."""
    _, planes, leaves, _ = fabric
    port_bytes = [np.zeros((LEAVES, leaf.size)) for leaf in leaves]
    between = [np.zeros((LEAVES, LEAVES)) for _ in leaves]
    flows = [(np.zeros(leaf.size), np.zeros(leaf.size)) for leaf in leaves]
    for source, target, sent in pairs:
        for plane, (share, queue_pairs) in (
            _shares(dealing, _meet(source, target, *fabric[1:])).items() if _meet(source, target, *fabric[1:]) else ()
        ):
            ports, leaf = planes[plane], leaves[plane]
            for out in np.flatnonzero(ports.rank == source):
                for back in np.flatnonzero(ports.rank == target):
                    a, b = ports.port[out], ports.port[back]
                    port_bytes[plane][leaf[a], b] += sent * share * ports.share[out] * ports.share[back]
                    between[plane][leaf[a], leaf[b]] += queue_pairs
                    flows[plane][0][a] += queue_pairs
                    flows[plane][1][b] += queue_pairs
    return port_bytes, between, flows


@pytest.mark.parametrize("draw", range(12))
@pytest.mark.parametrize("kind", ["jobs", "by index", "transfers"])
@pytest.mark.parametrize(
    "dealing", [SPRAYED, Dealing(Balancing.SOFTWARE, 1), Dealing(Balancing.SOFTWARE, 4), Dealing(Balancing.NONE, 3)]
)
def test_traffic_goes_where_both_ends_meet(dealing, kind, draw, pairs):
    """Bytes and queue pairs of every leaf and port of three planes, with ports and ways missing."""
    rng = np.random.default_rng(draw)
    fabric = _fabric(rng)
    ranks, planes, leaves, joined = fabric
    demand = _demand(kind, ranks, rng)
    port_bytes, between, flows = _by_hand(_talking(pairs(demand, ranks)), fabric, dealing)
    carriers = Carriers.of(ranks, planes, leaves, [LEAVES] * PLANES, joined)
    for plane, one in enumerate(fold(demand, ranks, carriers, dealing, flows=True, by_port=True)):
        np.testing.assert_allclose(one.port_bytes, port_bytes[plane], atol=1e-9)
        np.testing.assert_allclose(one.received_bytes, port_bytes[plane].sum(axis=0), atol=1e-9)
        np.testing.assert_allclose(one.pair_bytes.sum(axis=1), port_bytes[plane].sum(axis=1), atol=1e-9)
        np.testing.assert_allclose(one.pair_bytes.sum(), one.sent_bytes.sum(), atol=1e-9)
        np.testing.assert_allclose(one.flows.pairs, between[plane], atol=1e-9)
        np.testing.assert_allclose(one.flows.sent, flows[plane][0], atol=1e-9)
        np.testing.assert_allclose(one.flows.received, flows[plane][1], atol=1e-9)


@pytest.mark.parametrize("draw", range(40))
@pytest.mark.parametrize("kind", ["jobs", "by index", "transfers"])
def test_who_never_meets_is_cut_off(kind, draw, pairs):
    """If and only if some pair that talks, both with ports somewhere, meets in no plane."""
    rng = np.random.default_rng(draw)
    ranks, planes, leaves, joined = _fabric(rng)
    demand = _demand(kind, ranks, rng)
    alive = {rank for ports in planes for rank in ports.rank.tolist()}
    apart = any(
        source in alive and target in alive and not _meet(source, target, planes, leaves, joined)
        for source, target, _ in _talking(pairs(demand, ranks))
    )
    assert cut_off(demand, ranks, meetings(ranks.count, planes, leaves, joined)) == apart


def _met(present):
    """Ranks, one a leaf, with ports in some planes, all leaves joined."""
    present = np.array(present)
    planes = [Ports(np.flatnonzero(each), np.arange(each.sum()), np.ones(each.sum())) for each in present.T]
    leaves = [np.arange(ports.rank.size) for ports in planes]
    return meetings(present.shape[0], planes, leaves, [None] * len(planes))


def test_a_pair_without_a_common_plane_is_cut_off():
    """One rank has a port in the first plane alone, another in the second alone: no way between them."""
    ranks = Ranks(3, np.array([0, 1, 2]), np.zeros(3, dtype=int))
    demand = Exchange(ranks.job, np.ones(3), np.ones(3))
    assert cut_off(demand, ranks, _met([[True, False], [False, True], [True, True]]))
    assert not cut_off(demand, ranks, _met([[True, False], [True, True], [True, True]]))
    assert not cut_off(demand, ranks, _met([[True, False], [False, False], [True, True]]))
    apart = Transfers(np.array([0]), np.array([1]), np.ones(1))
    assert cut_off(apart, ranks, _met([[True, False], [False, True], [True, True]]))
    assert not cut_off(apart, ranks, _met([[True, False], [True, True], [False, True]]))


def test_ranks_of_different_jobs_need_no_common_plane():
    """One rank of each job lost another plane: nobody of the same job is apart."""
    ranks = Ranks(2, np.array([0, 1, 2, 3]), np.zeros(4, dtype=int))
    demand = Exchange(ranks.job, np.ones(4), np.ones(4))
    assert not cut_off(demand, ranks, _met([[True, False], [True, True], [False, True], [True, True]]))
    assert cut_off(demand, ranks, _met([[True, False], [False, True], [True, True], [True, True]]))


def test_ranks_that_meet_alike_are_one_class():
    """A plane without any spine parts its leaves; what all leaves reach does not tell ranks apart."""
    ports = Ports(np.arange(6), np.arange(6), np.ones(6))
    leaf, apart = np.repeat(np.arange(3), 2), np.eye(3, dtype=bool)
    whole = meetings(6, [ports, ports], [leaf, leaf], [None, np.ones((3, 3), dtype=bool)])
    assert whole.of_rank.tolist() == [0] * 6
    parted = meetings(6, [ports, ports], [leaf, leaf], [None, apart])
    assert (parted.of_rank[:, None] == parted.of_rank).tolist() == (leaf[:, None] == leaf).tolist()
    assert parted.together[..., 1].tolist() == apart.tolist()
    assert parted.fewest.tolist() == [1, 1, 1]
