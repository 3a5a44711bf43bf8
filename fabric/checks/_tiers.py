"""Links by what they join, and each plane or group of a fabric as a table of trunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fabric.model.topology import EDGE_ROLES, TIERS, Device, Link, Port, Topology

TREE = "fat_tree"
"""The family whose switches stand in tiers and have no links within one."""


KINDS = {
    frozenset({"leaf", "spine"}): ("leaf_spine",),
    frozenset({"spine", "core"}): ("spine_core",),
    frozenset({"endpoint", "leaf"}): ("node_leaf",),
    frozenset({"endpoint", "router"}): ("node_router",),
    frozenset({"router"}): ("local", "global", "torus"),
    frozenset({"spine"}): ("global",),
}
"""Kinds that a link may have by the roles at its ends."""

FAMILY_KINDS = {
    TREE: frozenset({"leaf_spine", "spine_core"}),
    "dragonfly": frozenset({"local", "global"}),
    "dragonfly_plus": frozenset({"leaf_spine", "global"}),
    "torus": frozenset({"torus"}),
}
"""Kinds of links between switches that each family has."""


@dataclass(frozen=True, slots=True)
class Access:
    """A link between an endpoint device and a switch, its leaf or router, and the device's port."""

    link: Link
    device: Device
    port: Port
    leaf: Device


@dataclass(frozen=True, slots=True)
class Uplink:
    """A link between a leaf and a spine."""

    link: Link
    leaf: Device
    spine: Device


@dataclass(frozen=True, slots=True)
class SwitchLink:
    """A link between two switches, `low` the one nearer to the nodes."""

    link: Link
    low: Device
    high: Device


@dataclass(frozen=True, eq=False)
class Plane:
    """One plane of one fabric, or a group of it: leaves or routers, spines, and trunks (leaves, spines) in links."""

    fabric: str
    number: int
    leaves: tuple[Device, ...]
    spines: tuple[Device, ...]
    trunks: npt.NDArray[np.int64]

    @property
    def what(self) -> str:
        """What nodes hang on: leaves or routers."""
        return plural(self.leaves[0])


def kinds_between(a: Device, b: Device) -> tuple[str, ...]:
    """Kinds that a link between two devices may have."""
    return KINDS.get(frozenset(device.role if device.is_switch else "endpoint" for device in (a, b)), ())


def ends(topology: Topology) -> Iterator[tuple[Link, Device, Device]]:
    """Links whose two devices exist, with the devices at end `a` and end `b`."""
    for link in topology.links:
        a, b = topology.device.get(link.a.device), topology.device.get(link.b.device)
        if a is not None and b is not None:
            yield link, a, b


def accesses(topology: Topology) -> Iterator[Access]:
    """Links of endpoint devices, whichever end is written first."""
    for link, a, b in ends(topology):
        if not a.is_switch and b.is_switch:
            yield Access(link, a, link.a, b)
        elif a.is_switch and not b.is_switch:
            yield Access(link, b, link.b, a)


def switch_links(topology: Topology) -> Iterator[SwitchLink]:
    """Links between switches, whichever end is written first."""
    for link, a, b in ends(topology):
        if a.is_switch and b.is_switch:
            low, high = (b, a) if TIERS[a.role] > TIERS[b.role] else (a, b)
            yield SwitchLink(link, low, high)


def uplinks(links: Iterable[SwitchLink]) -> Iterator[Uplink]:
    """Links between leaves and spines."""
    for each in links:
        if (each.low.role, each.high.role) == ("leaf", "spine"):
            yield Uplink(each.link, each.low, each.high)


def planes(topology: Topology, links: Sequence[Uplink]) -> tuple[Plane, ...]:
    """Every plane that has a leaf or router; a trunk between two planes belongs to none."""
    return _tables(topology, links, lambda device: (*plane_of(device), 0))


def blocks(topology: Topology, links: Sequence[Uplink]) -> tuple[Plane, ...]:
    """Leaves with the spines that they are all meant to reach: every plane, or every group where there are any."""
    return _tables(topology, links, lambda device: (*plane_of(device), device.group or 0))


def _tables(
    topology: Topology, links: Iterable[Uplink], key_of: Callable[[Device], tuple[str, int, int]]
) -> tuple[Plane, ...]:
    """Leaves, routers and spines by a key, in its order; a trunk between two keys belongs to none."""
    groups: dict[tuple[str, int, int], tuple[list[Device], list[Device]]] = {}
    for device in sorted(topology.with_role(*EDGE_ROLES, "spine"), key=lambda device: device.name):
        leaves, spines = groups.setdefault(key_of(device), ([], []))
        (leaves if device.is_edge else spines).append(device)
    trunks = {key: np.zeros((len(leaves), len(spines)), dtype=np.int64) for key, (leaves, spines) in groups.items()}
    index = {device.name: i for tiers in groups.values() for tier in tiers for i, device in enumerate(tier)}
    for each in links:
        if key_of(each.leaf) == key_of(each.spine):
            trunks[key_of(each.leaf)][index[each.leaf.name], index[each.spine.name]] += 1
    return tuple(
        Plane(key[0], key[1], tuple(leaves), tuple(spines), trunks[key])
        for key, (leaves, spines) in sorted(groups.items())
        if leaves
    )


def plane_of(device: Device) -> tuple[str, int]:
    """Fabric and plane of a switch; a fabric without planes is plane 0."""
    return device.fabric, device.plane or 0


def plural(device: Device) -> str:
    """Several devices of one role."""
    return "leaves" if device.role == "leaf" else f"{device.role}s"
