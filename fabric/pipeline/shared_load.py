"""Uniform all-to-all over all planes together, whole or with elements down.

Every port of a node spreads what it sends evenly over its planes. Where its link to a plane is down, what it would have
sent or received there goes over the planes that it still shares with the other end; a port without any link leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.flow.offered import EdgeDemand
from fabric.flow.throughput import carried
from fabric.model.network import BoolArray, FloatArray, IntArray
from fabric.pipeline.networks import Gone, Plane
from fabric.units import bytes_per_us

MEETING = 2
"""Endpoints that it takes to exchange anything; a plane with fewer is lost."""

_EQUAL = 1e-9
"""Relative difference below which two planes are equally loaded."""


@dataclass(frozen=True, slots=True)
class Impact:
    """Share of line rate that uniform traffic runs at, and the fullest link then; None where nothing runs."""

    theta: float
    worst_link: str | None


class Ports:
    """The ports of all nodes, each with its links to the planes.

    Attributes:
        of: (n_endpoints,) port of every endpoint link, plane by plane.
        copy_of: for each plane the first one that is laid out alike, link by link.
        links_of: (n_ports,) links of every port.
        are_shared: whether any port has links to several planes.
    """

    def __init__(self, planes: Sequence[Plane]) -> None:
        node = np.concatenate([plane.node for plane in planes])
        rail = np.concatenate([plane.rail for plane in planes])
        at = np.repeat(np.arange(len(planes)), [plane.node.size for plane in planes])
        port = node * (rail.max(initial=0) + 2) + rail + 1
        order = np.lexsort((port, at))
        begins = np.append(True, (np.diff(port[order]) != 0) | (np.diff(at[order]) != 0))[: order.size]
        turn = np.empty_like(order)
        turn[order] = np.arange(order.size) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
        turn = np.where(rail < 0, np.arange(order.size), turn)
        ports = np.unique(port * (order.size + 1) + turn, return_inverse=True)[1].reshape(-1).astype(np.int64)
        self.of = np.split(ports, np.cumsum([plane.node.size for plane in planes])[:-1])
        self.count = int(ports.max(initial=-1)) + 1
        self.links_of = np.bincount(np.concatenate(self.of), minlength=self.count)
        self.are_shared = bool((self.links_of > 1).any())
        self.copy_of = [
            next(first for first in range(at + 1) if self._are_copies(planes, first, at)) for at in range(len(planes))
        ]

    def _are_copies(self, planes: Sequence[Plane], first: int, second: int) -> bool:
        if not np.array_equal(self.of[first], self.of[second]):
            return False
        one, other = planes[first].network, planes[second].network
        pairs = (
            (one.endpoint_switch, other.endpoint_switch),
            (one.endpoint_gbps, other.endpoint_gbps),
            (one.link_a, other.link_a),
            (one.link_b, other.link_b),
            (one.link_gbps, other.link_gbps),
            (one.tier, other.tier),
            (one.position, other.position),
        )
        return all(np.array_equal(a, b) for a, b in pairs)


class SharedLoad:
    """Uniform traffic of some planes, and what is left of it with elements down."""

    def __init__(self, planes: Sequence[Plane], ports: Ports) -> None:
        self._planes, self._ports = planes, ports
        self.offered, _ = self._offer({})
        self._whole = [self._impact(plane, self.offered[at]) for at, plane in enumerate(planes)]
        self.whole = _worst(self._whole)

    def without(self, down: Mapping[int, Gone]) -> Impact:
        """What is left with something down in some planes."""
        moved = any(gone.endpoints.any() for gone in down.values())
        offered, is_parted = self._offer(down) if moved else (self.offered, False)
        found: dict[int, Impact | None] = {}
        for at, plane in enumerate(self._planes):
            if at in down:
                found[at] = self._impact(plane.without(down[at]), _left(offered[at], down[at].endpoints))
            elif moved:
                like = next((other for other in found if other not in down and self._is_copy(other, at)), None)
                found[at] = found[like] if like is not None else self._impact(plane, offered[at])
            else:
                found[at] = self._whole[at]
        impact = _worst(list(found.values()))
        return Impact(0.0, impact.worst_link) if is_parted else impact

    def beside(self, at: int, impact: Impact) -> Impact:
        """What all planes carry when one has another impact and nothing moves between them."""
        return _worst([*self._whole[:at], impact, *self._whole[at + 1 :]])

    def _is_copy(self, one: int, other: int) -> bool:
        return self._ports.copy_of[one] == self._ports.copy_of[other]

    def _impact(self, plane: Plane, offered: EdgeDemand) -> Impact | None:
        """A plane's own impact; None where nothing is offered to it."""
        if not offered.sent_bytes.any():
            return None
        found = carried(plane.network, plane.routes, offered)
        return Impact(found.theta, plane.link(found.bottleneck))

    def _offer(self, down: Mapping[int, Gone]) -> tuple[list[EdgeDemand], bool]:
        """What every whole plane is offered with some elements down, and whether two ports share no plane any more."""
        planes, of = self._planes, self._ports.of
        planes_left = np.zeros(self._ports.count, dtype=np.int64)
        for at, ports in enumerate(of):
            up = ~down[at].endpoints if at in down else np.ones(ports.size, dtype=np.bool_)
            planes_left[ports[up]] |= 1 << at
        shares = [_Share(plane, ports, self._ports.count) for plane, ports in zip(planes, of, strict=True)]
        is_parted = False
        for at, (plane, ports) in enumerate(zip(planes, of, strict=True)):
            staying = ports[planes_left[ports] > 0]
            if staying.size < MEETING:
                continue
            per_peer = np.zeros(self._ports.count)
            per_peer[ports] = plane.network.endpoint_gbps * bytes_per_us(1.0) / (staying.size - 1)
            groups = [staying[planes_left[staying] == mask] for mask in np.unique(planes_left[staying])]
            for sending in groups:
                for receiving in groups:
                    common = int(planes_left[sending[0]] & planes_left[receiving[0]])
                    over = [at] if common >> at & 1 else [other for other in range(len(planes)) if common >> other & 1]
                    is_parted |= not over
                    for other in over:
                        shares[other].add(sending, receiving, per_peer / len(over))
        return [share.offered for share in shares], is_parted


class _Share:
    """What one plane is offered, summed up."""

    def __init__(self, plane: Plane, ports: IntArray, count: int) -> None:
        edges, endpoints = plane.network.edge_count, ports.size
        self._edges = edges
        self._endpoint = np.zeros(count, dtype=np.int64)
        self._endpoint[ports] = np.arange(endpoints)
        self._leaf = np.zeros(count, dtype=np.int64)
        self._leaf[ports] = plane.network.endpoint_switch
        self.offered = EdgeDemand(np.zeros((edges, edges)), np.zeros(endpoints), np.zeros(endpoints))

    def add(self, sending: IntArray, receiving: IntArray, per_peer: FloatArray) -> None:
        """Add what some ports send to each of some others (n_ports,) [byte]; all of them have a link here."""
        peers = receiving.size - (1.0 if np.array_equal(sending, receiving) else 0.0)
        own = per_peer[receiving] if peers < receiving.size else 0.0
        sent = np.bincount(self._leaf[sending], weights=per_peer[sending], minlength=self._edges)
        taken = np.bincount(self._leaf[receiving], minlength=self._edges)
        self.offered.pair_bytes[:] += np.outer(sent, taken)
        self.offered.sent_bytes[self._endpoint[sending]] += per_peer[sending] * peers
        self.offered.received_bytes[self._endpoint[receiving]] += per_peer[sending].sum() - own


def _left(offered: EdgeDemand, gone: BoolArray) -> EdgeDemand:
    return EdgeDemand(offered.pair_bytes, offered.sent_bytes[~gone], offered.received_bytes[~gone])


def _worst(impacts: Sequence[Impact | None]) -> Impact:
    """The first of the planes that carry least."""
    known = [impact for impact in impacts if impact is not None]
    least = min((impact.theta for impact in known), default=0.0)
    return next((impact for impact in known if impact.theta <= least * (1 + _EQUAL)), Impact(0.0, None))
