"""What no floor plan may contain: geometry that no cable could follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fabric.errors import Fault, InputError
from fabric.model.floorplan import FloorPlan
from fabric.units import RACK_UNIT_M

FILE = "floorplan.yaml"


def refuse(plan: FloorPlan) -> None:
    """Raise every fault of `plan` at once; do nothing when there is none.

    Raises:
        InputError: racks at one place, units outside a rack, a tray through a rack, a drop or segment to nowhere,
            a rack that no tray reaches.
    """
    faults = [*_rack_faults(plan), *_ladder_faults(plan), *_graph_faults(plan)]
    if faults:
        raise InputError(*faults)


def _fault(key: str, message: str) -> Fault:
    return Fault(message, FILE, None, key)


def _rack_faults(plan: FloorPlan) -> Iterator[Fault]:
    at: dict[tuple[str | None, float, float], str] = {}
    for index, rack in enumerate(plan.all_racks):
        key = f"racks.{index}" if index < len(plan.racks) else "rows"
        other = at.setdefault((rack.hall, rack.x_m, rack.y_m), rack.name)
        if other != rack.name:
            yield _fault(key, f"{rack.name} stands at ({rack.x_m:g}, {rack.y_m:g}) m where {other} stands")
        for low, high in rack.blocked_u:
            if not low <= high <= rack.units:
                yield _fault(f"{key}.blocked_u", f"[{low}, {high}] is no range of units from 1 to {rack.units}")
        for place in rack.place:
            if place.u > rack.units:
                yield _fault(f"{key}.place", f"u {place.u} lies above the rack's {rack.units} units")


def _ladder_faults(plan: FloorPlan) -> Iterator[Fault]:
    trays = plan.trays
    if trays.nodes:
        return
    tallest = max(plan.all_racks, key=lambda rack: rack.units)
    top_m = tallest.units * RACK_UNIT_M
    if trays.height_m < top_m:
        yield _fault(
            "trays.height_m",
            f"{trays.height_m:g} m is below the top of rack {tallest.name}: {tallest.units} units are {top_m:.2f} m",
        )
    for key in ("segments", "drops"):
        if getattr(trays, key):
            yield _fault(f"trays.{key}", "needs trays.nodes; without nodes there are ladders only")


def _graph_faults(plan: FloorPlan) -> Iterator[Fault]:
    trays = plan.trays
    if not trays.nodes:
        return
    names = [node.name for node in trays.nodes]
    known = set(names)
    if len(known) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        yield _fault("trays.nodes", f"names stand twice: {', '.join(twice)}")
    for segment in trays.segments:
        for end in (segment.a, segment.b):
            if end not in known:
                yield _fault("trays.segments", f"{segment.a}–{segment.b}: there is no tray node {end}")
        if segment.a == segment.b:
            yield _fault("trays.segments", f"{segment.a}–{segment.b} joins a node to itself")
    yield from _drop_faults(plan, known)


def _drop_faults(plan: FloorPlan, known: set[str]) -> Iterator[Fault]:
    z_m = {node.name: node.z_m for node in plan.trays.nodes}
    racks = {rack.name: rack for rack in plan.all_racks}
    dropped: dict[str, list[str]] = defaultdict(list)
    for drop in plan.trays.drops:
        if drop.rack not in racks:
            yield _fault("trays.drops", f"there is no rack {drop.rack}")
        elif drop.node not in known:
            yield _fault("trays.drops", f"rack {drop.rack}: there is no tray node {drop.node}")
        else:
            dropped[drop.rack].append(drop.node)
            top_m = racks[drop.rack].units * RACK_UNIT_M
            if 0 < z_m[drop.node] < top_m:
                yield _fault(
                    "trays.drops",
                    f"tray node {drop.node} at {z_m[drop.node]:g} m runs through rack {drop.rack}, "
                    f"which is {top_m:.2f} m tall",
                )
    missing = sorted(racks.keys() - dropped.keys())
    if missing:
        yield _fault("trays.drops", f"{len(missing)} racks have no drop: {', '.join(missing[:5])}")
    yield from _island_faults(plan, dropped)


def _island_faults(plan: FloorPlan, dropped: dict[str, list[str]]) -> Iterator[Fault]:
    index = {node.name: i for i, node in enumerate(plan.trays.nodes)}
    ends = [(index[s.a], index[s.b]) for s in plan.trays.segments if s.a in index and s.b in index]
    a, b = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(index), len(index)))
    part = connected_components(graph, directed=False)[1]
    racks_of: dict[int, list[str]] = defaultdict(list)
    for rack, nodes in sorted(dropped.items()):
        racks_of[int(part[index[nodes[0]]])].append(rack)
    if len(racks_of) > 1:
        groups = "; ".join(f"{', '.join(group[:3])} ({len(group)} racks)" for group in racks_of.values())
        yield _fault("trays.segments", f"no tray joins these groups of racks: {groups}")
