"""From a fat-tree shape to every device and every link, port by port."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import Fault, InputError
from fabric.model.request import Names, Request
from fabric.model.shape import FatTreeShape
from fabric.model.topology import Device, Link, Port, Topology
from fabric.nos.port_names import nos_of, port_name
from fabric.topology.size import Size
from fabric.topology.trunks import deal, in_rounds, whole_cages

ATTACHED_PARTS = "generic-endpoint-{gbps}g"
"""Catalog key of the device that stands for an attached endpoint of a rate."""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A leaf while ports are dealt out: its device, its unit from 0, its place in the unit, and its plane."""

    device: Device
    unit: int
    place: int
    plane: int


def build(shape: FatTreeShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of `shape`, sorted by name."""
    namer = _Namer(request.names, shape)
    leaf_switch = catalog.switches[shape.leaf_part]
    leaves = tuple(_leaves(shape, namer))
    nodes = tuple(
        Device(namer.node(index), "node", size.system_key, su=index // shape.unit_nodes + 1)
        for index in range(size.installed_nodes)
    )
    slots = _Slots(leaf_switch, shape)
    taken: set[tuple[str, int]] = set()
    links = list(_node_links(shape, size, nodes, leaves, slots, taken))
    attached = tuple(_attached(request, namer))
    links.extend(_attached_links(request, shape, catalog, (attached, leaves), slots, taken))
    spines: tuple[Device, ...] = ()
    if shape.spine_part is not None:
        spines = tuple(_spines(shape, namer))
        spine_switch = catalog.switches[shape.spine_part]
        links.extend(_uplinks(shape, leaves, spines, slots, spine_switch, request.fabric.port_order))
    devices = (*nodes, *attached, *(leaf.device for leaf in leaves), *spines)
    _no_name_twice(devices)
    return Topology(
        family="fat_tree",
        parameters=_parameters(shape),
        devices=tuple(sorted(devices, key=lambda device: device.name)),
        links=tuple(sorted(links, key=lambda link: link.name)),
    )


def _parameters(shape: FatTreeShape) -> dict[str, int | str]:
    """The family's own numbers; leaves and spines are totals over planes."""
    return {
        "down_ports": shape.down_ports,
        "leaves": shape.leaves_total,
        "planes": shape.planes,
        "rails_per_leaf": shape.rails_per_leaf,
        "spines": shape.spines_total,
        "tiers": 2 if shape.spines else 1,
        "unit_nodes": shape.unit_nodes,
        "uplinks": shape.uplinks,
        "wiring": shape.wiring,
    }


class _Namer:
    """Device names from the request's patterns; numbers have a width that growth within the shape keeps."""

    def __init__(self, names: Names, shape: FatTreeShape) -> None:
        plane = "p{plane}-" if shape.planes > 1 else ""
        unit = f"su{{su:0{max(2, len(str(shape.units)))}d}}"
        place = {"rail": "-r{rail}", "dual_homed": "-d{rail}"}.get(shape.wiring, "") if shape.spines else ""
        index = f"{{index:0{max(2, len(str(shape.spines)))}d}}"
        self._names = names
        self._leaf = names.leaf or f"leaf-{plane}{unit}{place}"
        self._spine = names.spine or f"spine-{plane}{index}"

    def node(self, index: int) -> str:
        return self._names.node.format(index=index + 1)

    def leaf(self, su: int, rail: int, plane: int, index: int) -> str:
        return self._leaf.format(su=su, rail=rail, plane=plane, index=index + 1)

    def spine(self, plane: int, index: int) -> str:
        return self._spine.format(plane=plane, index=index + 1)

    def attached(self, role: str, index: int) -> str:
        return self._names.attached.format(role=role, index=index + 1)


class _Slots:
    """Ports of a leaf: down ports from the first cage, uplinks from the next whole cage on."""

    def __init__(self, switch: Switch, shape: FatTreeShape) -> None:
        self.switch = switch
        self._nos = nos_of(switch.link_layer)
        self._lanes = switch.cages.lanes
        self._downs = switch.ports_per_cage(shape.node_port_gbps)
        self._ups = switch.ports_per_cage(shape.uplink_gbps)
        self._first_up = math.ceil(shape.down_ports / self._downs)

    def down(self, device: str, index: int) -> Port:
        """Down port `index` from 0."""
        cage, slot = divmod(index, self._downs)
        return Port(device, str(cage + 1), port_name(self._nos, cage + 1, slot, self._downs, self._lanes))

    def up(self, device: str, index: int) -> Port:
        """Uplink `index` from 0."""
        cage, slot = divmod(index, self._ups)
        cage += self._first_up
        return Port(device, str(cage + 1), port_name(self._nos, cage + 1, slot, self._ups, self._lanes))


def _leaves(shape: FatTreeShape, namer: _Namer) -> Iterator[_Leaf]:
    index = 0
    for plane in range(shape.planes):
        for unit in range(shape.units):
            for place in range(shape.leaves_per_unit):
                rails = range(place, shape.node_ports, shape.leaves_per_unit)
                if shape.wiring == "rack":
                    rails = range(shape.node_ports)
                device = Device(
                    namer.leaf(unit + 1, place, plane, index),
                    "leaf",
                    shape.leaf_part,
                    su=unit + 1,
                    rail="+".join(map(str, rails)),
                    plane=plane,
                )
                yield _Leaf(device, unit, place, plane)
                index += 1


def _spines(shape: FatTreeShape, namer: _Namer) -> Iterator[Device]:
    for plane in range(shape.planes):
        for index in range(shape.spines):
            yield Device(namer.spine(plane, index), "spine", shape.spine_part, plane=plane)


def _node_links(
    shape: FatTreeShape,
    size: Size,
    nodes: tuple[Device, ...],
    leaves: tuple[_Leaf, ...],
    slots: _Slots,
    taken: set[tuple[str, int]],
) -> Iterator[Link]:
    """Node i of a unit on down port i of every rail leaf; under rack wiring all ports of a node side by side."""
    by_place = {(leaf.plane, leaf.unit, leaf.place): leaf.device.name for leaf in leaves}
    per_leaf = shape.node_ports // shape.leaves_per_unit
    for number, node in enumerate(nodes):
        unit, position = divmod(number, shape.unit_nodes)
        for rail, host in enumerate(size.host_ports):
            local, place = divmod(rail, shape.leaves_per_unit)
            index = local * shape.unit_nodes + position if shape.wiring == "rail" else position * per_leaf + local
            for plane in range(shape.planes):
                leaf = by_place[plane, unit, place]
                taken.add((leaf, index))
                name = f"rail{rail}" if shape.planes == 1 else f"rail{rail}p{plane}"
                yield Link(
                    name=f"{node.name}.{name}",
                    kind="node_leaf",
                    a=Port(node.name, host.cage, name),
                    b=slots.down(leaf, index),
                    rate_gbps=shape.node_port_gbps,
                    rail=rail,
                    plane=plane,
                )


def _attached(request: Request, namer: _Namer) -> Iterator[Device]:
    counts: dict[str, int] = {}
    for item in request.attached:
        for _ in range(item.count):
            index = counts.get(item.role, 0)
            counts[item.role] = index + 1
            yield Device(namer.attached(item.role, index), item.role, ATTACHED_PARTS.format(gbps=item.gbps))


def _attached_links(
    request: Request,
    shape: FatTreeShape,
    catalog: Catalog,
    ends: tuple[tuple[Device, ...], tuple[_Leaf, ...]],
    slots: _Slots,
    taken: set[tuple[str, int]],
) -> Iterator[Link]:
    """Ports of an attached device on the first free down ports of different leaves, the emptiest leaves first.

    Emptiest first seats every device wherever any order does.
    """
    devices, leaves = ends
    free = {
        leaf.device.name: [index for index in range(shape.down_ports) if (leaf.device.name, index) not in taken]
        for leaf in leaves
    }
    plane_of = {leaf.device.name: leaf.plane for leaf in leaves}
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
                kind="node_leaf",
                a=Port(device.name, host_ports[number].cage, name),
                b=slots.down(leaf, free[leaf].pop(0)),
                rate_gbps=shape.node_port_gbps,
                plane=plane_of[leaf],
            )


def _uplinks(
    shape: FatTreeShape,
    leaves: tuple[_Leaf, ...],
    spines: tuple[Device, ...],
    slots: _Slots,
    spine_switch: Switch,
    port_order: str,
) -> Iterator[Link]:
    """A leaf's uplinks ascending by spine, in the rounds that the port order asks."""
    nos, lanes = nos_of(spine_switch.link_layer), spine_switch.cages.lanes
    per_cage = spine_switch.ports_per_cage(shape.uplink_gbps)
    whole = whole_cages(slots.switch, spine_switch, shape.uplink_gbps)
    trunks = deal(shape, [(leaf.unit, leaf.plane) for leaf in leaves], whole, spine_switch)
    used = dict.fromkeys((device.name for device in (*(leaf.device for leaf in leaves), *spines)), 0)
    for leaf, number, links in in_rounds(trunks, whole, port_order):
        plane, name = leaves[leaf].plane, leaves[leaf].device.name
        spine = spines[plane * shape.spines + number].name
        for _ in range(links):
            a = slots.up(name, used[name])
            cage, slot = divmod(used[spine], per_cage)
            used[name] += 1
            used[spine] += 1
            yield Link(
                name=f"{a.device}.{a.port}",
                kind="leaf_spine",
                a=a,
                b=Port(spine, str(cage + 1), port_name(nos, cage + 1, slot, per_cage, lanes)),
                rate_gbps=shape.uplink_gbps,
                plane=plane,
            )


def _no_name_twice(devices: tuple[Device, ...]) -> None:
    seen: set[str] = set()
    for device in devices:
        if device.name in seen:
            message = (
                f"the name patterns give {device.name!r} to two devices; use {{su}}, {{rail}}, {{plane}} and {{index}}"
            )
            raise InputError(Fault(message, key="names"))
        seen.add(device.name)
