"""Why switches have no place: with the arithmetic where that proves it, else as a search that ended empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fabric.errors import Conflict, FabricError, InfeasibleError, LimitReachedError
from fabric.floorplan.routes import Routes
from fabric.layout.policy import leaf_racks, spine_racks
from fabric.layout.rack_space import RackSpace
from fabric.layout.transport import Ints
from fabric.model.placement import DeviceSpace
from fabric.model.request import PlacementPolicy


def no_room(
    racks: Sequence[RackSpace],
    policy: PlacementPolicy,
    spaces: Mapping[str, DeviceSpace],
    counts: Mapping[str, int],
) -> FabricError:
    """The error for switches that fit beside no arrangement of nodes that was tried.

    It is a proof when even racks without any node have fewer places than there are switches of a role.

    Args:
        racks: racks before anything stands in them.
        policy: where switches may stand.
        spaces: space of one switch of each role.
        counts: switches of each role.
    """
    plan = [space.rack for space in racks]
    conflicts = []
    for role, space in spaces.items():
        slots = np.array([rack.fitting(role, space) for rack in racks])
        if policy.max_switches_per_rack != "auto":
            slots = np.minimum(slots, policy.max_switches_per_rack)
        may = leaf_racks(plan, policy, slots, counts[role]) if role == "leaf" else spine_racks(plan, policy)
        if int(slots[may].sum()) < counts[role]:
            rule = f"placement.{role}"
            conflicts.append(Conflict(rule, str(getattr(policy, role)), _short(role, space, counts, slots[may])))
    if conflicts:
        return InfeasibleError(conflict=tuple(conflicts))
    needs = "; ".join(
        f"{counts[role]} {role} switches of {space.units} U and {space.power_w / 1000:g} kW"
        for role, space in spaces.items()
    )
    return LimitReachedError(
        f"no arrangement of nodes that was tried leaves room for {needs} under the placement policy and within reach "
        "of the cables allowed; give the floor plan network racks near the nodes, or allow more media"
    )


def _short(role: str, space: DeviceSpace, counts: Mapping[str, int], slots: Ints) -> str:
    return (
        f"{counts[role]} {role} switches of {space.units} U and {space.power_w / 1000:g} kW are needed; "
        f"the {len(slots)} racks that may hold them have room for {int(slots.sum())}"
    )


def no_reach(routes: Routes, *, proved: bool) -> FabricError:
    """The error for a placement in which some link is longer than any allowed cable."""
    conflict = Conflict(
        "fabric.media",
        f"{len(routes.racks)} racks",
        "the cheapest places leave a link longer than any allowed part reaches",
    )
    return InfeasibleError(conflict=(conflict,)) if proved else LimitReachedError(conflict=(conflict,))
