"""A shape: the few numbers that fix a fabric before a single device is named."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FatTreeShape:
    """One switch, or two tiers, per plane; every count is of one plane unless it says total.

    A unit is `unit_nodes` nodes that share leaves. A leaf serves `rails_per_leaf` rails of its unit under rail wiring,
    all ports of its nodes under rack wiring, every second port of its nodes under dual-homed wiring. `down_ports` are
    those plus `extra_ports` for attached endpoints. A single tier has `spine_part` None, no `spines`, no `uplinks`, and
    `uplink_gbps` as its nodes. `last_uplinks` differs from `uplinks` only where the last unit may stay incomplete.
    """

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
