"""A torus as a picture needs it: routers by their place on the grid, links to the next one in every dimension."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabric.model.topology import Device, Topology
from fabric.render.plane_view import PlaneView, plane_view

Spot = tuple[int, ...]
"""Coordinates on the grid, one for each dimension, from 0."""


@dataclass(frozen=True, eq=False)
class TorusView:
    """The lowest plane of a torus.

    Attributes:
        sizes: routers of a ring in each dimension.
        routers: by their coordinates.
        onward: (n_axes, *sizes) links from each router to the next one in each dimension; a ring of two has none back.
        beside: links between routers that are no neighbours on the grid.
        plane: endpoints of the routers, and which plane this is.
    """

    sizes: tuple[int, ...]
    routers: Mapping[Spot, Device]
    onward: NDArray[np.int64]
    beside: int
    plane: PlaneView

    def bundle(self, axis: int, block: Spot) -> int:
        """Links from a block of the dimensions behind `axis` to the next one along it; the block by its coordinates."""
        return int(self.onward[(axis, *block)].sum())


def torus_view(topology: Topology) -> TorusView | None:
    """The view of a torus whose sizes and places are known, None for anything else."""
    sizes = topology.numbers("sizes")
    if not sizes or 0 in sizes or not topology.of_kind("torus"):
        return None
    plane = plane_view(topology)
    if not plane.groups or min(plane.groups) < 0 or max(plane.groups) >= math.prod(sizes):
        return None
    spots = {one.name: _spot(group, sizes) for group, found in plane.groups.items() for one in found}
    onward, beside = np.zeros((len(sizes), *sizes), dtype=np.int64), 0
    for (a, b), links in plane.pairs.items():
        place = next(_next_to(spots[a], spots[b], sizes), None)
        if place is None:
            beside += links
        else:
            onward[place] += links
    routers = {spots[one.name]: one for found in plane.groups.values() for one in found}
    return TorusView(sizes, routers, onward, beside, plane)


def _spot(number: int, sizes: Spot) -> Spot:
    """Coordinates of a number on the grid, the last dimension the fastest."""
    spot: list[int] = []
    for size in reversed(sizes):
        number, along = divmod(number, size)
        spot.append(along)
    return tuple(reversed(spot))


def _next_to(a: Spot, b: Spot, sizes: Spot) -> Iterator[tuple[int, ...]]:
    """The dimension in which two routers are neighbours, and coordinates of the one before the other."""
    axes = [axis for axis in range(len(sizes)) if a[axis] != b[axis]]
    if len(axes) == 1:
        axis = axes[0]
        for before, after in sorted(((a, b), (b, a))):
            if (before[axis] + 1) % sizes[axis] == after[axis]:
                yield (axis, *before)
