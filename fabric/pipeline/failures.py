"""The worst single failure of every kind: one link, one cage, one spine, one leaf down.

Leaves with the same pipes to the same spines and the same endpoints are interchangeable, and so are spines with the
same pipes: throughput cannot tell which of them is down. So one of each set of equals is tried, exactly and without
cost in the size of a regular fabric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fabric.flow.port_map import IntArray, PortMap
from fabric.flow.throughput import uniform_throughput
from fabric.pipeline.port_maps import Gone, Plane

MEETING = 2
"""Endpoints that it takes to exchange anything; a plane with fewer is lost."""

KINDS = ("link", "cage", "spine", "leaf")
"""Elements that can fail, as reports name them."""


@dataclass(frozen=True, slots=True, eq=False)
class Damage:
    """An element down: its name with its kind, throughput of what is left (0: nothing), and the planes left."""

    element: str
    theta: float
    planes: tuple[Plane, ...]


def worst_failures(planes: tuple[Plane, ...], kinds: Iterable[str] = KINDS) -> Iterator[Damage]:
    """The failure of every one of some kinds that leaves the least throughput, the first one among equals."""
    theta = [uniform_throughput(plane.map).theta for plane in planes]
    for kind in kinds:
        worst: tuple[float, str, int, Gone] | None = None
        for number, plane in enumerate(planes):
            rest = [value for other, value in enumerate(theta) if other != number]
            for name, gone in _each(plane, kind):
                value = _left(plane, gone, rest)
                if worst is None or value < worst[0]:
                    worst = (value, name, number, gone)
        if worst is not None:
            value, name, number, gone = worst
            hurt = planes[number].without(gone)
            left = (hurt,) if hurt.map.endpoint_leaf.size >= MEETING else ()
            yield Damage(f"{kind} {name}", value, (*planes[:number], *left, *planes[number + 1 :]))


def _left(plane: Plane, gone: Gone, rest: list[float]) -> float:
    """Throughput of a damaged plane beside that of the `rest`, or of these alone where the plane is lost."""
    left = plane.map_without(gone)
    if left.endpoint_leaf.size >= MEETING:
        return min(uniform_throughput(left).theta, *rest, 1.0)
    return min(rest, default=0.0)


def _each(plane: Plane, kind: str) -> Iterator[tuple[str, Gone]]:
    """Names of the elements of one kind, one of each set of equals, each with what is down without it.

    Of a leaf one uplink and one cage of uplinks are tried: the others are their equals where uplinks are spread
    evenly, which a check of its own judges.
    """
    port_map = plane.map
    nobody = np.zeros(port_map.endpoint_leaf.size, dtype=np.bool_)
    if kind == "spine":
        for index in _different_spines(port_map):
            yield plane.spines[index], Gone(nobody, port_map.uplink_spine == index)
        return
    for index in _different_leaves(port_map):
        here = port_map.uplink_leaf == index
        if kind == "leaf":
            yield plane.leaves[index], Gone(port_map.endpoint_leaf == index, here)
        elif here.any():
            first = int(here.argmax())
            link = plane.uplinks[first]
            if kind == "link":
                yield link.name, Gone(nobody, np.arange(here.size) == first)
            else:
                cage = [mine and other.a.cage == link.a.cage for mine, other in zip(here, plane.uplinks, strict=True)]
                yield f"{link.a.device}:{link.a.cage}", Gone(nobody, np.array(cage, dtype=np.bool_))


def _different_spines(port_map: PortMap) -> list[int]:
    """The first spine of each set with the same pipes."""
    return _firsts(port_map.pipes.gbps.T)


def _different_leaves(port_map: PortMap) -> list[int]:
    """The first leaf of each set with the same pipes and as many endpoints of every rate."""
    rates, rate = np.unique(port_map.endpoint_gbps, return_inverse=True)
    cells = port_map.leaf_count * rates.size
    endpoints: IntArray = np.bincount(port_map.endpoint_leaf * rates.size + rate, minlength=cells)
    return _firsts(np.hstack([port_map.pipes.gbps, endpoints.reshape(port_map.leaf_count, rates.size)]))


def _firsts(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[int]:
    """Index of the first of each set of equal rows, ascending; of rows (n, m)."""
    if not rows.shape[1]:
        return [0] if len(rows) else []
    _, firsts = np.unique(rows, axis=0, return_index=True)
    return sorted(firsts.tolist())
