"""Pods (or groups) of leaves and spines, every leaf joined with every spine of its own, under whatever joins pods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.dragonfly_shape import DragonflyPlusShape
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Port
from fabric.model.tree_shape import PodTreeShape
from fabric.nos.port_names import nos_of, port_name
from fabric.topology.edge_links import Edge, Slots, attached_devices, attached_links, node_links, refuse_double_names
from fabric.topology.router_fabric import seats
from fabric.topology.size import Size

PodShape: TypeAlias = PodTreeShape | DragonflyPlusShape

Above: TypeAlias = Callable[[int, Sequence[Device], "Ports"], Iterable[Link]]
"""Links above the spines of a plane, given its number, its spines pod by pod, and their ports behind the down ports."""


class Ports:
    """Ports of a spine or core from the first cage on, in the order in which they are taken."""

    def __init__(self, switch: Switch, rate_gbps: int) -> None:
        self._nos, self._lanes = nos_of(switch.link_layer), switch.cages.lanes
        self._per_cage = switch.ports_per_cage(rate_gbps)
        self._used: dict[str, int] = {}

    def take(self, device: str) -> Port:
        """The next free port."""
        cage, slot = divmod(self._used.setdefault(device, 0), self._per_cage)
        self._used[device] += 1
        return Port(device, str(cage + 1), port_name(self._nos, cage + 1, slot, self._per_cage, self._lanes))

    def skip(self, device: str, ports: int) -> None:
        """Begin at the next whole cage behind so many ports."""
        self._used[device] = math.ceil(ports / self._per_cage) * self._per_cage


def build_pods(
    shape: PodShape, asked: tuple[Request, Size, Catalog], above: Above, others: tuple[Device, ...] = ()
) -> tuple[tuple[Device, ...], tuple[Link, ...]]:
    """Every device and link of pods and of what is `above` them, sorted by name; the group of a device is its pod.

    `asked` is the request, its size and the catalog; `others` are devices above the spines.
    """
    request, size, catalog = asked
    leaf_switch, spine_switch = (catalog.switches[part] for part in (shape.leaf_part, shape.spine_part))
    edges = tuple(_leaves(shape, request))
    nodes = tuple(
        Device(
            request.names.node.format(index=index + 1), "node", size.system_key, su=unit + 1, group=_pod(shape, unit)
        )
        for index in range(size.installed_nodes)
        for unit in (index // shape.unit_nodes,)
    )
    slots, taken = Slots(leaf_switch, shape), set[tuple[str, int]]()
    links = list(node_links(shape, size, nodes, edges, slots, taken))
    attached = tuple(attached_devices(request, request.names))
    links.extend(attached_links(request, shape, catalog, (attached, edges), slots, taken))
    spines = tuple(_spines(shape, request))
    down = shape.units_per_pod * shape.leaves_per_unit * shape.trunk
    for plane in range(shape.planes):
        here = [edge for edge in edges if edge.plane == plane]
        over = [spine for spine in spines if spine.plane == plane]
        links.extend(_leaf_spine(shape, here, over, slots, spine_switch))
        free = Ports(spine_switch, shape.uplink_gbps)
        for spine in over:
            free.skip(spine.name, down)
        links.extend(above(plane, over, free))
    devices = (*nodes, *attached, *(edge.device for edge in edges), *spines, *others)
    refuse_double_names(devices)
    by_name = tuple(sorted(devices, key=lambda device: device.name))
    return by_name, tuple(sorted(links, key=lambda link: link.name))


def _pod(shape: PodShape, unit: int) -> int:
    return unit // shape.units_per_pod


def _plane(shape: PodShape) -> str:
    return "p{plane}-" if shape.planes > 1 else ""


def _leaves(shape: PodShape, request: Request) -> Iterator[Edge]:
    place = {"rail": "-r{rail}", "dual_homed": "-d{rail}"}.get(shape.wiring, "")
    unit = f"su{{su:0{max(2, len(str(shape.units)))}d}}"
    pattern = request.names.leaf or f"leaf-{_plane(shape)}{unit}{place}"
    for index, seat in enumerate(seats(shape)):
        yield seat.edge(pattern, shape.leaf_part, _pod(shape, seat.unit), index, role="leaf")


def _spines(shape: PodShape, request: Request) -> Iterator[Device]:
    """Spines of every pod, numbered within a plane pod by pod."""
    pod_width, width = (max(2, len(str(count))) for count in (shape.pods, shape.spines))
    pattern = request.names.spine or f"spine-{_plane(shape)}{shape.pod_name}{{group:0{pod_width}d}}-{{index:0{width}d}}"
    for plane in range(shape.planes):
        for index in range(shape.pods * shape.spines):
            pod, place = divmod(index, shape.spines)
            number = index if request.names.spine and "{group" not in request.names.spine else place
            name = pattern.format(plane=plane, group=pod + 1, index=number + 1)
            yield Device(name, "spine", shape.spine_part, plane=plane, group=pod)


def _leaf_spine(
    shape: PodShape, leaves: Sequence[Edge], spines: Sequence[Device], slots: Slots, model: Switch
) -> Iterator[Link]:
    """Uplinks of every leaf ascending by the spines of its pod."""
    ports = Ports(model, shape.uplink_gbps)
    for edge in leaves:
        first = _pod(shape, edge.unit) * shape.spines
        for index in range(shape.uplinks):
            near = slots.up(edge.device.name, index)
            far = ports.take(spines[first + index // shape.trunk].name)
            yield Link(f"{near.device}.{near.port}", "leaf_spine", near, far, shape.uplink_gbps, plane=edge.plane)
