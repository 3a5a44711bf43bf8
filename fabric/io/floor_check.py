"""What a floor plan says that its form alone does not rule out; distances are for the floor plan room."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.errors import Fault, nearest
from fabric.model.floorplan import FloorPlan, Rack
from fabric.yaml_file import Document
from fabric.yaml_file.scan import Path

ROLES = ("node", "leaf", "spine", "core", "router", "ufm", "storage", "gateway", "login")
"""Roles that a place can be kept for."""


def faults(plan: FloorPlan, document: Document) -> list[Fault]:
    """Every fault of a floor plan that is right in form."""
    return [
        document.fault(("racks", index, *path), message)
        for index, rack in enumerate(plan.racks)
        for path, message in _rack(rack)
    ]


def _rack(rack: Rack) -> Iterator[tuple[Path, str]]:
    """Faults inside one rack."""
    for index, (low, high) in enumerate(rack.blocked_u):
        if not low <= high <= rack.units:
            yield ("blocked_u", index), f"[{low}, {high}] is no range of rack units from 1 to {rack.units}"
    blocked = {u for low, high in rack.blocked_u for u in range(low, min(high, rack.units) + 1)}
    for index, place in enumerate(rack.place):
        path: Path = ("place", index)
        if place.role not in ROLES:
            hint = nearest(place.role, ROLES, lead="; ")
            yield (*path, "role"), f"{place.role!r} is not allowed: one of {', '.join(ROLES)}{hint}"
        if place.u > rack.units:
            yield (*path, "u"), f"unit {place.u} is above the rack's {rack.units} units"
        elif place.u in blocked:
            yield (*path, "u"), f"unit {place.u} is blocked"
    if rack.nodes and rack.use == "network":
        yield ("nodes",), f"{rack.nodes} nodes in a rack whose use is network"
    if rack.power_kw is not None and rack.reserved_kw > rack.power_kw:
        yield ("reserved_kw",), f"{rack.reserved_kw:g} kW reserved of {rack.power_kw:g} kW"
