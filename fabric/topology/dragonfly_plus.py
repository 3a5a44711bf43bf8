"""Dragonfly+: groups of leaves and spines, non-blocking inside, every two joined by global links between spines.

Per plane, with L leaves a group of d down ports, S spines a group, t links from leaf to spine, m links between any two
of g groups of E endpoints, spines of R ports, N endpoints and θ the throughput asked:

    S t >= d rate / uplink rate;   L t + m (g - 1) / S <= R;   m >= θ E² rate / (uplink rate (N - 1)).

Whether links carry uniform traffic is found on the network itself (`fitted`). Source: shpiner-dragonfly-plus-2017.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.model.dragonfly_shape import DragonflyPlusShape, share_of_last
from fabric.model.network import Network
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Topology
from fabric.topology import global_links
from fabric.topology._protocol import FAMILIES, UNIFORM_FLOOR, Carries, Ends, Family, seatings
from fabric.topology.candidates import Pair, leaf_pairs
from fabric.topology.dragonfly_links import first, soon
from fabric.topology.pods import Ports, build_pods, spines_of
from fabric.topology.router_fabric import asked
from fabric.topology.size import Size
from fabric.topology.sketch import ends_of, network_of
from fabric.topology.units import Unit, below, group_sizes, of_edges


def shapes(request: Request, size: Size, catalog: Catalog) -> tuple[DragonflyPlusShape, ...]:
    """Every way to group units of every size, each with the fewest links that counting allows.

    Raises:
        InputError: a switch that cannot take the ports asked.
        InfeasibleError: no pair of models holds the endpoints; the arithmetic of each is given.
    """
    pairs = [pair for rates in leaf_pairs(request, size, catalog) for pair in rates]
    found = dict.fromkeys(shape for pair in pairs for shape in _of_pair(request, size, pair, catalog))
    if not found:
        conflict = tuple(_conflict(request, pair) for pair in pairs)
        raise InfeasibleError("no dragonfly+ of the switches allowed holds this request", conflict=conflict)
    return tuple(found)


def _of_pair(request: Request, size: Size, pair: Pair, catalog: Catalog) -> Iterator[DragonflyPlusShape]:
    fixed = request.fabric.parameters
    for unit in of_edges(request, size, pair.most_down_ports, fixed.get("endpoints_per_leaf")):
        if fixed.get("endpoints_per_leaf", unit.down_ports) != unit.down_ports:
            continue
        for per_group in group_sizes(unit, fixed.get("leaves")):
            leaves, groups = per_group * unit.leaves, math.ceil(unit.units / per_group)
            if fixed.get("groups", groups) == groups and fixed.get("leaves", leaves) == leaves:
                yield from _of_groups(request, size, pair, unit, per_group, catalog)


def _of_groups(
    request: Request, size: Size, pair: Pair, unit: Unit, per_group: int, catalog: Catalog
) -> Iterator[DragonflyPlusShape]:
    """Every number of spines of a group, each with the shortest trunks that are enough."""
    fixed, room = request.fabric.parameters, pair.room(unit.down_ports)
    fewest = math.ceil(unit.down_ports * size.node_port_gbps / pair.uplink_gbps)
    for spines in range(request.fabric.min_spines, room + 1):
        trunk = math.ceil(fewest / spines)
        if spines * trunk > room or fixed.get("spines", spines) != spines:
            continue
        least = _shape(request, size, pair, unit, (per_group, spines, trunk))
        links = _links(least, request, size, catalog)
        if links:
            yield replace(least, group_links=links[0])


def _shape(request: Request, size: Size, pair: Pair, unit: Unit, group: tuple[int, int, int]) -> DragonflyPlusShape:
    """A shape with one link between groups; `group` is units, spines and the links from a leaf to a spine."""
    per_group, spines, trunk = group
    return DragonflyPlusShape(
        leaf_part=pair.leaf_key,
        spine_part=pair.spine_key,
        **below(size, unit, pair.uplink_gbps),
        units_per_pod=per_group,
        spines=spines,
        trunk=trunk,
        group_links=1,
        arrangement=global_links.listed_arrangement(request),
    )


def _links(shape: DragonflyPlusShape, request: Request, size: Size, catalog: Catalog) -> range:
    """Numbers of links between two full groups that the ports of a spine and the traffic between groups leave."""
    spine = catalog.switches[shape.spine_part]
    per_cage = spine.ports_per_cage(shape.uplink_gbps)
    down = shape.units_per_pod * shape.leaves_per_unit * shape.trunk
    room = (spine.cages.count - math.ceil(down / per_cage)) * per_cage
    most = range(1, max(0, room) * shape.spines + 1)
    most = most[: first(most, lambda links: replace(shape, group_links=links).global_ports > room)]
    asked = request.fabric.parameters.get("global_per_spine")
    if asked is not None:
        links = asked * shape.spines // (shape.groups - 1)
        return range(links, links + (links in most))
    endpoints = size.growth_nodes * size.node_ports
    of_group = min(endpoints, shape.units_per_pod * shape.unit_nodes * size.node_ports)
    theta = UNIFORM_FLOOR / request.fabric.oversubscription
    between = min(of_group, endpoints - of_group)
    load = theta * of_group * between * shape.node_port_gbps / shape.uplink_gbps / max(1, endpoints - 1)
    last = min(shape.units_per_pod, shape.units - shape.units_per_pod)
    is_enough = partial(_reaches, load, shape.units_per_pod, last)
    return most[first(most, is_enough) :]


def _reaches(load: float, full: int, other: int, links: int) -> bool:
    """Whether the share of so many links that joins a full group with another is enough for a load."""
    return share_of_last(links, full, other) + 1e-9 >= load


def fitted(
    shape: DragonflyPlusShape, request: Request, size: Size, catalog: Catalog, carries: Carries
) -> DragonflyPlusShape | None:
    """The shape with the fewest global links that carry the traffic; None where its ports are too few for them."""
    tried = [replace(shape, group_links=links) for links in _links(shape, request, size, catalog)]
    place = soon(len(tried), lambda place: all(carries(sketch(tried[place], nodes)) for nodes in seatings(size)))
    return None if place is None else tried[place]


def sketch(shape: DragonflyPlusShape, nodes: int, across: Iterable[tuple[int, int]] | None = None) -> Network:
    """One plane of a shape with the endpoints of so many nodes, switch by switch: leaves, then spines.

    `across` are the spines of global links where it is not the arrangement that says so.
    """
    leaves, spines = shape.units * shape.leaves_per_unit, shape.groups * shape.spines
    leaf_group = np.arange(leaves) // (shape.units_per_pod * shape.leaves_per_unit)
    leaf, place = np.repeat(np.arange(leaves), shape.spines), np.tile(np.arange(shape.spines), leaves)
    below = np.stack([leaf, leaves + leaf_group[leaf] * shape.spines + place], axis=1).repeat(shape.trunk, axis=0)
    ends = np.concatenate([below, ends_of(_global_pairs(shape) if across is None else across) + leaves])
    position = np.concatenate([leaf_group, np.arange(spines) // shape.spines])[:, None]
    return network_of(shape, nodes, ends, position, edge=np.arange(leaves), tier=np.repeat([0, 1], [leaves, spines]))


def _global_pairs(shape: DragonflyPlusShape) -> Iterator[tuple[int, int]]:
    """Spines of every global link of a plane, numbered through its groups."""
    return global_links.numbered([shape.spines] * shape.groups, shape.links_between, shape.arrangement)


def build(shape: DragonflyPlusShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of a shape, sorted by name."""
    return _joined(shape, (request, size, catalog), lambda _: _global_pairs(shape))


def rewired(
    shape: DragonflyPlusShape, request: Request, size: Size, catalog: Catalog, carries: Carries, ends: Ends
) -> Topology | None:
    """The same with other spines at the ends of global links; None where these do not carry the traffic."""
    for plane in range(shape.planes):
        spines = [spine for spine in spines_of(shape, request) if spine.plane == plane]
        across = global_links.between_names(ends, spines)
        if not all(carries(sketch(shape, nodes, across)) for nodes in seatings(size)):
            return None
    found = _joined(shape, (request, size, catalog), partial(global_links.between_names, ends))
    told: dict[str, int | str] = {
        "arrangement": global_links.OPTIMIZED,
        "global_per_spine": global_links.most_ports(ends),
    }
    return replace(found, parameters={**found.parameters, **told})


def _joined(shape: DragonflyPlusShape, asked: tuple[Request, Size, Catalog], across: global_links.Across) -> Topology:
    """Every device and link; `across` are the global links of a plane."""

    def above(plane: int, spines: Sequence[Device], free: Ports) -> Iterator[Link]:
        for a, b in sorted(across(spines)):
            near, far = free.take(spines[a].name), free.take(spines[b].name)
            yield Link(f"{near.device}.{near.port}", "global", near, far, shape.uplink_gbps, plane=plane)

    return build_pods(shape, asked, _parameters(shape), above)


def _parameters(shape: DragonflyPlusShape) -> dict[str, int | str]:
    """The family's own numbers; leaves and spines are those of a group."""
    return {
        "arrangement": shape.arrangement,
        "endpoints_per_leaf": shape.down_ports,
        "global_per_spine": shape.global_ports,
        "group_links": shape.group_links,
        "groups": shape.groups,
        "leaves": shape.units_per_pod * shape.leaves_per_unit,
        "planes": shape.planes,
        "rails_per_leaf": shape.rails_per_leaf,
        "spines": shape.spines,
        "trunk": shape.trunk,
        "unit_nodes": shape.unit_nodes,
        "wiring": shape.wiring,
    }


def _conflict(request: Request, pair: Pair) -> Conflict:
    """Why no dragonfly+ of this pair holds the request."""
    theta = UNIFORM_FLOOR / request.fabric.oversubscription
    arithmetic = (
        f"{asked(request)}: leaves leave spines of {pair.spine_ports} ports too few for global links that join all "
        f"groups and carry uniform traffic at {theta:.3g} of line rate"
    )
    return Conflict("fabric.switches", f"{pair.leaf_key} + {pair.spine_key}", arithmetic)


FAMILIES.register("dragonfly_plus")(Family(lambda *asked: (shapes(*asked),), build, fitted, rewired))
