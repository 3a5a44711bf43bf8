"""Whether the ways that traffic takes can make buffers wait in a circle, on the lanes that are there and set."""

from __future__ import annotations

from collections import defaultdict

from fabric.catalog.load import Catalog
from fabric.lossless.buffer_dependency import judge
from fabric.model.deadlock import Deadlock
from fabric.model.design import Design
from fabric.pipeline.balancing import longer_ways
from fabric.pipeline.networks import Plane
from fabric.pipeline.settings import credit_chip_of


def judge_deadlock(planes: tuple[Plane, ...], design: Design, catalog: Catalog) -> Deadlock:
    """Lanes that the ways loaded need, and a circle where fewer are there or set.

    Planes share no switch, so each is judged alone.
    """
    asked, have, are_set = longer_ways(design, catalog), _lanes_available(design, catalog), _lanes_set(design)
    lanes = min((count for count in (have, are_set) if count is not None), default=None)
    lanes_needed, for_detours, found = 1, None, None
    for plane in planes:
        verdict = judge(plane.network, plane.routes if asked else plane.routes[:1], lanes)
        lanes_needed = max(lanes_needed, verdict.lanes_needed)
        if len(plane.routes) > 1:
            all_ways = verdict if asked else judge(plane.network, plane.routes)
            for_detours = max(for_detours or 1, all_ways.lanes_needed)
        if found is None and not verdict.free:
            names = [device.name for device in plane.switches]
            found = tuple(f"{names[hop.source]} > {names[hop.target]}" for hop in verdict.cycle or ())
    return Deadlock(found is None, lanes_needed, have, found, for_detours, are_set, asked)


def _lanes_available(design: Design, catalog: Catalog) -> int | None:
    """Data lanes that every switch has, None where one's number is not known."""
    parts = {device.part or "" for device in design.topology.devices if device.is_switch}
    lanes: list[int | None] = []
    for key in sorted(parts):
        switch = catalog.switches.get(key)
        if switch is None:
            lanes.append(None)
        elif switch.link_layer == "infiniband":
            lanes.append(switch.data_virtual_lanes or credit_chip_of(key, catalog).data_vls_count)
        else:
            lanes.append(switch.lossless_priorities)
    known = [count for count in lanes if count is not None]
    return min(known) if known and len(known) == len(lanes) else None


def _lanes_set(design: Design) -> int | None:
    """Lanes that the settings give every port, one at least: those of InfiniBand, or priorities that pause."""
    lanes: list[int] = []
    priorities: defaultdict[tuple[str, str], set[int | None]] = defaultdict(set)
    for row in design.settings.lossless if design.settings is not None else ():
        if row.virtual_lanes is not None:
            lanes.append(max(1, row.virtual_lanes))
        elif row.xoff is not None:
            priorities[row.device, row.port].add(row.priority)
    return min([*lanes, *map(len, priorities.values())], default=None)
