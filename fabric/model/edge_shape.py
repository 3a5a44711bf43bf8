"""What shapes of several families have in common: units below leaves or routers, and pods of leaves and spines."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeShape:
    """Units below leaves or routers, which `leaves_per_unit` counts alike; every count is of one plane.

    A unit is `unit_nodes` nodes that share leaves. A leaf serves `rails_per_leaf` rails of its unit under rail wiring,
    all ports of its nodes under rack wiring, every second port of its nodes under dual-homed wiring. `down_ports` are
    those plus `extra_ports` for attached endpoints.
    """

    family: ClassVar[str]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterShape(EdgeShape):
    """Units below routers, which link among themselves."""

    router_part: str

    def with_parts(self, model: Callable[[str], str]) -> Self:
        """The same of another model, which stands for its own."""
        return replace(self, router_part=model(self.router_part))


@dataclass(frozen=True, slots=True, kw_only=True)
class PodShape(EdgeShape):
    """Units below leaves in pods (or groups), every leaf of a pod joined with all spines of it.

    A pod is `units_per_pod` units, the last one what is left, with `spines` in every pod. A leaf has `trunk` links to
    each spine of its pod. `pod_name` is how names of spines call a pod.
    """

    pod_name: ClassVar[str]

    leaf_part: str
    spine_part: str
    units_per_pod: int
    spines: int
    trunk: int

    @property
    def pods(self) -> int:
        """Pods, the part-filled one included."""
        return math.ceil(self.units / self.units_per_pod)

    @property
    def uplinks(self) -> int:
        """Uplinks of a leaf."""
        return self.spines * self.trunk

    def with_parts(self, model: Callable[[str], str]) -> Self:
        """The same of other models, each of which stands for one of these."""
        return replace(self, leaf_part=model(self.leaf_part), spine_part=model(self.spine_part))
