"""Dragonflies: groups of routers, all joined within a group, every two groups joined by global links.

Per plane, with p down ports, w local links to each other router of a group of a and m links between any two of g
groups, a router of R ports has

    p + w (a - 1) + m (g - 1) / a  <=  R,

each of the three in whole cages. Uniform all-to-all at θ of line rate puts d = θ p² r / (N - 1) on the way from router
to router, r node rate over link rate, N endpoints. A shape is worth a look only if

    m >= d a²                            the links between two groups carry what these exchange;
    w (a - 1) >= d (a - 1 + far)         far routers of other groups have no link here and need a local hop at least;
    w (a - 1) + h >= d (R - 1 + far)     and two hops in all; far = R - a - min(h, R - a) of R routers, h = m (g - 1)/a.

These bounds are necessary. Whether a shape does carry the traffic is counted link by link (`fitted`).
Source: kim-dragonfly-2008.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, combinations, count, repeat

import numpy as np

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import Conflict, InfeasibleError
from fabric.model.network import Network
from fabric.model.request import Request
from fabric.model.shape import DragonflyShape
from fabric.model.topology import Topology
from fabric.topology import global_links
from fabric.topology._protocol import FAMILIES, UNIFORM_FLOOR, Carries, Family
from fabric.topology.candidates import Pair
from fabric.topology.edge_links import Edge
from fabric.topology.router_fabric import assemble, router_models, router_units, seats
from fabric.topology.size import Size
from fabric.topology.units import Unit

FEWEST_GROUPS = 2
"""A single group is a full mesh and no dragonfly."""


_ROUNDING = 1e-9


def shapes(request: Request, size: Size, catalog: Catalog) -> tuple[DragonflyShape, ...]:
    """Every way to group units of every size, each with the fewest links that the bounds allow.

    Raises:
        InputError: a switch that cannot take the ports asked.
        InfeasibleError: no router model holds the endpoints; the arithmetic of each is given.
    """
    routers = router_models(request, size, catalog)
    found = dict.fromkeys(shape for pair in routers for shape in _of_router(request, size, pair))
    if not found:
        conflict = tuple(_conflict(request, size, pair) for pair in routers)
        raise InfeasibleError("no dragonfly of the switches allowed holds this request", conflict=conflict)
    return tuple(found)


def _of_router(request: Request, size: Size, pair: Pair) -> Iterator[DragonflyShape]:
    fixed = request.fabric.parameters
    for unit in router_units(request, size, pair):
        for per_group in range(1, unit.units):
            groups = math.ceil(unit.units / per_group)
            if (
                groups >= FEWEST_GROUPS
                and math.ceil(unit.units / groups) == per_group
                and fixed.get("groups", groups) == groups
                and fixed.get("a", per_group * unit.leaves) == per_group * unit.leaves
                and fixed.get("p", unit.down_ports) == unit.down_ports
            ):
                yield from _least(request, size, pair, unit, per_group)


def _least(request: Request, size: Size, pair: Pair, unit: Unit, per_group: int) -> Iterator[DragonflyShape]:
    """The shape of a unit and a size of groups with the fewest links that its ports and the bounds leave, if any."""
    least = DragonflyShape(
        router_part=pair.leaf_key,
        planes=size.planes,
        wiring=unit.wiring,
        node_ports=size.node_ports,
        node_port_gbps=size.node_port_gbps,
        uplink_gbps=pair.uplink_gbps,
        unit_nodes=unit.nodes,
        units=unit.units,
        rails_per_leaf=unit.rails_per_leaf,
        leaves_per_unit=unit.leaves,
        extra_ports=unit.extra,
        down_ports=unit.down_ports,
        units_per_group=per_group,
        local_width=1,
        group_links=1,
        arrangement=request.fabric.parameters.get("arrangement", "absolute"),
    )
    router, demand = pair.leaf, _Demand.of(request, size, least)
    possible = [(each, links) for each in _widths(least, router) if (links := _links(request, router, demand, each))]
    if possible:
        fewest = min(links[0] for _, links in possible)
        yield replace(least, local_width=possible[0][0].local_width, group_links=fewest)


@dataclass(frozen=True, slots=True)
class _Demand:
    """Uniform traffic from router to router, in links' worth, and routers."""

    per_pair: float
    routers: int

    @classmethod
    def of(cls, request: Request, size: Size, shape: DragonflyShape) -> _Demand:
        """What uniform all-to-all at the floor puts on the way between two routers of a shape."""
        endpoints = size.growth_nodes * size.node_ports
        theta = UNIFORM_FLOOR / request.fabric.oversubscription
        rate = size.node_port_gbps / shape.uplink_gbps
        return cls(theta * rate * shape.down_ports**2 / max(1, endpoints - 1), shape.units * shape.leaves_per_unit)

    def is_met(self, routers: int, groups: int, local: int, links: int) -> bool:
        """Whether no bound is broken by groups of so many routers, `local` ports of each and links between groups."""
        across = links * (groups - 1) / routers
        far = max(0.0, self.routers - routers - across)
        return (
            links + _ROUNDING >= self.per_pair * routers * routers
            and local + _ROUNDING >= self.per_pair * (routers - 1 + far) * (routers > 1)
            and local + across + _ROUNDING >= self.per_pair * (self.routers - 1 + far)
        )


def _widths(shape: DragonflyShape, router: Switch) -> Iterator[DragonflyShape]:
    """The shape with ever wider local links, as long as cages are left for one link to every other group."""
    if shape.routers_per_group == 1:
        yield replace(shape, local_width=0)
        return
    for width in count(1):
        wider = replace(shape, local_width=width, group_links=1)
        if wider.global_ports > _global_room(wider, router):
            return
        yield wider


def _global_room(shape: DragonflyShape, router: Switch) -> int:
    """Ports for global links in the cages that down ports and local links leave, each kind in cages of its own."""
    downs, ups = router.ports_per_cage(shape.node_port_gbps), router.ports_per_cage(shape.uplink_gbps)
    local = shape.local_width * (shape.routers_per_group - 1)
    return (router.cages.count - math.ceil(shape.down_ports / downs) - math.ceil(local / ups)) * ups


def _links(request: Request, router: Switch, demand: _Demand, shape: DragonflyShape) -> range:
    """Numbers of links between two full groups that the ports and the bounds leave; all of them carry more or less."""
    room, groups, routers = _global_room(shape, router), shape.groups, shape.routers_per_group
    most = max(0, room * routers // max(1, groups - 2)) if groups > FEWEST_GROUPS else room * routers
    while most and replace(shape, group_links=most).global_ports > room:
        most -= 1
    local = shape.local_width * (routers - 1)
    if "h" in request.fabric.parameters:
        asked = request.fabric.parameters["h"] * routers // (groups - 1)
        is_met = 1 <= asked <= most and demand.is_met(routers, groups, local, asked)
        return range(asked, asked + is_met)
    tried = range(1, most + 1)
    return tried[_first(tried, lambda links: demand.is_met(routers, groups, local, links)) :]


def _first(tried: range, holds: Callable[[int], bool]) -> int:
    """Place of the first number for which something holds, as it then does for all larger ones; their count if none."""
    return bisect_left(tried, 1, key=lambda number: int(holds(number)))


def fitted(
    shape: DragonflyShape, request: Request, size: Size, catalog: Catalog, carries: Carries
) -> DragonflyShape | None:
    """The shape with the fewest links in all that carry the traffic; None where its ports are too few for them."""
    router, demand = catalog.switches[shape.router_part], _Demand.of(request, size, shape)
    best: DragonflyShape | None = None
    for wider in _widths(shape, router):
        tried = _links(request, router, demand, wider)
        if best is not None and tried and _count(replace(wider, group_links=tried[0])) >= _count(best):
            continue
        place = _first(tried, lambda links: carries(sketch(replace(wider, group_links=links), size)))  # noqa: B023
        if place < len(tried):
            carrying = replace(wider, group_links=tried[place])
            best = carrying if best is None or _count(carrying) < _count(best) else best
    return best


def _count(shape: DragonflyShape) -> int:
    return sum(shape.switch_links.values())


def sketch(shape: DragonflyShape, size: Size) -> Network:
    """One plane of a shape with all endpoints it is built for, router by router."""
    group = np.repeat(np.arange(shape.groups), shape.group_routers)
    ends = np.array([*_local_pairs(shape), *_global_pairs(shape)], dtype=np.int64).reshape(-1, 2)
    unit = np.arange(size.growth_nodes) // shape.unit_nodes
    below = shape.node_ports // shape.leaves_per_unit
    endpoint = np.repeat(unit[:, None] * shape.leaves_per_unit + np.arange(shape.leaves_per_unit), below, axis=1)
    return Network(
        endpoint_switch=endpoint.ravel(),
        endpoint_gbps=np.full(endpoint.size, float(shape.node_port_gbps)),
        link_a=ends[:, 0],
        link_b=ends[:, 1],
        link_gbps=np.full(len(ends), float(shape.uplink_gbps)),
        tier=np.zeros(group.size, dtype=np.int64),
        position=group[:, None],
        edge_count=group.size,
    )


def _local_pairs(shape: DragonflyShape) -> Iterator[tuple[int, int]]:
    """Routers of every local link of a plane, numbered through its groups."""
    first = 0
    for routers in shape.group_routers:
        for a, b in combinations(range(first, first + routers), 2):
            yield from repeat((a, b), shape.local_width)
        first += routers


def _global_pairs(shape: DragonflyShape) -> Iterator[tuple[int, int]]:
    """Routers of every global link of a plane, numbered through its groups."""
    first = [0, *accumulate(shape.group_routers)]
    for (low, high), (a, b) in global_links.deal(shape.group_routers, shape.links_between, shape.arrangement):
        yield first[low] + a, first[high] + b


def build(shape: DragonflyShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of a shape, sorted by name; spare ports stay free at the end of each kind."""
    kinds = {"local": tuple(_local_pairs(shape)), "global": tuple(_global_pairs(shape))}
    edges = tuple(_routers(shape, request))
    return assemble(shape, (request, size, catalog), edges, kinds, _parameters(shape))


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
    plane = "p{plane}-" if shape.planes > 1 else ""
    group_width, width = (max(2, len(str(count))) for count in (shape.groups, shape.routers_per_group))
    pattern = request.names.router or f"router-{plane}g{{group:0{group_width}d}}-{{index:0{width}d}}"
    for seat in seats(shape):
        group, unit = divmod(seat.unit, shape.units_per_group)
        index = unit * shape.leaves_per_unit + seat.place
        yield seat.edge(pattern, shape.router_part, group, index)


def _conflict(request: Request, size: Size, pair: Pair) -> Conflict:
    """Why no dragonfly of this router holds the request."""
    endpoints = size.growth_nodes * size.node_ports
    theta = UNIFORM_FLOOR / request.fabric.oversubscription
    arithmetic = (
        f"{endpoints} endpoints a plane at uniform throughput {theta:.3g}: with the ports of {pair.leaf_ports} that "
        "endpoints leave, no number of local and global links joins all routers and carries the traffic"
    )
    return Conflict("fabric.switches", pair.leaf_key, arithmetic)


FAMILIES.register("dragonfly")(Family(shapes, build, fitted))
