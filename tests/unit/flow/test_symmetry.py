"""Which switches are interchangeable: known groups, and that every move found keeps the plane."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.flow.symmetry import Marked, symmetry


def marked(ends, colours, labels=None) -> Marked:
    """Pipes as two arcs of the same label each."""
    a, b = (np.array(column, dtype=np.int64) for column in zip(*ends, strict=True))
    label = np.zeros(a.size, dtype=np.int64) if labels is None else np.asarray(labels)
    return Marked(np.asarray(colours), np.concatenate([a, b]), np.concatenate([b, a]), np.tile(label, 2))


def orbits(found) -> list[set[int]]:
    """Switches that twins and moves join."""
    heads = list(range(found.twin.size))
    first = np.unique(found.twin, return_index=True)[1]
    pairs = [(switch, first[twin]) for switch, twin in enumerate(found.twin.tolist())]
    pairs += [(first[old], first[new]) for move in found.moves for old, new in enumerate(move.tolist())]
    for _ in heads:
        for one, other in pairs:
            heads[one] = heads[other] = min(heads[one], heads[other])
    return [{switch for switch, head in enumerate(heads) if head == each} for each in sorted(set(heads))]


def test_twins_of_a_tree():
    """Leaves and spines of a full tree are twins each; a leaf with a faster pipe is none of them."""
    ends = list(itertools.product(range(3), range(3, 5)))
    found = symmetry(marked(ends, [0, 0, 0, 1, 1]))
    assert (found.twin.tolist(), found.moves) == ([0, 0, 0, 1, 1], ())
    fast = symmetry(marked(ends, [0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0]))
    assert fast.twin.tolist() == [0, 1, 1, 2, 2]


def test_twins_that_are_joined():
    """All switches of a full mesh are twins, and of two meshes that one pipe joins those without it."""
    mesh = list(itertools.combinations(range(4), 2))
    assert symmetry(marked(mesh, [0] * 4)).twin.tolist() == [0] * 4
    two = mesh + [(a + 4, b + 4) for a, b in mesh] + [(0, 4)]
    found = symmetry(marked(two, [0] * 8))
    assert found.twin.tolist() == [0, 1, 1, 1, 2, 3, 3, 3]
    assert orbits(found) == [{0, 4}, {1, 2, 3, 5, 6, 7}]


def test_pods_are_exchanged():
    """Three pods of two leaves under one spine each, and one core: pods change places, leaves are twins in theirs."""
    ends = [(leaf, 6 + leaf // 2) for leaf in range(6)] + [(6 + pod, 9) for pod in range(3)]
    found = symmetry(marked(ends, [0] * 6 + [1] * 3 + [2]))
    assert orbits(found) == [set(range(6)), {6, 7, 8}, {9}]


def test_a_ring_turns():
    """Marked by direction a ring has turns only, and they join all its switches."""
    count = 7
    after = np.roll(np.arange(count), -1)
    source, target = np.concatenate([np.arange(count), after]), np.concatenate([after, np.arange(count)])
    ring = Marked(np.zeros(count, dtype=np.int64), source, target, np.repeat([0, 1], count))
    found = symmetry(ring)
    assert len(found.moves) == 1
    assert len(set(((found.moves[0] - np.arange(count)) % count).tolist())) == 1
    assert orbits(found) == [set(range(count))]


def test_what_looks_alike_need_not_be_equal():
    """A ring of ten beside two of five: each switch has two neighbours, yet no move joins the one with the others."""
    ends = [(i, (i + 1) % 10) for i in range(10)]
    ends += [(first + i, first + (i + 1) % 5) for first in (10, 15) for i in range(5)]
    found = symmetry(marked(ends, [0] * 20))
    assert set(found.look.tolist()) == {0}
    assert orbits(found) == [set(range(10)), set(range(10, 20))]


@pytest.mark.parametrize("seed", range(10))
def test_moves_keep_random_planes(seed):
    """On random planes of few switches every move maps every arc to an arc of its label."""
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(7), 2))
    ends = [pairs[place] for place in sorted(rng.choice(len(pairs), 8, replace=False))]
    plane = marked(ends, [0] * 7, rng.integers(0, 2, 8))
    found = symmetry(plane)
    first = np.unique(found.twin, return_index=True)[1]
    arcs = set(
        zip(found.twin[plane.source].tolist(), found.twin[plane.target].tolist(), plane.label.tolist(), strict=True)
    )
    for move in found.moves:
        assert {(int(move[a]), int(move[b]), label) for a, b, label in arcs} == arcs
        assert (np.bincount(found.twin)[move] == np.bincount(found.twin)).all()
    assert first.size == int(found.twin.max()) + 1


def test_no_pipes():
    """Switches without pipes are twins by what they are."""
    nothing = np.zeros(0, dtype=np.int64)
    assert symmetry(Marked(np.array([0, 1, 0]), nothing, nothing, nothing)).twin.tolist() == [0, 1, 0]
