"""Hashed flows, against exact enumeration and against hashing each flow of each pair."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from fabric.flow.hashing import (
    _Draw,
    _fullest_flows_per_gbps,
    _fullest_within,
    _one_by_one,
    expected_fullest,
    fullest_plane,
    hashed_load,
    trunks_of,
)
from fabric.model.network import Network
from fabric.routing import up_down


def hashed(plane: Network, flows, samples, seed):
    """Hashed load under up/down routing."""
    return hashed_load(plane, up_down.routes(plane), flows, samples, seed)


@pytest.mark.parametrize(("flows", "links"), [(1, 1), (1, 5), (5, 1), (4, 3), (6, 2), (5, 4), (7, 3)])
def test_expected_fullest_equals_enumeration(flows, links):
    """Every one of the mⁿ placements, averaged exactly."""
    fullest = [max(np.bincount(place)) for place in product(range(links), repeat=flows)]
    assert expected_fullest(flows, links) == pytest.approx(
        float(Fraction(sum(map(int, fullest)), links**flows)), abs=1e-12
    )


@pytest.mark.parametrize(("flows", "links"), [(1, 1), (5, 2), (6, 3), (7, 3), (4, 6)])
def test_chance_of_the_fullest_equals_enumeration(flows, links):
    """P(max ≤ c) for every c that can be, over all mⁿ placements."""
    fullest = np.array([max(np.bincount(place)) for place in product(range(links), repeat=flows)])
    fewest, within = _fullest_within(flows, links)
    assert fewest == -(-flows // links)
    assert within == pytest.approx([(fullest <= fewest + more).mean() for more in range(within.size)], abs=1e-12)
    assert fewest + within.size - 1 == flows


@pytest.mark.parametrize(("flows", "planes", "ports"), [(1, 2, 1), (4, 2, 1), (5, 3, 1), (4, 2, 2), (3, 2, 3)])
def test_fullest_plane_of_ports_equals_enumeration(flows, planes, ports):
    """Every placement of the flows of all ports: the share of draws at or below each count is its exact chance."""
    placed = product(product(range(planes), repeat=flows), repeat=ports)
    fullest = np.array([max(max(np.bincount(place)) for place in each) for each in placed])
    drawn = fullest_plane(np.full(ports, flows), np.full((ports, planes), 7.0), 20_000, 1) / 7
    for count in range(1, flows + 1):
        assert (drawn <= count + 1e-9).mean() == pytest.approx((fullest <= count).mean(), abs=0.011)


def test_fullest_plane_of_unlike_ports():
    """Two ports with flows of 1 and 3 bytes; a plane at half the rate counts double: all four by two placements."""
    flows, sizes = np.array([2, 1]), np.array([[1.0, 2.0], [3.0, 3.0]])
    exact = sorted(max(*(np.bincount(first, minlength=2) * sizes[0]), 3.0) for first in product(range(2), repeat=2))
    drawn = fullest_plane(flows, sizes, 20_000, 1)
    assert drawn.mean() == pytest.approx(np.mean(exact), rel=0.01)
    assert set(drawn.round(6).tolist()) == set(exact)


def test_ports_that_cannot_be_fullest_change_nothing():
    """A thousand ports with a hundredth of the bytes are left out; idle ports and lost links count for nothing."""
    alone = fullest_plane(np.array([56]), np.array([[1.0, 1.0]]), 500, 3)
    more = fullest_plane(
        np.array([56, *[56] * 1000, 0, 9]),
        np.array([[1.0, 1.0], *[[0.01, 0.01]] * 1000, [5.0, 5.0], [0.0, 0.0]]),
        500,
        3,
    )
    assert more == pytest.approx(alone)
    assert fullest_plane(np.array([0]), np.array([[1.0, 1.0]]), 5, 1).tolist() == [0.0] * 5
    assert fullest_plane(np.array([6]), np.array([[0.0, 2.0]]), 5, 1) == pytest.approx([12.0] * 5)


@pytest.mark.parametrize(("flows", "links"), [(20, 8), (400, 32), (40_000, 64)])
def test_known_chances_draw_as_placements_do(flows, links):
    """Quantiles of 4,000 placements link by link lie within two flows or 1 % of the known distribution."""
    draw = _Draw((flows,), ((1.0,) * links,), (1.0,) * links)
    assert draw.is_even
    placed = _one_by_one(draw, 4000, np.random.default_rng(1))
    fewest, within = _fullest_within(flows, links)
    for probability in (0.05, 0.5, 0.95):
        known = fewest + int(np.searchsorted(within, probability))
        assert np.quantile(placed, probability) == pytest.approx(known, rel=0.01, abs=2)


def test_draws_on_unequal_links_are_not_even():
    """Two rates, a class that has odds of its own, or one that cannot take a link."""
    assert not _Draw((4,), ((1.0, 1.0),), (1.0, 2.0)).is_even
    assert not _Draw((4, 4), ((1.0, 1.0), (1.0, 0.0)), (1.0, 1.0)).is_even
    assert not _Draw((4,), ((2.0, 1.0),), (1.0, 1.0)).is_even
    assert _Draw((4, 0), ((1.0, 1.0), (1.0, 0.0)), (1.0, 1.0)).is_even


def test_efficiency_rises_with_flows():
    """More queue pairs even out: 32 flows on 32 uplinks against 7168."""
    shares = [flows / 32 / expected_fullest(flows, 32) for flows in (32, 1024, 7168)]
    assert shares == sorted(shares)
    assert shares[-1] < 1


def test_samples_match_the_exact_mean_of_one_leaf_pair(leaf_spine):
    """Six flows one way over three uplinks: 20,000 samples average to the exact E[max] within 4 sigma."""
    sampled = hashed(leaf_spine(2, 6, 3), np.array([[0, 6], [0, 0]]), samples=20_000, seed=1)
    # Up and down see the same three pipes here, drawn apart: the fullest of two independent placements.
    exact = expected_of_larger(6, 3)
    sigma = sampled.slowdown.std() / np.sqrt(20_000)
    assert sampled.slowdown.mean() == pytest.approx(exact / 2, abs=4 * sigma)


def expected_of_larger(flows: int, links: int) -> float:
    """E of the larger of two independent E[max] experiments, by enumeration."""
    fullest = np.array([max(np.bincount(place)) for place in product(range(links), repeat=flows)])
    return float(np.maximum(fullest[:, None], fullest[None, :]).mean())


def hash_every_flow(plane, flows, rng) -> float:
    """Fullest uplink in flows per Gb/s when each flow picks an uplink and then a link below its spine."""
    up, down = np.zeros(plane.link_a.size), np.zeros(plane.link_a.size)
    pipes = trunks_of(plane)
    for a, b in zip(*np.nonzero(flows), strict=True):
        usable = (plane.link_a == a) & (pipes.reached[b, (plane.link_b - plane.edge_count)] > 0)
        odds = plane.link_gbps * usable
        for link in rng.choice(odds.size, size=flows[a, b], p=odds / odds.sum()):
            below = (plane.link_a == b) & ((plane.link_b - plane.edge_count) == (plane.link_b - plane.edge_count)[link])
            odds_down = plane.link_gbps * below
            up[link] += 1
            down[rng.choice(odds.size, p=odds_down / odds_down.sum())] += 1
    return float((np.maximum(up, down) / plane.link_gbps).max())


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_samples_match_hashing_every_flow(irregular, seed):
    """On irregular planes the median of 200 placements agrees with hashing flow by flow within 6 %."""
    plane = irregular(seed)
    flows = np.random.default_rng(seed).integers(0, 20, size=(5, 5))
    flows[trunks_of(plane).usable_gbps == 0] = 0
    np.fill_diagonal(flows, 0)
    rng = np.random.default_rng(99)
    walked = np.median([hash_every_flow(plane, flows, rng) for _ in range(200)])
    ideal = _even_fullest(plane, flows)
    assert hashed(plane, flows, 2000, seed=5).quantile(0.5) == pytest.approx(walked / ideal, rel=0.06)


def _even_fullest(plane, flows) -> float:
    """Fullest uplink under even spread, in flows per Gb/s, by walking each leaf pair."""
    pipes = trunks_of(plane)
    up, down = np.zeros(plane.link_a.size), np.zeros(plane.link_a.size)
    for a, b in zip(*np.nonzero(flows), strict=True):
        share = pipes.gbps[a] * pipes.reached[b] / pipes.usable_gbps[a, b]
        for load, leaf in ((up, a), (down, b)):
            on = plane.link_a == leaf
            spine = (plane.link_b - plane.edge_count)[on]
            load[on] += flows[a, b] * share[spine] * plane.link_gbps[on] / pipes.gbps[leaf, spine]
    return float((np.maximum(up, down) / plane.link_gbps).max())


def test_seed_repeats_and_samples_are_sorted(leaf_spine):
    """Equal seeds give equal samples; another seed gives others."""
    plane, flows = leaf_spine(4, 8, 8), np.full((4, 4), 64)
    first, other = (hashed(plane, flows, 50, seed).slowdown for seed in (1, 2))
    _fullest_flows_per_gbps.cache_clear()
    again = hashed(plane, flows, 50, 1).slowdown
    assert (first == again).all()
    assert (first != other).any()
    assert (np.diff(first) >= 0).all()
    assert first[0] >= 1


def test_same_question_is_drawn_once(leaf_spine, monkeypatch):
    """Equal planes, flows, samples and seed share their draws; one of them changed draws anew."""
    _fullest_flows_per_gbps.cache_clear()
    seeds = []
    draw = np.random.default_rng
    monkeypatch.setattr(np.random, "default_rng", lambda seed: seeds.append(seed) or draw(seed))
    flows = np.full((4, 4), 64)
    for plane, some, samples, seed in (
        (leaf_spine(4, 8, 8), flows, 50, 1),
        (leaf_spine(4, 8, 8), flows.copy(), 50, 1),
        (leaf_spine(4, 8, 4), flows, 50, 1),
        (leaf_spine(4, 8, 8), flows * 2, 50, 1),
        (leaf_spine(4, 8, 8), flows, 60, 1),
        (leaf_spine(4, 8, 8), flows, 50, 2),
    ):
        hashed(plane, some, samples, seed)
    assert seeds == [1, 1, 1, 1, 2]


def test_nothing_to_hash_is_ideal(leaf_spine):
    """One tier, or no flow between leaves, has no collision."""
    assert hashed(leaf_spine(1, 8, 0), np.array([[64]]), 3, 1).slowdown.tolist() == [1, 1, 1]
    assert hashed(leaf_spine(2, 8, 4), np.zeros((2, 2), dtype=int), 3, 1).quantile(0.99) == 1


def test_trunks_add_parallel_links(irregular):
    """A trunk is the sum of its links, and usable rate that of the uplinks towards common spines."""
    plane = irregular(3)
    trunks = trunks_of(plane)
    for leaf in range(plane.edge_count):
        for spine in range(trunks.gbps.shape[1]):
            links = (plane.link_a == leaf) & (plane.link_b == plane.edge_count + spine)
            assert trunks.gbps[leaf, spine] == plane.link_gbps[links].sum()
            assert trunks.reached[leaf, spine] == links.any()
        for far in range(plane.edge_count):
            common = trunks.gbps[far] > 0
            assert trunks.usable_gbps[leaf, far] == trunks.gbps[leaf, common].sum()


def test_one_tier_has_no_trunks(leaf_spine):
    """One tier: nothing is usable, and nothing fails."""
    trunks = trunks_of(leaf_spine(1, 4, 0))
    assert trunks.gbps.shape == (1, 0)
    assert trunks.usable_gbps.tolist() == [[0.0]]
