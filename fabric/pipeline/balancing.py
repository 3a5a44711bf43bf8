"""How packets are spread: what the request says, else the best that switches and the routing of the family have."""

from __future__ import annotations

from collections.abc import Collection

from fabric.catalog.load import Catalog
from fabric.model.design import Design
from fabric.nos.port_names import nos_of
from fabric.pipeline.networks import TREE

BALANCINGS = ("spray", "adaptive", "dlb", "ecmp")
"""Ways to spread packets, best first."""

LONGER = frozenset({"adaptive", "valiant", "ugal"})
"""Ways to route that leave a full way for a longer one, where the family has any."""


def balancing_of(design: Design, catalog: Catalog) -> str:
    """How packets are spread: as the request says, else as `best_balancing` of the design's switches."""
    asked = design.request.transport.load_balancing if design.request is not None else "auto"
    if asked != "auto":
        return asked
    parts = {device.part for device in design.topology.devices if device.is_switch and device.part is not None}
    return best_balancing(parts, design.topology.family, catalog)


def best_balancing(parts: Collection[str], family: str, catalog: Catalog) -> str:
    """The best way that every known switch has, and the system that routes the family on them."""
    known = [catalog.switches[part] for part in sorted(parts) if part in catalog.switches]
    shared = set.intersection(*(set(switch.load_balancing) for switch in known)) if known else set()
    for layer in {switch.link_layer for switch in known}:
        support = catalog.support_of(family, nos_of(layer))
        if support is not None and support.load_balancing is not None:
            shared &= set(support.load_balancing)
    return next((way for way in BALANCINGS if way in shared), "ecmp")


def longer_ways(design: Design, catalog: Catalog) -> tuple[str, ...]:
    """What asks that packets take longer ways, as keys of the request with their values; nothing in a tree."""
    if design.topology.family == TREE:
        return ()
    asked = design.request.transport.load_balancing if design.request is not None else "auto"
    way = balancing_of(design, catalog)
    found = [f"transport.load_balancing: {way if asked == way else f'{asked}, here {way}'}"] if way in LONGER else []
    workloads = design.request.workloads if design.request is not None else ()
    found += [f"workloads.{each.name}.routing: {each.routing}" for each in workloads if each.routing in LONGER]
    return tuple(found)
