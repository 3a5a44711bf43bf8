"""What every check is given: a design, the catalog, the flow model's result, and shared views of them made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from fabric.catalog.bill import Totals, bill, totals
from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch, System
from fabric.catalog.power import Draw, draw
from fabric.checks._cages import Cage, CageKind, cage_kinds, links_by_cage
from fabric.checks._seats import Seat, Seating, Sitting
from fabric.checks._tiers import (
    FAMILY_KINDS,
    TREE,
    Access,
    Plane,
    SwitchLink,
    Uplink,
    accesses,
    blocks,
    kinds_between,
    planes,
    switch_links,
    uplinks,
)
from fabric.model.cabling import Cable, Cabling, Pluggable
from fabric.model.design import Design
from fabric.model.floorplan import FloorPlan, Rack
from fabric.model.flow_result import FlowResult
from fabric.model.placement import Placement
from fabric.model.report import BillLine
from fabric.model.request import FIBRE, LinkLayer, Request
from fabric.model.settings import Settings
from fabric.model.topology import Device, Link, Topology

T = TypeVar("T")


@dataclass(frozen=True)
class CheckContext:
    """A design under judgement. A part that a check named as its need is there; views are made at first use."""

    design: Design
    catalog: Catalog
    flow: FlowResult | None = None

    def has(self, need: str) -> bool:
        """Whether the design has a part."""
        return (self.flow if need == "flow" else getattr(self.design, need)) is not None

    @cached_property
    def bill(self) -> tuple[BillLine, ...]:
        """The bill of materials."""
        return bill(self.design, self.catalog)

    @cached_property
    def money(self) -> Totals:
        """What the bill comes to."""
        return totals(self.bill)

    @cached_property
    def drawn(self) -> Draw:
        """What all parts draw."""
        return draw(self.design, self.catalog)

    @property
    def topology(self) -> Topology:
        """Devices and links."""
        return self.design.topology

    @property
    def request(self) -> Request:
        """The request, for checks that need it."""
        return _given(self.design.request)

    @property
    def floor_plan(self) -> FloorPlan:
        """The floor plan, for checks that need it."""
        return _given(self.design.floor_plan)

    @property
    def placement(self) -> Placement:
        """The placement, for checks that need it."""
        return _given(self.design.placement)

    @property
    def cabling(self) -> Cabling:
        """The cabling, for checks that need it."""
        return _given(self.design.cabling)

    @property
    def settings(self) -> Settings:
        """The settings, for checks that need them."""
        return _given(self.design.settings)

    @property
    def flow_result(self) -> FlowResult:
        """The flow model's result, for checks that need it."""
        return _given(self.flow)

    @cached_property
    def link_layer(self) -> LinkLayer | None:
        """Link layer as parts name it: the request's, else that of all switches, None where they differ."""
        if self.design.request is not None:
            return self.asked_layer
        layers = {switch.link_layer for device in self.topology.devices if (switch := self.switch(device)) is not None}
        return layers.pop() if len(layers) == 1 else None

    @property
    def asked_layer(self) -> LinkLayer:
        """The request's link layer as parts name it."""
        return self.request.fabric.part_layer

    def switch(self, device: Device | None) -> Switch | None:
        """The switch that a device is, None when it is none or its part is not known."""
        return self.catalog.switches.get(device.part or "") if device is not None else None

    def system(self, device: Device | None) -> System | None:
        """The system that a device is, None when it is none or its part is not known."""
        return self.catalog.systems.get(device.part or "") if device is not None else None

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """Links of endpoint devices."""
        return tuple(accesses(self.topology))

    @property
    def is_tree(self) -> bool:
        """Whether the fabric is a fat-tree."""
        return self.topology.family == TREE

    @cached_property
    def switch_links(self) -> tuple[SwitchLink, ...]:
        """Links between switches."""
        return tuple(switch_links(self.topology))

    @cached_property
    def strange_links(self) -> tuple[Link, ...]:
        """Links between switches that fit their ends and that the design's family has none of."""
        kinds = FAMILY_KINDS.get(self.topology.family)
        if kinds is None:
            return ()
        found = (each for each in self.switch_links if each.link.kind in kinds_between(each.low, each.high))
        return tuple(each.link for each in found if each.link.kind not in kinds)

    @cached_property
    def homeless_routers(self) -> tuple[Device, ...]:
        """Switches without a group in families whose ways go by groups."""
        kinds = FAMILY_KINDS.get(self.topology.family, frozenset())
        if self.is_tree or not any(link.kind in kinds for link in self.topology.links):
            return ()
        return tuple(device for device in self.topology.devices if device.is_switch and device.group is None)

    @property
    def is_routed_otherwise(self) -> bool:
        """Whether the design names a family other than its links are of, so that its routing says nothing of them."""
        return self.topology.family not in FAMILY_KINDS or len(self.strange_links) > 1

    @cached_property
    def uplinks(self) -> tuple[Uplink, ...]:
        """Links between leaves and spines."""
        return tuple(uplinks(self.switch_links))

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        """Planes with their trunks."""
        return planes(self.topology, self.uplinks)

    @cached_property
    def blocks(self) -> tuple[Plane, ...]:
        """Planes, or the groups of planes that have any, with their trunks."""
        return blocks(self.topology, self.uplinks)

    @cached_property
    def cages(self) -> Mapping[Cage, tuple[Link, ...]]:
        """Links of every cage in use."""
        return links_by_cage(self.topology)

    @cached_property
    def kinds(self) -> Mapping[Cage, CageKind]:
        """Kind of every cage in use, as far as its part is known."""
        return cage_kinds(self.topology, self.cages, self.catalog, self.link_layer)

    @cached_property
    def cable(self) -> Mapping[str, Cable]:
        """Cables by name."""
        return {cable.name: cable for cable in self.cabling.cables}

    @cached_property
    def carried(self) -> Mapping[str, tuple[Link, ...]]:
        """Links by the cable that carries them."""
        found: dict[str, list[Link]] = {}
        for link in self.topology.links:
            if name := self.cabling.cable_of.get(link.name):
                found.setdefault(name, []).append(link)
        return {name: tuple(links) for name, links in found.items()}

    @cached_property
    def cables_in(self) -> Mapping[Cage, tuple[Cable, ...]]:
        """Cables by the cages that their links end in."""
        found: dict[Cage, tuple[Cable, ...]] = {}
        for name, links in self.carried.items():
            if cable := self.cable.get(name):
                cages = dict.fromkeys((port.device, port.cage) for link in links for port in (link.a, link.b))
                found.update((cage, (*found.get(cage, ()), cable)) for cage in cages)
        return found

    @cached_property
    def pluggables(self) -> Mapping[Cage, tuple[Pluggable, ...]]:
        """Pluggables by cage."""
        found: dict[Cage, tuple[Pluggable, ...]] = {}
        for each in self.cabling.pluggables:
            cage = (each.device, each.cage)
            found[cage] = (*found.get(cage, ()), each)
        return found

    @cached_property
    def modules(self) -> Mapping[Cage, str]:
        """Part of the first pluggable of every cage that has one."""
        return {cage: found[0].part for cage, found in self.pluggables.items()}

    @cached_property
    def seats(self) -> Mapping[str, tuple[Seat, ...]]:
        """Seats of every cable whose links meet in a cage."""
        seating = Seating(self.catalog, self.kinds, self.modules)
        return {
            name: seats
            for name, links in self.carried.items()
            if (cable := self.cable.get(name)) and (seats := seating.seats(cable, links))
        }

    @cached_property
    def sittings(self) -> Mapping[Sitting, tuple[Seat, ...]]:
        """Seats by kind: equal parts in equal cages are judged once."""
        seating = Seating(self.catalog, self.kinds, self.modules)
        found: dict[Sitting, list[Seat]] = {}
        for seats in self.seats.values():
            for seat in seats:
                if sitting := seating.sitting(seat):
                    found.setdefault(sitting, []).append(seat)
        return {sitting: tuple(seats) for sitting, seats in found.items()}

    @cached_property
    def module_kinds(self) -> Mapping[tuple[str, CageKind], tuple[Cage, ...]]:
        """Cages in use by pluggable and kind, pluggables the catalog knows only."""
        found: dict[tuple[str, CageKind], list[Cage]] = {}
        for cage, part in self.modules.items():
            kind = self.kinds.get(cage)
            if kind is not None and part in self.catalog.transceivers:
                found.setdefault((part, kind), []).append(cage)
        return {key: tuple(cages) for key, cages in found.items()}

    @cached_property
    def racks(self) -> Mapping[str, Rack]:
        """Racks of the floor plan by name."""
        return {rack.name: rack for rack in self.floor_plan.all_racks}

    def is_fibre(self, cable: Cable) -> bool:
        """Whether a cable's ends sit in pluggables; its part knows better than its row."""
        part = self.catalog.cables.get(cable.part)
        return (part.medium if part is not None else cable.medium) in FIBRE


def _given(value: T | None) -> T:
    """A part of the design that the check said it needs."""
    if value is None:
        raise LookupError("a check used a part of the design that it did not name as its need")
    return value
