"""Tori: routers on a grid of k1 x … x kn that closes in every dimension.

Uniform all-to-all on shortest ways in dimension order puts on every link of a ring of k, with p endpoints a router and
w links to the next one, the load p c(k) / w, where

    c(k) = k/8 for even k,  (k² - 1)/(8 k) for odd k,  1/2 for k = 2 (one neighbour instead of two).

Source: dally-seitz-1987 for the routing; loads counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product, repeat
from operator import itemgetter

import numpy as np

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import Conflict, InfeasibleError
from fabric.model.network import FloatArray, IntArray, Network
from fabric.model.outline import listed
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.model.torus_shape import TorusShape
from fabric.topology._protocol import FAMILIES, Family
from fabric.topology.candidates import Pair
from fabric.topology.edge_links import Edge, Seat, plane_prefix, seats
from fabric.topology.router_fabric import Listing, asked, assemble, router_models
from fabric.topology.size import Size
from fabric.topology.sketch import ends_of, network_of
from fabric.topology.torus_load import PAIR, on_axis
from fabric.topology.uniform import fillings, links_wanted
from fabric.topology.units import Unit, below, of_edges

MOST_AXES = 6
"""Dimensions looked at."""


def shapes(request: Request, size: Size, catalog: Catalog) -> tuple[TorusShape, ...]:
    """Every smallest grid for units of every size, with one link to each neighbour.

    Raises:
        InputError, InfeasibleError: as `listings` does.
    """
    return tuple(listed(listings(request, size, catalog)))


def listings(request: Request, size: Size, catalog: Catalog) -> tuple[Listing[TorusShape], ...]:
    """The same shapes in listings, each of which is worked out as it is read, and as often.

    Raises:
        InputError: a switch that cannot take the ports asked.
        InfeasibleError: no router model holds the endpoints; the arithmetic of each is given.
    """
    routers = router_models(request, size, catalog)
    found = tuple(_of_router(request, size, pair) for pair in routers)
    if next(listed(found), None) is None:
        conflict = tuple(_conflict(request, pair) for pair in routers)
        raise InfeasibleError("no torus of the switches allowed holds this request", conflict=conflict)
    return found


def _of_router(request: Request, size: Size, pair: Pair) -> Listing[TorusShape]:
    fixed = request.fabric.parameters

    def of_unit(unit: Unit) -> Iterator[TorusShape]:
        routers = unit.units * unit.leaves
        grids = _grids(routers) if "sizes" not in fixed else _grid_asked(fixed["sizes"], routers)
        for sizes in grids:
            shape = _shape(size, pair, unit, sizes)
            if shape.neighbour_ports <= _room(shape, pair.leaf):
                yield shape

    units = of_edges(request, size, pair.leaf_ports, fixed.get("p"))
    return Listing(
        pair, size.planes, tuple(unit for unit in units if fixed.get("p", unit.down_ports) == unit.down_ports), of_unit
    )


def _grid_asked(sizes: list[int], routers: int) -> Iterator[tuple[int, ...]]:
    """The grid asked, if it is large enough."""
    if math.prod(sizes) >= routers:
        yield tuple(sizes)


def _grids(routers: int) -> Iterator[tuple[int, ...]]:
    """Grids of at least so many routers, the longest ring first, of which no ring can be shorter by one."""

    def grow(prefix: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
        have = math.prod(prefix)
        if have >= routers:
            if prefix and all(have // size * (size - 1) < routers for size in prefix):
                yield prefix
            return
        if len(prefix) < MOST_AXES:
            for size in range(min(most, math.ceil(routers / have)), 1, -1):
                if have * size ** (MOST_AXES - len(prefix)) >= routers:
                    yield from grow((*prefix, size), size)

    yield from grow((), routers)


def _shape(size: Size, pair: Pair, unit: Unit, sizes: tuple[int, ...]) -> TorusShape:
    return TorusShape(
        router_part=pair.leaf_key,
        **below(size, unit, pair.uplink_gbps),
        sizes=sizes,
        widths=(1,) * len(sizes),
    )


def _room(shape: TorusShape, router: Switch) -> int:
    """Ports for other routers in the cages that down ports leave."""
    downs, ups = router.ports_per_cage(shape.node_port_gbps), router.ports_per_cage(shape.uplink_gbps)
    return (router.cages.count - math.ceil(shape.down_ports / downs)) * ups


def fitted(shape: TorusShape, request: Request, size: Size, catalog: Catalog) -> TorusShape | None:
    """The shape with the fewest links that carry the traffic; None where its ports are too few for them.

    Dimensions share no links, so each has as many as its own load wants.
    """
    planes = fillings(shape, request, size)
    wanted = (links_wanted(shape, request, planes, partial(_on_axis, shape, axis)) for axis in range(len(shape.sizes)))
    found = replace(shape, widths=tuple(max(1, math.ceil(links)) for links in wanted))
    return found if found.neighbour_ports <= _room(shape, catalog.switches[shape.router_part]) else None


def _on_axis(shape: TorusShape, axis: int, endpoints: FloatArray) -> float:
    """Load of the fullest link of a dimension with `endpoints` (n_edges,) below the routers, in the order of units."""
    grid = np.zeros(shape.routers)
    grid[_numbers(shape, np.arange(endpoints.size))] = endpoints
    return on_axis(grid.reshape(shape.sizes), axis)


def sketch(shape: TorusShape, nodes: int) -> Network:
    """One plane of a shape with the endpoints of so many nodes, router by router."""
    edge = _numbers(shape, np.arange(shape.units * shape.leaves_per_unit))
    position = np.array(list(product(*map(range, shape.sizes))), dtype=np.int64)
    return network_of(shape, nodes, ends_of(_pairs(shape)), position, edge=edge)


def _numbers(shape: TorusShape, seat: IntArray) -> IntArray:
    """Numbers on the grid, the last dimension the fastest, of the routers at places in the order of units.

    Every ring is folded: along the hall come 0, k-1, 1, k-2, …, so neighbours of a ring are two places apart at most.
    """
    number, scale = np.zeros_like(seat), 1
    for size in reversed(shape.sizes):
        seat, along = np.divmod(seat, size)
        number += scale * np.where(along % 2 == 0, along // 2, size - 1 - along // 2)
        scale *= size
    return number


def _pairs(shape: TorusShape) -> Iterator[tuple[int, int]]:
    """Routers of every link of a plane, numbered on the grid, dimension by dimension."""
    spots = list(product(*map(range, shape.sizes)))
    number = {spot: index for index, spot in enumerate(spots)}
    for axis, (size, width) in enumerate(zip(shape.sizes, shape.widths, strict=True)):
        for spot in spots:
            if size > PAIR or spot[axis] == 0:
                after = (*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])
                ends = sorted((number[spot], number[after]))
                yield from repeat((ends[0], ends[1]), width)


def build(shape: TorusShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of a shape, sorted by name; a router's group is its number on the grid."""
    pairs = {"torus": tuple(_pairs(shape))}
    return assemble(shape, (request, size, catalog), tuple(_routers(shape, request)), pairs, _parameters(shape))


def _routers(shape: TorusShape, request: Request) -> Iterator[Edge]:
    """Routers of every plane by their number on the grid; those behind the last unit have no nodes."""
    pattern = request.names.router or f"router-{plane_prefix(shape)}{{group:0{max(3, len(str(shape.routers)))}d}}"
    by_plane: dict[int, list[Seat]] = {}
    for seat in seats(shape):
        by_plane.setdefault(seat.plane, []).append(seat)
    for number, here in sorted(by_plane.items()):
        idle = (Seat(-1 - index, 0, number, ()) for index in range(shape.routers - len(here)))
        spots = _numbers(shape, np.arange(shape.routers)).tolist()
        for spot, seat in sorted(zip(spots, (*here, *idle), strict=True), key=itemgetter(0)):
            edge = seat.edge(pattern, shape.router_part, spot, spot, "router")
            yield edge if seat.unit >= 0 else replace(edge, device=replace(edge.device, su=None, rail=None))


def _parameters(shape: TorusShape) -> dict[str, int | str]:
    """The family's own numbers; routers are totals over planes."""
    return {
        "sizes": "x".join(map(str, shape.sizes)),
        "widths": "x".join(map(str, shape.widths)),
        "p": shape.down_ports,
        "planes": shape.planes,
        "rails_per_leaf": shape.rails_per_leaf,
        "routers": shape.routers * shape.planes,
        "unit_nodes": shape.unit_nodes,
        "wiring": shape.wiring,
    }


def _conflict(request: Request, pair: Pair) -> Conflict:
    """Why no torus of this router holds the request."""
    arithmetic = (
        f"{asked(request)}: no grid has routers enough whose {pair.leaf_ports} ports are one for every endpoint and "
        "one for every neighbour"
    )
    return Conflict("fabric.switches", pair.leaf_key, arithmetic)


FAMILIES.register("torus")(Family(listings, build, fitted))
