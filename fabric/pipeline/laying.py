"""One shape laid out in full: its port map, its places and its cables, on the plan given or a generated one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, LimitReachedError
from fabric.floorplan.generate import generate, without
from fabric.floorplan.routes import Routes
from fabric.layout.cable import cable
from fabric.layout.free_lots import free_lots
from fabric.layout.housing import Needs, device_spaces, node_housing
from fabric.layout.lots import Lots, lots_of
from fabric.layout.market import Market, open_market
from fabric.layout.place import Furnished, furnish, place
from fabric.layout.port_matching import match_ports
from fabric.layout.site_bound import WORK_LIMIT
from fabric.model.cabling import Cabling
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.topology.size import Size

EDGE_AND_ABOVE = (("leaf", "router"), ("spine", "core"))
"""Roles of switches that nodes hang on, and of those above them."""


class Stand(NamedTuple):
    """Places on a measured floor plan."""

    routes: Routes
    placement: Placement


class Dealt(NamedTuple):
    """The layout whose global links were laid anew: its arrangement, value and notes, and what the new ends leave open.

    Both figures are by the first goal.
    """

    arrangement: str
    value: int
    unproved: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """One shape laid out in full; `notes` are what a reader must know of it, `dealt` what its global links were."""

    topology: Topology
    floor_plan: FloorPlan
    placement: Placement
    cabling: Cabling
    notes: tuple[str, ...] = ()
    dealt: Dealt | None = None


def lay_out(
    topology: Topology,
    request: Request,
    size: Size,
    catalog: Catalog,
    hall: FloorPlan | Stand | None,
    work_limit: int = WORK_LIMIT,
    *,
    market: Market | None = None,
) -> Layout:
    """Places and cables of one port map, on the plan given or a generated one.

    `work_limit` is what improving and proving the places may cost. A `market` of the port map that is open already is
    not opened again. If the `hall` comes with places of the switches, better ones are looked for from these on.
    """
    housing = node_housing(size.system_key, size.system, request.planning)
    needs = Needs(device_spaces(topology.devices, catalog, request.planning), housing)
    start = hall.placement if isinstance(hall, Stand) else None
    routes = hall.routes if isinstance(hall, Stand) else Routes(hall or _generated(topology, needs, request, size))
    market = market or open_market(topology, request, catalog, routes)
    regular = lots = lots_of(market)
    if request.fabric.port_order == "free":
        lots = tuple(free_lots(regular, topology, routes, request, catalog))
    task = _Task(topology, request, needs, regular, lots, start)
    found = task.stand(routes, None, work_limit) if hall else task.stand_closely(routes.plan, work_limit)
    if request.fabric.port_order == "free":
        return with_free_ports(topology, found, request, catalog)
    routes, placement = found
    return Layout(topology, routes.plan, placement, cable(topology, placement, routes, request, catalog, market))


def _generated(topology: Topology, needs: Needs, request: Request, size: Size) -> FloorPlan:
    """A plan with room for all."""
    leaves, spines = ([needs.spaces[each.name] for each in topology.with_role(*roles)] for roles in EDGE_AND_ABOVE)
    others = [needs.spaces[each.name] for each in topology.devices if not each.is_switch and each.role != "node"]
    return generate(size.growth_nodes, needs.housing, leaves, spines, others, request.placement)


@dataclass(frozen=True)
class _Task:
    """One topology to be placed, on any plan with the slack that its lots were priced for.

    `lots` are priced for the order of ports that is asked, `regular` for regular ports; `start` are places of its
    switches from which on better ones are looked for.
    """

    topology: Topology
    request: Request
    needs: Needs
    regular: tuple[Lots, ...]
    lots: tuple[Lots, ...]
    start: Placement | None

    def stand(self, routes: Routes, regular: Furnished | None, work_limit: int) -> Stand:
        """The best places; with free ports those of regular ones, bounded for any order of ports.

        `regular` is the plan furnished for regular ports, if it is already.
        """
        if self.lots is self.regular:
            return Stand(routes, place(regular or self._furnished(routes, self.regular), work_limit))
        found = place(self._furnished(routes, self.lots), work_limit)
        with suppress(InfeasibleError, LimitReachedError):
            found = _bounded_by(found, place(regular or self._furnished(routes, self.regular), work_limit))
        return Stand(routes, found)

    def stand_closely(self, plan: FloorPlan, work_limit: int) -> Stand:
        """The best places on a generated plan without the network racks that no switch wants: closer may be cheaper."""
        found = self.stand(*self._closed_up(plan), work_limit)
        plan = found.routes.plan
        used = {found.placement.of[device.name].rack for device in self.topology.devices if device.is_switch}
        idle = _network_racks(plan) - used
        with suppress(InfeasibleError, LimitReachedError):
            found = self.stand(Routes(without(plan, idle)), None, work_limit) if idle else found
        return found

    def _closed_up(self, plan: FloorPlan) -> tuple[Routes, Furnished | None]:
        """The plan without network racks that a first look leaves empty, furnished for regular ports.

        It stays as it is where these find no places at all, which matters to nobody but regular ports. Halls are large:
        each goes before the next is furnished.
        """
        routes = Routes(plan)
        try:
            hall = self._furnished(routes, self.regular)
        except (InfeasibleError, LimitReachedError):
            if self.lots is self.regular:
                raise
            return routes, None
        while idle := _network_racks(routes.plan) - hall.wanted_racks:
            closer = Routes(without(routes.plan, idle))
            del hall
            try:
                hall = self._furnished(closer, self.regular)
            except (InfeasibleError, LimitReachedError):
                return routes, None
            routes = closer
        return routes, hall

    def _furnished(self, routes: Routes, lots: tuple[Lots, ...]) -> Furnished:
        return furnish(self.topology, self.request, routes, self.needs, lots, self.start)


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
    work = min(proof.first_work, bound.first_work)
    proof = replace(bound, objective=proof.objective, status="feasible", first_work=work)
    return replace(regular, termination=proof)
