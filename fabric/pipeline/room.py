"""Whether the racks of a floor plan can hold a shape at all, by counting, before any of it is laid out."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.floorplan.cuts import Cut, cuts
from fabric.layout.housing import EDGE, node_housing, switch_space
from fabric.layout.nodes import NODE, empty_racks, node_space, refuse_too_few
from fabric.layout.place_faults import refuse_no_room
from fabric.layout.rack_space import RackSpace
from fabric.layout.tray_cut import refuse_cuts, thinnest_mm2
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import NodeHousing
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.topology.size import Size


@dataclass(frozen=True)
class Room:
    """The empty racks of a floor plan, and what a node needs of them; without a plan everything fits."""

    racks: tuple[RackSpace, ...]
    housing: NodeHousing
    nodes_count: int
    request: Request
    catalog: Catalog
    cuts: tuple[Cut, ...]

    def refuse(self, shape: Shape) -> None:
        """Refuse a shape whose switches the racks cannot hold beside the nodes, or whose links the trays cannot.

        Raises:
            InfeasibleError: with the arithmetic.
        """
        if not self.racks:
            return
        tiers = {tier.role if number else EDGE: tier for number, tier in enumerate(shape.tiers)}
        spaces = {
            role: switch_space(tier.part, self.catalog.switches[tier.part], self.request.planning)
            for role, tier in tiers.items()
        }
        counts = {NODE: self.nodes_count} | {role: tier.count for role, tier in tiers.items()}
        refuse_no_room(self.racks, self.request.placement, {NODE: node_space(self.housing), **spaces}, counts)
        link_mm2 = thinnest_mm2(self.request, shape.node_port_gbps, self.catalog) if self.cuts else None
        if link_mm2 is not None:
            links = self.nodes_count, shape.node_ports * shape.planes, link_mm2
            refuse_cuts(self.cuts, self.racks, self.housing, spaces[EDGE], links)


def open_room(plan: FloorPlan | None, request: Request, size: Size, catalog: Catalog) -> Room:
    """The room that a plan, if there is one, gives to the nodes of a request and their switches.

    Raises:
        InfeasibleError: too little for the nodes alone; with the arithmetic.
    """
    housing = node_housing(size.system_key, size.system, request.planning)
    racks = plan.all_racks if plan is not None else ()
    if racks:
        refuse_too_few(racks, housing, size.installed_nodes)
    spaces = empty_racks(racks, housing, {NODE: housing.space.units})
    ways_out = cuts(plan.trays) if plan is not None else ()
    return Room(tuple(spaces), housing, size.installed_nodes, request, catalog, ways_out)
