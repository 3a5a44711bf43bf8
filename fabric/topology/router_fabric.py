"""What fabrics of routers share: models that may route, nodes below them, and how the whole is put together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import Device, Link, Topology
from fabric.topology.candidates import Pair, leaf_pairs
from fabric.topology.edge_links import Edge, Slots, attached_devices, attached_links, node_links, refuse_double_names
from fabric.topology.size import Size


def router_models(request: Request, size: Size, catalog: Catalog) -> tuple[Pair, ...]:
    """Models that may take nodes and link among themselves, each at every rate it may, the fastest first.

    Raises:
        InputError: the switches named cannot do what is asked, with a reason for each.
    """
    pairs = (pair for rates in leaf_pairs(request, size, catalog) for pair in rates)
    return tuple(pair for pair in pairs if pair.leaf_key == pair.spine_key)


def asked(request: Request) -> str:
    """What a request itself asks of a shape, in its own words."""
    fabric = request.fabric
    words = [f"unit_nodes {fabric.unit_nodes}"] if fabric.unit_nodes != "auto" else []
    words += [f"{key} {value}" for key, value in sorted(fabric.parameters.items())]
    return "with " + ", ".join(words) if words else "whatever the units and groups"


@dataclass(frozen=True, slots=True)
class Seat:
    """A router before it has a name: its unit from 0, its place in the unit, its plane, and the rails it serves."""

    unit: int
    place: int
    plane: int
    rails: tuple[int, ...]

    def edge(self, pattern: str, part: str, group: int, index: int, role: str = "router") -> Edge:
        """The router, or leaf, as a device of a group, with a number from 0."""
        name = pattern.format(group=group + 1, index=index + 1, su=self.unit + 1, rail=self.place, plane=self.plane)
        rail = "+".join(map(str, self.rails))
        device = Device(name, role, part, su=self.unit + 1, rail=rail, plane=self.plane, group=group)
        return Edge(device, self.unit, self.place, self.plane)


def seats(shape: Shape) -> Iterator[Seat]:
    """Routers of every plane, unit by unit."""
    for plane in range(shape.planes):
        for unit in range(shape.units):
            for place in range(shape.leaves_per_unit):
                rails = range(place, shape.node_ports, shape.leaves_per_unit)
                served = range(shape.node_ports) if shape.wiring == "rack" else rails
                yield Seat(unit, place, plane, tuple(served))


def assemble(
    shape: Shape,
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
    request, size, catalog = asked
    router = catalog.switches[shape.tiers[0].part]
    group_of = {edge.unit: edge.device.group for edge in edges}
    nodes = tuple(
        Device(request.names.node.format(index=index + 1), "node", size.system_key, su=unit + 1, group=group_of[unit])
        for index in range(size.installed_nodes)
        for unit in (index // shape.unit_nodes,)
    )
    slots, taken = Slots(router, shape), set[tuple[str, int]]()
    links = list(node_links(shape, size, nodes, edges, slots, taken))
    attached = tuple(attached_devices(request, request.names))
    links.extend(attached_links(request, shape, catalog, (attached, edges), slots, taken))
    for plane in range(shape.planes):
        links.extend(_links(shape, [edge.device for edge in edges if edge.plane == plane], pairs, slots, router))
    devices = (*nodes, *attached, *(edge.device for edge in edges))
    refuse_double_names(devices)
    return Topology(
        family=shape.family,
        parameters=parameters,
        devices=tuple(sorted(devices, key=lambda device: device.name)),
        links=tuple(sorted(links, key=lambda link: link.name)),
    )


def _links(
    shape: Shape, routers: Sequence[Device], pairs: Mapping[str, Sequence[tuple[int, int]]], slots: Slots, model: Switch
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
