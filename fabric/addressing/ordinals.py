"""The number of each device within its kind: what every address is derived from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from fabric.model.topology import SWITCH_ROLES, Device, Topology

_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Ordinal:
    """A device's kind and its number in it, from 0; `plane` is 0 for a device of all planes."""

    kind: str
    number: int
    plane: int


@cache
def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """Sort key under which `n2` stands before `n10`."""
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in _DIGITS.split(name) if part)


def ordinals(topology: Topology) -> dict[str, Ordinal]:
    """Ordinal of every device by name; switches of several planes interleave."""
    planes = 1 + max((device.plane or 0 for device in topology.devices), default=0)
    queues: dict[tuple[str, int], list[Device]] = {}
    for device in topology.devices:
        queues.setdefault((_kind(device.role), device.plane or 0), []).append(device)
    result = {}
    for (kind, plane), devices in queues.items():
        spread = planes if kind in SWITCH_ROLES else 1
        for index, device in enumerate(sorted(devices, key=_order)):
            result[device.name] = Ordinal(kind, index * spread + plane % spread, plane)
    return result


def _kind(role: str) -> str:
    return role if role in (*SWITCH_ROLES, "node") else "attached"


def _order(device: Device) -> tuple[object, ...]:
    """Leaves and nodes by unit, so that a unit added later comes last; within it by rail, then by name."""
    rail = int((device.rail or "0").split("+")[0])
    return device.su or 0, rail, natural(device.name)
