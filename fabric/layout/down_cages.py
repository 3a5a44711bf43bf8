"""Leaves and routers as holders of node links: the cages that their down ports lie in."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.layout.cage import EndSpec, switch_end
from fabric.model.topology import EDGE_ROLES, NODE_KINDS, Topology

KIND = "node_leaf"
"""Kind under which node links are priced; those of routers cost alike."""

DOWN_PORTS = ("down_ports", "p", "endpoints_per_leaf")
"""Names under which families tell the down ports of a leaf or router."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf or router: its name, its node links by number, and the labels of its down cages by kind of cage."""

    name: str
    links: tuple[int, ...]
    cages: Mapping[EndSpec, tuple[str, ...]]


def leaves_apart(topology: Topology, catalog: Catalog) -> tuple[tuple[Leaf, ...], int]:
    """Leaves each of whose node links ends in a far cage of its own, and how many further leaves have node links.

    Which of those links share a cage of their leaf is nobody else's business. A far cage of several links ties its
    leaf to others, or two cages of one leaf.
    """
    links = topology.links
    sharing = Counter((link.a.device, link.a.cage) for link in links)
    leaves = tuple(_leaves(topology, catalog))
    apart = tuple(
        leaf for leaf in leaves if all(sharing[links[each].a.device, links[each].a.cage] == 1 for each in leaf.links)
    )
    return apart, len(leaves) - len(apart)


def down_ports_count(topology: Topology) -> int:
    """Down ports of every leaf or router; 0 where the topology does not tell."""
    return next((int(topology.parameters[name]) for name in DOWN_PORTS if name in topology.parameters), 0)


def _leaves(topology: Topology, catalog: Catalog) -> Iterator[Leaf]:
    """Leaves and routers with node links. Down ports fill their cages from the first (`topology.edge_links`)."""
    links_of: defaultdict[str, list[int]] = defaultdict(list)
    for number, link in enumerate(topology.links):
        if link.kind in NODE_KINDS:
            links_of[link.b.device].append(number)
    for leaf in topology.with_role(*EDGE_ROLES):
        links = links_of[leaf.name]
        if links:
            switch, rate_gbps = catalog.switches[leaf.part or ""], topology.links[links[0]].rate_gbps
            count = math.ceil(down_ports_count(topology) / switch.ports_per_cage(rate_gbps))
            cages: defaultdict[EndSpec, list[str]] = defaultdict(list)
            for label in map(str, range(1, count + 1)):
                end = switch_end(leaf.part or "", switch, label, rate_gbps)
                if end is not None:
                    cages[end].append(label)
            yield Leaf(leaf.name, tuple(links), {end: tuple(labels) for end, labels in cages.items()})
