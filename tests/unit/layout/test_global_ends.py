"""Ends of global links: as cheap as any even spread, bounded by the linear program, and even indeed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.layout.global_ends import Joined, Spread, join, spreads
from fabric.model.topology import Device, Link, Port, Topology
from fabric.topology.global_links import numbered


def spread_of(sizes: list[int], links: int, bundle: int = 1) -> Spread:
    """So many links between every two groups, dealt by an arrangement."""
    count = range(len(sizes))
    matrix = [[0 if i == j else links for j in count] for i in count]
    held = np.zeros(sum(sizes), dtype=np.int64)
    for ends in numbered(sizes, matrix, "absolute"):
        held[list(ends)] += 1
    group = np.repeat(count, sizes)
    names = tuple(f"r{number}" for number in range(sum(sizes)))
    return Spread(names, group, held, held, np.array(matrix), bundle)


def prices(chance: np.random.Generator, spread: Spread, racks: int) -> tuple[np.ndarray, np.ndarray]:
    """Switches in racks, and a price of a link between every two of these."""
    rack = chance.integers(0, racks, len(spread.names))
    between = chance.integers(0, 1000, (racks, racks))
    between += between.T
    return rack, between[np.ix_(rack, rack)]


def matrix_of(spread: Spread, found: Joined) -> np.ndarray:
    """(switches, switches) links found."""
    number = {name: index for index, name in enumerate(spread.names)}
    links = np.zeros((len(number), len(number)), dtype=np.int64)
    for a, b in found.ends:
        links[number[a], number[b]] += 1
        links[number[b], number[a]] += 1
    return links


def least_cost(spread: Spread, price: np.ndarray) -> int:
    """Of all even spreads, each tried."""
    ways = []
    for low, high in combinations(range(len(spread.size)), 2):
        rows, columns = (np.flatnonzero(spread.group == group) for group in (low, high))
        cells = list(product(rows, columns))
        whole, more = divmod(int(spread.between[low, high]), len(cells))
        ways.append([[*cells * whole, *chosen] for chosen in combinations(cells, more)])
    best = None
    for choice in product(*ways):
        cells = np.array([cell for chosen in choice for cell in chosen])
        held = np.bincount(cells.ravel(), minlength=len(spread.names))
        to_group = np.zeros((len(spread.names), len(spread.size)), dtype=np.int64)
        np.add.at(to_group, (cells.ravel(), spread.group[cells[:, ::-1].ravel()]), 1)
        share = spread.between[spread.group] / spread.size[spread.group, None]
        even = (np.floor(share) <= to_group) & (to_group <= np.ceil(share))
        if (spread.fewest <= held).all() and (held <= spread.most).all() and even.all():
            cost = int(price[cells[:, 0], cells[:, 1]].sum())
            best = cost if best is None else min(best, cost)
    assert best is not None
    return best


CASES = [([2, 2, 2], 1), ([2, 2, 2], 3), ([2, 2, 2, 2], 1), ([3, 3], 4), ([3, 3], 7), ([2, 2, 1], 1), ([3, 2, 2], 2)]


@pytest.mark.parametrize(("sizes", "links"), CASES)
@pytest.mark.parametrize("bundle", [1, 2])
@pytest.mark.parametrize("racks", [2, 9])
def test_no_even_spread_is_cheaper(sizes, links, racks, bundle):
    """Every even spread is tried; prices differ by rack, and the linear program is met or undercut."""
    chance = np.random.default_rng(links + racks)
    met = 0
    for _ in range(6):
        spread = spread_of(sizes, links * bundle).bundled(bundle)
        rack, price = prices(chance, spread, racks)
        found = join(spread, rack, price)
        assert found is not None
        least = least_cost(spread, price)
        assert found.cost == least
        assert found.bound_cost <= least
        met += found.bound_cost == least
    assert met >= 5


groups = st.lists(st.integers(1, 5), min_size=2, max_size=5)


@settings(max_examples=150)
@given(groups, st.integers(1, 30), st.integers(1, 3), st.integers(1, 4), st.integers(0, 999))
def test_links_stay_as_many_and_even(sizes, links, bundle, racks, seed):
    """Of every switch, of every two groups; and two switches share as many bundles as any two of the same groups."""
    spread = spread_of(sizes, links * bundle).bundled(bundle)
    if spread is None:
        return
    rack, price = prices(np.random.default_rng(seed), spread, racks)
    found = join(spread, rack, price)
    if found is None:
        return
    joined = matrix_of(spread, found)
    assert (joined % bundle == 0).all()
    joined //= bundle
    assert (spread.fewest <= joined.sum(axis=1)).all()
    assert (joined.sum(axis=1) <= spread.most).all()
    assert int((joined * price).sum()) == 2 * found.cost >= 2 * found.bound_cost
    member = spread.group[:, None] == np.arange(len(sizes))
    to_group = joined @ member
    assert (member.T @ to_group == spread.between).all()
    for low, high in combinations(range(len(sizes)), 2):
        block = joined[np.ix_(spread.group == low, spread.group == high)]
        for counts in (block, block.sum(axis=0), block.sum(axis=1)):
            assert counts.max() - counts.min() <= 1


def test_groups_of_equal_size_always_have_an_even_spread():
    """Whatever the arrangement, a spread is found between groups of one size."""
    for size, links, count in product((1, 2, 5), (1, 3, 8, 25), (2, 3, 6)):
        spread = spread_of([size] * count, links)
        rack, price = prices(np.random.default_rng(1), spread, 3)
        assert join(spread, rack, price) is not None


def test_a_rest_makes_no_bundles():
    """Bundles come out even for every two groups, or not at all; a switch may have one more or less."""
    assert spread_of([2, 2], 3).bundled(2) is None
    found = spread_of([2, 2, 2], 2).bundled(2)
    assert found is not None
    assert (found.bundle, found.between[0, 1]) == (2, 1)
    assert found.fewest.tolist() == found.most.tolist() == [1] * 6
    found = spread_of([2, 2], 2).bundled(2)
    assert found is not None
    assert (found.fewest.tolist(), found.most.tolist()) == ([0] * 4, [1] * 4)


def test_planes_are_spread_by_themselves():
    """Links are counted by plane; other kinds are none of it, and groups may have any numbers."""
    devices, links = [], []
    for plane in range(2):
        names = [f"r-{plane}-{index}" for index in range(4)]
        devices += [Device(name, "router", "r", plane=plane, group=3 + index // 2) for index, name in enumerate(names)]
        for number, (a, b) in enumerate([(0, 2), (1, 3), (1, 2)][: 2 + plane]):
            ends = (Port(names[a], str(number), f"a{number}"), Port(names[b], str(number), f"b{number}"))
            links.append(Link(f"g-{plane}-{number}", "global", *ends, 400, plane=plane))
        links.append(Link(f"l-{plane}", "local", Port(names[0], "9", "9"), Port(names[1], "9", "9"), 400, plane=plane))
    found = list(spreads(Topology("dragonfly", {}, tuple(devices), tuple(links))))
    assert [spread.most.tolist() for spread in found] == [[1, 1, 1, 1], [1, 2, 2, 1]]
    assert [spread.between[0, 1] for spread in found] == [2, 3]
    assert found[1].names == ("r-1-0", "r-1-1", "r-1-2", "r-1-3")
    assert Counter(found[0].group.tolist()) == {0: 2, 1: 2}
