"""Shapes of fat-trees: one switch, two tiers, and three."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from fabric.model.edge_shape import EdgeShape, PodShape
from fabric.model.tier import Tier, switches_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FatTreeShape(EdgeShape):
    """One switch, or two tiers, per plane; every count is of one plane unless it says total.

    A single tier has `spine_part` None, no `spines`, no `uplinks`, and `uplink_gbps` as its nodes. `last_uplinks`
    differs from `uplinks` only where the last unit may stay incomplete.
    """

    family: ClassVar[str] = "fat_tree"

    leaf_part: str
    spine_part: str | None
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
        return switches_of(self.tiers) | own

    def with_parts(self, model: Callable[[str], str]) -> FatTreeShape:
        """The same of other models, each of which stands for one of these."""
        spine = None if self.spine_part is None else model(self.spine_part)
        return replace(self, leaf_part=model(self.leaf_part), spine_part=spine)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTreeShape(PodShape):
    """Three tiers: pods of leaves and spines below cores; every count is of one plane unless it says total.

    Spine i of every pod has `core_trunk` links to each of the `cores_per_spine` cores of its own, or, where
    `spines_per_core` spines of a pod share their cores, to these.
    """

    family: ClassVar[str] = "fat_tree"
    pod_name: ClassVar[str] = "pod"

    cores_per_spine: int
    spines_per_core: int
    core_trunk: int

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
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Most links of a switch to each of some others, and how many of these: below it, and above."""
        below = max(self.spines, self.units_per_pod * self.leaves_per_unit)
        return ((self.trunk, below), (self.core_trunk, max(self.cores_per_spine, self.pods * self.spines_per_core)))

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Models and numbers of switches, pods, wiring, nodes of a unit and uplinks of a leaf."""
        own: dict[str, str | int] = {"pods": self.pods, "wiring": self.wiring}
        return switches_of(self.tiers) | own | {"unit_nodes": self.unit_nodes, "uplinks": self.uplinks}
