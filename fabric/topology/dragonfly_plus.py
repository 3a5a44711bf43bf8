"""Dragonfly+: groups of leaves and spines, non-blocking inside, every two joined by global links between spines.

Per plane, with L leaves a group of d down ports, S spines a group, t links from leaf to spine, m links between any two
of g groups of E endpoints, spines of R ports, N endpoints and θ the throughput asked:

    S t >= d rate / uplink rate;   L t + m (g - 1) / S <= R;   m >= θ E² rate / (uplink rate (N - 1)).

Whether links carry uniform traffic is counted (`fitted`, `dragonfly_load`). Source: shpiner-dragonfly-plus-2017.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.model.dragonfly_shape import DragonflyPlusShape, spine_ports
from fabric.model.network import FloatArray, Network
from fabric.model.outline import Outline, listed
from fabric.model.request import Request
from fabric.model.topology import GLOBAL, Device, Link, Topology
from fabric.topology import global_links
from fabric.topology._protocol import FAMILIES, Family, Joining
from fabric.topology.candidates import Pair, leaf_pairs
from fabric.topology.dragonfly_links import first, soon
from fabric.topology.dragonfly_load import on_dragonfly_plus
from fabric.topology.pods import Ports, build_pods, spines_of
from fabric.topology.router_fabric import asked
from fabric.topology.size import Size
from fabric.topology.sketch import ends_of, network_of
from fabric.topology.uniform import fillings, links_wanted, theta_asked
from fabric.topology.units import Unit, below, group_sizes, of_edges


def shapes(request: Request, size: Size, catalog: Catalog) -> tuple[DragonflyPlusShape, ...]:
    """Every way to group units of every size, each with the fewest links that counting allows.

    Raises:
        InputError, InfeasibleError: as `listings` does.
    """
    return tuple(listed(listings(request, size, catalog)))


def listings(request: Request, size: Size, catalog: Catalog) -> tuple[_Listing, ...]:
    """The same shapes in listings, one of every unit, each worked out as it is read, and as often.

    Raises:
        InputError: a switch that cannot take the ports asked.
        InfeasibleError: no pair of models holds the endpoints; the arithmetic of each is given.
    """
    pairs = [pair for rates in leaf_pairs(request, size, catalog) for pair in rates]
    found = tuple(listing for pair in pairs for listing in _of_pair(request, size, pair, catalog))
    if next(listed(found), None) is None:
        conflict = tuple(_conflict(request, pair) for pair in pairs)
        raise InfeasibleError("no dragonfly+ of the switches allowed holds this request", conflict=conflict)
    return found


def _of_pair(request: Request, size: Size, pair: Pair, catalog: Catalog) -> Iterator[_Listing]:
    asked = request.fabric.parameters.get("endpoints_per_leaf")
    for unit in of_edges(request, size, pair.most_down_ports, asked):
        if asked is None or asked == unit.down_ports:
            yield _Listing(request, size, pair, unit, catalog)


@dataclass(frozen=True, slots=True, eq=False)
class _Listing:
    """Shapes of a pair of models and a unit by growing number of spines, an outline before each number."""

    request: Request
    size: Size
    pair: Pair
    unit: Unit
    catalog: Catalog

    def __iter__(self) -> Iterator[DragonflyPlusShape | Outline]:
        """Outlines and shapes, worked out as they are read."""
        pair, leaves, number = self.pair, self.size.planes * self.unit.units * self.unit.leaves, 0
        for total, spines, per_group in sorted(self._groups()):
            if total > number:
                number, planes = total, self.size.planes
                like = self._least(per_group, spines)
                yield Outline(pair.leaf_key, pair.spine_key, leaves, planes * total, leaves * self._fewest, like)
            yield from self._of_group(per_group, spines)

    def _groups(self) -> Iterator[tuple[int, int, int]]:
        """Spines of a plane and of a group, and units of a group, whose ports may be enough."""
        fixed, unit, pair = self.request.fabric.parameters, self.unit, self.pair
        room, fewest = pair.room(unit.down_ports), self._fewest
        for per_group in group_sizes(unit, fixed.get("leaves")):
            leaves, groups = per_group * unit.leaves, math.ceil(unit.units / per_group)
            if fixed.get("groups", groups) != groups or fixed.get("leaves", leaves) != leaves:
                continue
            for spines in range(self.request.fabric.min_spines, room + 1):
                trunk = math.ceil(fewest / spines)
                enough = spines * trunk <= room and (leaves * trunk + (groups - 1) / spines) <= pair.spine_ports
                if enough and fixed.get("spines", spines) == spines:
                    yield groups * spines, spines, per_group

    @property
    def _fewest(self) -> int:
        """Fewest uplinks of a leaf, so that its group does not block."""
        return math.ceil(self.unit.down_ports * self.size.node_port_gbps / self.pair.uplink_gbps)

    def _of_group(self, per_group: int, spines: int) -> Iterator[DragonflyPlusShape]:
        """The shape with the shortest trunks that are enough and the fewest global links, if any."""
        least = self._least(per_group, spines)
        links = _links(least, self.request, self.size, self.catalog)
        if links:
            yield replace(least, group_links=links[0])

    def _least(self, per_group: int, spines: int) -> DragonflyPlusShape:
        """The shape with the shortest trunks that are enough, and one link between groups."""
        group = per_group, spines, math.ceil(self._fewest / spines)
        return _shape(self.request, self.size, self.pair, self.unit, group)


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
    groups = shape.groups, shape.units_per_pod, shape.last_units, shape.spines
    most = range(1, max(0, room) * shape.spines + 1)
    asked = request.fabric.parameters.get("global_per_spine")
    if asked is not None:
        links = asked * shape.spines // (shape.groups - 1)
        return range(links, links + (links in most and spine_ports(links, *groups) <= room))
    endpoints = size.growth_nodes * size.node_ports
    of_group = min(endpoints, shape.units_per_pod * shape.unit_nodes * size.node_ports)
    theta = theta_asked(request)
    between = min(of_group, endpoints - of_group)
    others = max(1, endpoints + size.attached_ports - 1)
    load = theta * of_group * between * shape.node_port_gbps / shape.uplink_gbps / others
    last = min(shape.units_per_pod, shape.units - shape.units_per_pod)
    enough = _fewest_links(load, shape.units_per_pod, last)
    if enough not in most or spine_ports(enough, *groups) > room:
        return range(enough, enough)
    more = most[enough - 1 :]
    return more[: first(more, lambda links: spine_ports(links, *groups) > room)]


def _fewest_links(load: float, full: int, other: int) -> int:
    """Fewest links between full groups of which the share that joins one with another group is enough for a load."""
    return max(1, (math.ceil(load - 1e-9) - 1) * full // other + 1)


def fitted(shape: DragonflyPlusShape, request: Request, size: Size, catalog: Catalog) -> DragonflyPlusShape | None:
    """The shape with the fewest global links that carry the traffic; None where its ports are too few for them."""
    tried = [replace(shape, group_links=links) for links in _links(shape, request, size, catalog)]
    planes = fillings(shape, request, size)
    place = soon(len(tried), lambda place: _carries(tried[place], request, planes))
    return None if place is None else tried[place]


def _carries(shape: DragonflyPlusShape, request: Request, planes: Sequence[FloatArray]) -> bool:
    return links_wanted(shape, request, planes, partial(on_dragonfly_plus, shape)) <= 1


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

    def above(plane: int, spines: Sequence[Device], free: Ports) -> Iterator[Link]:
        for a, b in sorted(_global_pairs(shape)):
            near, far = free.take(spines[a].name), free.take(spines[b].name)
            yield Link(f"{near.device}.{near.port}", GLOBAL, near, far, shape.uplink_gbps, plane=plane)

    return build_pods(shape, (request, size, catalog), _parameters(shape), above)


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
    theta = theta_asked(request)
    arithmetic = (
        f"{asked(request)}: leaves leave spines of {pair.spine_ports} ports too few for global links that join all "
        f"groups and carry uniform traffic at {theta:.3g} of line rate"
    )
    return Conflict("fabric.switches", f"{pair.leaf_key} + {pair.spine_key}", arithmetic)


FAMILIES.register("dragonfly_plus")(Family(listings, build, fitted, Joining(spines_of, sketch, "global_per_spine")))
