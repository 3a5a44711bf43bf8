"""Ways to fill a cage, and the cheapest choice of them, against plain enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.layout.cage_fill import EMPTY, Choices, arrangement_count, arrangements, cheapest_fill, in_order


@pytest.mark.parametrize(("classes", "ports"), [(1, 1), (3, 2), (2, 3), (3, 4), (1, 8)])
def test_arrangements_are_all_and_each_once(classes, ports):
    """Every way to put classes or nothing on the ports has one spelling, and only the empty cage is left out."""
    every = {in_order(slots) for slots in itertools.product(range(classes + 1), repeat=ports)}
    found = arrangements(range(1, classes + 1), ports)
    assert len(found) == len(set(found)) == arrangement_count(classes, ports)
    assert {*found} == every - {(EMPTY,) * ports}


def test_ports_of_a_splitter_stay_together():
    """In a cage of four ports 0 and 1 share a splitter, and 2 and 3: pairs may trade places, links of them may not."""
    assert in_order((1, 3, 2, 2)) == in_order((2, 2, 3, 1)) == (3, 1, 2, 2)
    assert in_order((1, 2, 3, 2)) != in_order((1, 3, 2, 2))


@st.composite
def leaves(draw):
    """Links of up to three classes, two kinds of cages, and a rank of two columns for some ways to fill them."""
    links = {each: draw(st.integers(1, 3)) for each in range(1, draw(st.integers(1, 3)) + 1)}
    cages = (draw(st.integers(0, 4)), draw(st.integers(0, 3)))
    ways = [(kind, slots) for kind in range(2) for slots in arrangements(list(links), 2) if draw(st.booleans())]
    ranks = [(draw(st.integers(0, 3)), draw(st.integers(0, 30))) for _ in ways]
    return links, cages, ways, ranks, draw(st.sampled_from((None, None, 3)))


def exhaustive(links, cages, ways, ranks, cages_used):
    """Least rank over every multiset of ways; None where nothing fits."""
    totals = []
    for count in range(sum(links.values()) + 1) if cages_used is None else (cages_used,):
        for chosen in itertools.combinations_with_replacement(range(len(ways)), count):
            held = [each for way in chosen for each in ways[way][1] if each != EMPTY]
            fits = all(sum(ways[way][0] == kind for way in chosen) <= most for kind, most in enumerate(cages))
            if fits and all(held.count(each) == number for each, number in links.items()):
                totals.append(tuple(sum(ranks[way][column] for way in chosen) for column in range(2)))
    return min(totals, default=None)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(leaves())
def test_cheapest_fill_is_the_least_of_all(leaf):
    """The first column of the rank decides, the second among its equals; None only where nothing fits."""
    links, cages, ways, ranks, cages_used = leaf
    kinds, slots = [kind for kind, _ in ways], [slots for _, slots in ways]
    choices = Choices(tuple(slots), np.array(ranks, dtype=np.int64).reshape(-1, 2), tuple(kinds))
    times = cheapest_fill(links, cages, choices, cages_used=cages_used)
    best = exhaustive(links, cages, ways, ranks, cages_used)
    assert (times is None) == (best is None)
    if times is not None:
        assert tuple((np.array(times) @ choices.rank).tolist()) == best
