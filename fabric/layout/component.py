"""Components: cages that links tie together, directly or through other cages. Each is cabled on its own.

A cage holds one pluggable or one cable end. So if one cage of a component has a pluggable, the far ends of its
fibres have one too, and so has the whole component; and if it has none, each cage holds one end of the one cable
that carries all its links. Hence a component is either all fibre or a single copper or active optical assembly.
Components of equal shape are priced together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from fabric.layout.cage import EndSpec
from fabric.layout.ladder import Whole
from fabric.layout.used_cages import UsedCages
from fabric.model.topology import Link


class Joint(NamedTuple):
    """One link of a shape: its two cages as numbers within the shape, its kind, and its slot (`cage.slots`)."""

    a: int
    b: int
    kind: str
    slot: int


@dataclass(frozen=True)
class Shape:
    """What a component looks like, without names: its cages and the links between them."""

    ends: tuple[EndSpec, ...]
    joints: tuple[Joint, ...]

    @cached_property
    def links_at(self) -> tuple[tuple[int, ...], ...]:
        """Per cage the links that end in it, as numbers within the shape."""
        links: list[list[int]] = [[] for _ in self.ends]
        for link, joint in enumerate(self.joints):
            links[joint.a].append(link)
            links[joint.b].append(link)
        return tuple(map(tuple, links))


@dataclass(frozen=True, slots=True)
class Group:
    """All components of one shape: cages (components, cages) and links (components, links) by number."""

    shape: Shape
    cages: Whole
    links: Whole


@dataclass(frozen=True, slots=True)
class CageGraph:
    """Used cages, and the components grouped by shape."""

    used: UsedCages
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class _Members:
    """What belongs to each component: its members one component after the other, and where each begins."""

    order: Whole
    start: Whole

    @property
    def sizes(self) -> Whole:
        """(components,) members."""
        return np.diff(self.start)

    def of(self, components: Whole) -> Whole:
        """(components, size) members of components of one size."""
        size = int(self.sizes[components[0]])
        found: Whole = self.order[self.start[components][:, None] + np.arange(size)]
        return found


def cage_graph(links: Sequence[Link], used: UsedCages) -> CageGraph:
    """Components of the cages that `links` use, by the first link of each; groups by their first component."""
    ends, count = used.ends, len(used.spec)
    label = _components(ends, count)
    members = _members(label), _members(label[ends[:, 0]])
    local = np.empty(count, dtype=np.int64)
    local[members[0].order] = np.arange(count) - members[0].start[label[members[0].order]]
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(link.kind for link in links))}
    kind = np.fromiter((kinds[link.kind] for link in links), dtype=np.int64, count=len(links))
    groups = [
        (alike[0], Group(_shape(row, used.specs, tuple(kinds)), members[0].of(alike), members[1].of(alike)))
        for alike, row in _alike(members, used.spec, np.column_stack([local[ends], kind, used.slot]).astype(np.int32))
    ]
    return CageGraph(used, tuple(group for _, group in sorted(groups, key=lambda each: each[0])))


def _components(ends: Whole, count: int) -> Whole:
    """(cages,) the component of each of `count` cages, numbered by the first link of each."""
    edges = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    found = connected_components(edges, directed=False)[1]
    _, first = np.unique(found[ends[:, 0]], return_index=True)
    label: Whole = np.argsort(np.argsort(first))[found]
    return label


def _members(label: Whole) -> _Members:
    """What has each label, in order."""
    return _Members(np.argsort(label, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(label))]))


def _alike(
    members: tuple[_Members, _Members], spec: Whole, joints: Whole
) -> Iterator[tuple[Whole, tuple[Whole, Whole]]]:
    """Components of each shape, with the kind of each cage and cages, kind and slot of each link (links, 4).

    `members` are the cages and the links of each component, `spec` is the kind of each cage.
    """
    cages, links = members
    for size in sorted(set(zip(cages.sizes.tolist(), links.sizes.tolist(), strict=True))):
        here = np.flatnonzero((cages.sizes == size[0]) & (links.sizes == size[1]))
        rows = np.empty((len(here), size[0] + 4 * size[1]), dtype=np.int32)
        rows[:, : size[0]] = spec[cages.of(here)]
        rows[:, size[0] :] = joints[links.of(here)].reshape(len(here), -1)
        alike = dict[bytes, list[int]]()
        for component, row in zip(here.tolist(), rows, strict=True):
            alike.setdefault(row.tobytes(), []).append(component)
        for text, found in alike.items():
            row = np.frombuffer(text, dtype=np.int32)
            yield np.array(found), (row[: size[0]], row[size[0] :].reshape(-1, 4))


def _shape(row: tuple[Whole, Whole], specs: Sequence[EndSpec], kinds: Sequence[str]) -> Shape:
    """A shape from the kind of each cage, and cages, kind and slot of each link."""
    ends, joints = row
    return Shape(
        tuple(specs[each] for each in ends.tolist()),
        tuple(Joint(a, b, kinds[kind], slot) for a, b, kind, slot in joints.tolist()),
    )
