"""Trunks: how many links each leaf has to each spine, and in which order they are dealt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fabric.catalog.parts import Switch
from fabric.model.tree_shape import FatTreeShape

Trunks = list[list[int]]
"""Links of each leaf to each spine of its plane."""


def deal(shape: FatTreeShape, leaves: Sequence[tuple[int, int]], whole: int, spine: Switch) -> Trunks:
    """Trunks of `leaves`, (unit, plane) each: what does not divide goes round the spines, leaf by leaf.

    `whole` links fill whole cages at both ends.
    """
    together = _dealt_together(shape, whole, spine)
    rotation = [0] * shape.planes
    trunks = []
    for unit, plane in leaves:
        uplinks = shape.last_uplinks if unit == shape.units - 1 else shape.uplinks
        trunk, rest = divmod(uplinks // together, shape.spines)
        extra = {(rotation[plane] + step) % shape.spines for step in range(rest)}
        rotation[plane] = (rotation[plane] + rest) % shape.spines
        trunks.append([together * (trunk + (number in extra)) for number in range(shape.spines)])
    return trunks


def whole_cages(leaf: Switch, spine: Switch, rate_gbps: int) -> int:
    """Fewest links at a rate that fill whole cages at both ends."""
    return math.lcm(leaf.ports_per_cage(rate_gbps), spine.ports_per_cage(rate_gbps))


def longest_trunk(shape: FatTreeShape, leaf: Switch, spine: Switch) -> int:
    """Most links that `deal` gives a leaf to one spine."""
    together = _dealt_together(shape, whole_cages(leaf, spine, shape.uplink_gbps), spine)
    return together * math.ceil(shape.uplinks // together / shape.spines)


def _dealt_together(shape: FatTreeShape, whole: int, spine: Switch) -> int:
    """Links that always go to one spine: one, but those of whole cages at both ends where uneven trunks can have them.

    A twin cable needs a whole cage at both ends. All leaves deal alike, so that no spine gets more than its share.
    """
    uplinks = (shape.uplinks, shape.last_uplinks)
    are_whole = all(count % whole == 0 and count >= whole * shape.spines for count in uplinks)
    fits = are_whole and shape.uplinks % shape.spines
    return whole if fits and spine.usable_ports(shape.uplink_gbps) % whole == 0 else 1


def in_rounds(trunks: Trunks, whole: int, port_order: str) -> Iterator[tuple[int, int, int]]:
    """Leaf, spine and links, in the order in which ports are taken at both ends.

    Regular ports are taken trunk by trunk. Free ones are taken in two rounds, first what fills whole cages at both ends
    and then the rest: of trunks of three links taken at once only every second finds both ends of a twin cable whole.
    Two rounds need no more cages than one, because the first leaves none half full.
    """
    parts = [trunks]
    if port_order == "free":
        parts = [
            [[links - links % whole for links in row] for row in trunks],
            [[links % whole for links in row] for row in trunks],
        ]
    for part in parts:
        for leaf, row in enumerate(part):
            yield from ((leaf, spine, links) for spine, links in enumerate(row))
