"""`opensm/torus-2QoS.conf`: where a torus begins and which links lead along its axes, for OpenSM's torus-2QoS."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping

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
    """The file, with one seed per plane at its first router; None where the engine does not route the grid."""
    sizes = design.topology.numbers("sizes") if design.topology.family == "torus" else ()
    if not FEWEST_AXES <= len(sizes) <= len(AXES) or design.settings is None:
        return None
    radices = (*sizes, *[1] * (len(AXES) - len(sizes)))
    lines = ["# GUIDs are placeholders (0x02fa...): replace each by the burnt-in GUID of the router behind it.\n"]
    lines.append(f"torus {' '.join(map(str, radices))}\n")
    lines.append(f"portgroup_max_ports {_most_ports(design)}\n")
    guid = {row.device: row.guid for row in design.settings.devices}
    for number, routers in enumerate(_planes(design)):
        lines.append("\nnext_seed\n" if number else "\n")
        for word, a, b in _seed(sizes, routers):
            lines.append(f"{word} {guid[a.name]} {guid[b.name]}  # {a.name} -> {b.name}\n")
    return "".join(lines)


def _planes(design: Design) -> list[Mapping[int, Device]]:
    """Routers of every plane by their number on the grid."""
    found: dict[int, dict[int, Device]] = {}
    for device in design.topology.with_role("router"):
        if device.group is not None:
            found.setdefault(device.plane or 0, {})[device.group] = device
    return [found[plane] for plane in sorted(found)]


def _seed(sizes: tuple[int, ...], routers: Mapping[int, Device]) -> Iterator[tuple[str, Device, Device]]:
    """Keyword and two routers of each link from the first router on; numbers grow fastest along the last axis."""
    for axis, size in enumerate(sizes):
        stride = math.prod(sizes[axis + 1 :])
        yield f"{AXES[axis]}p_link", routers[0], routers[stride]
        if size == BOTH_WAYS:
            yield f"{AXES[axis]}m_link", routers[0], routers[(size - 1) * stride]


def _most_ports(design: Design) -> int:
    """Most endpoints of a router with its own port, or links between two routers."""
    endpoints = Counter(link.b.device for link in design.topology.of_kind("node_router"))
    trunks = Counter((link.a.device, link.b.device) for link in design.topology.of_kind("torus"))
    return max([MANAGEMENT_PORTS, *(count + MANAGEMENT_PORTS for count in endpoints.values()), *trunks.values()])
