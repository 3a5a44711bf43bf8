"""What fabrics of routers share: models that may route, nodes below them, and how the whole is put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.edge_shape import RouterShape
from fabric.model.outline import Outline
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Topology
from fabric.topology.candidates import Pair, leaf_pairs
from fabric.topology.edge_links import Edge, Slots, sorted_topology, with_endpoints
from fabric.topology.size import Size
from fabric.topology.units import Unit

S = TypeVar("S", bound=RouterShape)


def router_models(request: Request, size: Size, catalog: Catalog) -> tuple[Pair, ...]:
    """Models that may take nodes and link among themselves, each at every rate it may, the fastest first.

    Raises:
        InputError: the switches named cannot do what is asked, with a reason for each.
    """
    pairs = (pair for rates in leaf_pairs(request, size, catalog) for pair in rates)
    return tuple(pair for pair in pairs if pair.leaf_key == pair.spine_key)


@dataclass(frozen=True, slots=True, eq=False)
class Listing(Generic[S]):
    """Shapes of one router model, unit by unit, by growing number of routers; an outline before those of each unit.

    `of_unit` gives the shapes of a unit, which have a router for each of its leaves at least.
    """

    pair: Pair
    planes: int
    units: tuple[Unit, ...]
    of_unit: Callable[[Unit], Iterator[S]]

    def __iter__(self) -> Iterator[S | Outline]:
        """Outlines and shapes, worked out as they are read."""
        for unit in sorted(self.units, key=lambda unit: unit.units * unit.leaves):
            yield Outline(self.pair.leaf_key, None, self.planes * unit.units * unit.leaves, 0, 0)
            yield from self.of_unit(unit)


def asked(request: Request) -> str:
    """What a request itself asks of a shape, in its own words."""
    fabric = request.fabric
    words = [f"unit_nodes {fabric.unit_nodes}"] if fabric.unit_nodes != "auto" else []
    words += [f"{key} {value}" for key, value in sorted(fabric.parameters.items())]
    return "with " + ", ".join(words) if words else "whatever the units and groups"


def assemble(
    shape: RouterShape,
    asked: tuple[Request, Size, Catalog],
    edges: tuple[Edge, ...],
    pairs: Mapping[str, Sequence[tuple[int, int]]],
    parameters: Mapping[str, int | str],
) -> Topology:
    """Nodes, attached endpoints, routers and all their links.

    Args:
        shape: of the fabric.
        asked: request, its size, and the catalog.
        edges: routers, plane by plane, in the order that the pairs number them.
        pairs: per kind of link the two routers of each, numbered within a plane.
        parameters: the family's own numbers.
    """
    catalog = asked[2]
    router = catalog.switches[shape.router_part]
    slots = Slots(router, shape)
    devices, links = with_endpoints(shape, asked, edges, slots)
    for plane in range(shape.planes):
        routers = [edge.device for edge in edges if edge.plane == plane]
        links.extend(_links(shape, routers, pairs, slots, router))
    return sorted_topology(shape.family, parameters, devices, links)


def _links(
    shape: RouterShape,
    routers: Sequence[Device],
    pairs: Mapping[str, Sequence[tuple[int, int]]],
    slots: Slots,
    model: Switch,
) -> Iterator[Link]:
    """Links between the routers of a plane by kind, each kind from a whole cage on, in the order of far routers."""
    per_cage = model.ports_per_cage(shape.uplink_gbps)
    used = [0] * len(routers)
    for kind, ends in pairs.items():
        for a, b in sorted(ends):
            near, far = (slots.up(routers[end].name, used[end]) for end in (a, b))
            used[a] += 1
            used[b] += 1
            yield Link(f"{near.device}.{near.port}", kind, near, far, shape.uplink_gbps, plane=routers[a].plane)
        used = [math.ceil(count / per_cage) * per_cage for count in used]
