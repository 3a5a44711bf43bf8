"""What uniform all-to-all puts on the links of dragonflies, counted group by group in pairs of endpoints.

What two groups exchange stays on their own links and on those between them, so it is counted by itself; and once for
all pairs of groups that are alike. At every hop packets split over the shortest ways in proportion to rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fabric.model.dragonfly_shape import DragonflyPlusShape, DragonflyShape
from fabric.model.network import FloatArray, IntArray
from fabric.topology import global_links

CELLS_AT_ONCE = 2**20
"""Pairs of routers counted at once, as far as kinds allow: more take more memory and no less time."""

LATEST = 8
"""Links between groups that are remembered: they are asked with every seating and beside every width of local ones."""


class _Kinds(NamedTuple):
    """Pairs of a near group and a far one, alike ones as one kind.

    Attributes:
        near: (n_kinds,) near group of one such pair.
        far: (n_kinds,) its far group.
        links: (n_kinds, n_ends, n_ends) links from each router (or spine) of the near group to each of the far one.
        as_near: (n_groups, n_kinds) pairs in which a group is the near one.
        as_far: (n_groups, n_kinds) and in which it is the far one.
    """

    near: IntArray
    far: IntArray
    links: FloatArray
    as_near: FloatArray
    as_far: FloatArray


def on_dragonfly(shape: DragonflyShape, endpoints: FloatArray) -> float:
    """Load of the fullest link of a dragonfly with `endpoints` (n_routers,) below its routers."""
    groups, routers, width = shape.groups, shape.routers_per_group, shape.local_width
    own = _by_group(endpoints, groups, routers)
    kinds = _kinds(own, shape.group_routers, shape.links_between, shape.arrangement)
    local = own[:, :, None] * own[:, None, :] * ~np.eye(routers, dtype=np.bool_)
    fullest, at_once = 0.0, max(1, CELLS_AT_ONCE // routers**2)
    for first in range(0, len(kinds.near), at_once):
        some = slice(first, first + at_once)
        links, pairs = kinds.links[some], own[kinds.near[some], :, None] * own[kinds.far[some], None, :]
        across, near, far = _over(links, width, pairs)
        fullest = max(fullest, _per_link(across, links))
        for times, load in ((kinds.as_near, near), (kinds.as_far, far)):
            local += np.einsum("gk,kij->gij", times[:, some], load)
    return max(fullest, float(local.max()) / max(1, width))


def _over(links: FloatArray, width: int, pairs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Loads between groups, within the near one, and within the far one, of what routers of one send to the other's.

    Directly where a link joins the two; else over a local hop in either group; else over one in both. All arrays are
    (n_kinds, n_routers, n_routers).
    """
    joined = links > 0
    out, back = links.sum(axis=2, keepdims=True), joined.sum(axis=1, keepdims=True)
    apart = np.where(joined, 0.0, pairs)
    ways = width * back + out
    two = np.divide(apart, ways, out=np.zeros_like(apart), where=ways > 0)
    across = np.where(joined, pairs + width * two.sum(axis=1, keepdims=True), 0.0)
    across += links * two.sum(axis=2, keepdims=True)
    near, far = width * two @ np.swapaxes(joined, 1, 2), np.swapaxes(links, 1, 2) @ two
    rest = np.where(ways > 0, 0.0, apart)
    if rest.any():
        ends = out > 0  # routers of the near group with a link to the far one
        three = rest / np.maximum(1, ends.sum(axis=1, keepdims=True))
        share = np.divide(links, out, out=np.zeros_like(links), where=ends)
        across += share * three.sum(axis=(1, 2), keepdims=True)
        near += three.sum(axis=2, keepdims=True) * np.swapaxes(ends, 1, 2)
        far += np.swapaxes(share.sum(axis=1, keepdims=True), 1, 2) * three.sum(axis=1, keepdims=True)
    return across, near, far


def on_dragonfly_plus(shape: DragonflyPlusShape, endpoints: FloatArray) -> float:
    """Load of the fullest link of a dragonfly+ with `endpoints` (n_leaves,) below its leaves.

    A leaf spreads over all spines that have a link to the group of its target, and within its group over all.
    """
    leaves, spines = shape.units_per_pod * shape.leaves_per_unit, shape.spines
    own = _by_group(endpoints, shape.groups, leaves)
    total = own.sum(axis=1)
    kinds = _kinds(total[:, None], [spines] * shape.groups, shape.links_between, shape.arrangement)
    out = kinds.links.sum(axis=2)
    ends = out > 0
    used = ends / np.maximum(1, ends.sum(axis=1, keepdims=True))
    share = np.divide(kinds.links, out[:, :, None], out=np.zeros_like(kinds.links), where=ends[:, :, None])
    across = used[:, :, None] * share  # (n_kinds, n_spines, n_spines) shares of what goes to the far group
    fullest = _per_link(across * (total[kinds.near] * total[kinds.far])[:, None, None], kinds.links)
    up = kinds.as_near @ (total[kinds.far, None] * used)
    down = kinds.as_far @ (total[kinds.near, None] * across.sum(axis=1))
    inside = (total[:, None] - own) / spines
    for rest in (up, down):
        fullest = max(fullest, float((own * (rest.max(axis=1)[:, None] + inside)).max()) / shape.trunk)
    return fullest


def _by_group(endpoints: FloatArray, groups: int, size: int) -> FloatArray:
    """(n_groups, size) endpoints of every leaf or router; a smaller last group is filled up with empty ones."""
    return np.pad(endpoints, (0, groups * size - endpoints.size)).reshape(groups, size)


def _kinds(own: FloatArray, ends: Sequence[int], links: tuple[tuple[int, ...], ...], arrangement: str) -> _Kinds:
    """Every two groups by the links between their ends (routers or spines) and by what is below each: `own` by group.

    A smaller last group is filled up with ends that have none.
    """
    kind, between = _between(tuple(ends), links, arrangement)
    rows = dict[bytes, int]()
    below = np.array([rows.setdefault(row.tobytes(), len(rows)) for row in own])
    pairs = np.argwhere(kind >= 0).T
    alike = np.ravel_multi_index((kind[*pairs], *below[pairs]), (len(between), len(own), len(own)))
    _, first, number = np.unique(alike, return_index=True, return_inverse=True)
    met = np.zeros((2, len(own), len(first)))
    for times, group in zip(met, pairs, strict=True):
        np.add.at(times, (group, number), 1.0)
    near, far = pairs[:, first]
    return _Kinds(near, far, between[kind[near, far]], *met)


@lru_cache(maxsize=LATEST)
def _between(
    ends: tuple[int, ...], links: tuple[tuple[int, ...], ...], arrangement: str
) -> tuple[IntArray, FloatArray]:
    """(n_groups, n_groups) kind of the links from one group to another, and (n_kinds, n_ends, n_ends) these links."""
    bundles = global_links.bundles(ends, links, arrangement)
    count, size = len(bundles.ends), max(ends)
    between = np.zeros((2, count, size, size))
    for matrix, pair in zip(between[0], bundles.ends, strict=True):
        np.add.at(matrix, pair, 1.0)
    between[1] = np.swapaxes(between[0], 1, 2)
    kind = np.maximum(bundles.kind, bundles.kind.T + count * (bundles.kind.T >= 0))
    return kind, between.reshape(-1, size, size)


def _per_link(load: FloatArray, links: FloatArray) -> float:
    """Largest load of a link where loads are those of all links between two ends."""
    return float(np.divide(load, links, out=np.zeros_like(load), where=links > 0).max(initial=0.0))
