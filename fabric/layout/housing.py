"""What parts need of a rack: catalog figures, or the planning values that stand in for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch, System
from fabric.errors import Fault, InputError
from fabric.model.placement import DeviceSpace, NodeHousing
from fabric.model.request import Planning
from fabric.model.topology import Device

EDGE = "leaf"
"""Role under which policies and places of a floor plan know the switches that nodes hang on: leaves, or routers."""


class Needs(NamedTuple):
    """What each device needs, by name, and how nodes stand in racks."""

    spaces: Mapping[str, DeviceSpace]
    housing: NodeHousing


def node_housing(key: str, system: System, planning: Planning) -> NodeHousing:
    """How nodes of `system` stand in racks; what the request plans with goes before the catalog.

    Raises:
        InputError: height or power is unknown and the request plans no value.
    """
    units = planning.node_units or system.figure("rack_units")
    node_kw = planning.node_kw or system.figure("node_kw")
    per_rack = system.figure("nodes_per_rack")
    if planning.nodes_per_rack and not system.whole_rack:
        per_rack = planning.nodes_per_rack
    rack_kw = system.figure("rack_kw")
    if node_kw is None and system.whole_rack and rack_kw and per_rack:
        node_kw = rack_kw / per_rack
    missing = [
        Fault(f"{key} has no published {what}; give a planning value", key=f"planning.{field}")
        for field, what, value in (("node_units", "height", units), ("node_kw", "power", node_kw))
        if value is None
    ]
    if missing:
        raise InputError(*missing)
    return NodeHousing(
        space=DeviceSpace(int(units), 1000 * float(node_kw), system.figure("cooling"), system.figure("feed")),
        per_rack=per_rack,
        whole_rack=system.whole_rack,
        first_u=system.rack_first_u,
        rack_power_w=1000 * float(rack_kw) if system.whole_rack and rack_kw else None,
    )


def switch_space(key: str, switch: Switch, planning: Planning) -> DeviceSpace:
    """Space of a switch with every cage's pluggable at its maximum power.

    Raises:
        InputError: height or power is unknown and the request plans no value.
    """
    units = switch.figure("rack_units")
    power_w = planning.switch_w.get(key)
    if power_w is None:
        power_w = switch.figure("max_w")
        if power_w is not None and not switch.counts_optics:
            power_w += switch.cages.count * (switch.cages.max_power_w or 0.0)
    if units is None or power_w is None:
        what = "height" if units is None else "power"
        raise InputError(
            Fault(
                f"{key} has no published {what}; plan its power here or take another switch",
                key="planning.switch_w",
            )
        )
    return DeviceSpace(int(units), float(power_w), switch.figure("cooling"), switch.figure("feed"))


def device_spaces(devices: Iterable[Device], catalog: Catalog, planning: Planning) -> dict[str, DeviceSpace]:
    """Space of every device, by its name; each part is looked up once.

    Raises:
        InputError: as `node_housing` and `switch_space` do.
    """
    known: dict[str, DeviceSpace] = {}
    spaces = {}
    for device in devices:
        key = device.part or ""
        if key not in known:
            if device.is_switch:
                known[key] = switch_space(key, catalog.switches[key], planning)
            elif device.role == "node":
                known[key] = node_housing(key, catalog.systems[key], planning).space
            else:
                known[key] = node_housing(key, catalog.systems[key], Planning()).space
        spaces[device.name] = known[key]
    return spaces
