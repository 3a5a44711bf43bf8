"""Links by what they join, and each plane of a leaf-spine fabric as a table of trunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fabric.model.topology import Device, Link, Port, Topology


@dataclass(frozen=True, slots=True)
class Access:
    """A link between an endpoint device and a switch, and the device's port."""

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


@dataclass(frozen=True, eq=False)
class Plane:
    """One plane of one fabric: its leaves and spines by name, and trunks (leaves, spines) in links."""

    fabric: str
    number: int
    leaves: tuple[Device, ...]
    spines: tuple[Device, ...]
    trunks: npt.NDArray[np.int64]


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


def uplinks(topology: Topology) -> Iterator[Uplink]:
    """Links between leaves and spines, whichever end is written first."""
    for link, a, b in ends(topology):
        if (a.role, b.role) == ("leaf", "spine"):
            yield Uplink(link, a, b)
        elif (a.role, b.role) == ("spine", "leaf"):
            yield Uplink(link, b, a)


def planes(topology: Topology, links: Iterable[Uplink]) -> tuple[Plane, ...]:
    """Every plane that has a leaf; a trunk between two planes belongs to none."""
    groups: dict[tuple[str, int], tuple[list[Device], list[Device]]] = {}
    for device in sorted(topology.with_role("leaf", "spine"), key=lambda device: device.name):
        leaves, spines = groups.setdefault(plane_of(device), ([], []))
        (leaves if device.role == "leaf" else spines).append(device)
    trunks = {key: np.zeros((len(leaves), len(spines)), dtype=np.int64) for key, (leaves, spines) in groups.items()}
    index = {device.name: i for tiers in groups.values() for tier in tiers for i, device in enumerate(tier)}
    for each in links:
        if plane_of(each.leaf) == plane_of(each.spine):
            trunks[plane_of(each.leaf)][index[each.leaf.name], index[each.spine.name]] += 1
    return tuple(
        Plane(*key, tuple(leaves), tuple(spines), trunks[key])
        for key, (leaves, spines) in sorted(groups.items())
        if leaves
    )


def plane_of(device: Device) -> tuple[str, int]:
    """Fabric and plane of a switch; a fabric without planes is plane 0."""
    return device.fabric, device.plane or 0
