"""Trays that no design keeps within their fill, by counting the links that have to pass them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.floorplan.cuts import Cut
from fabric.layout.assembly import sale_misfit
from fabric.layout.nodes import node_capacity
from fabric.layout.rack_space import RackSpace
from fabric.model.placement import DeviceSpace, NodeHousing
from fabric.model.request import FIBRE, Request

SLIP_MM2 = 1e-6
"""Cables that take exactly what they may must not fail by the last bits of a product [mm²]."""


def thinnest_mm2(request: Request, rate_gbps: int, catalog: Catalog) -> float | None:
    """Least cross-section per link [mm²] of any cable to a node at `rate_gbps`; None where some diameter is not known.

    A cable counts as if it carried as many links as it can.
    """
    sections_mm2 = []
    for part in catalog.cables.values():
        fits = part.medium in FIBRE or (part.rate_gbps == rate_gbps and "switch-node" in part.between)
        if fits and part.medium in request.fabric.media.node_leaf and not sale_misfit(part, request.fabric.part_layer):
            diameter_mm: float | None = part.figure("outer_diameter_mm")
            if diameter_mm is None:
                return None
            sections_mm2.append(math.pi / 4 * diameter_mm**2 / part.ports)
    return min(sections_mm2, default=None)


def refuse_cuts(
    cuts: Sequence[Cut],
    racks: Sequence[RackSpace],
    housing: NodeHousing,
    leaf: DeviceSpace,
    wanted: tuple[int, int, float],
) -> None:
    """Refuse trays through which more links have to pass than even the thinnest cables leave room for.

    Where no leaf can stand in a rack that drops behind a cut, all links of the nodes there pass it. There are at least
    as many nodes there as the other racks cannot hold.

    Args:
        cuts: parts of the tray graph with the trays that alone join them to the rest.
        racks: racks before anything stands in them.
        housing: how nodes stand in racks.
        leaf: space of a leaf.
        wanted: nodes, links of a node, and least cross-section per link [mm²].

    Raises:
        InfeasibleError: with the arithmetic of the tightest cut.
    """
    nodes_count, links_per_node, link_mm2 = wanted
    worst = 1.0, ""
    capacity = {space.rack.name: node_capacity(space, housing) for space in racks}
    no_leaf = {space.rack.name for space in racks if space.rack.use == "node" or not space.fitting("leaf", leaf)}
    for cut in cuts:
        if not cut.touched <= no_leaf:
            continue
        behind = nodes_count - sum(count for name, count in capacity.items() if name not in cut.inside)
        need_mm2 = behind * links_per_node * link_mm2 - SLIP_MM2
        why = (
            f"at least {behind} nodes stand behind {cut.name}, where no leaf can: the thinnest cables take "
            f"{link_mm2:.2f} mm² a link, {need_mm2:.0f} mm² for {behind * links_per_node} links, of the "
            f"{cut.limit_mm2:.0f} mm² they may"
        )
        worst = max(worst, (need_mm2 / cut.limit_mm2, why))
    if worst[1]:
        raise InfeasibleError(conflict=(Conflict("floorplan.trays", "fill_max", worst[1]),))
