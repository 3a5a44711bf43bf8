"""`opensm/torus-2QoS.conf`: where a torus begins and which links lead along its axes, for OpenSM's torus-2QoS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from fabric.model.design import Design
from fabric.model.topology import Device

AXES = "xyz"
"""Dimensions that the engine routes, in its order. Source: torus-2qos-manual."""

FEWEST_AXES = 2
BOTH_WAYS = 4
"""Size of a ring whose seed needs both directions. Source: torus-2qos-manual."""

MANAGEMENT_PORTS = 1
"""The engine counts a switch's own port with those of its endpoints. Source: torus-2qos-manual."""


def torus_seeds(design: Design) -> str | None:
    """The file, with two seeds per plane; None where the engine does not route the grid.

    A seed of which a router is down is no use, so the second one stands half way round every dimension, where it shares
    no router with the first but on grids of 2 x 2 and 2 x 3; its datelines are moved back to those of the first, for
    service levels hang on them. The engine takes the first seed of which it sees every router: that of its plane.
    Source: torus-2qos-manual.
    """
    sizes = design.topology.numbers("sizes") if design.topology.family == "torus" else ()
    if not FEWEST_AXES <= len(sizes) <= len(AXES) or design.settings is None:
        return None
    radices = (*sizes, *[1] * (len(AXES) - len(sizes)))
    lines = ["# GUIDs are placeholders (0x02fa...): replace each by the burnt-in GUID of the router behind it.\n"]
    lines.append(f"torus {' '.join(map(str, radices))}\n")
    lines.append(f"portgroup_max_ports {_most_ports(design)}\n")
    guid = {row.device: row.guid for row in design.settings.devices}
    middle = tuple(size // 2 for size in sizes)
    seeds = [
        (spot, links)
        for routers in _planes(design)
        for spot in ((0,) * len(sizes), middle)
        if (links := _links(sizes, spot, routers)) is not None
    ]
    for number, (spot, links) in enumerate(seeds):
        lines.append("\nnext_seed\n" if number else "\n")
        lines += [f"{word} {guid[a.name]} {guid[b.name]}  # {a.name} -> {b.name}\n" for word, a, b in links]
        lines += [f"{AXES[axis]}_dateline -{steps}\n" for axis, steps in enumerate(spot) if steps]
    return "".join(lines) if seeds else None


def _planes(design: Design) -> list[Mapping[int, Device]]:
    """Routers of every plane by their number on the grid."""
    found: dict[int, dict[int, Device]] = {}
    for device in design.topology.with_role("router"):
        if device.group is not None:
            found.setdefault(device.plane or 0, {})[device.group] = device
    return [found[plane] for plane in sorted(found)]


def _links(
    sizes: tuple[int, ...], spot: tuple[int, ...], routers: Mapping[int, Device]
) -> list[tuple[str, Device, Device]] | None:
    """Keyword and two routers of each link from a spot on; None where one is missing.

    Numbers of routers grow fastest along the last axis.
    """

    def number(axis: int, step: int) -> int:
        moved = (*spot[:axis], (spot[axis] + step) % sizes[axis], *spot[axis + 1 :])
        return int(np.ravel_multi_index(moved, sizes))

    words = [(f"{AXES[axis]}p_link", axis, 1) for axis in range(len(sizes))]
    words += [(f"{AXES[axis]}m_link", axis, -1) for axis, size in enumerate(sizes) if size == BOTH_WAYS]
    ends = [(word, number(axis, 0), number(axis, step)) for word, axis, step in sorted(words, key=lambda each: each[1])]
    if not all(a in routers and b in routers for _, a, b in ends):
        return None
    return [(word, routers[a], routers[b]) for word, a, b in ends]


def _most_ports(design: Design) -> int:
    """Most endpoints of a router with its own port, or links between two routers."""
    endpoints = Counter(link.b.device for link in design.topology.of_kind("node_router"))
    trunks = Counter((link.a.device, link.b.device) for link in design.topology.of_kind("torus"))
    return max([MANAGEMENT_PORTS, *(count + MANAGEMENT_PORTS for count in endpoints.values()), *trunks.values()])
