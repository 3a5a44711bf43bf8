"""Dragonflies: groups of routers, all joined within a group, every two groups joined by global links.

Shapes are listed with the fewest links that bounds allow (`dragonfly_links`); whether links carry the traffic is then
counted link by link (`fitted`, `dragonfly_load`). Source: kim-dragonfly-2008.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, repeat

import numpy as np

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.model.dragonfly_shape import DragonflyShape
from fabric.model.network import FloatArray, Network
from fabric.model.outline import listed
from fabric.model.request import Request
from fabric.model.topology import GLOBAL, Device, Topology
from fabric.topology import global_links
from fabric.topology._protocol import FAMILIES, Family, Joining
from fabric.topology.candidates import Pair
from fabric.topology.dragonfly_links import links_of, soon
from fabric.topology.dragonfly_load import on_dragonfly
from fabric.topology.edge_links import Edge, plane_prefix, seats
from fabric.topology.router_fabric import Listing, asked, assemble, router_models
from fabric.topology.size import Size
from fabric.topology.sketch import ends_of, network_of
from fabric.topology.uniform import fillings, links_wanted, theta_asked
from fabric.topology.units import Unit, below, group_sizes, of_edges


def shapes(request: Request, size: Size, catalog: Catalog) -> tuple[DragonflyShape, ...]:
    """Every way to group units of every size, each with the fewest links that the bounds allow.

    Raises:
        InputError, InfeasibleError: as `listings` does.
    """
    return tuple(listed(listings(request, size, catalog)))


def listings(request: Request, size: Size, catalog: Catalog) -> tuple[Listing[DragonflyShape], ...]:
    """The same shapes in listings, each of which is worked out as it is read, and as often.

    Raises:
        InputError: a switch that cannot take the ports asked.
        InfeasibleError: no router model holds the endpoints; the arithmetic of each is given.
    """
    routers = router_models(request, size, catalog)
    found = tuple(_of_router(request, size, pair) for pair in routers)
    if next(listed(found), None) is None:
        conflict = tuple(_conflict(request, pair) for pair in routers)
        raise InfeasibleError("no dragonfly of the switches allowed holds this request", conflict=conflict)
    return found


def _of_router(request: Request, size: Size, pair: Pair) -> Listing[DragonflyShape]:
    fixed = request.fabric.parameters

    def of_unit(unit: Unit) -> Iterator[DragonflyShape]:
        for per_group in group_sizes(unit, fixed.get("a")):
            if fixed.get("groups", groups := math.ceil(unit.units / per_group)) == groups:
                yield from _least(request, size, pair, unit, per_group)

    units = of_edges(request, size, pair.leaf_ports, fixed.get("p"))
    return Listing(
        pair, size.planes, tuple(unit for unit in units if fixed.get("p", unit.down_ports) == unit.down_ports), of_unit
    )


def _least(request: Request, size: Size, pair: Pair, unit: Unit, per_group: int) -> Iterator[DragonflyShape]:
    """The shape of a unit and a size of groups with the fewest links that its ports and the bounds leave, if any."""
    least = DragonflyShape(
        router_part=pair.leaf_key,
        **below(size, unit, pair.uplink_gbps),
        units_per_group=per_group,
        local_width=1,
        group_links=1,
        arrangement=global_links.listed_arrangement(request),
    )
    links = links_of(least, request, size, pair.leaf)
    possible = {width: between[0] for width in links.widths() if (between := links.between(width))}
    if possible:
        yield replace(least, local_width=min(possible), group_links=min(possible.values()))


def fitted(shape: DragonflyShape, request: Request, size: Size, catalog: Catalog) -> DragonflyShape | None:
    """The shape with the fewest links in all that carry the traffic; None where its ports are too few for them."""
    links = links_of(shape, request, size, catalog.switches[shape.router_part])
    planes = fillings(shape, request, size)
    best: DragonflyShape | None = None
    for width in links.widths():
        wider = [replace(shape, local_width=width, group_links=between) for between in links.between(width)]
        if best is not None:
            wider = [each for each in wider if _count(each) < _count(best)]
        place = soon(len(wider), lambda place: _carries(wider[place], request, planes))  # noqa: B023
        best = best if place is None else wider[place]
    return best


def _carries(shape: DragonflyShape, request: Request, planes: Sequence[FloatArray]) -> bool:
    return links_wanted(shape, request, planes, partial(on_dragonfly, shape)) <= 1


def _count(shape: DragonflyShape) -> int:
    return sum(shape.switch_links.values())


def sketch(shape: DragonflyShape, nodes: int, across: Iterable[tuple[int, int]] | None = None) -> Network:
    """One plane of a shape with the endpoints of so many nodes, router by router.

    `across` are the routers of global links where it is not the arrangement that says so.
    """
    group = np.repeat(np.arange(shape.groups), shape.group_routers)
    ends = ends_of((*_local_pairs(shape), *(_global_pairs(shape) if across is None else across)))
    return network_of(shape, nodes, ends, group[:, None], edge=np.arange(group.size))


def _local_pairs(shape: DragonflyShape) -> Iterator[tuple[int, int]]:
    """Routers of every local link of a plane, numbered through its groups."""
    first = 0
    for routers in shape.group_routers:
        for a, b in combinations(range(first, first + routers), 2):
            yield from repeat((a, b), shape.local_width)
        first += routers


def _global_pairs(shape: DragonflyShape) -> Iterator[tuple[int, int]]:
    """Routers of every global link of a plane, numbered through its groups."""
    return global_links.numbered(shape.group_routers, shape.links_between, shape.arrangement)


def build(shape: DragonflyShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of a shape, sorted by name; spare ports stay free at the end of each kind."""
    pairs = {"local": tuple(_local_pairs(shape)), GLOBAL: tuple(_global_pairs(shape))}
    return assemble(shape, (request, size, catalog), tuple(_routers(shape, request)), pairs, _parameters(shape))


def _parameters(shape: DragonflyShape) -> dict[str, int | str]:
    """The family's own numbers; routers are totals over planes."""
    return {
        "p": shape.down_ports,
        "a": shape.routers_per_group,
        "h": shape.global_ports,
        "groups": shape.groups,
        "local_width": shape.local_width,
        "group_links": shape.group_links,
        "arrangement": shape.arrangement,
        "planes": shape.planes,
        "rails_per_leaf": shape.rails_per_leaf,
        "routers": shape.routers_total,
        "unit_nodes": shape.unit_nodes,
        "wiring": shape.wiring,
    }


def _routers(shape: DragonflyShape, request: Request) -> Iterator[Edge]:
    group_width, width = (max(2, len(str(count))) for count in (shape.groups, shape.routers_per_group))
    pattern = request.names.router or f"router-{plane_prefix(shape)}g{{group:0{group_width}d}}-{{index:0{width}d}}"
    for seat in seats(shape):
        group, unit = divmod(seat.unit, shape.units_per_group)
        index = unit * shape.leaves_per_unit + seat.place
        yield seat.edge(pattern, shape.router_part, group, index, "router")


def _conflict(request: Request, pair: Pair) -> Conflict:
    """Why no dragonfly of this router holds the request."""
    theta = theta_asked(request)
    arithmetic = (
        f"{asked(request)}: of {pair.leaf_ports} ports endpoints leave a router too few for local and global links "
        f"that join all routers and carry uniform traffic at {theta:.3g} of line rate"
    )
    return Conflict("fabric.switches", pair.leaf_key, arithmetic)


def _ending(shape: DragonflyShape, request: Request) -> Iterator[Device]:
    """Routers, all of which end global links."""
    return (edge.device for edge in _routers(shape, request))


FAMILIES.register("dragonfly")(Family(listings, build, fitted, Joining(_ending, sketch, "h")))
