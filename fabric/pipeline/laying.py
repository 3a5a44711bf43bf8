"""One shape laid out in full: its port map, its places and its cables, on the plan given or a generated one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
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
from fabric.model.cabling import Cabling
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement
from fabric.model.request import Request
from fabric.model.shape import FatTreeShape
from fabric.model.topology import Topology
from fabric.topology import port_map
from fabric.topology.size import Size


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
    shape: FatTreeShape, request: Request, size: Size, catalog: Catalog, floor_plan: FloorPlan | None
) -> Layout:
    """Port map, places and cables of one shape, on the plan given or a generated one."""
    topology = port_map.build(shape, request, size, catalog)
    spaces = device_spaces(topology.devices, catalog, request.planning)
    housing = node_housing(size.system_key, size.system, request.planning)

    def stand(plan: FloorPlan) -> Stand:
        routes = Routes(plan)
        lots = lots_of(open_market(topology, request, catalog, routes))
        if request.fabric.port_order == "regular":
            return Stand(routes, placed(routes, lots))
        found = placed(routes, tuple(free_lots(lots, topology, routes, request, catalog)))
        with suppress(InfeasibleError, LimitReachedError):
            found = _bounded_by(found, placed(routes, lots))
        return Stand(routes, found)

    def placed(routes: Routes, lots: tuple[Lots, ...]) -> Placement:
        return place(topology, request, routes, spaces, housing, lots)

    if floor_plan is not None:
        found = stand(floor_plan)
    else:
        leaves, spines = ([spaces[each.name] for each in topology.with_role(role)] for role in ("leaf", "spine"))
        others = [spaces[each.name] for each in topology.devices if not each.is_switch and each.role != "node"]
        plan = generate(size.growth_nodes, housing, leaves, spines, others, request.placement)
        found = _without_idle_racks(stand(plan), topology, stand)
    if request.fabric.port_order == "free":
        return with_free_ports(topology, found, request, catalog)
    return _cabled(topology, found, request, catalog)


def with_free_ports(topology: Topology, found: Stand, request: Request, catalog: Catalog) -> Layout:
    """A topology in its places with the links of its leaves on the ports where they cost least, and its cables."""
    routes, placement = found
    matched = match_ports(topology, placement, routes, request, catalog)
    proof = placement.termination
    if proof is not None:
        proof = replace(proof, scope=(*proof.scope, "ports"), fixed=(*proof.fixed, *matched.fixed))
        placement = replace(placement, termination=proof)
    return _cabled(matched.topology, Stand(routes, placement), request, catalog)


def _bounded_by(least: Placement, regular: Placement) -> Placement:
    """The best places of regular ports, which free ones can only make cheaper, with the bound of any order of ports."""
    proof, bound = regular.termination, least.termination
    if proof is None or bound is None:
        return least
    return replace(regular, termination=replace(bound, objective=proof.objective, status="feasible"))


def _cabled(topology: Topology, found: Stand, request: Request, catalog: Catalog) -> Layout:
    routes, placement = found
    return Layout(topology, routes.plan, placement, cable(topology, placement, routes, request, catalog))


def _without_idle_racks(found: Stand, topology: Topology, stand: Callable[[FloorPlan], Stand]) -> Stand:
    """The same on a generated plan that keeps only network racks with a switch: beside the nodes may be cheaper."""
    used = {found.placement.of[device.name].rack for device in topology.devices if device.is_switch}
    idle = {rack.name for rack in found.routes.racks if rack.use == "network"} - used
    if not idle:
        return found
    try:
        closed_up = stand(without(found.routes.plan, idle))
    except (InfeasibleError, LimitReachedError):
        return found
    return _without_idle_racks(closed_up, topology, stand)
