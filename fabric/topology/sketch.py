"""One plane of a shape as a network, before a single device is named."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fabric.model.edge_shape import EdgeShape
from fabric.model.network import IntArray, Network


def ends_of(pairs: Iterable[tuple[int, int]]) -> IntArray:
    """(n_links, 2) switches of links."""
    return np.array(list(pairs), dtype=np.int64).reshape(-1, 2)


def network_of(
    shape: EdgeShape, nodes: int, ends: IntArray, position: IntArray, *, edge: IntArray, tier: IntArray | None = None
) -> Network:
    """The plane with the endpoints of so many nodes, unit by unit.

    Args:
        shape: what a node and a unit have.
        nodes: that are seated.
        ends: (n_links, 2) switches of every link between switches.
        position: (n_switches, n_axes) groups or coordinates.
        edge: (n_edges,) leaf or router at every place of every unit, in the order of units.
        tier: (n_switches,) tier of each switch; all are routers if None.
    """
    unit, places = np.arange(nodes) // shape.unit_nodes, np.arange(shape.leaves_per_unit)
    place = np.repeat(unit[:, None] * places.size + places, shape.node_ports // places.size, axis=1)
    tier = np.zeros(len(position), dtype=np.int64) if tier is None else tier
    return Network(
        endpoint_switch=edge[place.ravel()],
        endpoint_gbps=np.full(place.size, float(shape.node_port_gbps)),
        link_a=ends[:, 0],
        link_b=ends[:, 1],
        link_gbps=np.full(len(ends), float(shape.uplink_gbps)),
        tier=tier,
        position=position,
        edge_count=int((tier == 0).sum()),
    )
