"""Components: cages that links tie together, directly or through other cages. Each is cabled on its own.

A cage holds one pluggable or one cable end. So if one cage of a component has a pluggable, the far ends of its
fibres have one too, and so has the whole component; and if it has none, each cage holds one end of the one cable
that carries all its links. Hence a component is either all fibre or a single copper or active optical assembly.
Components of equal shape are priced together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from fabric.layout.cage import Cage, EndSpec, label_order
from fabric.layout.ladder import Whole
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
    """Used cages in order, the two cages of every link (links, 2), and the components grouped by shape."""

    cages: tuple[Cage, ...]
    ends: Whole
    groups: tuple[Group, ...]


def cage_graph(links: tuple[Link, ...], specs: Mapping[Cage, EndSpec], slot: Sequence[int]) -> CageGraph:
    """Components of the cages that `links` use, which are those of `specs`, with the slot of each link.

    Groups come in the order of their first link.
    """
    cages = tuple(sorted(specs, key=label_order))
    number = {cage: index for index, cage in enumerate(cages)}
    ports = (port for link in links for port in (link.a, link.b))
    ends = np.fromiter((number[port.device, port.cage] for port in ports), dtype=np.int64).reshape(-1, 2)
    edges = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(cages), len(cages)))
    count, found = connected_components(edges, directed=False)
    label = found.astype(np.int64)
    cage_parts, local = _partition(label, count)
    link_parts, _ = _partition(label[ends[:, 0]], count)
    members: dict[tuple[tuple[EndSpec, ...], tuple[Joint, ...]], list[int]] = {}
    for component in sorted(range(count), key=lambda part: link_parts[part][0]):
        joints = tuple(
            Joint(int(local[ends[index, 0]]), int(local[ends[index, 1]]), links[index].kind, slot[index])
            for index in link_parts[component]
        )
        key = (tuple(specs[cages[index]] for index in cage_parts[component]), joints)
        members.setdefault(key, []).append(component)
    groups = tuple(
        Group(
            Shape(*key),
            np.array([cage_parts[part] for part in parts]),
            np.array([link_parts[part] for part in parts]),
        )
        for key, parts in members.items()
    )
    return CageGraph(cages, ends, groups)


def _partition(label: Whole, count: int) -> tuple[list[Whole], Whole]:
    """Members of each label in order, and each member's place among those of its label."""
    order = np.argsort(label, kind="stable")
    sizes = np.bincount(label, minlength=count)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    place = np.empty(len(label), dtype=np.int64)
    place[order] = np.arange(len(label)) - starts[label[order]]
    return [order[starts[part] : starts[part + 1]] for part in range(count)], place
