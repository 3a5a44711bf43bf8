"""From a topology to the arrays of the flow model: one port map per plane, and the names behind the indices."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np

from fabric.flow.link_load import Bottleneck, Direction
from fabric.flow.port_map import BoolArray, IntArray, PortMap
from fabric.model.topology import Device, Link, Topology


@dataclass(frozen=True, slots=True, eq=False)
class Gone:
    """Elements of a plane that are down: its endpoint links (n_endpoints,) and uplinks (n_uplinks,) as masks."""

    endpoints: BoolArray
    uplinks: BoolArray


@dataclass(frozen=True, eq=False)
class Plane:
    """One plane as arrays.

    Attributes:
        number: of the plane.
        map: endpoints, leaves and spines by index.
        endpoints: (n_endpoints,) their links.
        uplinks: (n_uplinks,) their links.
        leaves: (n_leaves,) names.
        spines: (n_spines,) names.
        node: (n_endpoints,) label of each endpoint's device.
        rail: (n_endpoints,) its rail, -1 for an attached device.
    """

    number: int
    map: PortMap
    endpoints: tuple[Link, ...]
    uplinks: tuple[Link, ...]
    leaves: tuple[str, ...]
    spines: tuple[str, ...]
    node: IntArray
    rail: IntArray

    def map_without(self, gone: Gone) -> PortMap:
        """The port map with elements down."""
        return replace(
            self.map.keep_uplinks(~gone.uplinks),
            endpoint_leaf=self.map.endpoint_leaf[~gone.endpoints],
            endpoint_gbps=self.map.endpoint_gbps[~gone.endpoints],
        )

    def without(self, gone: Gone) -> Plane:
        """The whole plane with elements down."""
        return replace(
            self,
            map=self.map_without(gone),
            endpoints=tuple(self.endpoints[index] for index in np.flatnonzero(~gone.endpoints)),
            uplinks=tuple(self.uplinks[index] for index in np.flatnonzero(~gone.uplinks)),
            node=self.node[~gone.endpoints],
            rail=self.rail[~gone.endpoints],
        )

    def link(self, arc: Bottleneck) -> str:
        """Name of the link that an arc belongs to."""
        below = arc.direction in {Direction.ENDPOINT_UP, Direction.ENDPOINT_DOWN}
        return (self.endpoints if below else self.uplinks)[arc.index].name


def planes_of(topology: Topology) -> tuple[Plane, ...]:
    """Every plane that has a leaf. A link that joins no leaf with what its kind says carries nothing here.

    Wrong tables come through this door too: a link's plane is that of its leaf, whatever its own column says.
    """
    numbers = sorted({leaf.plane or 0 for leaf in topology.with_role("leaf")})
    node_index = {device.name: index for index, device in enumerate(topology.with_role("node"))}
    for device in topology.devices:
        if not device.is_switch:
            node_index.setdefault(device.name, len(node_index))
    return tuple(_plane(topology, number, node_index) for number in numbers)


def _plane(topology: Topology, number: int, node_index: dict[str, int]) -> Plane:
    leaves = _names(topology.with_role("leaf"), number)
    spines = _names(topology.with_role("spine"), number)
    leaf_index = {name: index for index, name in enumerate(leaves)}
    spine_index = {name: index for index, name in enumerate(spines)}
    endpoints = _between(topology.of_kind("node_leaf"), node_index, leaf_index)
    uplinks = _between(topology.of_kind("leaf_spine"), leaf_index, spine_index)
    return Plane(
        number=number,
        map=PortMap(
            endpoint_leaf=_array([leaf_index[link.b.device] for link in endpoints]),
            endpoint_gbps=np.array([link.rate_gbps for link in endpoints], dtype=np.float64),
            uplink_leaf=_array([leaf_index[link.a.device] for link in uplinks]),
            uplink_spine=_array([spine_index[link.b.device] for link in uplinks]),
            uplink_gbps=np.array([link.rate_gbps for link in uplinks], dtype=np.float64),
            leaf_count=len(leaves),
            spine_count=len(spines),
        ),
        endpoints=endpoints,
        uplinks=uplinks,
        leaves=leaves,
        spines=spines,
        node=_array([node_index[link.a.device] for link in endpoints]),
        rail=_array([-1 if link.rail is None else link.rail for link in endpoints]),
    )


def _between(links: tuple[Link, ...], below: Container[str], above: Container[str]) -> tuple[Link, ...]:
    """Links from a device `below` to one `above` that run at any rate."""
    return tuple(link for link in links if link.a.device in below and link.b.device in above and link.rate_gbps > 0)


def _names(devices: tuple[Device, ...], plane: int) -> tuple[str, ...]:
    return tuple(device.name for device in devices if (device.plane or 0) == plane)


def _array(values: list[int]) -> IntArray:
    return np.array(values, dtype=np.int64)
