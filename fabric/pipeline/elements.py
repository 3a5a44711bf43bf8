"""Elements that can fail, and which of them are alike.

Every link, cage, switch and plane is one element. Two are alike when some permutation of switches that leaves loads as
they are takes one to the other (`fabric.flow.symmetry`); that is proved. `look` is a coarser guess for fabrics where
too few are: surroundings that look alike at every distance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from fabric.flow.symmetry import Marked, symmetry
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.pipeline.networks import Gone, Plane
from fabric.pipeline.shared_load import Ports

SWITCH_KINDS = ("core", "spine", "leaf", "router")
"""Switches that can fail, by role."""

KINDS = ("node_link", "link", "cage", *SWITCH_KINDS, "plane")
"""Elements that can fail: links of nodes, links between switches, cages at either end, switches, planes."""

NAMED = {"node_link": "link"}
"""What an element of a kind is called where that is not the kind itself."""

Parts: TypeAlias = tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]
"""Planes that an element belongs to, each with the endpoint links and the switch links that are down without it."""

Item: TypeAlias = tuple[int, float, int]
"""A link: its plane in order of mention, its rate [Gb/s], and the planes that its port has links to, or its label."""

Far: TypeAlias = tuple[int, tuple[Item, ...]]
"""A class of switches, and the links to one of its switches."""

Key: TypeAlias = tuple[str, int, tuple[Far, ...]]
"""Kind, class of the switch that an element stands at (-1: a node), and what its links lead to."""


Groups: TypeAlias = "dict[Key, tuple[Element, list[str]]]"
"""By what elements are, the first of them and the names of all."""


@dataclass(frozen=True, slots=True)
class Element:
    """Something that can fail: its kind, its name as the tables spell it, the switch it stands at, what it takes."""

    kind: str
    name: str
    switch: int
    parts: Parts

    @property
    def title(self) -> str:
        """Kind and name, as reports give them."""
        return self.name if self.kind == "plane" else f"{NAMED.get(self.kind, self.kind)} {self.name}"


@dataclass(frozen=True, slots=True)
class Alike:
    """Elements whose loss leaves the same: the first one, the names of all, and whether that is proved."""

    first: Element
    names: tuple[str, ...]
    is_proved: bool


def elements(planes: Sequence[Plane], kind: str) -> Iterator[Element]:
    """Every element of a kind, by plane and place in it."""
    if kind == "cage":
        yield from _cages(planes)
    for at, plane in enumerate(planes):
        if kind == "plane":
            down = at, tuple(range(len(plane.endpoints))), tuple(range(len(plane.links)))
            yield Element(kind, f"plane {plane.number}", -1, (down,))
        elif kind == "node_link":
            yield from (Element(kind, link.name, -1, ((at, (i,), ()),)) for i, link in enumerate(plane.endpoints))
        elif kind == "link":
            near = plane.network.link_a.tolist()
            yield from (Element(kind, link.name, near[i], ((at, (), (i,)),)) for i, link in enumerate(plane.links))
        elif kind in SWITCH_KINDS:
            yield from (each for each in _switches(at, plane) if each.kind == kind)


def _switches(at: int, plane: Plane) -> Iterator[Element]:
    endpoints, links = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for index, switch in enumerate(plane.network.endpoint_switch.tolist()):
        endpoints[switch].append(index)
    for ends in (plane.network.link_a, plane.network.link_b):
        for index, switch in enumerate(ends.tolist()):
            links[switch].append(index)
    for switch, device in enumerate(plane.switches):
        yield Element(device.role, device.name, switch, ((at, tuple(endpoints[switch]), tuple(links[switch])),))


def _cages(planes: Sequence[Plane]) -> Iterator[Element]:
    """Cages of switches and of nodes, by the order of their first links; a node's may serve several planes."""
    found: dict[tuple[str, str], dict[int, tuple[list[int], list[int]]]] = {}
    place: dict[str, int] = {}
    for at, plane in enumerate(planes):
        place |= {device.name: index for index, device in enumerate(plane.switches)}
        for column, links in enumerate((plane.endpoints, plane.links)):
            for index, link in enumerate(links):
                for port in (link.a, link.b):
                    if port.cage is not None:
                        down = found.setdefault((port.device, port.cage), {}).setdefault(at, ([], []))
                        down[column].append(index)
    for (device, cage), by_plane in found.items():
        parts = tuple((at, tuple(ends), tuple(links)) for at, (ends, links) in by_plane.items())
        yield Element("cage", f"{device}:{cage}", place.get(device, -1), parts)


def gone(planes: Sequence[Plane], downs: Iterable[Element]) -> dict[int, Gone]:
    """What is down in which plane without some elements."""
    masks: dict[int, Gone] = {}
    for at, endpoints, links in (part for element in downs for part in element.parts):
        nothing = Gone(_none(len(planes[at].endpoints)), _none(len(planes[at].links)))
        mask = masks.setdefault(at, nothing)
        mask.endpoints[list(endpoints)] = True
        mask.links[list(links)] = True
    return masks


def _none(count: int) -> BoolArray:
    return np.zeros(count, dtype=np.bool_)


class _Ends(NamedTuple):
    """What the endpoint links and the links of a plane lead to, and their rates [Gb/s]."""

    leaf: list[int]
    endpoint_gbps: list[float]
    planes: list[int]
    a: list[int]
    b: list[int]
    link_gbps: list[float]
    label: list[int]

    @classmethod
    def of(cls, network: Network, planes: IntArray, label: IntArray) -> _Ends:
        """Those of a network, with the planes (n_endpoints,) that a port has links to and labels (n_arcs,) of arcs."""
        own = (network.endpoint_switch, network.endpoint_gbps, planes)
        either = np.minimum(*label.reshape(2, -1))[network.pipes.of_link]
        return cls(*(each.tolist() for each in (*own, network.link_a, network.link_b, network.link_gbps, either)))


class Likeness:
    """Which elements of some planes are alike."""

    def __init__(self, planes: Sequence[Plane], ports: Ports) -> None:
        self._planes = planes
        self._known: dict[str, list[Element]] = {}
        self._copy = ports.copy_of
        self._is_coupled = len(set(ports.copy_of)) > 1 and ports.are_shared
        marked = {at: _marked(planes[at]) for at in sorted(set(ports.copy_of))}
        self._ends = [
            _Ends.of(plane.network, ports.links_of[own], marked[copy].label)
            for plane, own, copy in zip(planes, ports.of, ports.copy_of, strict=True)
        ]
        self._moves: list[tuple[int, IntArray]] = []
        self._twin: dict[int, list[int]] = {}
        self._look: dict[int, list[int]] = {}
        self._own: dict[int, list[int]] = {}
        count = 0
        for at, plane in marked.items():
            found = symmetry(plane)
            self._twin[at], self._look[at] = (found.twin + count).tolist(), (found.look + count).tolist()
            self._own[at] = (plane.colour + count).tolist()
            self._moves += [(count, move) for move in found.moves]
            count += len(planes[at].switches)

    def exact(self, kind: str) -> list[Alike]:
        """The classes of a kind that symmetry proves, in order of their first elements."""
        return self._moved(self._grouped(kind, self._twin, self._exact_key))

    def rough(self, kind: str) -> Iterator[list[Alike]]:
        """Classes of a kind by the look of their switches, and by no more than their tier and endpoints."""
        for number in (self._look, self._own):
            groups = self._grouped(kind, number, partial(self._key, number=number)).values()
            yield [Alike(first, tuple(names), is_proved=False) for first, names in groups]

    def _grouped(self, kind: str, number: Mapping[int, Sequence[int]], key: Callable[[Element], Key]) -> Groups:
        """Elements of a kind by what they are: of every group the first one, and the names of all."""
        groups: Groups = {}
        single = {"node_link": self._node_links, "link": self._links}.get(kind)
        if single is None or (kind == "node_link" and self._is_coupled):
            if kind not in self._known:
                self._known = {kind: list(elements(self._planes, kind))}
            for element in self._known[kind]:
                groups.setdefault(key(element), (element, []))[1].append(element.name)
            return groups
        for at, plane in enumerate(self._planes):
            links = plane.endpoints if kind == "node_link" else plane.links
            rows = np.column_stack(single(at, np.asarray(number[self._copy[at]])))
            for members in _alike_rows(rows):
                index = int(members[0])
                first = Element(kind, links[index].name, *_single(kind, at, index, self._ends[at]))
                names = groups.setdefault(key(first), (first, []))[1]
                names += [links[member].name for member in members.tolist()]
        return groups

    def _node_links(self, at: int, number: IntArray) -> tuple[FloatArray, ...]:
        network, ends = self._planes[at].network, self._ends[at]
        return number[network.endpoint_switch].astype(np.float64), network.endpoint_gbps, np.array(ends.planes, float)

    def _links(self, at: int, number: IntArray) -> tuple[FloatArray, ...]:
        network, ends = self._planes[at].network, self._ends[at]
        near, far = (number[end].astype(np.float64) for end in (network.link_a, network.link_b))
        return near, far, network.link_gbps, np.array(ends.label, float)

    def _exact_key(self, element: Element) -> Key:
        """What an element is by the twins of its switches.

        Where planes differ, what moves from one to the others of them depends on every port: then those that cut
        endpoints off are alone.
        """
        if self._is_coupled and any(endpoints for _, endpoints, _ in element.parts):
            return element.title, -1, ()
        return self._key(element, self._twin)

    def _key(self, element: Element, number: Mapping[int, Sequence[int]]) -> Key:
        """What an element is, whichever of its equals each switch is."""
        copy, switch = self._copy[element.parts[0][0]], element.switch
        here = number[copy][switch] if switch >= 0 else -1
        if element.kind in SWITCH_KINDS:
            return element.kind, here, ()
        if element.kind == "plane":
            return element.kind, copy, ()
        fars: dict[tuple[int, int], list[Item]] = {}
        for order, (at, endpoints, links) in enumerate(element.parts):
            ends, copy = self._ends[at], self._copy[at]
            for index in endpoints:
                leaf = -1 if switch >= 0 else ends.leaf[index]
                fars.setdefault((copy, leaf), []).append((order, ends.endpoint_gbps[index], ends.planes[index]))
            for index in links:
                far = ends.b[index] if ends.a[index] == switch else ends.a[index]
                fars.setdefault((copy, far), []).append((order, ends.link_gbps[index], ends.label[index]))
        lead = [(number[copy][far] if far >= 0 else -1, tuple(sorted(items))) for (copy, far), items in fars.items()]
        return element.kind, here, tuple(sorted(lead))

    def _moved(self, groups: Groups) -> list[Alike]:
        """Classes of elements, those made one that a move of classes of twins takes to each other."""
        number = {key: place for place, key in enumerate(groups)}
        head = list(range(len(number)))

        def root(place: int) -> int:
            while head[place] != place:
                head[place] = head[head[place]]
                place = head[place]
            return place

        for first, move in self._moves:
            for key, place in number.items():
                image = number.get(_image(key, first, move))
                if image is not None:
                    low, high = sorted((root(place), root(image)))
                    head[high] = low
        merged: Groups = {}
        keys = list(groups)
        for place, (element, names) in enumerate(groups.values()):
            merged.setdefault(keys[root(place)], (element, []))[1].extend(names)
        return [Alike(first, tuple(names), is_proved=True) for first, names in merged.values()]


def _single(kind: str, at: int, index: int, ends: _Ends) -> tuple[int, Parts]:
    """Where one link stands, and what it takes."""
    return (-1, ((at, (index,), ()),)) if kind == "node_link" else (ends.a[index], ((at, (), (index,)),))


def _alike_rows(rows: FloatArray) -> list[IntArray]:
    """Places of equal rows, by the first of each."""
    order = np.lexsort(rows.T[::-1])
    is_new = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    groups = np.split(order, np.flatnonzero(is_new) + 1) if order.size else []
    return sorted((np.sort(group) for group in groups), key=lambda group: int(group[0]))


def _image(key: Key, first: int, move: IntArray) -> Key:
    """The key of what a move takes an element to; classes of other planes stay."""
    kind, here, fars = key

    def moved(number: int) -> int:
        return first + int(move[number - first]) if first <= number < first + move.size else number

    if kind == "plane":
        return key
    return kind, moved(here), tuple(sorted((moved(far), items) for far, items in fars))


def _marked(plane: Plane) -> Marked:
    """Switches by tier and endpoints, arcs by rate and by what routing sees of them."""
    network = plane.network
    rates, rate = np.unique(network.endpoint_gbps, return_inverse=True)
    cells = network.switch_count * rates.size
    endpoints = np.bincount(network.endpoint_switch * rates.size + rate, minlength=cells)
    own = np.column_stack([network.tier, endpoints.reshape(network.switch_count, rates.size)])
    seen = np.column_stack([np.tile(network.pipes.gbps, 2), SEEN[plane.scheme](network)])
    return Marked(_numbered(own), network.arc_from, network.arc_to, _numbered(seen))


def _numbered(rows: np.ndarray[tuple[int, int], np.dtype[np.generic]]) -> IntArray:
    """(n,) number of each row among the distinct ones, in their order; column by column, as sorting rows is slow."""
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        values, place = np.unique(column, return_inverse=True)
        number = np.unique(number * values.size + place.reshape(-1), return_inverse=True)[1].reshape(-1)
    return number


def _rise(network: Network) -> IntArray:
    """(n_arcs, 1) tiers that each arc rises by: all that up/down routing and dragonfly+ ask."""
    return np.asarray(network.tier[network.arc_to] - network.tier[network.arc_from], dtype=np.int64)[:, None]


def _within(network: Network) -> IntArray:
    """(n_arcs, 1) whether each arc stays in its group: all that a dragonfly asks."""
    group = network.position[:, :1]
    return np.asarray(group[network.arc_from] == group[network.arc_to], dtype=np.int64)


def _round(network: Network) -> IntArray:
    """(n_arcs, n_axes) steps along each ring, counted round it.

    Datelines divide lanes and nothing else: no shortest way passes one twice, so where they lie changes no load.
    """
    sizes = network.position.max(axis=0, initial=0) + 1
    steps = network.position[network.arc_to] - network.position[network.arc_from]
    return np.asarray(steps % sizes, dtype=np.int64)


SEEN: Mapping[str, Callable[[Network], IntArray]] = {
    "up_down": _rise,
    "dragonfly_minimal": _within,
    "dragonfly_plus_minimal": _rise,
    "torus_dimension_order": _round,
}
"""What each routing scheme sees of arcs beside their rate."""
