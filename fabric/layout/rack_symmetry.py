"""Racks that a placement problem cannot tell apart: mirrored halls, rows alike.

A symmetry takes racks to racks, site by site, and groups of leaves to groups, and changes no price, no room and no
limit. So whatever assignment has many spines in one rack has a twin with as many in each rack alike, at the same cost.

Symmetries are looked for by refining colours: racks and groups that are told apart by prices to others of any colour
get different ones. With one rack marked, and then with another one, the colours pair up all racks and groups. Each
pairing is checked against the problem entry by entry; one missed costs time later, never a proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fabric.layout.assignment import SiteProblem
from fabric.layout.cells import Cells
from fabric.layout.transport import Bools, Ints, ShortInts

Words = npt.NDArray[np.uint64]

MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""Odd constants that spread the bits of a word (any do)."""

MOST_VERTICES = 1024
"""Racks and groups among which symmetries are looked for: every look takes all pairs."""

MOST_TRIES = 16
"""Racks of one colour that are paired with the first of them at most."""


@dataclass(frozen=True)
class Symmetry:
    """Symmetries of a problem (each (racks,) the rack that each is taken to), and the racks that they make alike.

    Attributes:
        maps: symmetries found.
        orbit: (racks,) the first rack that each is alike to.
    """

    maps: tuple[Ints, ...]
    orbit: Ints

    def keeps(self, counts: Ints) -> bool:
        """Whether all symmetries leave counts (racks,) as they are."""
        return all(np.array_equal(counts[each], counts) for each in self.maps)

    def alike(self, rack: int) -> Bools:
        """(racks,) which are alike to one, itself too."""
        alike: Bools = self.orbit == self.orbit[rack]
        return alike


def rack_symmetry(cells: Cells) -> Symmetry:
    """Symmetries of a problem whose cells are whole racks, as far as they are found."""
    count = len(cells.numbers)
    if count + len(cells.tree.problem.leaves) > MOST_VERTICES:
        return Symmetry((), np.arange(count))
    linked = _linked(cells)
    colour = _refined(linked, np.zeros(len(linked), dtype=np.int64))
    of_rack = colour[-count:]
    sizes = np.bincount(of_rack)[of_rack]
    many = np.flatnonzero(sizes > 1)
    maps = []
    if len(many):
        first = int(many[np.argmin(sizes[many])])
        for other in np.flatnonzero(of_rack == of_rack[first])[1 : 1 + MOST_TRIES]:
            paired = _paired(linked, colour, len(linked) - count + first, len(linked) - count + int(other))
            if paired is not None and _is_symmetry(cells, paired):
                maps.append(paired[-count:] - (len(linked) - count))
    return Symmetry(tuple(maps), _orbits(count, maps))


def _linked(cells: Cells) -> Words:
    """(groups + racks, groups + racks) words that tell prices between them apart, and rooms on the diagonal."""
    problem, pick = cells.tree.problem, np.array(cells.numbers)
    groups, racks = len(problem.leaves), len(pick)
    linked = np.zeros((groups + racks, groups + racks), dtype=np.uint64)
    linked[groups:, groups:] = _mixed(cells.trunk, 1) + _mixed(cells.trunk.T, 2)
    linked[:groups, groups:] = _mixed(cells.tree.own[:, pick], 3)
    linked[groups:, :groups] = _mixed(cells.tree.own[:, pick].T, 4)
    group = _mixed(problem.weight, 5) + _mixed(problem.leaves, 6)
    rack = _mixed(cells.room, 7) + _mixed(cells.spine_room, 8) + _mixed(cells.spine_own, 9)
    linked[np.diag_indices(groups + racks)] += np.concatenate([group, rack])
    return linked


def _mixed(values: ShortInts, salt: int) -> Words:
    """Words that spread whole numbers over all bits, another way for each salt."""
    word = values.astype(np.uint64) + np.uint64(salt * 0x9E3779B97F4A7C15 % 2**64)
    for mixer in MIXERS:
        word = (word ^ (word >> np.uint64(29))) * mixer
    return word ^ (word >> np.uint64(32))


def _refined(linked: Words, colour: Ints) -> Ints:
    """(vertices,) colours that no further look at the colours of others splits."""
    count = int(colour.max()) + 1
    while True:
        seen = _mixed((linked ^ _mixed(colour, 10)).view(np.int64), 11).sum(axis=1, dtype=np.uint64)
        _, finer = np.unique(np.stack([colour.astype(np.uint64), seen], axis=1), axis=0, return_inverse=True)
        colour, before = finer.reshape(-1), count
        count = int(colour.max()) + 1
        if count == before:
            return colour


def _paired(linked: Words, colour: Ints, one: int, other: int) -> Ints | None:
    """(vertices,) where each goes if `one` goes to `other`, told by colours; None where these do not pair up."""
    mine, theirs = _marked(linked, colour, one), _marked(linked, colour, other)
    while True:
        sizes = np.bincount(mine)
        if not np.array_equal(sizes, np.bincount(theirs)):
            return None
        if len(sizes) == len(mine):
            break
        split = int(sizes.argmax())
        mine = _marked(linked, mine, int(np.argmax(mine == split)))
        theirs = _marked(linked, theirs, int(np.argmax(theirs == split)))
    paired = np.empty_like(mine)
    paired[np.argsort(mine)] = np.argsort(theirs)
    return paired


def _marked(linked: Words, colour: Ints, vertex: int) -> Ints:
    """Colours with one vertex marked."""
    marked = 2 * colour
    marked[vertex] += 1
    return _refined(linked, np.unique(marked, return_inverse=True)[1].reshape(-1))


def _is_symmetry(cells: Cells, paired: Ints) -> bool:
    """Whether taking groups and racks where they are paired to, site by site, changes nothing in the problem."""
    problem = cells.tree.problem
    groups = len(problem.leaves)
    group, rack = paired[:groups], paired[groups:] - groups
    if (group >= groups).any() or (rack < 0).any():
        return False
    from_sites = [np.arange(len(problem.rack))[cells.tree.sites_of(number)] for number in cells.numbers]
    if any(len(from_sites[a]) != len(from_sites[b]) for a, b in enumerate(rack)):
        return False
    site = np.empty(len(problem.rack), dtype=np.int64)
    for a, b in enumerate(rack):
        site[from_sites[a]] = from_sites[b]
    return _is_same(problem, group, site)


def _is_same(problem: SiteProblem, group: Ints, site: Ints) -> bool:
    """Whether groups and sites may be renamed like this."""
    by_site = (problem.capacity, problem.spine_own, problem.spine_allowed)
    by_group = (problem.leaves, problem.weight)
    by_both = (problem.own, problem.leaf_allowed)
    return (
        all(np.array_equal(each[site], each) for each in by_site)
        and all(np.array_equal(each[group], each) for each in by_group)
        and all(np.array_equal(each[np.ix_(group, site)], each) for each in by_both)
        and np.array_equal(problem.trunk[np.ix_(site, site)], problem.trunk)
    )


def _orbits(count: int, maps: list[Ints]) -> Ints:
    """(racks,) the first rack that maps, one after the other, take each to or from."""
    orbit = np.arange(count)
    while True:
        before = orbit.copy()
        for each in maps:
            np.minimum.at(orbit, each, orbit.copy())
            orbit = np.minimum(orbit, orbit[each])
        if np.array_equal(orbit, before):
            return orbit
