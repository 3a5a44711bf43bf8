"""One shape laid out in full: its port map, its places and its cables, on the plan given or a generated one."""

from __future__ import annotations

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
from fabric.layout.housing import Needs, device_spaces, node_housing
from fabric.layout.lots import Lots, lots_of
from fabric.layout.market import open_market
from fabric.layout.place import place, wanted_racks
from fabric.layout.port_matching import match_ports
from fabric.layout.site_bound import WORK_LIMIT
from fabric.model.cabling import Cabling
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement
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
    def needs(self) -> Needs:
        """What the devices need of racks."""
        housing = node_housing(self.size.system_key, self.size.system, self.request.planning)
        return Needs(device_spaces(self.topology.devices, self.catalog, self.request.planning), housing)

    def generated(self) -> FloorPlan:
        """A plan with room for all."""
        spaces, housing = self.needs
        leaves, spines = ([spaces[each.name] for each in self.topology.with_role(role)] for role in SWITCH_TIERS)
        others = [spaces[each.name] for each in self.topology.devices if not each.is_switch and each.role != "node"]
        return generate(self.size.growth_nodes, housing, leaves, spines, others, self.request.placement)

    def stand(self, plan: FloorPlan, lots: tuple[Lots, ...], work_limit: int) -> Stand:
        """The best places on `plan`; with free ports those of regular ones, bounded for any order of ports."""
        routes = Routes(plan)

        def placed(priced: tuple[Lots, ...]) -> Placement:
            return place(self.topology, self.request, routes, self.needs, priced, work_limit)

        if self.request.fabric.port_order == "regular":
            return Stand(routes, placed(lots))
        found = placed(tuple(free_lots(lots, self.topology, routes, self.request, self.catalog)))
        with suppress(InfeasibleError, LimitReachedError):
            found = _bounded_by(found, placed(lots))
        return Stand(routes, found)

    def stand_closely(self, plan: FloorPlan, lots: tuple[Lots, ...], work_limit: int) -> Stand:
        """The best places on a generated plan without the network racks that no switch wants: closer may be cheaper."""
        plan = self._closed_up(plan, lots)
        found = self.stand(plan, lots, work_limit)
        used = {found.placement.of[device.name].rack for device in self.topology.devices if device.is_switch}
        idle = _network_racks(plan) - used
        with suppress(InfeasibleError, LimitReachedError):
            found = self.stand(without(plan, idle), lots, work_limit) if idle else found
        return found

    def _closed_up(self, plan: FloorPlan, lots: tuple[Lots, ...]) -> FloorPlan:
        """The plan without network racks that a first look leaves empty, as long as all switches find a slot."""
        wanted = self._wanted(plan, lots)
        while idle := _network_racks(plan) - wanted:
            closer = without(plan, idle)
            try:
                wanted = self._wanted(closer, lots)
            except (InfeasibleError, LimitReachedError):
                break
            plan = closer
        return plan

    def _wanted(self, plan: FloorPlan, lots: tuple[Lots, ...]) -> frozenset[str]:
        return wanted_racks(self.topology, self.request, Routes(plan), self.needs, lots)


def _network_racks(plan: FloorPlan) -> set[str]:
    return {rack.name for rack in plan.all_racks if rack.use == "network"}


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
