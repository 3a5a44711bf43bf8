"""How a demand rank to rank folds to the leaves and ports of planes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.sparse import csr_array, diags_array

from fabric.model.network import BoolArray, FloatArray, IntArray
from fabric.traffic.demand import Demand, Exchange, Ports, Transfers, labels
from fabric.traffic.flow_sizes import Flows, classes_of_two, most_sizes, size_classes
from fabric.traffic.planes import Dealing, Meetings, meetings
from fabric.traffic.ranks import Ranks

_NOISE = 1e-12
"""Share of the largest value below which a difference of sums is rounding."""

_FULL = 200_000
"""Most cells of groups by leaves up to which full matrices are multiplied: making sparse ones takes longer."""


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A demand on one plane.

    Attributes:
        pair_bytes: (n_leaves, n_leaves) from leaf to leaf [byte].
        sent_bytes: (n_endpoints,) that each endpoint sends [byte].
        received_bytes: (n_endpoints,) that it receives [byte].
        flows: queue pairs, where asked for.
        port_bytes: (n_leaves, n_endpoints) from each leaf to each endpoint [byte], where asked for.
    """

    pair_bytes: FloatArray
    sent_bytes: FloatArray
    received_bytes: FloatArray
    flows: Flows | None = None
    port_bytes: FloatArray | None = None

    @property
    def crossing_share(self) -> float:
        """Share of the bytes whose ends stand on different leaves; 0 without any."""
        total = float(self.pair_bytes.sum())
        return 1 - float(self.pair_bytes.trace()) / total if total else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Carriers:
    """The planes that carry a demand.

    Attributes:
        planes: the ports of every plane; a rank without any has left the job.
        leaves: of every plane, (n_endpoints,) leaf of each endpoint.
        leaf_counts: of every plane, its leaves.
        meet: in which planes ranks meet.
    """

    planes: Sequence[Ports]
    leaves: Sequence[IntArray]
    leaf_counts: Sequence[int]
    meet: Meetings

    @classmethod
    def of(
        cls,
        ranks: Ranks,
        planes: Sequence[Ports],
        leaves: Sequence[IntArray],
        leaf_counts: Sequence[int],
        joined: Sequence[BoolArray | None] | None = None,
    ) -> Carriers:
        """Planes that carry what some ranks exchange; `joined` as `meetings` has it, None where all leaves are."""
        meet = meetings(ranks.count, planes, leaves, joined or [None] * len(planes))
        return cls(planes, leaves, leaf_counts, meet)


def fold(
    demand: Demand,
    ranks: Ranks,
    carriers: Carriers,
    dealing: Dealing,
    *,
    flows: bool = False,
    by_port: bool = False,
) -> Iterator[Folded]:
    """The demand on every plane: what two ranks exchange is dealt to the planes in which they meet.

    Args:
        demand: rank to rank.
        ranks: where the ranks stand.
        carriers: the planes.
        dealing: how they share what two ranks exchange.
        flows: also how many queue pairs carry it, as hashing wants to know.
        by_port: also what each leaf sends to each endpoint, which takes room for as many numbers.
    """
    shares, pairs = dealing.shares(carriers.meet.together), dealing.flows(carriers.meet.together)
    sides = zip(carriers.planes, carriers.leaves, carriers.leaf_counts, strict=True)
    for number, (ports, leaf, leaf_count) in enumerate(sides):
        rule = _Rule(carriers.meet.of_rank, shares[..., number], pairs[..., number])
        plane = _Plane(ports, leaf, leaf_count, rule, flows, by_port)
        if isinstance(demand, Transfers):
            yield _fold_transfers(demand, ranks, plane)
        else:
            yield _fold_exchange(demand, ranks, plane)


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    """Share of the bytes, and queue pairs, that a plane gets of what two ranks exchange, by their classes."""

    of_rank: IntArray  # (n_ranks,) class
    share: FloatArray  # (n_classes, n_classes)
    pairs: FloatArray  # (n_classes, n_classes)


@dataclass(frozen=True, slots=True, eq=False)
class _Plane:
    """A plane when it is folded to: ports, the leaf (n_endpoints,) of each, leaves, its rule, what is asked."""

    ports: Ports
    leaf: IntArray
    leaf_count: int
    rule: _Rule
    flows: bool
    by_port: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Spots:
    """Places (leaves or endpoints) told apart by the class of the rank that sends or takes there."""

    of: IntArray  # (n_entries,) spot of each entry
    place: IntArray  # (n_spots,)
    kind: IntArray  # (n_spots,) class
    count: int  # of places

    @classmethod
    def at(cls, place: IntArray, kind: IntArray, kinds: int, count: int) -> _Spots:
        """Of entries at some of `count` places, each of one of so many classes, that of its rank."""
        if kinds == 1:
            return cls(place, np.arange(count), np.zeros(count, dtype=np.int64), count)
        found, of = np.unique(place * kinds + kind, return_inverse=True)
        return cls(of.reshape(-1), found // kinds, found % kinds, count)

    @property
    def are_places(self) -> bool:
        """Whether there is one spot for every place, in order."""
        return self.place.size == self.count and bool((self.place == np.arange(self.count)).all())


def _fold_exchange(demand: Exchange, ranks: Ranks, plane: _Plane) -> Folded:
    """What an exchange puts on a plane, without what stays in a domain."""
    ports, kind = plane.ports, plane.rule.of_rank[plane.ports.rank]
    groups = _groups(demand.group, ranks, ports)
    kinds = plane.rule.share.shape[0]
    leaf = _Spots.at(plane.leaf[ports.port], kind, kinds, plane.leaf_count)
    sent = demand.sent_bytes[ports.rank] * ports.share
    taken = demand.share[ports.rank] * ports.share
    pair_bytes = _between(groups, (leaf, sent), (leaf, taken), plane.rule.share)
    out, back = _peers(groups, kind, (sent, taken), plane.rule.share)
    flows = port_bytes = None
    if plane.flows:
        flows = _flows_between(groups, (leaf, kind), (sent, taken), plane)
    if plane.by_port:
        port = _Spots.at(ports.port, kind, kinds, plane.leaf.size)
        port_bytes = _between(groups, (leaf, sent), (port, taken), plane.rule.share)
    return Folded(pair_bytes, _per_port(plane, out), _per_port(plane, back), flows, port_bytes)


def _flows_between(
    groups: tuple[tuple[IntArray, float], ...],
    leaf: tuple[_Spots, IntArray],
    amounts: tuple[FloatArray, FloatArray],
    plane: _Plane,
) -> Flows:
    """Queue pairs of an exchange from (n_entries,) amounts sent to those taken, by classes of their products."""
    (spots, kind), rule = leaf, plane.rule
    speaks, hears = ((amount > 0).astype(np.float64) for amount in amounts)
    onto, off = _peers(groups, kind, (speaks, hears), rule.pairs)
    by_size, flow_bytes = [], []
    most = most_sizes(plane.leaf_count)
    for of_sender, of_taker in product(*classes_of_two(amounts, most)):
        counts = _between(
            groups, (spots, of_sender.astype(np.float64)), (spots, of_taker.astype(np.float64)), rule.pairs
        )
        out, _ = _peers(groups, kind, (amounts[0] * of_sender, amounts[1] * of_taker), rule.share)
        if counts.any():
            by_size.append(counts)
            flow_bytes.append(float(out.sum() / counts.sum()))
    return Flows.of(by_size, flow_bytes, plane.leaf_count, _per_port(plane, onto), _per_port(plane, off))


def _groups(group: IntArray, ranks: Ranks, ports: Ports) -> tuple[tuple[IntArray, float], ...]:
    """(n_entries,) group of each entry's rank, which counts, and group within its domain, which does not."""
    inner = labels(group * (int(ranks.domain.max(initial=0)) + 1) + ranks.domain)
    return (group[ports.rank], 1.0), (inner[ports.rank], -1.0)


def _between(
    groups: tuple[tuple[IntArray, float], ...],
    senders: tuple[_Spots, FloatArray],
    takers: tuple[_Spots, FloatArray],
    weight: FloatArray,
) -> FloatArray:
    """(n_rows, n_cols) sums over groups of what places send times what others take, weighted by their classes."""
    (rows, sent), (cols, taken) = senders, takers
    total = np.zeros((rows.place.size, cols.place.size))
    for group, sign in groups:
        total += sign * _product(group, (rows.of, sent), (cols.of, taken), total.shape)
    total = _rounded(total)
    total *= weight[np.ix_(rows.kind, cols.kind)] if weight.size > 1 else weight
    if not rows.are_places:
        total = _at_places(rows) @ total
    return total if cols.are_places else np.asarray((_at_places(cols) @ total.T).T, dtype=np.float64)


def _at_places(spots: _Spots) -> csr_array:
    """(n_places, n_spots) which spots are at a place."""
    size = spots.place.size
    return csr_array((np.ones(size), (spots.place, np.arange(size))), shape=(spots.count, size))


def _peers(
    groups: tuple[tuple[IntArray, float], ...],
    kind: IntArray,
    amounts: tuple[FloatArray, FloatArray],
    weight: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """(n_entries,) each what entries send to all that take of them, and what they take of all that send."""
    sent, taken = amounts
    out, back = np.zeros(kind.size), np.zeros(kind.size)
    kinds = weight.shape[0]
    for group, sign in groups:
        cell = group * kinds + kind if kinds > 1 else group
        out += sign * (_by_class(cell, kinds, taken) @ weight.T).reshape(-1)[cell]
        back += sign * (_by_class(cell, kinds, sent) @ weight).reshape(-1)[cell]
    return _rounded(out, taken.max(initial=0.0)) * sent, _rounded(back, sent.max(initial=0.0)) * taken


def _by_class(cell: IntArray, kinds: int, amount: FloatArray) -> FloatArray:
    """(n_groups, n_classes) sums of an amount (n_entries,), cells numbered group by group."""
    groups = int(cell.max(initial=-1)) // kinds + 1
    found = np.bincount(cell, weights=amount, minlength=groups * kinds)
    return np.asarray(found, dtype=np.float64).reshape(groups, kinds)


def _product(
    group: IntArray, senders: tuple[IntArray, FloatArray], takers: tuple[IntArray, FloatArray], shape: tuple[int, ...]
) -> FloatArray:
    """(n_rows, n_cols) sums over groups of what rows send times what columns take, given as places and amounts."""
    groups = int(group.max(initial=-1)) + 1
    if groups * max(shape) <= _FULL:
        full = (
            np.bincount(group * count + place, weights=amount, minlength=groups * count).reshape(groups, count)
            for (place, amount), count in zip((senders, takers), shape, strict=True)
        )
        return np.asarray(next(full).T @ next(full), dtype=np.float64)
    sparse = (
        csr_array((amount, (group, place)), shape=(groups, count))
        for (place, amount), count in zip((senders, takers), shape, strict=True)
    )
    return _dense(csr_array(next(sparse).T @ next(sparse)))


def _fold_transfers(demand: Transfers, ranks: Ranks, plane: _Plane) -> Folded:
    """What listed transfers put on a plane, without what stays in a domain."""
    rule, size = plane.rule, plane.leaf.size
    ends = rule.of_rank[demand.source], rule.of_rank[demand.target]
    apart = ranks.domain[demand.source] != ranks.domain[demand.target]
    here = np.flatnonzero(apart & (rule.share[ends] > 0))
    source, target = demand.source[here], demand.target[here]
    sent = demand.sent_bytes[here] * rule.share[ends][here]
    by_rank = csr_array((plane.ports.share, (plane.ports.rank, plane.ports.port)), shape=(ranks.count, size))
    to_leaf = csr_array((np.ones(size), (np.arange(size), plane.leaf)), shape=(size, plane.leaf_count))
    senders, takers = by_rank[source], by_rank[target]
    from_leaf = diags_array(sent) @ senders @ to_leaf
    return Folded(
        pair_bytes=_dense(csr_array(from_leaf.T @ (takers @ to_leaf))),
        sent_bytes=np.asarray(senders.T @ sent, dtype=np.float64),
        received_bytes=np.asarray(takers.T @ sent, dtype=np.float64),
        flows=_flows_of((senders, takers), to_leaf, rule.pairs[ends][here], sent) if plane.flows else None,
        port_bytes=_dense(csr_array(from_leaf.T @ takers)) if plane.by_port else None,
    )


def _flows_of(ends: tuple[csr_array, csr_array], to_leaf: csr_array, pairs: FloatArray, sent: FloatArray) -> Flows:
    """Queue pairs (n_transfers,) of transfers of so many bytes, from each port of the sender to each of the taker."""
    leaves = to_leaf.shape[1]
    senders, takers = ((end > 0).astype(np.float64) for end in ends)
    onto, off = pairs * takers.sum(axis=1), pairs * senders.sum(axis=1)
    from_leaf, onto_leaf = senders @ to_leaf, takers @ to_leaf
    ways = np.asarray(pairs * senders.sum(axis=1) * takers.sum(axis=1), dtype=np.float64)
    by_size, flow_bytes = [], []
    for alike in size_classes(np.divide(sent, ways, out=np.zeros(sent.size), where=ways > 0), most_sizes(leaves)):
        between = (diags_array(pairs[alike]) @ from_leaf[alike]).T @ onto_leaf[alike]
        by_size.append(_dense(csr_array(between)))
        flow_bytes.append(float(sent[alike].sum() / ways[alike].sum()))
    return Flows.of(by_size, flow_bytes, leaves, np.asarray(senders.T @ onto), np.asarray(takers.T @ off))


def _dense(sums: csr_array) -> FloatArray:
    return np.asarray(sums.toarray(), dtype=np.float64)


def _per_port(plane: _Plane, values: FloatArray) -> FloatArray:
    """(n_endpoints,) sum of values (n_entries,) over the entries of each port."""
    return np.bincount(plane.ports.port, weights=values, minlength=plane.leaf.size).astype(np.float64)


def _rounded(difference: FloatArray, scale: float | None = None) -> FloatArray:
    """A difference of sums without what is rounding alone."""
    least = _NOISE * (
        max(float(difference.max(initial=0.0)), -float(difference.min(initial=0.0))) if scale is None else scale
    )
    return np.where(difference > least * difference.shape[0], difference, 0.0)
