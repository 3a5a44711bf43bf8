"""Who sends how much to whom, rank to rank, and how that folds to the leaves and ports of planes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array, diags_array

from fabric.errors import InputError
from fabric.model.network import BoolArray, FloatArray, IntArray
from fabric.traffic.ranks import Ranks

_NOISE = 1e-12
"""Share of the largest value below which a difference of sums is rounding."""


_SPARSE = 16
"""Numbers up to so many times their count are told apart by a table instead of sorting."""

_FULL = 200_000
"""Most cells of groups by leaves up to which full matrices are multiplied: making sparse ones takes longer."""


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """Each rank sends to all ranks of its group that stand in other scale-up domains.

    Rank s sends `sent_bytes[s] · share[d]` to rank d.

    Attributes:
        group: (n_ranks,) number of its group, from 0.
        sent_bytes: (n_ranks,) [byte].
        share: (n_ranks,) weight of each rank as a receiver.
    """

    group: IntArray
    sent_bytes: FloatArray
    share: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Transfers:
    """Listed transfers; those within one scale-up domain cross no network.

    Attributes:
        source: (n_transfers,) rank that sends.
        target: (n_transfers,) rank that receives.
        sent_bytes: (n_transfers,) [byte].
    """

    source: IntArray
    target: IntArray
    sent_bytes: FloatArray


Demand: TypeAlias = Exchange | Transfers


@dataclass(frozen=True, slots=True, eq=False)
class Ports:
    """How the ranks reach one plane: entries of (rank, port), a rank's shares adding up to 1.

    Attributes:
        rank: (n_entries,) rank.
        port: (n_entries,) endpoint of the plane.
        share: (n_entries,) share of the rank's traffic in this plane that goes through the port.
    """

    rank: IntArray
    port: IntArray
    share: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Folded:
    """A demand on one plane.

    Attributes:
        pair_bytes: (n_leaves, n_leaves) from leaf to leaf [byte].
        pair_flows: (n_leaves, n_leaves) pairs of ports that talk, where asked for.
        sent_bytes: (n_endpoints,) that each endpoint sends [byte].
        received_bytes: (n_endpoints,) that it receives [byte].
        port_bytes: (n_leaves, n_endpoints) from each leaf to each endpoint [byte], where asked for.
    """

    pair_bytes: FloatArray
    sent_bytes: FloatArray
    received_bytes: FloatArray
    pair_flows: FloatArray | None = None
    port_bytes: FloatArray | None = None

    @property
    def crossing_share(self) -> float:
        """Share of the bytes whose ends stand on different leaves; 0 without any."""
        total = float(self.pair_bytes.sum())
        return 1 - float(self.pair_bytes.trace()) / total if total else 0.0


def labels(*columns: IntArray) -> IntArray:
    """(n,) one dense label per distinct combination of the columns of numbers from 0, each (n,)."""
    found = _dense_labels(columns[0])
    for column in columns[1:]:
        dense = _dense_labels(column)
        found = _dense_labels(found * (int(dense.max(initial=0)) + 1) + dense)
    return found


def _dense_labels(numbers: IntArray) -> IntArray:
    """(n,) place of each number among the distinct ones; where they are small, without sorting."""
    most = int(numbers.max(initial=0))
    if most > _SPARSE * numbers.size:
        return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    seen = np.zeros(most + 1, dtype=np.int64)
    seen[numbers] = 1
    return np.asarray((np.cumsum(seen) - 1)[numbers], dtype=np.int64)


def forwarded(demand: Demand, ranks: Ranks) -> Demand:
    """The demand when data first moves inside the domain to the accelerator of the receiver's index.

    So all network traffic stays on its rail. The domains of a group are equally filled; a listed transfer whose
    sender's domain lacks the receiver's index goes directly.
    """
    if isinstance(demand, Transfers):
        place = np.stack([ranks.job, ranks.domain, ranks.index])
        wanted = np.stack([place[0, demand.source], place[1, demand.source], place[2, demand.target]])
        keys = labels(*np.concatenate([place, wanted], axis=1))
        home = np.full(int(keys.max(initial=-1)) + 1, -1, dtype=np.int64)
        home[keys[: ranks.count]] = np.arange(ranks.count)
        relay = home[keys[ranks.count :]]
        return replace(demand, source=np.where(relay < 0, demand.source, relay))
    domain = labels(demand.group, ranks.domain)
    filled = np.bincount(domain)[domain]
    if labels(demand.group, filled).max(initial=0) > labels(demand.group).max(initial=0):
        raise InputError("data cannot be forwarded to the receiver's rail first: a job fills its last domain in part")
    total = np.bincount(domain, weights=demand.sent_bytes).astype(np.float64)
    return Exchange(labels(demand.group, ranks.index), total[domain], demand.share)


def transposed(demand: Demand) -> Demand:
    """The demand with every transfer turned round."""
    if isinstance(demand, Transfers):
        return Transfers(demand.target, demand.source, demand.sent_bytes)
    return Exchange(demand.group, demand.share, demand.sent_bytes)


def only(demand: Demand, here: BoolArray, *, sends: bool) -> Demand:
    """The part of a demand that the ranks where the mask (n_ranks,) is true send, or receive."""
    if isinstance(demand, Transfers):
        kept = here[demand.source if sends else demand.target]
        return Transfers(demand.source[kept], demand.target[kept], demand.sent_bytes[kept])
    if sends:
        return replace(demand, sent_bytes=np.where(here, demand.sent_bytes, 0.0))
    return replace(demand, share=np.where(here, demand.share, 0.0))


def cut_off(demand: Demand, ranks: Ranks, present: BoolArray) -> bool:
    """Whether two ranks that talk, both with ports, share no plane of those `present` (n_ranks, n_planes)."""
    alive = np.asarray(present.any(axis=1), dtype=np.bool_)
    if isinstance(demand, Transfers):
        apart = ranks.domain[demand.source] != ranks.domain[demand.target]
        both = alive[demand.source] & alive[demand.target] & apart & (demand.sent_bytes > 0)
        together = (present[demand.source] & present[demand.target]).any(axis=1)
        return bool((both & ~together).any())
    speaks, hears = alive & (demand.sent_bytes > 0), alive & (demand.share > 0)
    classes = [(planes, who) for planes, who in _classes(present) if planes.any()]
    return any(
        _meet(demand.group, ranks.domain, speaks & senders, hears & takers)
        for first, senders in classes
        for second, takers in classes
        if not (first & second).any()
    )


def _meet(group: IntArray, domain: IntArray, speaks: BoolArray, hears: BoolArray) -> bool:
    """Whether any of some ranks talks to any of others of its group in another domain."""
    domains: dict[int, set[int]] = {}
    for here, place in zip(group[hears].tolist(), domain[hears].tolist(), strict=True):
        domains.setdefault(here, set()).add(place)
    said = set(zip(group[speaks].tolist(), domain[speaks].tolist(), strict=True))
    return any(domains.get(here, set()) - {place} for here, place in said)


def fold(
    demand: Demand,
    ranks: Ranks,
    planes: Sequence[Ports],
    endpoints: Sequence[IntArray],
    leaf_counts: Sequence[int],
    *,
    flows: bool = False,
    by_port: bool = False,
) -> Iterator[Folded]:
    """The demand on every plane: what two ranks exchange is split evenly over the planes that both have ports in.

    Args:
        demand: rank to rank.
        ranks: where the ranks stand.
        planes: the ports of every plane; a rank without any has left the job.
        endpoints: of every plane, (n_endpoints,) leaf of each endpoint.
        leaf_counts: of every plane, its leaves.
        flows: also how many pairs of ports talk, as hashing wants to know.
        by_port: also what each leaf sends to each endpoint, which takes room for as many numbers.
    """
    present = np.zeros((ranks.count, len(planes)), dtype=np.bool_)
    for number, ports in enumerate(planes):
        present[ports.rank, number] = True
    fold_one = _fold_transfers if isinstance(demand, Transfers) else _fold_exchange
    for number, (ports, leaf, leaf_count) in enumerate(zip(planes, endpoints, leaf_counts, strict=True)):
        yield fold_one(demand, ranks, _Plane(ports, leaf, leaf_count, number, flows, by_port), present)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class _Plane:
    """A plane when it is folded to: ports, the leaf (n_endpoints,) of each, leaves, its number, what is asked."""

    ports: Ports
    leaf: IntArray
    leaf_count: int
    number: int
    flows: bool
    by_port: bool


def _classes(present: BoolArray) -> list[tuple[BoolArray, BoolArray]]:
    """Every distinct set of planes (n_planes,) that ranks have ports in, with who has it (n_ranks,)."""
    code = present @ (1 << np.arange(present.shape[1]))
    found = np.flatnonzero(np.bincount(code))
    return [(present[int(np.argmax(code == each))], code == each) for each in found]


def _fold_exchange(demand: Exchange, ranks: Ranks, plane: _Plane, present: BoolArray) -> Folded:
    total = _empty(plane)
    classes = [(planes, who) for planes, who in _classes(present) if planes[plane.number]]
    for first, senders in classes:
        for second, receivers in classes:
            sent = np.where(senders, demand.sent_bytes, 0.0) / int((first & second).sum())
            share = np.where(receivers, demand.share, 0.0)
            _add(total, _exchange(Exchange(demand.group, sent, share), ranks, plane))
    return total


def _exchange(demand: Exchange, ranks: Ranks, plane: _Plane) -> Folded:
    """What an exchange among ranks that all have ports here puts on a plane, without what stays in a domain."""
    outer, inner = demand.group, labels(demand.group * (int(ranks.domain.max(initial=0)) + 1) + ranks.domain)
    ports, leaf = plane.ports, plane.leaf[plane.ports.port]
    sent = demand.sent_bytes[ports.rank] * ports.share
    taken = demand.share[ports.rank] * ports.share
    speaks, hears = (sent > 0).astype(np.float64), (taken > 0).astype(np.float64)
    out, back = np.zeros(ports.rank.size), np.zeros(ports.rank.size)
    pair_bytes = np.zeros((plane.leaf_count, plane.leaf_count))
    pair_flows = np.zeros(pair_bytes.shape) if plane.flows else None
    port_bytes = np.zeros((plane.leaf_count, plane.leaf.size)) if plane.by_port else None
    for group, sign in ((outer[ports.rank], 1.0), (inner[ports.rank], -1.0)):
        pair_bytes += sign * _product(group, (leaf, sent), (leaf, taken), pair_bytes.shape)
        if pair_flows is not None:
            pair_flows += sign * _product(group, (leaf, speaks), (leaf, hears), pair_flows.shape)
        if port_bytes is not None:
            port_bytes += sign * _product(group, (leaf, sent), (ports.port, taken), port_bytes.shape)
        out += sign * np.bincount(group, weights=taken)[group]
        back += sign * np.bincount(group, weights=sent)[group]
    return Folded(
        _rounded(pair_bytes),
        _per_port(plane, _rounded(out, taken.max(initial=0.0)) * sent),
        _per_port(plane, _rounded(back, sent.max(initial=0.0)) * taken),
        None if pair_flows is None else _rounded(pair_flows),
        None if port_bytes is None else _rounded(port_bytes),
    )


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


def _fold_transfers(demand: Transfers, ranks: Ranks, plane: _Plane, present: BoolArray) -> Folded:
    source, target = demand.source, demand.target
    apart = ranks.domain[source] != ranks.domain[target]
    shared = (present[source] & present[target]).sum(axis=1)
    here = np.flatnonzero(apart & present[source, plane.number] & present[target, plane.number])
    sent = demand.sent_bytes[here] / shared[here]
    ports, size = plane.ports, plane.leaf.size
    by_rank = csr_array((ports.share, (ports.rank, ports.port)), shape=(ranks.count, size))
    to_leaf = csr_array((np.ones(size), (np.arange(size), plane.leaf)), shape=(size, plane.leaf_count))
    senders, takers = by_rank[source[here]], by_rank[target[here]]
    from_leaf = diags_array(sent) @ senders @ to_leaf
    return Folded(
        pair_bytes=_dense(csr_array(from_leaf.T @ (takers @ to_leaf))),
        pair_flows=_dense(csr_array(((senders > 0) @ to_leaf).T @ ((takers > 0) @ to_leaf))) if plane.flows else None,
        sent_bytes=np.asarray(senders.T @ sent, dtype=np.float64),
        received_bytes=np.asarray(takers.T @ sent, dtype=np.float64),
        port_bytes=_dense(csr_array(from_leaf.T @ takers)) if plane.by_port else None,
    )


def _dense(sums: csr_array) -> FloatArray:
    return np.asarray(sums.toarray(), dtype=np.float64)


def _empty(plane: _Plane) -> Folded:
    square, ends = (plane.leaf_count, plane.leaf_count), plane.leaf.size
    flows = np.zeros(square) if plane.flows else None
    port_bytes = np.zeros((plane.leaf_count, ends)) if plane.by_port else None
    return Folded(np.zeros(square), np.zeros(ends), np.zeros(ends), flows, port_bytes)


def _add(total: Folded, more: Folded) -> None:
    for field in fields(Folded):
        if getattr(total, field.name) is not None:
            getattr(total, field.name).__iadd__(getattr(more, field.name))


def _per_port(plane: _Plane, values: FloatArray) -> FloatArray:
    """(n_endpoints,) sum of values (n_entries,) over the entries of each port."""
    return np.bincount(plane.ports.port, weights=values, minlength=plane.leaf.size).astype(np.float64)


def _rounded(difference: FloatArray, scale: float | None = None) -> FloatArray:
    """A difference of sums without what is rounding alone."""
    least = _NOISE * (float(np.abs(difference).max(initial=0.0)) if scale is None else scale)
    return np.where(difference > least * difference.shape[0], difference, 0.0)
