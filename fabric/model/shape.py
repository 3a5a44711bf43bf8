"""A shape: the few numbers that fix a fabric of some family before a single device is named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches of one role in all planes, and their model."""

    role: str
    part: str
    count: int


@dataclass(frozen=True, slots=True)
class FatTreeShape:
    """One switch, or two tiers, per plane; every count is of one plane unless it says total.

    A unit is `unit_nodes` nodes that share leaves. A leaf serves `rails_per_leaf` rails of its unit under rail wiring,
    all ports of its nodes under rack wiring, every second port of its nodes under dual-homed wiring. `down_ports` are
    those plus `extra_ports` for attached endpoints. A single tier has `spine_part` None, no `spines`, no `uplinks`, and
    `uplink_gbps` as its nodes. `last_uplinks` differs from `uplinks` only where the last unit may stay incomplete.
    """

    family: ClassVar[str] = "fat_tree"

    leaf_part: str
    spine_part: str | None
    planes: int
    wiring: str
    node_ports: int
    node_port_gbps: int
    uplink_gbps: int
    unit_nodes: int
    units: int
    rails_per_leaf: int
    leaves_per_unit: int
    extra_ports: int
    down_ports: int
    uplinks: int
    last_uplinks: int
    spines: int

    @property
    def leaves(self) -> int:
        """Leaves of one plane."""
        return self.units * self.leaves_per_unit

    @property
    def leaves_total(self) -> int:
        """Leaves of all planes."""
        return self.leaves * self.planes

    @property
    def spines_total(self) -> int:
        """Spines of all planes."""
        return self.spines * self.planes

    @property
    def uplinks_total(self) -> int:
        """Leaf-spine links of all planes."""
        full = (self.units - 1) * self.uplinks + self.last_uplinks
        return full * self.leaves_per_unit * self.planes

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """Leaves and, in two tiers, spines of all planes."""
        leaves = Tier("leaf", self.leaf_part, self.leaves_total)
        return (leaves,) if self.spine_part is None else (leaves, Tier("spine", self.spine_part, self.spines_total))

    @property
    def switch_links(self) -> Mapping[str, int]:
        """Leaf-spine links of all planes."""
        return {"leaf_spine": self.uplinks_total} if self.spines else {}

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Models and numbers of switches, wiring, nodes of a unit and uplinks of a leaf."""
        own: dict[str, str | int] = {"wiring": self.wiring, "unit_nodes": self.unit_nodes, "uplinks": self.uplinks}
        return _switches(self.tiers) | own

    def with_parts(self, model: Callable[[str], str]) -> FatTreeShape:
        """The same of other models, each of which stands for one of these."""
        spine = None if self.spine_part is None else model(self.spine_part)
        return replace(self, leaf_part=model(self.leaf_part), spine_part=spine)


@dataclass(frozen=True, slots=True)
class PodTreeShape:
    """Three tiers: pods of leaves and spines below cores; every count is of one plane unless it says total.

    Units hang below leaves as in two tiers. A pod is `units_per_pod` units, the last one what is left, with `spines` in
    every pod. A leaf has `trunk` links to each spine of its pod. Spine i of every pod has `core_trunk` links to each of
    the `cores_per_spine` cores of its own, or, where `spines_per_core` spines of a pod share their cores, to these.
    """

    family: ClassVar[str] = "fat_tree"

    leaf_part: str
    spine_part: str
    planes: int
    wiring: str
    node_ports: int
    node_port_gbps: int
    uplink_gbps: int
    unit_nodes: int
    units: int
    rails_per_leaf: int
    leaves_per_unit: int
    extra_ports: int
    down_ports: int
    units_per_pod: int
    spines: int
    trunk: int
    cores_per_spine: int
    spines_per_core: int
    core_trunk: int

    @property
    def pods(self) -> int:
        """Pods, the part-filled one included."""
        return math.ceil(self.units / self.units_per_pod)

    @property
    def uplinks(self) -> int:
        """Uplinks of a leaf."""
        return self.spines * self.trunk

    @property
    def spine_uplinks(self) -> int:
        """Uplinks of a spine."""
        return self.cores_per_spine * self.core_trunk

    @property
    def cores(self) -> int:
        """Cores of one plane."""
        return self.spines // self.spines_per_core * self.cores_per_spine

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """Leaves, spines and cores of all planes."""
        return (
            Tier("leaf", self.leaf_part, self.units * self.leaves_per_unit * self.planes),
            Tier("spine", self.spine_part, self.pods * self.spines * self.planes),
            Tier("core", self.spine_part, self.cores * self.planes),
        )

    @property
    def switch_links(self) -> Mapping[str, int]:
        """Leaf-spine and spine-core links of all planes."""
        below = self.units * self.leaves_per_unit * self.uplinks
        return {
            "leaf_spine": below * self.planes,
            "spine_core": self.pods * self.spines * self.spine_uplinks * self.planes,
        }

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Models and numbers of switches, pods, wiring, nodes of a unit and uplinks of a leaf."""
        own: dict[str, str | int] = {"pods": self.pods, "wiring": self.wiring}
        return _switches(self.tiers) | own | {"unit_nodes": self.unit_nodes, "uplinks": self.uplinks}

    def with_parts(self, model: Callable[[str], str]) -> PodTreeShape:
        """The same of other models, each of which stands for one of these."""
        return replace(self, leaf_part=model(self.leaf_part), spine_part=model(self.spine_part))


def share_of_last(links: int, routers: int, last: int) -> int:
    """Links between a full group of so many routers and one of `last` of them, of `links` between full ones."""
    return math.ceil(links * last / routers)


def global_ports(links: int, groups: int, routers: int, last: int) -> int:
    """Most global ports of a router of a dragonfly with so many links between full groups of `routers` routers."""
    fewer = share_of_last(links, routers, last)
    return max(math.ceil((links * (groups - 2) + fewer) / routers), math.ceil(fewer * (groups - 1) / last))


@dataclass(frozen=True, slots=True)
class DragonflyShape:
    """Groups of routers; every count is of one plane unless it says total.

    A unit is `unit_nodes` nodes below `leaves_per_unit` routers, as below the leaves of a fat-tree. A group is
    `units_per_group` units, the last one what is left. Every two routers of a group share `local_width` links, every
    two full groups `group_links`, each of them and a part-filled last one its share of these, rounded up.
    `arrangement` says in which order a group's global ports lead to the other groups.
    """

    family: ClassVar[str] = "dragonfly"

    router_part: str
    planes: int
    wiring: str
    node_ports: int
    node_port_gbps: int
    uplink_gbps: int
    unit_nodes: int
    units: int
    rails_per_leaf: int
    leaves_per_unit: int
    extra_ports: int
    down_ports: int
    units_per_group: int
    local_width: int
    group_links: int
    arrangement: str

    @property
    def groups(self) -> int:
        """Groups, the part-filled one included."""
        return math.ceil(self.units / self.units_per_group)

    @property
    def routers_per_group(self) -> int:
        """Routers of a full group."""
        return self.units_per_group * self.leaves_per_unit

    @property
    def group_routers(self) -> tuple[int, ...]:
        """Routers of every group."""
        last = self.units - (self.groups - 1) * self.units_per_group
        return (*[self.routers_per_group] * (self.groups - 1), last * self.leaves_per_unit)

    @property
    def last_links(self) -> int:
        """Links between a full group and the last one."""
        return share_of_last(self.group_links, self.routers_per_group, self.group_routers[-1])

    @property
    def global_ports(self) -> int:
        """Most global ports of a router."""
        return global_ports(self.group_links, self.groups, self.routers_per_group, self.group_routers[-1])

    @property
    def links_between(self) -> tuple[tuple[int, ...], ...]:
        """(n_groups, n_groups) links between every two groups."""
        last = self.groups - 1
        return tuple(
            tuple(0 if i == j else self.last_links if last in (i, j) else self.group_links for j in range(self.groups))
            for i in range(self.groups)
        )

    @property
    def routers_total(self) -> int:
        """Routers of all planes."""
        return self.units * self.leaves_per_unit * self.planes

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The routers of all planes."""
        return (Tier("router", self.router_part, self.routers_total),)

    @property
    def switch_links(self) -> Mapping[str, int]:
        """Local and global links of all planes."""
        local = self.local_width * sum(count * (count - 1) // 2 for count in self.group_routers)
        full = self.groups - 1
        between = self.group_links * full * (full - 1) // 2 + self.last_links * full
        return {"local": local * self.planes, "global": between * self.planes}

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Model and number of routers, groups, routers of one, and nodes of a unit."""
        own: dict[str, str | int] = {"groups": self.groups, "routers_per_group": self.routers_per_group}
        return _switches(self.tiers) | own | {"wiring": self.wiring, "unit_nodes": self.unit_nodes}

    def with_parts(self, model: Callable[[str], str]) -> DragonflyShape:
        """The same of another model, which stands for its own."""
        return replace(self, router_part=model(self.router_part))


@dataclass(frozen=True, slots=True)
class TorusShape:
    """Routers on a grid that closes in every dimension; every count is of one plane unless it says total.

    Units of `unit_nodes` nodes hang below `leaves_per_unit` routers as below the leaves of a fat-tree; the grid may
    have routers without nodes. `widths` are the links to the next router in each dimension, which a ring of two has
    once.
    """

    family: ClassVar[str] = "torus"

    router_part: str
    planes: int
    wiring: str
    node_ports: int
    node_port_gbps: int
    uplink_gbps: int
    unit_nodes: int
    units: int
    rails_per_leaf: int
    leaves_per_unit: int
    extra_ports: int
    down_ports: int
    sizes: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def routers(self) -> int:
        """Routers of one plane."""
        return math.prod(self.sizes)

    @property
    def neighbour_ports(self) -> int:
        """Ports of a router for links to others."""
        return sum(width * min(size - 1, 2) for size, width in zip(self.sizes, self.widths, strict=True))

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The routers of all planes."""
        return (Tier("router", self.router_part, self.routers * self.planes),)

    @property
    def switch_links(self) -> Mapping[str, int]:
        """Links between routers of all planes."""
        return {"torus": self.routers * self.neighbour_ports // 2 * self.planes}

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Model and number of routers, sizes, and nodes of a unit."""
        own: dict[str, str | int] = {"sizes": "x".join(map(str, self.sizes)), "wiring": self.wiring}
        return _switches(self.tiers) | own | {"unit_nodes": self.unit_nodes}

    def with_parts(self, model: Callable[[str], str]) -> TorusShape:
        """The same of another model, which stands for its own."""
        return replace(self, router_part=model(self.router_part))


Shape: TypeAlias = FatTreeShape | PodTreeShape | DragonflyShape | TorusShape
"""The shape of any family: each has `family`, `tiers`, `switch_links`, `summary` and `with_parts`."""


def _switches(tiers: Sequence[Tier]) -> dict[str, str | int]:
    return {key: value for tier in tiers for key, value in ((f"{tier.role}_part", tier.part), (tier.role, tier.count))}


def in_words(tiers: Sequence[Tier]) -> str:
    """Switches by role, as a progress line says it."""
    plural = {"leaf": "leaves"}
    return " + ".join(f"{tier.count} {plural.get(tier.role, tier.role + 's')}" for tier in tiers)
