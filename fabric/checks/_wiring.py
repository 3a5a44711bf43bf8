"""How nodes are meant to be wired, and which rail and plane a node's port belongs to."""

from __future__ import annotations

import re
from collections import Counter

from fabric.checks._context import CheckContext
from fabric.checks._tiers import Access
from fabric.model.topology import Device

_PORT = re.compile(r"rail(\d+)(?:p(\d+))?")
"""Names of node ports: `rail3`, and `rail3p1` where planes are told apart."""


def wiring(ctx: CheckContext) -> str:
    """The request's wiring, else the family's own parameter, else rail from two ports of a plane up."""
    asked = ctx.design.request.fabric.wiring if ctx.design.request is not None else None
    if asked not in (None, "auto"):
        return str(asked)
    if "wiring" in ctx.topology.parameters:
        return str(ctx.topology.parameters["wiring"])
    ports = Counter((each.device.name, each.leaf.plane) for each in ctx.accesses if each.device.role == "node")
    return "rail" if max(ports.values(), default=1) > 1 else "rack"


def named_rail(access: Access) -> int | None:
    """Rail in the name of the device's port, None when the name has none."""
    match = _PORT.fullmatch(access.port.port)
    return int(match[1]) if match else None


def named_plane(access: Access) -> int | None:
    """Plane in the name of the device's port, None when the name has none."""
    match = _PORT.fullmatch(access.port.port)
    return int(match[2]) if match and match[2] else None


def rail_of(access: Access) -> int | None:
    """Rail of a node's link: its column, else the name of the port."""
    return access.link.rail if access.link.rail is not None else named_rail(access)


def rails_of(leaf: Device) -> tuple[int, ...]:
    """Rails that a leaf says it serves."""
    return tuple(int(rail) for rail in (leaf.rail or "").split("+") if rail.isdigit())
