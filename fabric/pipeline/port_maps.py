"""From a topology to the arrays of the flow model: one port map per plane, and the names behind the indices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TypeAlias

import numpy as np

from fabric.flow.link_load import Bottleneck, Direction
from fabric.flow.port_map import BoolArray, IntArray, PortMap
from fabric.model.topology import Device, Link, Topology

Index: TypeAlias = Mapping[str, int]
"""Numbers of devices, by name."""


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
            endpoints=tuple(compress(self.endpoints, ~gone.endpoints)),
            uplinks=tuple(compress(self.uplinks, ~gone.uplinks)),
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
    leaves, spines = (_index_by_plane(topology.with_role(role)) for role in ("leaf", "spine"))
    leaf_plane = {name: number for number, index in leaves.items() for name in index}
    node_index = {device.name: index for index, device in enumerate(topology.with_role("node"))}
    for device in topology.devices:
        if not device.is_switch:
            node_index.setdefault(device.name, len(node_index))
    endpoints: dict[int, list[Link]] = defaultdict(list)
    for link in topology.of_kind("node_leaf"):
        if link.rate_gbps > 0 and link.a.device in node_index and link.b.device in leaf_plane:
            endpoints[leaf_plane[link.b.device]].append(link)
    uplinks: dict[int, list[Link]] = defaultdict(list)
    for link in topology.of_kind("leaf_spine"):
        if link.rate_gbps > 0 and link.a.device in leaf_plane:
            number = leaf_plane[link.a.device]
            if link.b.device in spines[number]:
                uplinks[number].append(link)
    return tuple(
        _plane(number, endpoints[number], uplinks[number], (node_index, leaves[number], spines[number]))
        for number in sorted(leaves)
    )


def _plane(number: int, endpoints: Sequence[Link], uplinks: Sequence[Link], index: tuple[Index, Index, Index]) -> Plane:
    """A plane of some links between devices of the indices of nodes, leaves and spines."""
    nodes, leaves, spines = index
    return Plane(
        number=number,
        map=PortMap(
            endpoint_leaf=_array(leaves[link.b.device] for link in endpoints),
            endpoint_gbps=np.array([link.rate_gbps for link in endpoints], dtype=np.float64),
            uplink_leaf=_array(leaves[link.a.device] for link in uplinks),
            uplink_spine=_array(spines[link.b.device] for link in uplinks),
            uplink_gbps=np.array([link.rate_gbps for link in uplinks], dtype=np.float64),
            leaf_count=len(leaves),
            spine_count=len(spines),
        ),
        endpoints=tuple(endpoints),
        uplinks=tuple(uplinks),
        leaves=tuple(leaves),
        spines=tuple(spines),
        node=_array(nodes[link.a.device] for link in endpoints),
        rail=_array(-1 if link.rail is None else link.rail for link in endpoints),
    )


def _index_by_plane(devices: tuple[Device, ...]) -> defaultdict[int, dict[str, int]]:
    """Per plane, its devices by name, numbered from 0 in the order given; a name given twice counts once."""
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for device in devices:
        index = found[device.plane or 0]
        index.setdefault(device.name, len(index))
    return found


def _array(values: Iterable[int]) -> IntArray:
    return np.fromiter(values, dtype=np.int64)
