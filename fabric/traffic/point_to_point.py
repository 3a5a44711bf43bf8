"""Transfers between few ranks: pipeline stages, key-value caches, bursts of requests, permutations, a listed matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fabric.errors import InputError
from fabric.model.network import IntArray
from fabric.traffic._protocol import Job, Phase, pattern
from fabric.traffic.demand import Exchange, Transfers

_BF16_BYTES = 2
"""Bytes of one value of an activation between stages."""


@pattern("pipeline")
def pipeline(job: Job) -> Iterator[Phase]:
    """Each rank hands its tokens to the rank of its index in the next domain; the last stage sends nothing."""
    ranks, work = job.ranks, job.workload
    sent = float(work.bytes_per_rank or 0)
    if not sent and job.model is not None:
        sent = float((work.tokens_per_rank or 0) * job.model.payload_dim * _BF16_BYTES)
    ahead = ranks.number + ranks.per_domain
    source = np.flatnonzero(ahead < ranks.job_size)
    yield _listed("pipeline", Transfers(source, source + ranks.per_domain, np.full(source.size, sent)))


@pattern("kv_transfer")
def kv_transfer(job: Job) -> Iterator[Phase]:
    """The first ranks of a job have filled key-value caches and send them to the last ones, `incast` to each.

    Raises:
        InputError: the ranks hold no receiver, or the model names no bytes of a token.
    """
    ranks, work = job.ranks, job.workload
    sent = float(work.bytes_per_rank or 0)
    if not sent and job.model is not None:
        if job.model.kv_bytes_per_token is None:
            raise InputError("the model names no kv_bytes_per_token; give bytes_per_rank")
        sent = float((work.tokens_per_rank or 0) * job.model.kv_bytes_per_token)
    receivers = ranks.job_size // (1 + work.incast)
    if not receivers:
        raise InputError(f"{work.incast} senders and their receiver are more than the {ranks.job_size} ranks of a job")
    senders = receivers * work.incast
    source = np.flatnonzero(ranks.number < senders)
    target = source - ranks.number[source] + senders + ranks.number[source] // work.incast
    yield replace(_listed("kv_transfer", Transfers(source, target, np.full(source.size, sent))), message_bytes=sent)


@pattern("bursts")
def bursts(job: Job) -> Iterator[Phase]:
    """Every rank waits for `fan_out` answers of other ranks that come together, again and again at random times."""
    ranks, work = job.ranks, job.workload
    answers = np.full(ranks.count, work.fan_out * float(work.bytes_per_rank or 0))
    demand = Exchange(ranks.job, answers, np.full(ranks.count, 1 / ranks.job_size))
    yield Phase("bursts", demand, "exchange", float(work.fan_out), arrivals=work.load)


@pattern("permutation")
def permutation(job: Job) -> Iterator[Phase]:
    """Each rank sends all to one other rank: drawn at random, or the farthest matching over the fabric."""
    ranks, sent = job.ranks, float(job.workload.bytes_per_rank or 0)
    target = job.farthest
    if target is None:
        rng = np.random.default_rng(job.seed)
        target = np.concatenate([each * ranks.job_size + _cycle(ranks.job_size, rng) for each in range(ranks.jobs)])
    yield _listed("permutation", Transfers(np.arange(ranks.count), target, np.full(ranks.count, sent)))


@pattern("matrix")
def matrix(job: Job) -> Iterator[Phase]:
    """The user's own transfers, the same in every job."""
    listed = job.workload.listed
    if listed is None:
        raise InputError("the file of its matrix was not read")
    first = np.arange(job.ranks.jobs)[:, None] * job.ranks.job_size
    some = listed.sent_bytes > 0
    source, target = ((first + each[some]).reshape(-1) for each in (listed.source, listed.target))
    yield _listed("matrix", Transfers(source, target, np.tile(listed.sent_bytes[some], job.ranks.jobs)))


def _cycle(size: int, rng: np.random.Generator) -> IntArray:
    """(size,) a random cycle through all: a permutation in which nobody sends to itself."""
    cycle = rng.permutation(size)
    target = np.empty(size, dtype=np.int64)
    target[cycle] = np.roll(cycle, -1)
    return target


def _listed(name: str, transfers: Transfers) -> Phase:
    most = int(np.bincount(transfers.source).max(initial=0)) if transfers.source.size else 0
    return Phase(name, transfers, "exchange", float(most))
