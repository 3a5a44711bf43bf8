"""Who sends how much to whom, rank to rank, and the ports through which ranks reach a plane."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from fabric.errors import InputError
from fabric.model.network import BoolArray, FloatArray, IntArray
from fabric.traffic.ranks import Ranks

_SPARSE = 16
"""Numbers up to so many times their count are told apart by a table instead of sorting."""


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
    if not numbers.size or most == int(numbers.min()):
        return np.zeros(numbers.size, dtype=np.int64)
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
