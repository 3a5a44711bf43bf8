"""Whether the links of a shape carry uniform all-to-all, by what it puts on the fullest of them.

Families count their loads on the ways that switches prefer; the flow model finds the same on the network itself. With L
the load of the fullest link in pairs of endpoints (from one to another), r node rate over link rate and N endpoints,
throughput is θ = min(1, (N - 1) / (L r)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from fabric.model.network import FloatArray
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.topology.size import Size

UNIFORM_FLOOR = 0.995
"""Share of line rate, over the oversubscription asked, at which uniform all-to-all must run in families without one."""

ROUNDING = 1e-9
"""Tolerance when a throughput is compared with the floor."""


def theta_asked(request: Request) -> float:
    """Share of line rate at which uniform all-to-all must run."""
    return UNIFORM_FLOOR / request.fabric.oversubscription


def seatings(size: Size) -> tuple[int, ...]:
    """Numbers of nodes with which a plane must carry its traffic: those that it is built for, and those installed."""
    return tuple(dict.fromkeys((size.growth_nodes, size.installed_nodes)))


def fillings(shape: Shape, request: Request, size: Size) -> tuple[FloatArray, ...]:
    """(n_edges,) endpoints of every leaf or router of the planes that differ, however many links join their switches.

    Both with the nodes that a plane is built for and with those installed.
    """
    planes = (plane for nodes in seatings(size) for plane in seated(shape, request, nodes))
    return tuple({plane.tobytes(): plane for plane in planes}.values())


def links_wanted(
    shape: Shape, request: Request, planes: Iterable[FloatArray], fullest: Callable[[FloatArray], float]
) -> float:
    """Links that must take the place of each one, so that uniform traffic runs as asked; 1 and less are enough.

    `planes` are those of `fillings`, and `fullest` gives the load of the fullest link by the endpoints of one.
    """
    ratio = (theta_asked(request) - ROUNDING) * shape.node_port_gbps / shape.uplink_gbps
    return max(fullest(plane) * ratio / max(1.0, float(plane.sum()) - 1) for plane in planes)


def seated(shape: Shape, request: Request, nodes: int) -> FloatArray:
    """(n_planes, n_edges) endpoints of each leaf or router, unit by unit, those without units last.

    Ports of an attached device are on the emptiest leaves or routers, as `edge_links` seats them.
    """
    filled = np.clip(nodes - np.arange(shape.units) * shape.unit_nodes, 0, shape.unit_nodes)
    below = np.repeat(filled * (shape.node_ports // shape.leaves_per_unit), shape.leaves_per_unit)
    endpoints = np.zeros((shape.planes, shape.tiers[0].count // shape.planes))
    endpoints[:, : below.size] = below
    flat = endpoints.reshape(-1)
    for item in request.attached:
        for _ in range(item.count):
            flat[np.argsort(flat, kind="stable")[: item.ports]] += 1
    return endpoints
