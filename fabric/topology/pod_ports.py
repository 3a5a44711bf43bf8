"""From the shape of a three-tier fat-tree to every device and every link, port by port."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.request import Request
from fabric.model.shape import PodTreeShape
from fabric.model.topology import Device, Link, Port, Topology
from fabric.nos.port_names import nos_of, port_name
from fabric.topology.edge_links import Edge, Slots, attached_devices, attached_links, node_links, refuse_double_names
from fabric.topology.router_fabric import seats
from fabric.topology.size import Size


def build(shape: PodTreeShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of `shape`, sorted by name; the group of a device is its pod."""
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
    spines, cores = tuple(_spines(shape, request)), tuple(_cores(shape, request))
    for plane in range(shape.planes):
        here = [edge for edge in edges if edge.plane == plane]
        above = [spine for spine in spines if spine.plane == plane]
        links.extend(_leaf_spine(shape, here, above, slots, spine_switch))
        links.extend(_spine_core(shape, above, [core for core in cores if core.plane == plane], spine_switch))
    devices = (*nodes, *attached, *(edge.device for edge in edges), *spines, *cores)
    refuse_double_names(devices)
    return Topology(
        family=shape.family,
        parameters=_parameters(shape),
        devices=tuple(sorted(devices, key=lambda device: device.name)),
        links=tuple(sorted(links, key=lambda link: link.name)),
    )


def _parameters(shape: PodTreeShape) -> dict[str, int | str]:
    """The family's own numbers; leaves, spines and cores are totals over planes."""
    leaves, spines, cores = shape.tiers
    return {
        "cores": cores.count,
        "down_ports": shape.down_ports,
        "leaves": leaves.count,
        "planes": shape.planes,
        "pods": shape.pods,
        "rails_per_leaf": shape.rails_per_leaf,
        "spine_uplinks": shape.spine_uplinks,
        "spines": spines.count,
        "tiers": 3,
        "unit_nodes": shape.unit_nodes,
        "uplinks": shape.uplinks,
        "wiring": shape.wiring,
    }


def _pod(shape: PodTreeShape, unit: int) -> int:
    return unit // shape.units_per_pod


def _plane(shape: PodTreeShape) -> str:
    return "p{plane}-" if shape.planes > 1 else ""


def _leaves(shape: PodTreeShape, request: Request) -> Iterator[Edge]:
    place = {"rail": "-r{rail}", "dual_homed": "-d{rail}"}.get(shape.wiring, "")
    unit = f"su{{su:0{max(2, len(str(shape.units)))}d}}"
    pattern = request.names.leaf or f"leaf-{_plane(shape)}{unit}{place}"
    for index, seat in enumerate(seats(shape)):
        yield seat.edge(pattern, shape.leaf_part, _pod(shape, seat.unit), index, role="leaf")


def _spines(shape: PodTreeShape, request: Request) -> Iterator[Device]:
    """Spines of every pod, numbered within a plane pod by pod."""
    pod_width, width = (max(2, len(str(count))) for count in (shape.pods, shape.spines))
    pattern = request.names.spine or f"spine-{_plane(shape)}pod{{group:0{pod_width}d}}-{{index:0{width}d}}"
    for plane in range(shape.planes):
        for index in range(shape.pods * shape.spines):
            pod, place = divmod(index, shape.spines)
            number = index if request.names.spine and "{group" not in request.names.spine else place
            name = pattern.format(plane=plane, group=pod + 1, index=number + 1)
            yield Device(name, "spine", shape.spine_part, plane=plane, group=pod)


def _cores(shape: PodTreeShape, request: Request) -> Iterator[Device]:
    pattern = request.names.core or f"core-{_plane(shape)}{{index:0{max(2, len(str(shape.cores)))}d}}"
    for plane in range(shape.planes):
        for index in range(shape.cores):
            yield Device(pattern.format(plane=plane, index=index + 1), "core", shape.spine_part, plane=plane)


class _Ports:
    """Ports of a spine or core from the first cage on, in the order in which they are taken."""

    def __init__(self, switch: Switch, rate_gbps: int) -> None:
        self._nos, self._lanes = nos_of(switch.link_layer), switch.cages.lanes
        self._per_cage = switch.ports_per_cage(rate_gbps)
        self._used: dict[str, int] = {}

    def take(self, device: str) -> Port:
        cage, slot = divmod(self._used.setdefault(device, 0), self._per_cage)
        self._used[device] += 1
        return Port(device, str(cage + 1), port_name(self._nos, cage + 1, slot, self._per_cage, self._lanes))

    def skip(self, device: str, ports: int) -> None:
        """Begin at the next whole cage behind so many ports."""
        self._used[device] = math.ceil(ports / self._per_cage) * self._per_cage


def _leaf_spine(
    shape: PodTreeShape, leaves: Sequence[Edge], spines: Sequence[Device], slots: Slots, model: Switch
) -> Iterator[Link]:
    """Uplinks of every leaf ascending by the spines of its pod."""
    ports = _Ports(model, shape.uplink_gbps)
    for edge in leaves:
        first = _pod(shape, edge.unit) * shape.spines
        for index in range(shape.uplinks):
            near = slots.up(edge.device.name, index)
            far = ports.take(spines[first + index // shape.trunk].name)
            yield Link(f"{near.device}.{near.port}", "leaf_spine", near, far, shape.uplink_gbps, plane=edge.plane)


def _spine_core(
    shape: PodTreeShape, spines: Sequence[Device], cores: Sequence[Device], model: Switch
) -> Iterator[Link]:
    """Uplinks of every spine ascending by the cores of its place in the pod; down ports first, from a whole cage on."""
    below, above = _Ports(model, shape.uplink_gbps), _Ports(model, shape.uplink_gbps)
    down = shape.units_per_pod * shape.leaves_per_unit * shape.trunk
    for index, spine in enumerate(spines):
        first = index % shape.spines // shape.spines_per_core * shape.cores_per_spine
        above.skip(spine.name, down)
        for link in range(shape.spine_uplinks):
            near, far = above.take(spine.name), below.take(cores[first + link // shape.core_trunk].name)
            yield Link(f"{near.device}.{near.port}", "spine_core", near, far, shape.uplink_gbps, plane=spine.plane)
