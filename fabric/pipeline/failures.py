"""The worst single failure of every kind: one link, one cage, one switch of each role down.

Switches of one role with the same pipes to the same switches and the same endpoints are interchangeable: throughput
cannot tell which of them is down. So one of each set of equals is tried, exactly and without cost in the size of a
regular tree. Where more than `MOST_TRIALS` differ, as the routers of a dragonfly do, switches whose surroundings look
alike at every distance stand for each other (colour refinement, weisfeiler-leman-1968), which is exact for fabrics
as regular as ours and a guess for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fabric.flow.throughput import uniform_throughput
from fabric.model.network import IntArray, Network
from fabric.model.topology import Link
from fabric.pipeline.networks import Gone, Plane

MEETING = 2
"""Endpoints that it takes to exchange anything; a plane with fewer is lost."""

SWITCH_KINDS = ("core", "spine", "leaf", "router")
"""Switches that can fail, by role."""

KINDS = ("link", "cage", *SWITCH_KINDS)
"""Elements that can fail, as reports name them."""

MOST_TRIALS = 64
"""Most switches of a plane of which one after the other is tried."""


@dataclass(frozen=True, slots=True, eq=False)
class Damage:
    """An element down: its name with its kind, throughput of what is left (0: nothing), and the planes left."""

    element: str
    theta: float
    planes: tuple[Plane, ...]


def worst_failures(planes: tuple[Plane, ...], kinds: Iterable[str] = KINDS) -> Iterator[Damage]:
    """The failure of every one of some kinds that leaves the least throughput, the first one among equals."""
    theta = [uniform_throughput(plane.network, plane.routes).theta for plane in planes]
    equals = [_firsts(plane.network) for plane in planes]
    for kind in kinds:
        worst: tuple[float, str, int, Gone] | None = None
        for number, plane in enumerate(planes):
            rest = [value for other, value in enumerate(theta) if other != number]
            for name, gone in _each(plane, kind, equals[number]):
                value = _left(plane, gone, rest)
                if worst is None or value < worst[0]:
                    worst = (value, name, number, gone)
        if worst is not None:
            value, name, number, gone = worst
            hurt = planes[number].without(gone)
            left = (hurt,) if len(hurt.endpoints) >= MEETING else ()
            yield Damage(f"{kind} {name}", value, (*planes[:number], *left, *planes[number + 1 :]))


def _left(plane: Plane, gone: Gone, rest: list[float]) -> float:
    """Throughput of a damaged plane beside that of the `rest`, or of these alone where the plane is lost."""
    left = plane.without(gone)
    if len(left.endpoints) >= MEETING:
        return min(uniform_throughput(left.network, left.routes).theta, *rest, 1.0)
    return min(rest, default=0.0)


def _each(plane: Plane, kind: str, firsts: list[int]) -> Iterator[tuple[str, Gone]]:
    """Names of the elements of one kind, one of each set of equals, each with what is down without it.

    Of a switch one link and one cage of each kind of its links are tried: the others are their equals where links are
    spread evenly, which a check of its own judges.
    """
    network = plane.network
    nobody = np.zeros(network.endpoint_switch.size, dtype=np.bool_)
    if kind in SWITCH_KINDS:
        for index in firsts:
            if plane.switches[index].role == kind:
                here = (network.link_a == index) | (network.link_b == index)
                yield plane.switches[index].name, Gone(network.endpoint_switch == index, here)
        return
    for first in _first_links(plane, firsts):
        link = plane.links[first]
        if kind == "link":
            yield link.name, Gone(nobody, np.arange(network.link_a.size) == first)
        else:
            near = plane.switches[network.link_a[first]].name
            cage = _cage_of(link, near)
            down = [_cage_of(other, near) == cage for other in plane.links]
            yield f"{near}:{cage}", Gone(nobody, np.array(down, dtype=np.bool_))


def _cage_of(link: Link, device: str) -> str | None:
    """The cage of a link's end at a device; None where it has none there."""
    return next((port.cage for port in (link.a, link.b) if port.device == device), None)


def _first_links(plane: Plane, firsts: list[int]) -> list[int]:
    """The first link of each kind at the nearer end of which one of these switches stands, ascending by switch."""
    seen: dict[tuple[int, str], int] = {}
    for index, (near, link) in enumerate(zip(plane.network.link_a.tolist(), plane.links, strict=True)):
        seen.setdefault((near, link.kind), index)
    chosen = set(firsts)
    return [index for (near, _), index in sorted(seen.items()) if near in chosen]


def _firsts(network: Network) -> list[int]:
    """The first switch of each set of equals, ascending."""
    rates, rate = np.unique(network.endpoint_gbps, return_inverse=True)
    cells = network.switch_count * rates.size
    endpoints = np.bincount(network.endpoint_switch * rates.size + rate, minlength=cells)
    own = _numbered(np.column_stack([network.tier, endpoints.reshape(network.switch_count, rates.size)]))
    twins = _classes(network, own, np.arange(network.switch_count))
    if int(twins.max(initial=-1)) < MOST_TRIALS:
        return _first_of_each(twins)
    colour = own
    while True:
        finer = _classes(network, colour, colour)
        if int(finer.max()) == int(colour.max()):
            return _first_of_each(colour)
        colour = finer


def _classes(network: Network, own: IntArray, seen_as: IntArray) -> IntArray:
    """(n_switches,) class of each switch by its `own` number and the rates to neighbours, known as `seen_as`."""
    ends, pipes = np.concatenate([network.arc_from, network.arc_to]), network.pipes
    near, far = ends[: network.arc_from.size], ends[network.arc_from.size :]
    gbps = np.concatenate([pipes.gbps, pipes.gbps])
    order = np.lexsort((gbps, seen_as[far], near))
    rows = np.column_stack([seen_as[far][order], gbps[order]])
    parts = np.split(rows, np.cumsum(np.bincount(near, minlength=network.switch_count))[:-1])
    number: dict[tuple[int, bytes], int] = {}
    classes = [
        number.setdefault((mine, part.tobytes()), len(number)) for mine, part in zip(own.tolist(), parts, strict=True)
    ]
    return np.array(classes, dtype=np.int64)


def _numbered(rows: IntArray) -> IntArray:
    """(n,) number of each row among the distinct ones."""
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _first_of_each(classes: IntArray) -> list[int]:
    return sorted(np.unique(classes, return_index=True)[1].tolist())
