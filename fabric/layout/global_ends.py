"""Which routers the global links between two groups join, with all places known.

A dragonfly's arrangement says how many links each router has to each other group; which router of that group is at the
far end is free. For every two groups this is a transportation problem between the routers of the one and of the other,
at the price of a link by its length, solved exactly. No two routers get more parallel links than the two groups had
between any two before, and none fewer, so that ways stay as many. Loads may shift all the same: local hops at the far
end are others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import lcm

import numpy as np
from ortools.graph.python import min_cost_flow

from fabric.floorplan.routes import Routes
from fabric.layout.ladder import UNREACHABLE_COST, Metres
from fabric.layout.lots import Lots
from fabric.layout.transport import Ints
from fabric.model.placement import Placement
from fabric.model.topology import Link, Port, Topology

GLOBAL = "global"


def ends_exchanged(topology: Topology, placement: Placement, routes: Routes, lots: Sequence[Lots]) -> Topology:
    """The topology with the ends of its global links exchanged between every two groups so that they cost least.

    Every router keeps its number of links to each other group, and its ports, in the order of the far routers. A link
    is weighed at its least share of the lots of global links, so what is saved is known only when all is bought anew.

    Args:
        topology: a dragonfly; links of other kinds and other topologies stay as they are.
        placement: where its routers stand.
        routes: the floor plan, measured.
        lots: every link in one of them.
    """
    price = _price([each for each in lots if each.kind == GLOBAL])
    group = {device.name: device.group for device in topology.devices}
    between: dict[tuple[object, ...], list[Link]] = defaultdict(list)
    for link in topology.of_kind(GLOBAL):
        between[link.plane, group[link.a.device], group[link.b.device]].append(link)
    far: dict[str, str] = {}
    for links in between.values():
        far |= _exchanged(links, placement, routes, price)
    if all(far[link.name] == link.b.device for link in topology.of_kind(GLOBAL)):
        return topology
    return replace(topology, links=tuple(_dealt(topology, far)))


def _price(sold: Sequence[Lots]) -> Callable[[Metres], Ints]:
    """Price of one link by its route (…,) [m, without slack]: its share of a lot, in equal parts of a unit of cost."""
    parts = lcm(*(each.links.shape[1] for each in sold))

    def price(route_m: Metres) -> Ints:
        shares = []
        for each in sold:
            links = each.links.shape[1]
            cost = each.cost(np.repeat(route_m[..., None], links, axis=-1))
            shares.append(np.where(cost < UNREACHABLE_COST, cost * (parts // links), UNREACHABLE_COST))
        least: Ints = np.min(shares, axis=0)
        return least

    return price


def _exchanged(
    links: Sequence[Link], placement: Placement, routes: Routes, price: Callable[[Metres], Ints]
) -> dict[str, str]:
    """The far router of every link between two groups, by name of the link; as it was where nothing gains."""
    near, far = (Counter(ends) for ends in zip(*((link.a.device, link.b.device) for link in links), strict=True))
    rows, columns = sorted(near), sorted(far)
    here, there = ([placement.of[name] for name in names] for names in (rows, columns))
    rack = [np.array([routes.index[at.rack] for at in side]) for side in (here, there)]
    mid_u = [np.array([at.mid_u for at in side]) for side in (here, there)]
    cost = price(routes.lengths_m(rack[0][:, None], mid_u[0][:, None], rack[1], mid_u[1]))
    joined = np.zeros(cost.shape, dtype=np.int64)
    for link in links:
        joined[rows.index(link.a.device), columns.index(link.b.device)] += 1
    supply, demand = (np.array([ends[name] for name in names]) for ends, names in ((near, rows), (far, columns)))
    found = _cheapest(cost, (supply, demand), (int(joined.min()), int(joined.max())))
    if (cost * found).sum() >= (cost * joined).sum():
        return {link.name: link.b.device for link in links}
    ends = {name: iter(np.repeat(columns, row).tolist()) for name, row in zip(rows, found, strict=True)}
    return {link.name: next(ends[link.a.device]) for link in links}


def _cheapest(cost: Ints, sums: tuple[Ints, Ints], limits: tuple[int, int]) -> Ints:
    """(rows, columns) links between routers, with the sums of rows and of columns, and `limits` of each entry."""
    fewest, most = limits
    supply, demand = sums[0] - fewest * cost.shape[1], sums[1] - fewest * cost.shape[0]
    flow = min_cost_flow.SimpleMinCostFlow()
    row, column = (index.ravel() for index in np.indices(cost.shape))
    arcs = flow.add_arcs_with_capacity_and_unit_cost(
        row, len(supply) + column, np.full(row.size, most - fewest), cost.ravel()
    )
    flow.set_nodes_supplies(np.arange(len(supply) + len(demand)), np.concatenate([supply, -demand]))
    if flow.solve() != flow.OPTIMAL:
        raise ArithmeticError("the global links between two groups lost their ends")
    found: Ints = fewest + flow.flows(arcs).reshape(cost.shape)
    return found


def _dealt(topology: Topology, far: Mapping[str, str]) -> Iterable[Link]:
    """All links in order of name, the global ones between routers `far` by name on the ports that these had."""
    links = topology.of_kind(GLOBAL)
    ports: dict[str, list[Port]] = defaultdict(list)
    wanted: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for link in links:
        for port in (link.a, link.b):
            ports[port.device].append(port)
        wanted[link.a.device].append((far[link.name], link.name))
        wanted[far[link.name]].append((link.a.device, link.name))
    port_of: dict[tuple[str, str], Port] = {}
    for router, ends in wanted.items():
        free = sorted(ports[router], key=lambda port: (len(port.cage), port.cage, len(port.port), port.port))
        order = sorted(ends, key=lambda end: (len(end[0]), *end))
        port_of |= {(router, name): port for (_, name), port in zip(order, free, strict=True)}
    moved = []
    for link in links:
        a, b = port_of[link.a.device, link.name], port_of[far[link.name], link.name]
        moved.append(replace(link, name=f"{a.device}.{a.port}", a=a, b=b))
    kept = [link for link in topology.links if link.kind != GLOBAL]
    return sorted((*kept, *moved), key=lambda link: link.name)
