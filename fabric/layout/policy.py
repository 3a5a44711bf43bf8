"""Which racks may hold which switches: the request's placement policy on one floor plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from fabric.floorplan.rows import from_middle, row_names
from fabric.layout.transport import Bools, Ints
from fabric.model.floorplan import Rack
from fabric.model.request import PlacementPolicy

RULE_OF: Mapping[str, str] = MappingProxyType({"leaf": "leaf", "router": "leaf", "spine": "spine", "core": "spine"})
"""Key of the placement policy that rules each role of switches: routers stand as leaves do, cores as spines."""


class Seats(NamedTuple):
    """(racks,) racks that may hold leaves, racks that may hold spines, and the most spines of one rack."""

    leaf: Bools
    spine: Bools
    spines_per_rack_count: int

    def may_hold(self, role: str) -> Bools:
        """(racks,) racks that may hold switches of a role."""
        return self.leaf if RULE_OF[role] == "leaf" else self.spine


def open_racks(racks: Sequence[Rack]) -> Bools:
    """(racks,) whether switches may stand there at all: everywhere but in racks for nodes."""
    return np.array([rack.use != "node" for rack in racks])


def leaf_racks(racks: Sequence[Rack], policy: PlacementPolicy, enough: Callable[[Bools], bool]) -> Bools:
    """(racks,) racks that may hold leaves, before a leaf's own rack is asked for.

    `row_middle` and `row_end` take the same number of racks in each row, nearest the middle or the ends: the fewest
    that are `enough`, else all. Rows that spines have for themselves come last.
    """
    may = open_racks(racks)
    if policy.leaf == "network_rack":
        return np.array([rack.use == "network" for rack in racks])
    if policy.leaf == "own_rack":
        return np.array([rack.use == "any" for rack in racks])
    if policy.leaf in ("row_middle", "row_end"):
        rank = _rank_in_row(racks, may, outermost=policy.leaf == "row_end")
        if policy.spine == "network_row":
            rank += len(racks) * spine_racks(racks, policy)
        for most in np.unique(rank[may]):
            chosen: Bools = may & (rank <= most)
            if enough(chosen):
                return chosen
    return may


def spine_racks(racks: Sequence[Rack], policy: PlacementPolicy) -> Bools:
    """(racks,) racks that may hold spines; `network_row` means rows made of network racks alone."""
    may = open_racks(racks)
    if policy.spine == "network_row":
        rows = row_names(racks)
        mixed = {row for row, rack in zip(rows, racks, strict=True) if rack.use != "network"}
        return np.array([row not in mixed for row in rows])
    if policy.spine == "spread" and any(rack.use == "network" for rack in racks):
        return np.array([rack.use == "network" for rack in racks])
    return may


def seats(
    racks: Sequence[Rack], policy: PlacementPolicy, slots: Mapping[str, Ints], counts: Mapping[str, int]
) -> Seats:
    """Where leaves and spines may stand so that, as far as the policy allows, all of them find a slot.

    Args:
        racks: the floor plan.
        policy: where switches may stand.
        slots: (racks,) per role, switches of that role alone that each rack has room for.
        counts: switches of each role.
    """
    leaf_slots, spine_slots = (_slots(slots, rule, len(racks)) for rule in ("leaf", "spine"))
    leaves, spines = (sum(counts[role] for role in counts if RULE_OF[role] == rule) for rule in ("leaf", "spine"))
    spine = spine_racks(racks, policy) & (spine_slots > 0)
    share = spines_per_rack(policy, spine_slots * spine, spines)

    def hold(leaf: Bools) -> bool:
        beside = np.minimum(spine_slots * spine, share)
        both = np.where(leaf & spine, np.minimum(leaf_slots, spine_slots), leaf_slots * leaf + beside)
        leaves_fit = int((leaf_slots * leaf).sum()) >= leaves
        return leaves_fit and int(both.sum()) >= leaves + spines

    return Seats(leaf_racks(racks, policy, hold), spine, share)


def _slots(slots: Mapping[str, Ints], rule: str, racks_count: int) -> Ints:
    """(racks,) switches that each rack has room for, of whichever role under one rule of the policy; 0 without any."""
    ruled = [rooms for role, rooms in slots.items() if RULE_OF[role] == rule]
    return np.min(ruled, axis=0) if ruled else np.zeros(racks_count, dtype=np.int64)


def spines_per_rack(policy: PlacementPolicy, slots: Ints, spine_count: int) -> int:
    """Most spines of one rack: under `spread` an even share of the racks that have a slot, else one in every slot.

    Spread spines never stand in one rack alone, however few slots the others have.
    """
    if policy.spine != "spread":
        return int(slots.max(initial=0))
    share = 1
    while share < spine_count - 1 and np.minimum(slots, share).sum() < spine_count:
        share += 1
    return share


def _rank_in_row(racks: Sequence[Rack], may: Bools, *, outermost: bool) -> Ints:
    """(racks,) place of each open rack in its row by distance from the middle, 0 the nearest (or farthest)."""
    rows, distance_m = row_names(racks), from_middle(racks)
    sign = -1 if outermost else 1
    order = sorted(range(len(racks)), key=lambda i: (sign * round(distance_m[i], 6), racks[i].name))
    seen: dict[str, int] = {}
    rank = np.zeros(len(racks), dtype=np.int64)
    for i in order:
        if may[i]:
            rank[i] = seen.get(rows[i], 0)
            seen[rows[i]] = rank[i] + 1
    return rank
