"""Shapes of dragonflies: of routers, and of leaves and spines (dragonfly+)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fabric.model.edge_shape import PodShape, RouterShape
from fabric.model.tier import Tier, switches_of


def share_of_last(links: int, routers: int, last: int) -> int:
    """Links between a full group of so many routers and one of `last` of them, of `links` between full ones."""
    return math.ceil(links * last / routers)


def global_ports(links: int, groups: int, routers: int, last: int) -> int:
    """Most global ports of a router of a dragonfly with so many links between full groups of `routers` routers."""
    fewer = share_of_last(links, routers, last)
    return max(math.ceil((links * (groups - 2) + fewer) / routers), math.ceil(fewer * (groups - 1) / last))


def spine_ports(links: int, groups: int, units: int, last: int, spines: int) -> int:
    """Most global ports of a spine of a dragonfly+ with so many links between full groups of `units` units."""
    fewer = share_of_last(links, units, last)
    return math.ceil(max(links * (groups - 2) + fewer, fewer * (groups - 1)) / spines)


def _links_between(groups: int, full: int, last: int) -> int:
    """Links among all groups: `last` between each of the others and the last one, else `full`."""
    return full * (groups - 1) * (groups - 2) // 2 + last * (groups - 1)


def _between(groups: int, full: int, last: int) -> tuple[tuple[int, ...], ...]:
    """(n_groups, n_groups) links between every two groups: `last` where one is the last group, else `full`."""
    return tuple(
        tuple(0 if i == j else last if groups - 1 in (i, j) else full for j in range(groups)) for i in range(groups)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DragonflyShape(RouterShape):
    """Groups of routers; every count is of one plane unless it says total.

    A group is `units_per_group` units, the last one what is left. Every two routers of a group share `local_width`
    links, every two full groups `group_links`, each of them and a part-filled last one its share of these, rounded up.
    `arrangement` says in which order a group's global ports lead to the other groups.
    """

    family: ClassVar[str] = "dragonfly"

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
        return (*[self.routers_per_group] * (self.groups - 1), self.last_routers)

    @property
    def last_routers(self) -> int:
        """Routers of the last group."""
        return (self.units - (self.groups - 1) * self.units_per_group) * self.leaves_per_unit

    @property
    def last_links(self) -> int:
        """Links between a full group and the last one."""
        return share_of_last(self.group_links, self.routers_per_group, self.last_routers)

    @property
    def global_ports(self) -> int:
        """Most global ports of a router."""
        return global_ports(self.group_links, self.groups, self.routers_per_group, self.last_routers)

    @property
    def links_between(self) -> tuple[tuple[int, ...], ...]:
        """(n_groups, n_groups) links between every two groups."""
        return _between(self.groups, self.group_links, self.last_links)

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
        full, routers, last = self.groups - 1, self.routers_per_group, self.last_routers
        local = self.local_width * (full * routers * (routers - 1) + last * (last - 1)) // 2
        between = _links_between(self.groups, self.group_links, self.last_links)
        return {"local": local * self.planes, "global": between * self.planes}

    @property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Most links of a router to each of some others, and how many of these: of its group, and of others."""
        of_router = math.ceil(self.group_links / self.routers_per_group)
        across = math.ceil(of_router / self.routers_per_group), self.global_ports
        return ((self.local_width, self.routers_per_group - 1), across)

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Model and number of routers, groups, routers of one, and nodes of a unit."""
        own: dict[str, str | int] = {"groups": self.groups, "routers_per_group": self.routers_per_group}
        return switches_of(self.tiers) | own | {"wiring": self.wiring, "unit_nodes": self.unit_nodes}


@dataclass(frozen=True, slots=True, kw_only=True)
class DragonflyPlusShape(PodShape):
    """Groups of leaves and spines, global links between spines; every count is of one plane unless it says total.

    A group is a pod. Every two full ones share `group_links`, each of them and a part-filled last one its share of
    these, rounded up.
    """

    family: ClassVar[str] = "dragonfly_plus"
    pod_name: ClassVar[str] = "g"

    group_links: int
    arrangement: str

    @property
    def groups(self) -> int:
        """Groups, as dragonflies call pods."""
        return self.pods

    @property
    def last_units(self) -> int:
        """Units of the last group."""
        return self.units - (self.pods - 1) * self.units_per_pod

    @property
    def last_links(self) -> int:
        """Links between a full group and the last one."""
        return share_of_last(self.group_links, self.units_per_pod, self.last_units)

    @property
    def links_between(self) -> tuple[tuple[int, ...], ...]:
        """(n_groups, n_groups) links between every two groups."""
        return _between(self.groups, self.group_links, self.last_links)

    @property
    def global_ports(self) -> int:
        """Most global ports of a spine."""
        return spine_ports(self.group_links, self.groups, self.units_per_pod, self.last_units, self.spines)

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """Leaves and spines of all planes."""
        return (
            Tier("leaf", self.leaf_part, self.units * self.leaves_per_unit * self.planes),
            Tier("spine", self.spine_part, self.groups * self.spines * self.planes),
        )

    @property
    def switch_links(self) -> Mapping[str, int]:
        """Leaf-spine and global links of all planes."""
        below = self.units * self.leaves_per_unit * self.spines * self.trunk
        between = _links_between(self.groups, self.group_links, self.last_links)
        return {"leaf_spine": below * self.planes, "global": between * self.planes}

    @property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Most links of a switch to each of some others, and how many of these: of its group, and of others."""
        inside = max(self.spines, self.units_per_pod * self.leaves_per_unit)
        across = math.ceil(math.ceil(self.group_links / self.spines) / self.spines)
        return ((self.trunk, inside), (across, self.global_ports))

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Models and numbers of switches, groups, wiring and nodes of a unit."""
        own: dict[str, str | int] = {"groups": self.groups, "wiring": self.wiring, "unit_nodes": self.unit_nodes}
        return switches_of(self.tiers) | own
