"""Which switches of a plane are interchangeable, proved by permutations that leave it as it is.

Twins, switches with the same pipes to the same others, may be swapped at will. The planes of twin classes that are
left are searched for automorphisms as programs for graph isomorphism do: one switch is singled out in two copies of the
plane, colours are refined until nothing is open, and the map that results is checked pipe by pipe. So what is called
equal is equal, and a symmetry that is not found only leaves more classes.
Source: weisfeiler-leman-1968.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from fabric.model.network import IntArray

MOST_MISSES = 16
"""Maps tried in vain for the switches of one colour before the rest of them count as different."""


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """Switches and arcs with what tells them apart.

    Attributes:
        colour: (n_switches,) what a switch is; equal numbers may be interchangeable.
        source: (n_arcs,) switch where each arc begins; every pipe is two arcs, one each way.
        target: (n_arcs,) switch where it ends.
        label: (n_arcs,) what an arc is: its rate and how routing sees it.
    """

    colour: IntArray
    source: IntArray
    target: IntArray
    label: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Symmetry:
    """What may be swapped.

    Attributes:
        twin: (n_switches,) class of twins of each switch, numbered from 0 in order of their first one.
        moves: permutations of the classes of twins that leave the plane as it is, (n_classes,) each.
        look: (n_switches,) number shared by all switches whose surroundings look alike at every distance. Switches
            that are interchangeable look alike; the reverse holds for regular planes and is no proof.
    """

    twin: IntArray
    moves: tuple[IntArray, ...]
    look: IntArray


def symmetry(plane: Marked) -> Symmetry:
    """Twins of a plane, and permutations of their classes."""
    twin = _twins(plane)
    first = np.unique(twin, return_index=True)[1]
    kinds, labels = first.size, int(plane.label.max(initial=0)) + 1
    pair, label = np.divmod(np.unique((twin[plane.source] * kinds + twin[plane.target]) * labels + plane.label), labels)
    kind = np.unique(np.column_stack([plane.colour[first], np.bincount(twin)]), axis=0, return_inverse=True)[1]
    small = Marked(_numbered(kind), *np.divmod(pair, kinds), label)
    look = _refined(small, small.colour)
    return Symmetry(twin, tuple(_moves(small, look)), look[twin])


def _twins(plane: Marked) -> IntArray:
    """(n_switches,) class of each switch by its pipes, whether twins are joined to each other or not.

    Twins that are joined have equal pipes if each counts as joined to itself in the same way.
    """
    count, nobody = plane.colour.size, np.zeros(0, dtype=np.int64)
    classes = _by_pipes(plane, nobody, nobody)
    among_equals = plane.colour[plane.source] == plane.colour[plane.target]
    for turn, label in enumerate(np.unique(plane.label[among_equals]), start=1):
        joined = np.unique(plane.source[plane.label == label])
        for value, members in _groups(_by_pipes(plane, joined, np.full(joined.size, label))):
            if members.size > 1 and np.isin(members, joined).all():
                classes[members] = turn * count + value
    _, first, number = np.unique(classes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int64)


def _by_pipes(plane: Marked, loop: IntArray, loop_label: IntArray) -> IntArray:
    """(n_switches,) number of each switch by its colour and the arcs to and from it, with loops at some switches."""
    near = np.concatenate([plane.source, plane.target, loop, loop])
    far = np.concatenate([plane.target, plane.source, loop, loop])
    way = np.repeat([0, 1, 0, 1], [plane.source.size, plane.source.size, loop.size, loop.size])
    label = np.concatenate([plane.label, plane.label, loop_label, loop_label])
    order = np.lexsort((label, way, far, near))
    rows = np.column_stack([far, way, label])[order]
    parts = np.split(rows, np.cumsum(np.bincount(near, minlength=plane.colour.size))[:-1])
    number: dict[tuple[int, bytes], int] = {}
    found = [
        number.setdefault((colour, part.tobytes()), len(number))
        for colour, part in zip(plane.colour.tolist(), parts, strict=True)
    ]
    return np.array(found, dtype=np.int64)


def _moves(plane: Marked, look: IntArray) -> Iterator[IntArray]:
    """Permutations that leave a plane as it is, until all switches that they can join are joined."""
    orbit = np.arange(look.size)
    for _, members in _groups(look):
        heads: list[int] = []
        misses = 0
        for switch in members.tolist():
            if any(orbit[switch] == orbit[head] for head in heads):
                continue
            for head in heads:
                found = _mapped(plane, look, head, switch) if misses < MOST_MISSES else None
                if found is not None:
                    yield found
                    orbit = _joined(orbit, found)
                    break
                misses += 1
            else:
                heads.append(switch)


def _joined(orbit: IntArray, move: IntArray) -> IntArray:
    """(n,) orbits, each named by its first switch, with that of every switch and that of its image made one."""
    ends = (np.tile(np.arange(orbit.size), 2), np.concatenate([orbit, move]))
    parts = connected_components(csr_array((np.ones(2 * orbit.size), ends)), directed=False)[1]
    return np.unique(parts, return_index=True)[1][parts].astype(np.int64)


def _mapped(plane: Marked, look: IntArray, head: int, switch: int) -> IntArray | None:
    """A permutation that leaves the plane as it is and takes `head` to `switch`; None if none was found."""
    count = look.size
    both = Marked(
        np.tile(plane.colour, 2),
        np.concatenate([plane.source, plane.source + count]),
        np.concatenate([plane.target, plane.target + count]),
        np.tile(plane.label, 2),
    )
    colour, pair = np.tile(look, 2), (head, count + switch)
    while True:
        colour[list(pair)] = colour.max() + 1
        colour = _refined(both, colour)
        here, there = (np.bincount(half, minlength=int(colour.max()) + 1) for half in (colour[:count], colour[count:]))
        if (here != there).any():
            return None
        if here.max() == 1:
            break
        open_colour = int(np.flatnonzero(here > 1)[0])
        mine, other = (np.flatnonzero(half == open_colour) for half in (colour[:count], colour[count:]))
        same = other[other == mine[0]]
        pair = (int(mine[0]), count + int(same[0] if same.size else other[0]))
    move = np.argsort(colour[count:])[colour[:count]]
    return move if _keeps(plane, move) else None


def _keeps(plane: Marked, move: IntArray) -> bool:
    """Whether a permutation of the switches leaves every colour and every arc as it is."""
    count, labels = plane.colour.size, int(plane.label.max(initial=0)) + 1

    def keys(source: IntArray, target: IntArray) -> IntArray:
        return np.sort((source * count + target) * labels + plane.label)

    same = keys(plane.source, plane.target) == keys(move[plane.source], move[plane.target])
    return bool((plane.colour[move] == plane.colour).all() and same.all())


def _refined(plane: Marked, colour: IntArray) -> IntArray:
    """(n_switches,) the coarsest colours finer than those given by which all neighbours of equals are equal."""
    order = np.argsort(plane.source, kind="stable")
    source, target, label = plane.source[order], plane.target[order], plane.label[order].astype(np.uint64)
    near, start = np.unique(source, return_index=True)
    labels = np.uint64(int(plane.label.max(initial=0)) + 1)
    colour = _numbered(colour)
    while True:
        seen = _mixed(colour[target].astype(np.uint64) * labels + label)
        sums = np.zeros(colour.size, dtype=np.uint64)
        if near.size:
            sums[near] = np.add.reduceat(seen, start)
        finer = _numbered(_mixed(colour.astype(np.uint64)) ^ _mixed(sums))
        if int(finer.max(initial=0)) == int(colour.max(initial=0)):
            return colour
        colour = finer


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Values spread over all 64 bits, so that sums of different ones differ: the finaliser of SplitMix64."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


def _numbered(values: NDArray[np.generic]) -> IntArray:
    """(n,) number of each value among the distinct ones."""
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _groups(classes: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Every class with its members, ascending."""
    order = np.argsort(classes, kind="stable")
    values, start = np.unique(classes[order], return_index=True)
    yield from zip(values.tolist(), np.split(order, start[1:]), strict=True)
