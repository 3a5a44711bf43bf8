"""The links of every switch side by side, in the order of its ports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.model.forwarding import Ports
from fabric.model.network import BoolArray, IntArray, Network


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """Links and endpoints of a plane by switch and port.

    Attributes:
        link: (n_switches, width) links of each switch; −1 behind its last.
        arc: (n_switches, width) arc of each from this switch; n_arcs behind the last.
        far: (n_switches, width) switch at its other end; −1 behind the last.
        endpoints: (n_endpoints,) endpoints by leaf and port.
        first: (n_edges + 1,) where each leaf's begin among them.
    """

    link: IntArray
    arc: IntArray
    far: IntArray
    endpoints: IntArray
    first: IntArray

    @property
    def width(self) -> int:
        """Most links of a switch, at least 1."""
        return int(self.link.shape[1])

    @staticmethod
    def of(network: Network, ports: Ports | None = None) -> Deck:
        """The links of a plane's switches by the numbers of their ports; without any, in their own order."""
        near = np.concatenate([network.link_a, network.link_b])
        number = np.concatenate([ports.a, ports.b]) if ports is not None else np.zeros(near.size, dtype=np.int64)
        order = np.lexsort((number, near))
        size = np.bincount(near, minlength=network.switch_count)
        cell = near[order], np.arange(near.size) - np.repeat(np.cumsum(size) - size, size)
        count, pipes = network.link_a.size, network.pipes
        shape = (network.switch_count, max(1, int(size.max(initial=0))))
        link, arc, far = (np.full(shape, fill, dtype=np.int64) for fill in (-1, 2 * pipes.gbps.size, -1))
        link[cell] = order % max(1, count)
        arc[cell] = np.concatenate([pipes.of_link, pipes.of_link + pipes.gbps.size])[order]
        far[cell] = np.concatenate([network.link_b, network.link_a])[order]
        port = ports.endpoint if ports is not None else np.zeros_like(network.endpoint_switch)
        below = np.bincount(network.endpoint_switch, minlength=network.edge_count)
        endpoints = np.lexsort((port, network.endpoint_switch))
        return Deck(link, arc, far, endpoints, np.concatenate([[0], np.cumsum(below)]))

    def of_arcs(self, arcs: BoolArray) -> BoolArray:
        """(n_switches, width) which links run along some arcs (n_arcs,)."""
        return np.append(arcs, values=False)[self.arc]

    def below(self, leaf: int) -> list[int]:
        """Endpoints of a leaf by port."""
        return [int(each) for each in self.endpoints[self.first[leaf] : self.first[leaf + 1]]]

    def most_below(self) -> int:
        """Endpoints of the fullest leaf."""
        return int(np.diff(self.first).max(initial=0))
