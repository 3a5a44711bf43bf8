"""Ways between edge switches: through spines and cores of a tree, and through a network without tiers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

Joined = tuple[str, str]
"""Names of two switches that links join."""

NONE, ONE, MANY = 0, 1, 2
"""How many switches two others have a way over, counted no further than to two."""


class CoreWays:
    """Ways up and down again in a tree of three tiers, by names."""

    def __init__(self, spines_of: Mapping[str, frozenset[str]], joined: Iterable[Joined]) -> None:
        """Take the spines of every leaf, and every spine and core that links join."""
        self._spines_of = spines_of
        links = sorted(set(joined))
        self._cores = sorted({core for _, core in links})
        self._bit = {core: 1 << place for place, core in enumerate(self._cores)}
        # Cores as bits of a whole number: what many spines reach is one operation each.
        self._cores_of: dict[str, int] = {}
        for spine, core in links:
            self._cores_of[spine] = self._cores_of.get(spine, 0) | self._bit[core]

    def cut(self, leaf: str, other: str) -> tuple[int, str | None]:
        """Whether no switch, one or several join two leaves, and the one whose loss parts them.

        Only a switch on each of their ways can part them, so those of one way are tried.
        """
        here, there = self._spines_of[leaf], self._spines_of[other]
        way = self._way(here, there)
        for switch in way:
            if not self._way(here - {switch}, there - {switch}, switch):
                return ONE, switch
        return (MANY if way else NONE), None

    def _way(self, here: frozenset[str], there: frozenset[str], lost: str = "") -> tuple[str, ...]:
        """Switches of a way from some spines to others, over a spine of both or a core that is not lost; () if none."""
        if shared := here & there:
            return (min(shared),)
        common = self._above(here) & self._above(there)
        if lost in self._bit:
            common &= ~self._bit[lost]
        if not common:
            return ()
        bit = common & -common
        ends = (min(spine for spine in side if self._cores_of.get(spine, 0) & bit) for side in (here, there))
        return (*ends, self._cores[bit.bit_length() - 1])

    def _above(self, spines: frozenset[str]) -> int:
        return reduce(or_, (self._cores_of.get(spine, 0) for spine in spines), 0)


@dataclass(frozen=True)
class Mesh:
    """Switches that are joined without tiers, and those of them that have nodes.

    Attributes:
        names: all switches.
        joined: every two that a link joins.
        used: those with nodes.
    """

    names: Sequence[str]
    joined: Iterable[Joined]
    used: frozenset[str]

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Switches with nodes by the part of the mesh that they are in, the largest part first."""
        found: dict[str, list[str]] = {}
        for name in self._walked.order:
            found.setdefault(self._walked.root[name], []).append(name)
        parts = [tuple(sorted(name for name in part if name in self.used)) for part in found.values()]
        return tuple(sorted((part for part in parts if part), key=lambda part: (-len(part), part)))

    @cached_property
    def cuts(self) -> tuple[tuple[str, str, int], ...]:
        """Switches whose loss parts others: the switch, one with nodes beyond it, and how many of these there are.

        A switch is one if from somewhere below it in a depth-first walk no link leads above it.
        """
        walk = self._walked
        lowest, below, sample = dict(walk.number), dict.fromkeys(walk.order, 0), dict[str, str]()
        total = dict.fromkeys(walk.order, 0)
        for name in self.used:
            total[walk.root[name]] += 1
        found: dict[str, tuple[str, int]] = {}
        for name in reversed(walk.order):
            below[name] += name in self.used
            if name in self.used:
                sample.setdefault(name, name)
            lowest[name] = min([lowest[name], *(walk.number[far] for far in walk.neighbours[name])])
            above = walk.parent.get(name)
            if above is None:
                continue
            for far in walk.children[name]:
                lowest[name] = min(lowest[name], lowest[far])
            below[above] += below[name]
            if name in sample:
                sample.setdefault(above, sample[name])
            rest = total[walk.root[name]] - below[name] - (above in self.used)
            if lowest[name] >= walk.number[above] and below[name] and rest:
                found.setdefault(above, (sample[name], below[name]))
        return tuple((name, *found[name]) for name in sorted(found))

    @cached_property
    def _walked(self) -> _Walk:
        neighbours: dict[str, list[str]] = {name: [] for name in self.names}
        for a, b in sorted(set(self.joined)):
            neighbours[a].append(b)
            neighbours[b].append(a)
        return _walk(neighbours)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A depth-first walk: switches in the order met, with their number, parent, children and start of their part."""

    neighbours: Mapping[str, Sequence[str]]
    order: list[str]
    number: dict[str, int]
    parent: dict[str, str]
    children: dict[str, list[str]]
    root: dict[str, str]


def _walk(neighbours: Mapping[str, Sequence[str]]) -> _Walk:
    walk = _Walk(neighbours, [], {}, {}, {name: [] for name in neighbours}, {})
    for start in neighbours:
        if start in walk.number:
            continue
        ahead: list[tuple[str, Iterator[str]]] = []
        _meet(walk, start, start, ahead)
        while ahead:
            name, rest = ahead[-1]
            far = next((each for each in rest if each not in walk.number), None)
            if far is None:
                ahead.pop()
                continue
            walk.parent[far] = name
            walk.children[name].append(far)
            _meet(walk, far, start, ahead)
    return walk


def _meet(walk: _Walk, name: str, root: str, ahead: list[tuple[str, Iterator[str]]]) -> None:
    walk.number[name] = len(walk.order)
    walk.order.append(name)
    walk.root[name] = root
    ahead.append((name, iter(walk.neighbours[name])))
