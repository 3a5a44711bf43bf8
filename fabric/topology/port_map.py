"""From a fat-tree shape to every device and every link, port by port."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.request import Names, Request
from fabric.model.topology import Device, Link, Topology
from fabric.model.tree_shape import FatTreeShape
from fabric.topology.cage_ports import CagePorts
from fabric.topology.edge_links import Edge, Slots, leaves, plane_prefix, sorted_topology, with_endpoints
from fabric.topology.size import Size
from fabric.topology.trunks import deal, in_rounds, whole_cages


def build(shape: FatTreeShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of `shape`, sorted by name."""
    leaf_switch = catalog.switches[shape.leaf_part]
    edges, slots = tuple(leaves(shape, request.names, lambda _: None)), Slots(leaf_switch, shape)
    devices, links = with_endpoints(shape, (request, size, catalog), edges, slots)
    spines: tuple[Device, ...] = ()
    if shape.spine_part is not None:
        spines = tuple(_spines(shape, request.names))
        spine_switch = catalog.switches[shape.spine_part]
        links.extend(_uplinks(shape, edges, spines, slots, spine_switch, request.fabric.port_order))
    return sorted_topology(shape.family, _parameters(shape), (*devices, *spines), links)


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


def _spines(shape: FatTreeShape, names: Names) -> Iterator[Device]:
    """Spines of every plane; numbers have a width that growth within the shape keeps."""
    pattern = names.spine or f"spine-{plane_prefix(shape)}{{index:0{max(2, len(str(shape.spines)))}d}}"
    for plane in range(shape.planes):
        for index in range(shape.spines):
            yield Device(pattern.format(plane=plane, index=index + 1), "spine", shape.spine_part, plane=plane)


def _uplinks(
    shape: FatTreeShape,
    leaves: tuple[Edge, ...],
    spines: tuple[Device, ...],
    slots: Slots,
    spine_switch: Switch,
    port_order: str,
) -> Iterator[Link]:
    """A leaf's uplinks ascending by spine, in the rounds that the port order asks."""
    ports = CagePorts(spine_switch, shape.uplink_gbps)
    whole = whole_cages(slots.switch, spine_switch, shape.uplink_gbps)
    trunks = deal(shape, [(leaf.unit, leaf.plane) for leaf in leaves], whole, spine_switch)
    used = dict.fromkeys((device.name for device in (*(leaf.device for leaf in leaves), *spines)), 0)
    for leaf, number, links in in_rounds(trunks, whole, port_order):
        plane, name = leaves[leaf].plane, leaves[leaf].device.name
        spine = spines[plane * shape.spines + number].name
        for _ in range(links):
            a, b = slots.up(name, used[name]), ports.at(spine, used[spine])
            used[name] += 1
            used[spine] += 1
            yield Link(
                name=f"{a.device}.{a.port}",
                kind="leaf_spine",
                a=a,
                b=b,
                rate_gbps=shape.uplink_gbps,
                plane=plane,
            )
