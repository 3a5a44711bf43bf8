"""Bytes of a phase that stay inside scale-up domains, those that are forwarded there included."""

from __future__ import annotations

import numpy as np

from fabric.model.network import FloatArray, IntArray
from fabric.traffic._protocol import Phase
from fabric.traffic.demand import Exchange, Transfers, forwarded, labels
from fabric.traffic.ranks import Ranks


def local_bytes(phase: Phase, ranks: Ranks, *, forwards: bool) -> float:
    """Most bytes that a rank sends to, or receives from, others of its domain.

    Args:
        phase: as its pattern made it.
        ranks: where the ranks stand.
        forwards: whether data moves to the accelerator of the receiver's index before it crosses the network.
    """
    if phase.scale_up_bytes is not None:
        return phase.scale_up_bytes
    demand = phase.demand
    both = _exchanged(demand, ranks, forwards) if isinstance(demand, Exchange) else _listed(demand, ranks, forwards)
    return max(float(each.max(initial=0.0)) for each in both)


def _exchanged(demand: Exchange, ranks: Ranks, forwards: bool) -> tuple[FloatArray, FloatArray]:
    """(n_ranks,) bytes that each rank sends and receives."""
    inside = labels(demand.group, ranks.domain)
    sent, share = demand.sent_bytes, demand.share
    out = sent * (_sum(inside, share) - share)
    into = share * (_sum(inside, sent) - sent)
    if forwards:
        alike = labels(demand.group, ranks.index)
        far = _sum(alike, share) - share  # what receivers of each index in other domains take
        here = _sum(inside, far)
        out = out + sent * (here - far)
        into = into + far * (_sum(inside, sent) - sent)
    return out, into


def _listed(demand: Transfers, ranks: Ranks, forwards: bool) -> tuple[FloatArray, FloatArray]:
    """As `_exchanged`, of listed transfers."""
    near = ranks.domain[demand.source] == ranks.domain[demand.target]
    stop = demand.target
    if forwards:
        moved = forwarded(demand, ranks)
        stop = np.where(near, demand.target, moved.source if isinstance(moved, Transfers) else demand.source)
        near = near | (stop != demand.source)
    moves = near & (demand.source != stop)
    ends = (demand.source[moves], stop[moves])
    out, into = (np.bincount(each, demand.sent_bytes[moves], ranks.count).astype(np.float64) for each in ends)
    return out, into


def _sum(group: IntArray, values: FloatArray) -> FloatArray:
    """(n,) sum of the values (n,) over the group of each."""
    return np.asarray(np.bincount(group, values)[group], dtype=np.float64)
