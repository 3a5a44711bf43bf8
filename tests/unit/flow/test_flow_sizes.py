"""Hashed flows of unlike size, against enumeration, and that more traffic is never faster."""

from itertools import product

import numpy as np
import pytest

from fabric.flow.flow_sizes import FlowSizes, settled
from fabric.flow.hash_ways import Seeds
from fabric.flow.hashing import hashed_load
from fabric.flow.offered import Offered
from fabric.flow.spreading import Hashed, carry
from fabric.routing import up_down

SAMPLES = 4000
SIZES = {
    "elephants and mice": ((16, 1e9), (240, 1e3)),
    "one large and one half as large": ((1, 1e9), (1, 0.5e9)),
    "many of two sizes": ((64, 1e9), (64, 0.5e9)),
    "few among many": ((4, 1e9), (500, 1e7)),
    "skewed experts": tuple((56, 1e6 * rank**-0.6) for rank in range(1, 17)),
}


def one_way(leaf_spine, sizes, uplinks=8, leaves=4):
    """Plane, flows by size from every leaf to the next, and their bytes each."""
    plane = leaf_spine(leaves, 8, uplinks)
    ring = np.roll(np.eye(leaves, dtype=np.int64), 1, axis=1)
    return plane, np.array([count * ring for count, _ in sizes]), np.array([each for _, each in sizes])


def times_us(plane, scheme, flows, flow_bytes, seeds=Seeds.PER_SWITCH):
    """Quantiles of the time of the fullest link [us]."""
    pairs = np.tensordot(flow_bytes, flows, axes=1)
    ends = np.zeros(plane.endpoint_switch.size)
    offered = Offered(pairs, ends, ends, flows, None, flow_bytes)
    found = carry(plane, scheme(plane), offered, Hashed(SAMPLES, 1, seeds))
    return np.quantile(found.between_us, [0.1, 0.5, 0.9])


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("name", ["two tiers", "three tiers", "dragonfly"])
@pytest.mark.parametrize("seeds", Seeds)
def test_more_traffic_is_never_faster(leaf_spine, families, sizes, name, seeds):
    """Smaller flows beside larger ones: no quantile falls by more than what draws scatter."""
    network, scheme = families[name]
    leaves = network.edge_count if name != "two tiers" else 4
    plane, flows, each = one_way(leaf_spine, sizes, leaves=leaves)
    plane = plane if name == "two tiers" else network
    alone = times_us(plane, scheme, flows[:1], each[:1], seeds)
    both = times_us(plane, scheme, flows, each, seeds)
    assert (both >= 0.98 * alone).all()


def test_every_further_expert_adds_time(leaf_spine):
    """Experts from the most popular on, two at a time: no quantile falls, though more flows even out better."""
    plane, flows, each = one_way(leaf_spine, SIZES["skewed experts"], uplinks=16)
    took = np.array([times_us(plane, up_down.routes, flows[:upto], each[:upto]) for upto in range(1, 17, 2)])
    assert (np.diff(took, axis=0) > 0).all()


def test_many_small_flows_beside_few_large_ones_change_little(leaf_spine):
    """16 flows of 1 GB from leaf to leaf: 240 of 1 kB add what they weigh, nothing, and even out nothing."""
    plane, flows, each = one_way(leaf_spine, SIZES["elephants and mice"])
    alone = times_us(plane, up_down.routes, flows[:1], each[:1])
    assert times_us(plane, up_down.routes, flows, each) == pytest.approx(alone, rel=0.02)


@pytest.mark.parametrize("sizes", [((2, 3.0), (3, 1.0)), ((1, 4.0), (2, 2.0), (2, 1.0)), ((3, 5.0), (1, 0.5))])
def test_flows_of_few_sizes_equal_enumeration(leaf_spine, sizes):
    """One leaf to another over three spines: mean of the fuller of two independent placements, of all of them."""
    plane, flows, each = one_way(leaf_spine, sizes, uplinks=3, leaves=2)
    flows[:, 1, 0] = 0
    all_sizes = [size for count, size in sizes for _ in range(count)]
    fullest = np.array(
        [np.bincount(place, weights=all_sizes).max() for place in product(range(3), repeat=len(all_sizes))]
    )
    exact = np.maximum(fullest[:, None], fullest[None, :]).mean() / (sum(all_sizes) / 3)
    drawn = hashed_load(plane, up_down.routes(plane), flows, 20_000, 1, flow_bytes=each).slowdown
    assert drawn.mean() == pytest.approx(exact, abs=5 * drawn.std() / np.sqrt(20_000))


def test_sizes_of_skewed_experts_equal_placements(leaf_spine):
    """1,792 flows of Zipf sizes over 32 uplinks: quantiles of 2,000 placements flow by flow within 2 %."""
    plane = leaf_spine(2, 8, 32)
    size = np.arange(1, 17) ** -0.6
    flows = np.zeros((16, 2, 2), dtype=np.int64)
    flows[:, 0, 1] = 112
    drawn = hashed_load(plane, up_down.routes(plane), flows, 2000, 1, flow_bytes=size).slowdown
    rng = np.random.default_rng(5)
    every = np.repeat(size, 112)
    placed = [
        max(np.bincount(rng.integers(0, 32, every.size), weights=every).max() for _ in range(2)) for _ in range(2000)
    ]
    ideal = every.sum() / 32
    for probability in (0.1, 0.5, 0.9):
        assert np.quantile(drawn, probability) == pytest.approx(np.quantile(placed, probability) / ideal, rel=0.02)


@pytest.mark.parametrize("name", ["two tiers", "trunks", "three tiers", "dragonfly", "torus"])
def test_one_size_is_drawn_as_equal_flows(families, name):
    """Sizes alike, in one class or in two: the same as without sizes, or nearly."""
    network, scheme = families[name]
    count = np.full((network.edge_count, network.edge_count), 40)
    np.fill_diagonal(count, 0)
    equal, sized, twice = (
        hashed_load(network, scheme(network), flows, 500, 1, flow_bytes=each).slowdown
        for flows, each in ((count, None), (count[None], np.array([7.0])), (np.array([count, count]) // 2, np.ones(2)))
    )
    assert (equal == sized).all()
    assert np.median(twice) == pytest.approx(np.median(equal), rel=0.02)


def test_small_flows_become_equal_ones_of_the_same_mean_and_variance():
    """Ten flows of 8, and 100 of 2 and of 1 on two classes: only the large keep their size."""
    flows, size = np.array([[10, 0], [100, 50], [100, 100]]), np.array([8.0, 2.0, 1.0])
    rows = settled(flows, size, 20)
    assert rows[0] == (10, 8.0, 0)
    assert {row.kind for row in rows[1:]} == {0, 1}
    small, u = flows[1:] * size[1:, None], rows[1].size
    assert u == pytest.approx((flows[1:] * size[1:, None] ** 2).sum() / small.sum())
    assert [row.flows * row.size for row in rows[1:]] == pytest.approx(small.sum(axis=0).tolist(), abs=u / 2 + 1e-9)
    assert FlowSizes.of(np.zeros((2, 3, 3), dtype=np.int64), np.ones(2)).are_equal
