"""How what two ranks exchange is dealt to the planes in which they meet, and in which planes any two of them do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fabric.model.network import BoolArray, FloatArray, IntArray
from fabric.traffic.demand import Demand, Ports, Transfers, labels
from fabric.traffic.ranks import Ranks


class Balancing(StrEnum):
    """Who deals traffic to planes.

    HARDWARE: the adapter sprays every message over its planes. SOFTWARE: the library gives queue pairs to planes in
    turn (`nccl-connect`). NONE: each queue pair is hashed to one plane for good.
    """

    HARDWARE = "hardware"
    SOFTWARE = "software"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Dealing:
    """How planes share what two ranks exchange.

    Attributes:
        balancing: who deals.
        queue_pairs: of each pair of ranks.
    """

    balancing: Balancing
    queue_pairs: int

    @property
    def moves(self) -> bool:
        """Whether traffic leaves a plane in which it has no path."""
        return self.balancing is not Balancing.NONE

    def shares(self, together: BoolArray) -> FloatArray:
        """(..., n_planes) share of the bytes in each of the planes where a pair meets; 0 in all where it does in none.

        Equation: q queue pairs dealt in turn to k planes give place i of them ⌈(q − i)/k⌉ of q, so that the fullest
        carries ⌈q/k⌉/q and fewer queue pairs than planes leave planes idle. Sprayed, and on average under a hash, each
        carries 1/k.

        Args:
            together: (..., n_planes) in which planes pairs meet.
        """
        if self.balancing is Balancing.SOFTWARE:
            return np.asarray(self._dealt(together) / self.queue_pairs, dtype=np.float64)
        return np.asarray(together / np.maximum(together.sum(axis=-1, keepdims=True), 1), dtype=np.float64)

    def flows(self, together: BoolArray) -> FloatArray:
        """(..., n_planes) queue pairs of a pair in each plane, the expected number where a hash picks the plane."""
        if self.balancing is Balancing.SOFTWARE:
            return self._dealt(together)
        if self.balancing is Balancing.HARDWARE:
            return np.asarray(together * float(self.queue_pairs), dtype=np.float64)
        return self.shares(together) * self.queue_pairs

    def fullest(self, planes: int) -> float:
        """Share of the fullest of so many planes, the expected one where a hash picks."""
        return float(self.shares(np.ones(planes, dtype=np.bool_)).max(initial=0.0))

    def _dealt(self, together: BoolArray) -> FloatArray:
        count = np.maximum(together.sum(axis=-1, keepdims=True), 1)
        place = np.cumsum(together, axis=-1) - 1
        dealt = -((place - self.queue_pairs) // count)
        return np.where(together, np.maximum(dealt, 0), 0).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """In which planes ranks meet, by classes of ranks that are alike in that.

    Attributes:
        of_rank: (n_ranks,) class of each rank.
        present: (n_classes, n_planes) whether its ranks have ports in a plane.
        together: (n_classes, n_classes, n_planes) whether those of the first reach those of the second in a plane.
    """

    of_rank: IntArray
    present: BoolArray
    together: BoolArray

    @property
    def fewest(self) -> IntArray:
        """(n_classes,) planes in which ranks meet those that they meet in fewest; 0 without any."""
        count = self.together.sum(axis=2)
        least = np.where(count > 0, count, count.max(initial=0)).min(axis=1)
        return np.where(count.any(axis=1), least, 0)


def meetings(
    count: int, planes: Sequence[Ports], leaves: Sequence[IntArray], joined: Sequence[BoolArray | None]
) -> Meetings:
    """In which planes so many ranks meet: where both have ports, and ways between the leaves of all of these.

    Args:
        count: ranks.
        planes: the ports of every plane.
        leaves: of every plane, (n_endpoints,) leaf of each endpoint.
        joined: of every plane, (n_leaves, n_leaves) whether a way leads from leaf to leaf; None where all are joined.
    """
    kinds = [_kinds(each) for each in joined]
    stands = [
        _stands(count, ports, None if kind is None else kind[leaf])
        for ports, leaf, kind in zip(planes, leaves, kinds, strict=True)
    ]
    of_rank = labels(*stands)
    first = np.zeros(int(of_rank.max(initial=-1)) + 1, dtype=np.int64)
    first[of_rank[::-1]] = np.arange(count)[::-1]
    present = np.stack([stand[first] > 0 for stand in stands], axis=-1)
    together = present[:, None, :] & present[None, :, :]
    for number, (ports, leaf, ways) in enumerate(zip(planes, leaves, joined, strict=True)):
        if ways is not None:
            together[:, :, number] &= ~_apart(first, ports, leaf, ways)
    return Meetings(of_rank, present, together)


def _kinds(joined: BoolArray | None) -> IntArray | None:
    """(n_leaves,) label of leaves that ways lead to and from the same leaves."""
    if joined is None:
        return None
    return np.unique(np.hstack([joined, joined.T]), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _stands(count: int, ports: Ports, kind: IntArray | None) -> IntArray:
    """(n_ranks,) label of the set of kinds of leaves, by endpoint, that a rank has ports on; 0 without any."""
    present = np.zeros(count, dtype=np.int64)
    present[ports.rank] = 1
    if kind is None:
        return present
    kinds = int(kind.max(initial=0)) + 1
    rank, own = np.divmod(np.unique(ports.rank * kinds + kind[ports.port]), kinds)
    place = np.arange(rank.size) - np.searchsorted(rank, rank)
    columns = np.zeros((int(place.max(initial=0)) + 1, count), dtype=np.int64)
    columns[place, rank] = own + 1
    return present * (labels(*columns) + 1)


def _apart(first: IntArray, ports: Ports, leaf: IntArray, joined: BoolArray) -> BoolArray:
    """(n_classes, n_classes) whether any leaf of one class's first rank has no way to one of the other's."""
    class_of = np.full(int(max(ports.rank.max(initial=0), first.max(initial=0))) + 1, -1, dtype=np.int64)
    class_of[first] = np.arange(first.size)
    own = class_of[ports.rank] >= 0
    stands = np.zeros((first.size, joined.shape[0]))
    stands[class_of[ports.rank[own]], leaf[ports.port[own]]] = 1.0
    return np.asarray(stands @ ~joined @ stands.T > 0, dtype=np.bool_)


def cut_off(demand: Demand, ranks: Ranks, meet: Meetings) -> bool:
    """Whether two ranks that talk, both with ports, meet in no plane."""
    alive = np.asarray(meet.present.any(axis=1), dtype=np.bool_)
    never = np.asarray(alive[:, None] & alive[None, :] & ~meet.together.any(axis=2), dtype=np.bool_)
    if not never.any():
        return False
    of = meet.of_rank
    if isinstance(demand, Transfers):
        apart = ranks.domain[demand.source] != ranks.domain[demand.target]
        strangers = np.asarray(never[of[demand.source], of[demand.target]], dtype=np.bool_)
        return bool((np.asarray(apart, dtype=np.bool_) & (demand.sent_bytes > 0) & strangers).any())
    pairs = 0.0
    inner = labels(demand.group, ranks.domain)
    for group, sign in ((labels(demand.group), 1.0), (inner, -1.0)):
        speaks, hears = (
            np.bincount(group * alive.size + of, weights=who > 0, minlength=(int(group.max()) + 1) * alive.size)
            for who in (demand.sent_bytes, demand.share)
        )
        speaks, hears = speaks.reshape(-1, alive.size), hears.reshape(-1, alive.size)
        pairs += sign * float(((speaks @ never) * hears).sum())
    return pairs > 0
