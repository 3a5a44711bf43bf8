"""A tree of leaves and spines as a picture needs it: units, spines by plane, trunks counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fabric.model.topology import SWITCH_ROLES, Device, Topology

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unit:
    """Nodes that share leaves; `plane_leaves` are the leaves plane by plane."""

    name: str
    plane_leaves: tuple[tuple[Device, ...], ...]
    nodes: tuple[Device, ...]

    @property
    def leaves(self) -> tuple[Device, ...]:
        """All leaves, plane by plane."""
        return tuple(leaf for plane in self.plane_leaves for leaf in plane)


@dataclass(frozen=True)
class TreeView:
    """Units by name, spines by plane, other endpoints, and links counted per pair of devices.

    `trunks` counts links from a lower to an upper switch; `drops` links of endpoint devices to each leaf;
    `attached` links of each other endpoint to each leaf.
    """

    units: tuple[Unit, ...]
    spines: tuple[tuple[Device, ...], ...]
    others: tuple[Device, ...]
    trunks: Mapping[tuple[str, str], int]
    drops: Mapping[str, int]
    attached: Mapping[tuple[str, str], int]
    rates_gbps: Mapping[str, int]


def tree_view(topology: Topology) -> TreeView:
    """The view of any topology of leaves and spines."""
    device = topology.device
    trunks: Counter[tuple[str, str]] = Counter()
    drops: Counter[str] = Counter()
    attached: Counter[tuple[str, str]] = Counter()
    rates: dict[str, int] = {}
    for link in topology.links:
        a, b = device[link.a.device], device[link.b.device]
        rates[link.kind] = max(link.rate_gbps, rates.get(link.kind, 0))
        if a.is_switch:
            trunks[a.name, b.name] += 1
        elif a.role == "node":
            drops[b.name] += 1
        else:
            attached[a.name, b.name] += 1
    others = tuple(one for one in topology.devices if one.role not in (*SWITCH_ROLES, "node"))
    spines = by_plane(topology.with_role("spine"))
    return TreeView(_units(topology), spines, others, trunks, drops, attached, rates)


def by_plane(devices: Sequence[Device]) -> tuple[tuple[Device, ...], ...]:
    """Devices in one group per plane, in order."""
    groups: dict[int, list[Device]] = {}
    for device in devices:
        groups.setdefault(device.plane or 0, []).append(device)
    return tuple(tuple(groups[plane]) for plane in sorted(groups))


def _units(topology: Topology) -> tuple[Unit, ...]:
    """Units in order; devices without a unit form one of their own."""
    leaves: dict[int, list[Device]] = {}
    nodes: dict[int, list[Device]] = {}
    for device in topology.with_role("leaf", "router"):
        leaves.setdefault(device.su or 0, []).append(device)
    for device in topology.with_role("node"):
        nodes.setdefault(device.su or 0, []).append(device)
    return tuple(
        Unit(f"unit {su}" if su else "no unit", by_plane(leaves.get(su, [])), tuple(nodes.get(su, [])))
        for su in sorted({*leaves, *nodes})
    )


def folded(items: Sequence[T], most: int) -> tuple[Sequence[T], int, Sequence[T]]:
    """The first items, how many are left out, and the last item: at most `most` are shown, two at the least."""
    if len(items) <= most:
        return items, 0, ()
    head = max(most - 1, 1)
    return items[:head], len(items) - head - 1, items[-1:]


def span(names: Sequence[str]) -> str:
    """The first and the last of some names in order."""
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}" if names else ""
