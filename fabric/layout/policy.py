"""Which racks may hold which switches: the request's placement policy on one floor plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabric.floorplan.rows import from_middle, row_names
from fabric.layout.transport import Bools, Ints
from fabric.model.floorplan import Rack
from fabric.model.request import PlacementPolicy


def open_racks(racks: Sequence[Rack]) -> Bools:
    """(racks,) whether switches may stand there at all: everywhere but in racks for nodes."""
    return np.array([rack.use != "node" for rack in racks])


def leaf_racks(racks: Sequence[Rack], policy: PlacementPolicy, slots: Ints, leaf_count: int) -> Bools:
    """(racks,) racks that may hold leaves, before a leaf's own rack is asked for.

    `row_middle` and `row_end` take the same number of racks in each row, nearest the middle or the ends: the fewest
    that have slots for all leaves. `slots` (racks,) counts leaves that fit each rack.
    """
    may = open_racks(racks)
    if policy.leaf == "network_rack":
        return np.array([rack.use == "network" for rack in racks])
    if policy.leaf == "own_rack":
        return np.array([rack.use == "any" for rack in racks])
    if policy.leaf in ("row_middle", "row_end"):
        rank = _rank_in_row(racks, may, outermost=policy.leaf == "row_end")
        for most in range(1, len(racks) + 1):
            chosen = may & (rank < most)
            if slots[chosen].sum() >= leaf_count or most > rank[may].max(initial=0):
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


def spines_per_rack(policy: PlacementPolicy, slots: Ints, spine_count: int) -> int:
    """Most spines of one rack: under `spread` an even share of the racks that have a slot, else all."""
    if policy.spine != "spread":
        return spine_count
    share = 1
    while share < spine_count and np.minimum(slots, share).sum() < spine_count:
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
