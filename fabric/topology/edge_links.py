"""Ports of leaves and routers: nodes and attached endpoints below, switches above, the same in every family."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import Fault, InputError
from fabric.model.edge_shape import EdgeShape, PodShape
from fabric.model.request import Names, Request
from fabric.model.topology import EDGE_ROLES, Device, Link, Port, Topology
from fabric.model.tree_shape import FatTreeShape
from fabric.topology.cage_ports import CagePorts
from fabric.topology.size import Size

ATTACHED_PARTS = "generic-endpoint-{gbps}g"
"""Catalog key of the device that stands for an attached endpoint of a rate."""

NODE_KIND = {role: f"node_{role}" for role in EDGE_ROLES}
"""Kind of link between an endpoint and a switch of a role."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A leaf or router while ports are dealt out: its device, its unit from 0, its place in the unit, and its plane."""

    device: Device
    unit: int
    place: int
    plane: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A leaf or router before it has a name: its unit from 0, its place in that, its plane, and the rails it serves."""

    unit: int
    place: int
    plane: int
    rails: tuple[int, ...]

    def edge(self, pattern: str, part: str, group: int | None, index: int, role: str) -> Edge:
        """The leaf or router as a device, of a group if any, with a number from 0."""
        name = pattern.format(
            group=(group or 0) + 1, index=index + 1, su=self.unit + 1, rail=self.place, plane=self.plane
        )
        rail = "+".join(map(str, self.rails))
        device = Device(name, role, part, su=self.unit + 1, rail=rail, plane=self.plane, group=group)
        return Edge(device, self.unit, self.place, self.plane)


def seats(shape: EdgeShape) -> Iterator[Seat]:
    """Leaves or routers of every plane, unit by unit."""
    for plane in range(shape.planes):
        for unit in range(shape.units):
            for place in range(shape.leaves_per_unit):
                rails = range(place, shape.node_ports, shape.leaves_per_unit)
                served = range(shape.node_ports) if shape.wiring == "rack" else rails
                yield Seat(unit, place, plane, tuple(served))


def plane_prefix(shape: EdgeShape) -> str:
    """How default names of switches tell planes apart, if there are several."""
    return "p{plane}-" if shape.planes > 1 else ""


def leaves(shape: FatTreeShape | PodShape, names: Names, pod: Callable[[int], int | None]) -> Iterator[Edge]:
    """Leaves of every plane, unit by unit, given the pod of a unit; unit numbers have a width that growth keeps."""
    unit = f"su{{su:0{max(2, len(str(shape.units)))}d}}"
    place = {"rail": "-r{rail}", "dual_homed": "-d{rail}"}.get(shape.wiring, "") if shape.spines else ""
    pattern = names.leaf or f"leaf-{plane_prefix(shape)}{unit}{place}"
    for index, seat in enumerate(seats(shape)):
        yield seat.edge(pattern, shape.leaf_part, pod(seat.unit), index, "leaf")


class Slots:
    """Ports of a leaf or router: down ports from the first cage, links to switches from the next whole cage on."""

    def __init__(self, switch: Switch, shape: EdgeShape) -> None:
        self.switch = switch
        self._downs = CagePorts(switch, shape.node_port_gbps)
        self._ups = CagePorts(switch, shape.uplink_gbps)
        self._first_up = math.ceil(shape.down_ports / self._downs.per_cage) * self._ups.per_cage

    def down(self, device: str, index: int) -> Port:
        """Down port `index` from 0."""
        return self._downs.at(device, index)

    def up(self, device: str, index: int) -> Port:
        """Uplink `index` from 0."""
        return self._ups.at(device, self._first_up + index)


def with_endpoints(
    shape: EdgeShape, asked: tuple[Request, Size, Catalog], edges: tuple[Edge, ...], slots: Slots
) -> tuple[list[Device], list[Link]]:
    """Nodes, attached endpoints and leaves or routers, and the links of endpoints; a node is of its unit's group.

    `asked` is the request, its size and the catalog.
    """
    request, size, catalog = asked
    group_of = {edge.unit: edge.device.group for edge in edges}
    nodes = tuple(
        Device(request.names.node.format(index=index + 1), "node", size.system_key, su=unit + 1, group=group_of[unit])
        for index in range(size.installed_nodes)
        for unit in (index // shape.unit_nodes,)
    )
    links = list(_node_links(shape, size, nodes, edges, slots))
    attached = tuple(_attached_devices(request, request.names))
    if attached:
        used = {link.b for link in links}
        links.extend(_attached_links(request, shape, catalog, (attached, edges), slots, used))
    return [*nodes, *attached, *(edge.device for edge in edges)], links


def sorted_topology(
    family: str, parameters: Mapping[str, int | str], devices: Sequence[Device], links: Sequence[Link]
) -> Topology:
    """Devices and links by name.

    Raises:
        InputError: name patterns that do not tell devices apart.
    """
    _refuse_double_names(devices)
    return Topology(
        family=family,
        parameters=parameters,
        devices=tuple(sorted(devices, key=lambda device: device.name)),
        links=tuple(sorted(links, key=lambda link: link.name)),
    )


def _node_links(
    shape: EdgeShape,
    size: Size,
    nodes: tuple[Device, ...],
    leaves: tuple[Edge, ...],
    slots: Slots,
) -> Iterator[Link]:
    """Node i of a unit on down port i of every rail leaf; under rack wiring all ports of a node side by side."""
    by_place = {(leaf.plane, leaf.unit, leaf.place): leaf.device for leaf in leaves}
    per_leaf = shape.node_ports // shape.leaves_per_unit
    names = [_port_names(shape, rail) for rail in range(shape.node_ports)]
    for number, node in enumerate(nodes):
        unit, position = divmod(number, shape.unit_nodes)
        for rail, host in enumerate(size.host_ports):
            local, place = divmod(rail, shape.leaves_per_unit)
            index = local * shape.unit_nodes + position if shape.wiring == "rail" else position * per_leaf + local
            for plane, name in enumerate(names[rail]):
                leaf = by_place[plane, unit, place]
                yield Link(
                    name=f"{node.name}.{name}",
                    kind=NODE_KIND[leaf.role],
                    a=Port(node.name, host.cage, name),
                    b=slots.down(leaf.name, index),
                    rate_gbps=shape.node_port_gbps,
                    rail=rail,
                    plane=plane,
                )


def _port_names(shape: EdgeShape, rail: int) -> tuple[str, ...]:
    """What a node calls its ports of a rail, plane by plane."""
    return (f"rail{rail}",) if shape.planes == 1 else tuple(f"rail{rail}p{plane}" for plane in range(shape.planes))


def _attached_devices(request: Request, names: Names) -> Iterator[Device]:
    """Every attached device of a request, by role and number."""
    counts: dict[str, int] = {}
    for item in request.attached:
        for _ in range(item.count):
            index = counts.get(item.role, 0)
            counts[item.role] = index + 1
            yield Device(
                names.attached.format(role=item.role, index=index + 1), item.role, ATTACHED_PARTS.format(gbps=item.gbps)
            )


def _attached_links(
    request: Request,
    shape: EdgeShape,
    catalog: Catalog,
    ends: tuple[tuple[Device, ...], tuple[Edge, ...]],
    slots: Slots,
    used: Container[Port],
) -> Iterator[Link]:
    """Ports of an attached device on the first free down ports of different leaves, the emptiest leaves first.

    Emptiest first seats every device wherever any order does.
    """
    devices, leaves = ends
    free = {
        leaf.device.name: [
            port for index in range(shape.down_ports) if (port := slots.down(leaf.device.name, index)) not in used
        ]
        for leaf in leaves
    }
    device_of = {leaf.device.name: leaf.device for leaf in leaves}
    ports = iter([item.ports for item in request.attached for _ in range(item.count)])
    for device in devices:
        host_ports = catalog.systems[device.part or ""].host_ports
        wanted = next(ports)
        open_leaves = sorted((-len(rest), name) for name, rest in free.items() if rest)[:wanted]
        if len(open_leaves) < wanted or wanted > len(host_ports):
            message = (
                f"{device.name} asks {wanted} ports on different leaves; {len(open_leaves)} leaves have a free port"
            )
            raise InputError(Fault(message, key="attached"))
        for number, (_, leaf) in enumerate(open_leaves):
            name = f"port{number}"
            yield Link(
                name=f"{device.name}.{name}",
                kind=NODE_KIND[device_of[leaf].role],
                a=Port(device.name, host_ports[number].cage, name),
                b=free[leaf].pop(0),
                rate_gbps=shape.node_port_gbps,
                plane=device_of[leaf].plane,
            )


def _refuse_double_names(devices: Sequence[Device]) -> None:
    seen: set[str] = set()
    for device in devices:
        if device.name in seen:
            message = f"the name patterns give {device.name!r} to two devices; use {_fields_of(device.role)}"
            raise InputError(Fault(message, key="names"))
        seen.add(device.name)


def _fields_of(role: str) -> str:
    """What tells switches of a role apart in their names."""
    if role == "spine":
        return "{group}, {plane} and {index}"
    return f"{{su}}, {{rail}}, {'{group}, ' if role == 'router' else ''}{{plane}} and {{index}}"
