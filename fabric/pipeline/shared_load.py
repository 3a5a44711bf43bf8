"""Uniform all-to-all over all planes together, whole or with elements down.

Every port of a node spreads what it sends evenly over its planes. Where its link to a plane is down, or two leaves have
no way in a plane, what two ports would have exchanged there goes over the planes in which they still meet; a port that
has no link any more leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fabric.flow.offered import EdgeDemand
from fabric.flow.throughput import carried
from fabric.model.network import BoolArray, FloatArray, IntArray
from fabric.pipeline.networks import Gone, Plane
from fabric.traffic.demand import Ports as Links
from fabric.traffic.planes import meetings
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
    """Uniform traffic of some planes, and what is left of it with elements down.

    Where `moves` is false, nobody takes traffic off a plane without a path.
    """

    def __init__(self, planes: Sequence[Plane], ports: Ports, *, moves: bool = True) -> None:
        self._planes, self._ports = planes, ports
        self._moves = moves
        self._joined = self._ways(planes, ports.copy_of)
        self.offered, self._is_parted = self._offer({}, self._joined)
        self._whole = [self._impact(plane, self.offered[at]) for at, plane in enumerate(planes)]
        self.whole = _all(self._whole, is_parted=self._is_parted)

    def without(self, down: Mapping[int, Gone]) -> Impact:
        """What is left with something down in some planes.

        A plane that has lost endpoints alone is the same one with less to carry, which saves finding its ways anew.
        """
        left = {at: self._planes[at].without(gone) for at, gone in down.items() if gone.links.any()}
        joined = list(self._joined)
        for at, ways in zip(left, self._ways(list(left.values()), range(len(left))), strict=True):
            joined[at] = ways
        cut = any(gone.endpoints.any() for gone in down.values())
        moved = cut or any(joined[at] is not None for at in left)
        offered, is_parted = self._offer(down, joined) if moved else (self.offered, self._is_parted)
        found: dict[int, Impact | None] = {}
        for at, plane in enumerate(self._planes):
            if at in left:
                found[at] = self._impact(left[at], _left(offered[at], down[at].endpoints))
            elif moved:
                like = next((other for other in found if other not in down and self._is_copy(other, at)), None)
                found[at] = found[like] if like is not None else self._impact(plane, offered[at])
            else:
                found[at] = self._whole[at]
        return _all(list(found.values()), is_parted=is_parted)

    def beside(self, at: int, impact: Impact) -> Impact:
        """What all planes carry when one has another impact and nothing moves between them."""
        return _all([*self._whole[:at], impact, *self._whole[at + 1 :]], is_parted=self._is_parted)

    def _ways(self, planes: Sequence[Plane], copy_of: Sequence[int]) -> list[BoolArray | None]:
        """Of every plane which leaves are joined, where what has no way there may move to another plane."""
        may_move = self._moves and len(self._planes) > 1
        return [planes[copy].joined if may_move else None for copy in copy_of]

    def _is_copy(self, one: int, other: int) -> bool:
        return self._ports.copy_of[one] == self._ports.copy_of[other]

    def _impact(self, plane: Plane, offered: EdgeDemand) -> Impact | None:
        """A plane's own impact; None where nothing is offered to it."""
        if not offered.sent_bytes.any():
            return None
        found = carried(plane.network, plane.routes, offered)
        return Impact(found.theta, plane.link(found.bottleneck))

    def _offer(self, down: Mapping[int, Gone], joined: Sequence[BoolArray | None]) -> tuple[list[EdgeDemand], bool]:
        """What every whole plane is offered with some elements down, and whether two ports meet in none any more."""
        of, count = self._ports.of, self._ports.count
        links = [
            np.flatnonzero(~down[at].endpoints) if at in down else np.arange(own.size) for at, own in enumerate(of)
        ]
        left = [Links(own[up], up, np.ones(up.size)) for own, up in zip(of, links, strict=True)]
        leaves = [plane.network.endpoint_switch for plane in self._planes]
        meet = meetings(count, left, leaves, joined)
        alive = np.asarray(meet.present.any(axis=1), dtype=np.bool_)[meet.of_rank]
        shares = [_Share(plane, own, count) for plane, own in zip(self._planes, of, strict=True)]
        lost = any(alive[of[at][gone.endpoints]].any() for at, gone in down.items())
        is_parted = lost and not self._moves
        for at, (plane, own) in enumerate(zip(self._planes, of, strict=True)):
            stays = alive[own]
            ports = own[stays]
            if ports.size < MEETING:
                continue
            per_peer = plane.network.endpoint_gbps[stays] * bytes_per_us(1.0) / (ports.size - 1)
            sent = _Sent(ports, meet.of_rank[ports], per_peer, meet.together.shape[0])
            weights, are_apart = _weights(meet.together, at, sent.members)
            is_parted |= are_apart
            for share, weight in zip(shares, weights, strict=True):
                share.add(sent, weight)
        return [share.offered for share in shares], is_parted


def _weights(together: BoolArray, at: int, members: IntArray) -> tuple[list[FloatArray | None], bool]:
    """Of every plane (n_classes, n_classes) share of what a plane's ports would send there, None where none of it goes.

    It stays in its own plane where two classes meet there, else goes over all those in which they do. And whether two
    of its ports meet in none.
    """
    exists = (members[:, None] > 0) & (members[None, :] > np.eye(members.size, dtype=np.int64))
    count = together.sum(axis=2)
    here = together[:, :, at]
    weights: list[FloatArray | None] = []
    for other in range(together.shape[2]):
        moved = together[:, :, other] & ~here
        weight = here.astype(np.float64) if other == at else moved / np.maximum(count, 1)
        weights.append(weight if (weight[exists] > 0).any() else None)
    return weights, bool((exists & (count == 0)).any())


class _Sent(NamedTuple):
    """What the ports of a plane send to each other port: theirs, their classes, bytes to each peer, all classes."""

    ports: IntArray
    kind: IntArray
    per_peer: FloatArray
    kinds: int

    @property
    def members(self) -> IntArray:
        """(n_classes,) ports of each class."""
        return np.bincount(self.kind, minlength=self.kinds)


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

    def add(self, sent: _Sent, weight: FloatArray | None) -> None:
        """Add a share (n_classes, n_classes) of what ports send to each other; those without a link here have none."""
        if weight is None:
            return
        kind, per_peer = sent.kind, sent.per_peer
        cell = self._leaf[sent.ports] * sent.kinds + kind
        size = self._edges * sent.kinds
        out = np.bincount(cell, weights=per_peer, minlength=size).reshape(self._edges, sent.kinds)
        into = np.bincount(cell, minlength=size).reshape(self._edges, sent.kinds)
        self.offered.pair_bytes[:] += out @ weight @ into.T
        own = weight[kind, kind]
        bytes_sent = per_peer * ((weight @ sent.members)[kind] - own)
        taken = (np.bincount(kind, weights=per_peer, minlength=sent.kinds) @ weight)[kind] - own * per_peer
        np.add.at(self.offered.sent_bytes, self._endpoint[sent.ports], bytes_sent)
        np.add.at(self.offered.received_bytes, self._endpoint[sent.ports], taken)


def _left(offered: EdgeDemand, gone: BoolArray) -> EdgeDemand:
    return EdgeDemand(offered.pair_bytes, offered.sent_bytes[~gone], offered.received_bytes[~gone])


def _all(impacts: Sequence[Impact | None], *, is_parted: bool) -> Impact:
    """The first of the planes that carry least; nothing where two ports meet in none."""
    known = [impact for impact in impacts if impact is not None]
    least = min((impact.theta for impact in known), default=0.0)
    worst = next((impact for impact in known if impact.theta <= least * (1 + _EQUAL)), Impact(0.0, None))
    return Impact(0.0, worst.worst_link) if is_parted else worst
