"""The logical fabric: devices, their ports, and the links between ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

SWITCH_ROLES = ("leaf", "spine", "core", "router")
"""Roles of devices that forward; everything else is an endpoint."""

TIERS: Mapping[str, int] = {"leaf": 0, "router": 0, "spine": 1, "core": 2}
"""Tiers between a switch and the nodes, by role."""

EDGE_ROLES = ("leaf", "router")
"""Roles of switches that endpoints hang on."""

NODE_KINDS = ("node_leaf", "node_router")
"""Kinds of links between an endpoint and a switch; links of all other kinds join switches."""

GLOBAL = "global"
"""Kind of links between groups."""

COMPUTE = "compute"
"""Name of the fabric that carries accelerator traffic."""


@dataclass(frozen=True, slots=True)
class Device:
    """One node, switch or attached endpoint device.

    `rail` lists the rails of a leaf, lowest first, joined by "+"; `su` counts from 1, `rail` and `plane` from 0.
    `part` is a catalog key, None on a device read from somebody's file that names none.
    """

    name: str
    role: str
    part: str | None
    fabric: str = COMPUTE
    su: int | None = None
    rail: str | None = None
    plane: int | None = None
    group: int | None = None

    @property
    def is_switch(self) -> bool:
        """Whether the device forwards."""
        return self.role in SWITCH_ROLES

    @property
    def is_edge(self) -> bool:
        """Whether endpoints hang on the device."""
        return self.role in EDGE_ROLES


@dataclass(frozen=True, slots=True)
class Port:
    """One port: device, cage as labelled on the faceplate, and the name the device's system gives it."""

    device: str
    cage: str
    port: str


@dataclass(frozen=True, slots=True)
class Link:
    """One undirected link; `a` is the end nearer to the nodes (the leaf of a leaf-spine link)."""

    name: str
    kind: str
    a: Port
    b: Port
    rate_gbps: int
    rail: int | None = None
    plane: int | None = None
    fabric: str = COMPUTE


@dataclass(frozen=True)
class Topology:
    """Devices and links of one or more fabrics, each sorted by name.

    `parameters` are the family's own numbers (leaves, spines, trunk, …), whole numbers or texts.
    """

    family: str
    parameters: Mapping[str, int | str]
    devices: tuple[Device, ...]
    links: tuple[Link, ...]

    @cached_property
    def device(self) -> Mapping[str, Device]:
        """Devices by name."""
        return {device.name: device for device in self.devices}

    def numbers(self, parameter: str) -> tuple[int, ...]:
        """Whole numbers of a parameter such as 4x4; none where it is told otherwise or not at all."""
        words = str(self.parameters.get(parameter, "")).split("x")
        return tuple(map(int, words)) if all(word.isdecimal() for word in words) else ()

    def with_role(self, *roles: str) -> tuple[Device, ...]:
        """Devices that have one of `roles`, in order."""
        return tuple(device for device in self.devices if device.role in roles)

    def of_kind(self, *kinds: str) -> tuple[Link, ...]:
        """Links of one of `kinds`, in order."""
        return tuple(link for link in self.links if link.kind in kinds)
