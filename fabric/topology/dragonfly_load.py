"""What uniform all-to-all puts on the links of dragonflies, counted group by group in pairs of endpoints.

What two groups exchange stays on their own links and on those between them, so it is counted by itself, for all far
groups at once. At every hop packets split over the shortest ways in proportion to rates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabric.model.dragonfly_shape import DragonflyPlusShape, DragonflyShape
from fabric.model.network import FloatArray
from fabric.topology import global_links

CELLS_AT_ONCE = 2**20
"""Pairs of routers counted at once, as far as groups allow: more take more memory and no less time."""


def on_dragonfly(shape: DragonflyShape, endpoints: FloatArray) -> float:
    """Load of the fullest link of a dragonfly with `endpoints` (n_routers,) below its routers."""
    groups, routers, width = shape.groups, shape.routers_per_group, shape.local_width
    own = _by_group(endpoints, groups, routers)
    links = _links(shape.group_routers, shape.links_between, shape.arrangement)
    local = own[:, :, None] * own[:, None, :] * ~np.eye(routers, dtype=np.bool_)
    fullest, at_once = 0.0, max(1, CELLS_AT_ONCE // links[0].size)
    for first in range(0, groups, at_once):
        here = slice(first, first + at_once)
        pairs = own[here, None, :, None] * own[None, :, None, :]
        pairs[np.arange(len(pairs)), np.arange(groups)[here]] = 0.0
        across, near, far = _over(links[here], width, pairs)
        fullest = max(fullest, _per_link(across, links[here]))
        local[here] += near.sum(axis=1)
        local += far.sum(axis=0)
    return max(fullest, float(local.max()) / max(1, width))


def _over(links: FloatArray, width: int, pairs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Loads between groups, within the near one, and within the far one, of what routers of one send to the other's.

    Directly where a link joins the two; else over a local hop in either group; else over one in both. All arrays are
    (near groups, far groups, n_routers, n_routers).
    """
    joined = links > 0
    out, back = links.sum(axis=3, keepdims=True), joined.sum(axis=2, keepdims=True)
    apart = np.where(joined, 0.0, pairs)
    ways = width * back + out
    two = np.divide(apart, ways, out=np.zeros_like(apart), where=ways > 0)
    across = np.where(joined, pairs + width * two.sum(axis=2, keepdims=True), 0.0)
    across += links * two.sum(axis=3, keepdims=True)
    near, far = width * two @ np.swapaxes(joined, 2, 3), np.swapaxes(links, 2, 3) @ two
    rest = np.where(ways > 0, 0.0, apart)
    if rest.any():
        ends = out > 0  # routers of the near group with a link to the far one
        three = rest / np.maximum(1, ends.sum(axis=2, keepdims=True))
        share = np.divide(links, out, out=np.zeros_like(links), where=ends)
        across += share * three.sum(axis=(2, 3), keepdims=True)
        near += three.sum(axis=3, keepdims=True) * np.swapaxes(ends, 2, 3)
        far += np.swapaxes(share.sum(axis=2, keepdims=True), 2, 3) * three.sum(axis=2, keepdims=True)
    return across, near, far


def on_dragonfly_plus(shape: DragonflyPlusShape, endpoints: FloatArray) -> float:
    """Load of the fullest link of a dragonfly+ with `endpoints` (n_leaves,) below its leaves.

    A leaf spreads over all spines that have a link to the group of its target, and within its group over all.
    """
    leaves, spines = shape.units_per_pod * shape.leaves_per_unit, shape.spines
    own = _by_group(endpoints, shape.groups, leaves)
    total = own.sum(axis=1)
    links = _links([spines] * shape.groups, shape.links_between, shape.arrangement)
    up, down = np.zeros((shape.groups, spines)), np.zeros((shape.groups, spines))
    fullest = 0.0
    for group in range(shape.groups):
        out = links[group].sum(axis=2)  # (n_groups, n_spines)
        ends = out > 0
        used = ends / np.maximum(1, ends.sum(axis=1, keepdims=True))
        share = np.divide(links[group], out[:, :, None], out=np.zeros_like(links[group]), where=ends[:, :, None])
        across = used[:, :, None] * share  # (n_groups, n_spines, n_spines) shares of what goes to each group
        fullest = max(fullest, _per_link(across * (total[group] * total)[:, None, None], links[group]))
        up[group] += total @ used
        down += total[group] * across.sum(axis=1)
    inside = (total[:, None] - own) / spines
    for rest in (up, down):
        fullest = max(fullest, float((own * (rest.max(axis=1)[:, None] + inside)).max()) / shape.trunk)
    return fullest


def _by_group(endpoints: FloatArray, groups: int, size: int) -> FloatArray:
    """(n_groups, size) endpoints of every leaf or router; a smaller last group is filled up with empty ones."""
    return np.pad(endpoints, (0, groups * size - endpoints.size)).reshape(groups, size)


def _links(ends: Sequence[int], links: Sequence[Sequence[int]], arrangement: str) -> FloatArray:
    """(n_groups, n_groups, n_ends, n_ends) links between the ends (routers or spines) of every two groups.

    A smaller last group is filled up with ends that have none.
    """
    size, alike = max(ends), dict[tuple[global_links.Ends, ...], FloatArray]()
    found = np.zeros((len(ends), len(ends), size, size))
    for low, high, bundle in global_links.bundles(ends, links, arrangement):
        if bundle not in alike:
            alike[bundle] = np.zeros((size, size))
            np.add.at(alike[bundle], tuple(np.array(bundle).T), 1.0)
        found[low, high], found[high, low] = alike[bundle], alike[bundle].T
    return found


def _per_link(load: FloatArray, links: FloatArray) -> float:
    """Largest load of a link where loads are those of all links between two ends."""
    return float(np.divide(load, links, out=np.zeros_like(load), where=links > 0).max())
