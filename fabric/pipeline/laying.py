"""One shape laid out in full: its port map, its places and its cables, on the plan given or a generated one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, LimitReachedError
from fabric.floorplan.generate import generate, without
from fabric.floorplan.routes import Routes
from fabric.layout.cable import cable
from fabric.layout.free_lots import free_lots
from fabric.layout.housing import device_spaces, node_housing
from fabric.layout.lots import Lots, lots_of
from fabric.layout.market import open_market
from fabric.layout.place import place
from fabric.layout.port_matching import match_ports
from fabric.layout.site_bound import WORK_LIMIT
from fabric.model.cabling import Cabling
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import DeviceSpace, NodeHousing, Placement
from fabric.model.request import Request
from fabric.model.shape import FatTreeShape
from fabric.model.topology import Topology
from fabric.topology import port_map
from fabric.topology.size import Size

SWITCH_TIERS = ("leaf", "spine")


class Stand(NamedTuple):
    """Places on a measured floor plan."""

    routes: Routes
    placement: Placement


@dataclass(frozen=True, slots=True)
class Layout:
    """One shape laid out in full."""

    topology: Topology
    floor_plan: FloorPlan
    placement: Placement
    cabling: Cabling


def lay_out(
    shape: FatTreeShape,
    request: Request,
    size: Size,
    catalog: Catalog,
    floor_plan: FloorPlan | None,
    work_limit: int = WORK_LIMIT,
) -> Layout:
    """Port map, places and cables of one shape, on the plan given or a generated one.

    `work_limit` is what improving and proving the places may cost.
    """
    topology = port_map.build(shape, request, size, catalog)
    task = _Task(topology, request, size, catalog)
    plan = floor_plan or task.generated()
    market = open_market(topology, request, catalog, Routes(plan))
    lots = lots_of(market)
    found = task.stand(plan, lots, work_limit) if floor_plan else task.stand_closely(plan, lots, work_limit)
    if request.fabric.port_order == "free":
        return with_free_ports(topology, found, request, catalog)
    routes, placement = found
    return Layout(topology, routes.plan, placement, cable(topology, placement, routes, request, catalog, market))


@dataclass(frozen=True)
class _Task:
    """One topology to be placed, on any plan with the slack that its lots were priced for."""

    topology: Topology
    request: Request
    size: Size
    catalog: Catalog

    @cached_property
    def spaces(self) -> Mapping[str, DeviceSpace]:
        """What each device needs, by name."""
        return device_spaces(self.topology.devices, self.catalog, self.request.planning)

    @cached_property
    def housing(self) -> NodeHousing:
        """How nodes stand in racks."""
        return node_housing(self.size.system_key, self.size.system, self.request.planning)

    def generated(self) -> FloorPlan:
        """A plan with room for all."""
        leaves, spines = ([self.spaces[each.name] for each in self.topology.with_role(role)] for role in SWITCH_TIERS)
        others = [
            self.spaces[each.name] for each in self.topology.devices if not each.is_switch and each.role != "node"
        ]
        return generate(self.size.growth_nodes, self.housing, leaves, spines, others, self.request.placement)

    def stand(self, plan: FloorPlan, lots: tuple[Lots, ...], work_limit: int) -> Stand:
        """The best places on `plan`; with free ports those of regular ones, bounded for any order of ports."""
        routes = Routes(plan)

        def placed(priced: tuple[Lots, ...]) -> Placement:
            return place(self.topology, self.request, routes, self.spaces, self.housing, priced, work_limit)

        if self.request.fabric.port_order == "regular":
            return Stand(routes, placed(lots))
        found = placed(tuple(free_lots(lots, self.topology, routes, self.request, self.catalog)))
        with suppress(InfeasibleError, LimitReachedError):
            found = _bounded_by(found, placed(lots))
        return Stand(routes, found)

    def stand_closely(self, plan: FloorPlan, lots: tuple[Lots, ...], work_limit: int) -> Stand:
        """The best places on a generated plan without the network racks that no switch wants: closer may be cheaper."""
        sketched = self._without_idle_racks(plan, lots, work_limit=0)
        return self._without_idle_racks(sketched.routes.plan, lots, work_limit)

    def _without_idle_racks(self, plan: FloorPlan, lots: tuple[Lots, ...], work_limit: int) -> Stand:
        found = self.stand(plan, lots, work_limit)
        switches = [device.name for device in self.topology.devices if device.is_switch]
        while True:
            used = {found.placement.of[name].rack for name in switches}
            idle = {rack.name for rack in found.routes.racks if rack.use == "network"} - used
            if not idle:
                return found
            try:
                found = self.stand(without(found.routes.plan, idle), lots, work_limit)
            except (InfeasibleError, LimitReachedError):
                return found


def with_free_ports(topology: Topology, found: Stand, request: Request, catalog: Catalog) -> Layout:
    """A topology in its places with the links of its leaves on the ports where they cost least, and its cables."""
    routes, placement = found
    matched = match_ports(topology, placement, routes, request, catalog)
    proof = placement.termination
    if proof is not None:
        proof = replace(proof, scope=(*proof.scope, "ports"), fixed=(*proof.fixed, *matched.fixed))
        placement = replace(placement, termination=proof)
    cabling = cable(matched.topology, placement, routes, request, catalog)
    return Layout(matched.topology, routes.plan, placement, cabling)


def _bounded_by(least: Placement, regular: Placement) -> Placement:
    """The best places of regular ports, which free ones can only make cheaper, with the bound of any order of ports."""
    proof, bound = regular.termination, least.termination
    if proof is None or bound is None:
        return least
    return replace(regular, termination=replace(bound, objective=proof.objective, status="feasible"))
