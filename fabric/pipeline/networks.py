"""From a topology to the arrays of the flow model: one network per plane, how it is routed, and the names behind."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TypeAlias

import numpy as np

from fabric.flow.link_load import Bottleneck, Direction
from fabric.flow.walk import distances
from fabric.model.forwarding import Forwarding
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.model.paths import Routes
from fabric.model.topology import TIERS, Device, Link, Topology
from fabric.routing._protocol import SCHEMES, default_scheme
from fabric.routing._tables import local_tables, tree_tables

Index: TypeAlias = Mapping[str, int]
"""Numbers of devices, by name."""

TREE = "fat_tree"
"""The family whose groups, pods, say nothing about ways."""

TREE_SCHEME = "up_down"
"""How a fabric is routed whose family has no scheme of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Gone:
    """Elements of a plane that are down: its endpoint links (n_endpoints,) and switch links (n_links,) as masks."""

    endpoints: BoolArray
    links: BoolArray


@dataclass(frozen=True, eq=False)
class Plane:
    """One plane as arrays.

    Attributes:
        number: of the plane.
        network: endpoints, switches and links by index.
        scheme: how it is routed.
        endpoints: (n_endpoints,) their links.
        links: (n_links,) links between switches.
        switches: (n_switches,) their devices.
        node: (n_endpoints,) label of each endpoint's device.
        rail: (n_endpoints,) its rail, -1 for an attached device.
        detours: whether the switches have lanes for longer ways where the preferred ones are cut.
        dumped: tables that its subnet manager really set, where these were read.
        packet_gbps: (n_links,) rate at which a packet passes each link between switches, where `network` has a rate
            for what several carry together; None: as there.
    """

    number: int
    network: Network
    scheme: str
    endpoints: tuple[Link, ...]
    links: tuple[Link, ...]
    switches: tuple[Device, ...]
    node: IntArray
    rail: IntArray
    detours: bool = True
    dumped: Forwarding | None = None
    packet_gbps: FloatArray | None = None

    @cached_property
    def routes(self) -> Routes:
        """Its routes, as its scheme makes them of what is there."""
        routes = SCHEMES[self.scheme].routes(self.network)
        return routes if self.detours else routes[:1]

    @cached_property
    def joined(self) -> BoolArray | None:
        """(n_edges, n_edges) whether a way leads from one leaf or router with endpoints to another; None if always."""
        steps = distances(self.network, self.routes)
        if (steps >= 0).all():
            return None
        used = np.unique(self.network.endpoint_switch)
        ways = np.ones((self.network.edge_count, self.network.edge_count), dtype=np.bool_)
        ways[np.ix_(used, used)] = steps >= 0
        return ways

    @cached_property
    def forwarding(self) -> Forwarding:
        """Its tables where the subnet has one link towards each endpoint: as dumped, else as OpenSM would set them."""
        if self.dumped is not None:
            return self.dumped
        is_tree = self.scheme == TREE_SCHEME and int(self.network.tier.max(initial=0)) > 0
        return (tree_tables if is_tree else local_tables)(self.network, self.routes)

    def without(self, gone: Gone) -> Plane:
        """The plane with elements down."""
        return replace(
            self,
            network=self.network.without(gone.endpoints, gone.links),
            endpoints=tuple(compress(self.endpoints, ~gone.endpoints)),
            links=tuple(compress(self.links, ~gone.links)),
            node=self.node[~gone.endpoints],
            rail=self.rail[~gone.endpoints],
            dumped=self.dumped.without(gone.endpoints, gone.links) if self.dumped is not None else None,
            packet_gbps=self.packet_gbps[~gone.links] if self.packet_gbps is not None else None,
        )

    @cached_property
    def computed(self) -> Plane:
        """The plane with computed tables, whatever was dumped."""
        return replace(self, dumped=None)

    def link(self, arc: Bottleneck) -> str:
        """Name of the link that an arc belongs to."""
        below = arc.direction in {Direction.ENDPOINT_UP, Direction.ENDPOINT_DOWN}
        return (self.endpoints if below else self.links)[arc.index].name


def scheme_of(family: str) -> str:
    """The scheme by which a family is routed."""
    return default_scheme(family) or TREE_SCHEME


def planes_of(topology: Topology) -> tuple[Plane, ...]:
    """Every plane that has a leaf or router. A link that does not join what its kind says carries nothing here.

    Wrong tables come through this door too: a link's plane is that of its switch, whatever its own column says.
    """
    switches = {number: tuple(found.values()) for number, found in _switches_by_plane(topology).items()}
    plane_of = {device.name: number for number, found in switches.items() for device in found}
    node_index = {device.name: index for index, device in enumerate(topology.with_role("node"))}
    for device in topology.devices:
        if not device.is_switch:
            node_index.setdefault(device.name, len(node_index))
    edges = {device.name for device in topology.with_role("leaf", "router")}
    endpoints: dict[int, list[Link]] = defaultdict(list)
    links: dict[int, list[Link]] = defaultdict(list)
    for link in topology.links:
        if link.rate_gbps > 0 and link.a.device in node_index and link.b.device in edges:
            endpoints[plane_of[link.b.device]].append(link)
        elif link.rate_gbps > 0 and plane_of.get(link.a.device, -1) == plane_of.get(link.b.device, -2):
            links[plane_of[link.a.device]].append(link)
    return tuple(
        _plane(number, topology, (endpoints[number], links[number]), node_index, switches[number])
        for number in sorted(switches)
        if any(device.name in edges for device in switches[number])
    )


def _plane(
    number: int,
    topology: Topology,
    carriers: tuple[Sequence[Link], Sequence[Link]],
    nodes: Index,
    switches: tuple[Device, ...],
) -> Plane:
    """A plane of some links, those of endpoints and those between its switches."""
    endpoints, links = carriers
    index = {device.name: place for place, device in enumerate(switches)}
    tier = _array(TIERS[device.role] for device in switches)
    ends = _array(index[port.device] for link in links for port in (link.a, link.b)).reshape(-1, 2)
    falling = tier[ends[:, 0]] > tier[ends[:, 1]]
    ends[falling] = ends[falling, ::-1]
    return Plane(
        number=number,
        network=Network(
            endpoint_switch=_array(index[link.b.device] for link in endpoints),
            endpoint_gbps=np.array([link.rate_gbps for link in endpoints], dtype=np.float64),
            link_a=ends[:, 0],
            link_b=ends[:, 1],
            link_gbps=np.array([link.rate_gbps for link in links], dtype=np.float64),
            tier=tier,
            position=_positions(topology, switches),
            edge_count=int((tier == 0).sum()),
        ),
        scheme=scheme_of(topology.family),
        endpoints=tuple(endpoints),
        links=tuple(links),
        switches=switches,
        node=_array(nodes[link.a.device] for link in endpoints),
        rail=_array(-1 if link.rail is None else link.rail for link in endpoints),
    )


def _positions(topology: Topology, switches: Sequence[Device]) -> IntArray:
    """(n_switches, n_axes) groups, −1 for none; in a torus coordinates, numbered by the group; nothing in a tree."""
    group = _array(-1 if device.group is None else device.group for device in switches)
    if topology.family == TREE:
        return np.zeros((group.size, 0), dtype=np.int64)
    sizes = topology.numbers("sizes")
    if not sizes or not 0 <= group.max(initial=-1) < math.prod(sizes):
        return group.reshape(-1, 1)
    return np.stack(np.unravel_index(np.maximum(group, 0), sizes), axis=1).astype(np.int64)


def _switches_by_plane(topology: Topology) -> dict[int, dict[str, Device]]:
    """Per plane, its switches by name, the lower tiers first; a name given twice counts once."""
    found: dict[int, dict[str, Device]] = {}
    for device in _upwards(topology):
        found.setdefault(device.plane or 0, {}).setdefault(device.name, device)
    return found


def _upwards(topology: Topology) -> Iterator[Device]:
    for tier in sorted(set(TIERS.values())):
        yield from topology.with_role(*(role for role, above in TIERS.items() if above == tier))


def _array(values: Iterable[int]) -> IntArray:
    return np.fromiter(values, dtype=np.int64)
