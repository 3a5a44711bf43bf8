"""Pods (or groups) of leaves and spines, every leaf joined with every spine of its own, under whatever joins pods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.edge_shape import PodShape
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Port, Topology
from fabric.topology.cage_ports import CagePorts
from fabric.topology.edge_links import Edge, Slots, leaves, plane_prefix, sorted_topology, with_endpoints
from fabric.topology.size import Size

Above: TypeAlias = Callable[[int, Sequence[Device], "Ports"], Iterable[Link]]
"""Links above the spines of a plane, given its number, its spines pod by pod, and their ports behind the down ports."""


class Ports:
    """Ports of a spine or core from the first cage on, in the order in which they are taken."""

    def __init__(self, switch: Switch, rate_gbps: int) -> None:
        self._ports = CagePorts(switch, rate_gbps)
        self._used: dict[str, int] = {}

    def take(self, device: str) -> Port:
        """The next free port."""
        index = self._used.get(device, 0)
        self._used[device] = index + 1
        return self._ports.at(device, index)

    def skip(self, device: str, ports: int) -> None:
        """Begin at the next whole cage behind so many ports."""
        self._used[device] = math.ceil(ports / self._ports.per_cage) * self._ports.per_cage


def build_pods(
    shape: PodShape,
    asked: tuple[Request, Size, Catalog],
    parameters: Mapping[str, int | str],
    above: Above,
    others: tuple[Device, ...] = (),
) -> Topology:
    """Every device and link of pods and of what is `above` them; the group of a device is its pod.

    Args:
        shape: of the fabric.
        asked: request, its size, and the catalog.
        parameters: the family's own numbers.
        above: links above the spines.
        others: devices above the spines.
    """
    request, _, catalog = asked
    leaf_switch, spine_switch = (catalog.switches[part] for part in (shape.leaf_part, shape.spine_part))
    edges = tuple(leaves(shape, request.names, lambda unit: _pod(shape, unit)))
    slots = Slots(leaf_switch, shape)
    devices, links = with_endpoints(shape, asked, edges, slots)
    spines = tuple(spines_of(shape, request))
    down = shape.units_per_pod * shape.leaves_per_unit * shape.trunk
    for plane in range(shape.planes):
        here = [edge for edge in edges if edge.plane == plane]
        over = [spine for spine in spines if spine.plane == plane]
        links.extend(_leaf_spine(shape, here, over, slots, spine_switch))
        free = Ports(spine_switch, shape.uplink_gbps)
        for spine in over:
            free.skip(spine.name, down)
        links.extend(above(plane, over, free))
    return sorted_topology(shape.family, parameters, (*devices, *spines, *others), links)


def _pod(shape: PodShape, unit: int) -> int:
    return unit // shape.units_per_pod


def spines_of(shape: PodShape, request: Request) -> Iterator[Device]:
    """Spines of every pod, numbered within a plane pod by pod."""
    pod_width, width = (max(2, len(str(count))) for count in (shape.pods, shape.spines))
    pattern = (
        request.names.spine or f"spine-{plane_prefix(shape)}{shape.pod_name}{{group:0{pod_width}d}}-{{index:0{width}d}}"
    )
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
