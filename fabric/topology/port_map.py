"""From a fat-tree shape to every device and every link, port by port."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.request import Names, Request
from fabric.model.topology import Device, Link, Port, Topology
from fabric.model.tree_shape import FatTreeShape
from fabric.nos.port_names import nos_of, port_name
from fabric.topology.edge_links import Edge, Slots, attached_devices, attached_links, node_links, refuse_double_names
from fabric.topology.size import Size
from fabric.topology.trunks import deal, in_rounds, whole_cages


def build(shape: FatTreeShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of `shape`, sorted by name."""
    namer = _Namer(request.names, shape)
    leaf_switch = catalog.switches[shape.leaf_part]
    leaves = tuple(_leaves(shape, namer))
    nodes = tuple(
        Device(namer.node(index), "node", size.system_key, su=index // shape.unit_nodes + 1)
        for index in range(size.installed_nodes)
    )
    slots = Slots(leaf_switch, shape)
    taken: set[tuple[str, int]] = set()
    links = list(node_links(shape, size, nodes, leaves, slots, taken))
    attached = tuple(attached_devices(request, request.names))
    links.extend(attached_links(request, shape, catalog, (attached, leaves), slots, taken))
    spines: tuple[Device, ...] = ()
    if shape.spine_part is not None:
        spines = tuple(_spines(shape, namer))
        spine_switch = catalog.switches[shape.spine_part]
        links.extend(_uplinks(shape, leaves, spines, slots, spine_switch, request.fabric.port_order))
    devices = (*nodes, *attached, *(leaf.device for leaf in leaves), *spines)
    refuse_double_names(devices)
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


def _leaves(shape: FatTreeShape, namer: _Namer) -> Iterator[Edge]:
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
                yield Edge(device, unit, place, plane)
                index += 1


def _spines(shape: FatTreeShape, namer: _Namer) -> Iterator[Device]:
    for plane in range(shape.planes):
        for index in range(shape.spines):
            yield Device(namer.spine(plane, index), "spine", shape.spine_part, plane=plane)


def _uplinks(
    shape: FatTreeShape,
    leaves: tuple[Edge, ...],
    spines: tuple[Device, ...],
    slots: Slots,
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
