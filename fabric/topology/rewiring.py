"""Global links of a port map laid anew: other ends, in the ports that are theirs, and all else as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import TypeAlias

from fabric.catalog.load import Catalog
from fabric.model.network import Network
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import GLOBAL, Device, Link, Topology
from fabric.topology._protocol import Joining
from fabric.topology.cage_ports import CagePorts
from fabric.topology.global_links import OPTIMIZED

Ends: TypeAlias = Sequence[tuple[str, str]]
"""The two switches of every global link of all planes, by name."""


@dataclass(frozen=True)
class Rewiring:
    """A shape of one request with other switches at the ends of its global links."""

    shape: Shape
    joining: Joining[Shape]
    request: Request
    ends: Ends

    def sketches(self, nodes: int) -> Iterator[Network]:
        """Every plane with the endpoints of so many nodes."""
        return (self.joining.sketch(self.shape, nodes, pairs) for _, pairs in self._planes)

    def of(self, built: Topology, catalog: Catalog) -> Topology:
        """The port map with these global links: of every switch in the cages from its first global one on."""
        kept = [link for link in built.links if link.kind != GLOBAL]
        links = sorted((*kept, *self._links(built.of_kind(GLOBAL), catalog)), key=attrgetter("name"))
        most = max(Counter(name for pair in self.ends for name in pair).values())
        told: dict[str, int | str] = {"arrangement": OPTIMIZED, self.joining.ports: most}
        return replace(built, parameters={**built.parameters, **told}, links=tuple(links))

    @cached_property
    def _planes(self) -> tuple[tuple[list[Device], list[tuple[int, int]]], ...]:
        """The switches of every plane, and the two of each link by number, the lower first, in order."""
        switches = tuple(self.joining.switches(self.shape, self.request))
        planes = [[switch for switch in switches if switch.plane == plane] for plane in range(self.shape.planes)]
        return tuple((plane, _pairs(self.ends, plane)) for plane in planes)

    def _links(self, before: Iterable[Link], catalog: Catalog) -> Iterator[Link]:
        first: dict[str, int] = {}
        for port in (port for link in before for port in (link.a, link.b)):
            first[port.device] = min(int(port.cage), first.get(port.device, int(port.cage)))
        rate_gbps = self.shape.uplink_gbps
        for switches, pairs in self._planes:
            slots = CagePorts(catalog.switches[switches[0].part or ""], rate_gbps)
            used = [(first[switch.name] - 1) * slots.per_cage for switch in switches]
            for pair in pairs:
                near, far = (slots.at(switches[number].name, used[number]) for number in pair)
                for number in pair:
                    used[number] += 1
                yield Link(f"{near.device}.{near.port}", GLOBAL, near, far, rate_gbps, plane=switches[0].plane)


def _pairs(ends: Ends, switches: Sequence[Device]) -> list[tuple[int, int]]:
    """Those of the ends that are of a plane."""
    number = {device.name: index for index, device in enumerate(switches)}
    found = ((number[a], number[b]) for a, b in ends if a in number)
    return sorted((min(pair), max(pair)) for pair in found)
