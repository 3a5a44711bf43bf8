"""Bisection: closed forms, and the least cut of small networks found by trying every one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.flow.bisection import bisection
from fabric.model.network import Network

GBPS = 400.0


def routers(position, pairs) -> Network:
    """One endpoint a router."""
    count = len(position)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Network(
        endpoint_switch=np.arange(count),
        endpoint_gbps=np.full(count, GBPS),
        link_a=ends[:, 0],
        link_b=ends[:, 1],
        link_gbps=np.full(len(ends), GBPS),
        tier=np.zeros(count, dtype=np.int64),
        position=np.array(position, dtype=np.int64).reshape(count, -1),
        edge_count=count,
    )


def torus(*sizes) -> Network:
    """A grid that closes in every dimension."""
    spots = list(itertools.product(*map(range, sizes)))
    number = {spot: index for index, spot in enumerate(spots)}
    pairs = set()
    for spot in spots:
        for axis, size in enumerate(sizes):
            far = (*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])
            pairs.add((min(number[spot], number[far]), max(number[spot], number[far])))
    return routers(spots, sorted(pairs))


@pytest.mark.parametrize(("leaves", "down", "up"), [(4, 8, 8), (4, 8, 2), (6, 9, 12), (144, 72, 72)])
def test_leaves_and_spines_carry_uplinks_over_down_ports(leaf_spine, leaves, down, up):
    """Every half has as many uplinks as endpoints times up over down."""
    assert bisection(leaf_spine(leaves, down, up)) == pytest.approx(up / down)


@pytest.mark.parametrize(("sizes", "links"), [((4,), 2), ((4, 4), 8), ((8, 4), 8), ((4, 8), 8), ((4, 4, 2), 16)])
def test_rings_are_cut_twice_across_the_longest(sizes, links):
    """A torus has two links of each ring of its longest dimension between halves."""
    assert bisection(torus(*sizes)) == pytest.approx(links / (np.prod(sizes) / 2))


def test_two_groups_are_joined_by_their_global_links():
    """Two full groups of four with three global links: 3 of 4."""
    inside = [pair for group in (range(4), range(4, 8)) for pair in itertools.combinations(group, 2)]
    network = routers([0] * 4 + [1] * 4, [*inside, (0, 4), (1, 5), (2, 6)])
    assert bisection(network) == pytest.approx(3 / 4)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_no_less_than_the_least_of_all_bisections(seed):
    """Every balanced cut of six routers with random links is tried."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in itertools.combinations(range(6), 2) for _ in range(int(rng.integers(0, 3)))]
    network = routers([[each] for each in range(6)], pairs)
    least = min(sum((a in half) != (b in half) for a, b in pairs) / 3 for half in itertools.combinations(range(6), 3))
    assert bisection(network) >= least - 1e-9


def test_one_switch_has_no_halves(leaf_spine):
    """Nothing lies between endpoints of one switch."""
    assert bisection(leaf_spine(1, 8, 0)) is None
