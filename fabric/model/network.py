"""One plane of a fabric as arrays: where endpoints hang, and what joins switches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


class Pipes(NamedTuple):
    """All parallel links between two switches taken together, sorted by their ends.

    Attributes:
        a: (n_pipes,) the end that their links name first.
        b: (n_pipes,) the other end.
        gbps: (n_pipes,) rate of all their links [Gb/s].
        of_link: (n_links,) the pipe of each link.
    """

    a: IntArray
    b: IntArray
    gbps: FloatArray
    of_link: IntArray


@dataclass(frozen=True, eq=False)
class Network:
    """Endpoints, switches and links of one plane; every link carries its rate in both directions.

    An arc is one direction of a pipe: arc i goes from a to b of pipe i, arc i + n_pipes from b to a. Switches that
    may have endpoints (leaves, routers) are numbered first.

    Attributes:
        endpoint_switch: (n_endpoints,) switch of each endpoint link, below `edge_count`.
        endpoint_gbps: (n_endpoints,) its rate [Gb/s].
        link_a: (n_links,) end of each switch-to-switch link that is nearer to the nodes, else its first.
        link_b: (n_links,) the other end.
        link_gbps: (n_links,) its rate [Gb/s].
        tier: (n_switches,) tiers between a switch and the nodes: 0 leaf or router, 1 spine, 2 core.
        position: (n_switches, n_axes) group of a dragonfly's switch, coordinates of a torus's; no axes in a tree.
        edge_count: switches that may have endpoints.
    """

    endpoint_switch: IntArray
    endpoint_gbps: FloatArray
    link_a: IntArray
    link_b: IntArray
    link_gbps: FloatArray
    tier: IntArray
    position: IntArray
    edge_count: int

    @property
    def switch_count(self) -> int:
        """Switches, those without any link included."""
        return self.tier.size

    def per_edge(self, values: FloatArray) -> FloatArray:
        """(n_edges,) sum of the values (n_endpoints,) over the endpoints of each leaf or router."""
        return np.bincount(self.endpoint_switch, weights=values, minlength=self.edge_count).astype(np.float64)

    @cached_property
    def pipes(self) -> Pipes:
        """The links between switches, parallel ones taken together."""
        pair, of_link = np.unique(self.link_a * self.switch_count + self.link_b, return_inverse=True)
        gbps = np.bincount(of_link, weights=self.link_gbps, minlength=pair.size).astype(np.float64)
        a, b = np.divmod(pair, max(1, self.switch_count))
        return Pipes(a, b, gbps, of_link.astype(np.int64))

    @property
    def arc_from(self) -> IntArray:
        """(n_arcs,) switch where each arc begins."""
        return np.concatenate([self.pipes.a, self.pipes.b])

    @property
    def arc_to(self) -> IntArray:
        """(n_arcs,) switch where each arc ends."""
        return np.concatenate([self.pipes.b, self.pipes.a])

    def without(self, endpoints: BoolArray, links: BoolArray) -> Network:
        """The same plane without the endpoints (n_endpoints,) and links (n_links,) where the masks are true."""
        return replace(
            self,
            endpoint_switch=self.endpoint_switch[~endpoints],
            endpoint_gbps=self.endpoint_gbps[~endpoints],
            link_a=self.link_a[~links],
            link_b=self.link_b[~links],
            link_gbps=self.link_gbps[~links],
        )
