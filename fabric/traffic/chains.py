"""Collectives that run as chains: all-gather, reduce-scatter and all-reduce over rings, trees or in the switches.

A ring passes through all ranks of a domain before it goes on to the next one, and as many rings run side by side as a
domain has ranks, each with its share of the data: so each rank sends to the rank of its index in the next domain, on
its own rail.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fabric.errors import InputError
from fabric.model.network import IntArray
from fabric.traffic._protocol import Job, Phase, pattern
from fabric.traffic.demand import Transfers
from fabric.traffic.ranks import Ranks


@pattern("all_gather")
def all_gather(job: Job) -> Iterator[Phase]:
    """Every rank ends with the bytes of all: n - 1 of n ranks' bytes cross each place of the rings."""
    yield _ring(job, "all_gather", (job.ranks.job_size - 1) * float(job.workload.bytes_per_rank or 0), rounds=1)


@pattern("reduce_scatter")
def reduce_scatter(job: Job) -> Iterator[Phase]:
    """Every rank ends with 1/n of the sum: n - 1 of n parts of the bytes cross each place of the rings."""
    size = job.ranks.job_size
    yield _ring(job, "reduce_scatter", (size - 1) / size * float(job.workload.bytes_per_rank or 0), rounds=1)


@pattern("all_reduce")
def all_reduce(job: Job) -> Iterator[Phase]:
    """Every rank ends with the whole sum.

    Equation: a ring carries 2 (n-1)/n S in 2 (n-1) steps; two trees carry S/2 up and S/2 down each edge in 2 log2 N
    steps; switches that add send S up and S down every port, one way over them. Source: nccl-tuning-table. `auto` is a
    ring until times of both are known.
    """
    size, sent = job.ranks.job_size, float(job.workload.bytes_per_rank or 0)
    if job.workload.algorithm in {"auto", "ring"}:
        yield _ring(job, "all_reduce", 2 * (size - 1) / size * sent, rounds=2)
    elif job.workload.algorithm == "tree":
        yield _trees(job, sent)
    else:
        yield _in_switches(job, sent)


def _ring(job: Job, name: str, crossing_bytes: float, *, rounds: int) -> Phase:
    """A phase in which `crossing_bytes` pass every place of the rings of a job, over all its rings."""
    ranks = job.ranks
    size, width = ranks.job_size, _width(ranks)
    first = ranks.job * size
    source = np.arange(ranks.count)
    demand = Transfers(source, first + (ranks.number + width) % size, np.full(ranks.count, crossing_bytes / width))
    between = rounds * (size // width - 1)
    local = rounds * (size - 1) - between
    # Within one domain each place of each ring is inside, and its steps were measured by their size.
    inside, step_bytes = crossing_bytes * (1 - 1 / width), 0.0
    if width == size:
        inside, step_bytes = crossing_bytes, crossing_bytes / (rounds * max(1, size - 1))
    return Phase(name, demand, "ring", 1.0, step_bytes, between, local, scale_up_bytes=inside)


def _trees(job: Job, sent_bytes: float) -> Phase:
    """Two binary trees over the domains, the leaves of one inner nodes of the other, half of the data on each.

    In each domain the data goes up and down a chain for each rail, which starts at another rank: all but one of these
    chains bring each rank's port the sum on its way up, and all but one the result on its way down.
    """
    ranks = job.ranks
    width = _width(ranks)
    domains = ranks.job_size // width
    child, parent = _edges(domains)
    first = (np.arange(ranks.jobs) * ranks.job_size)[:, None, None]
    index = np.arange(width)[None, None, :]
    up = (first + child[None, :, None] * width + index).reshape(-1)
    down = (first + parent[None, :, None] * width + index).reshape(-1)
    share = np.full(2 * up.size, sent_bytes / 2 / width)
    demand = Transfers(np.concatenate([up, down]), np.concatenate([down, up]), share)
    up_and_down = 2 * math.ceil(math.log2(domains))
    return Phase(
        "all_reduce",
        demand,
        "tree",
        2.0,
        message_bytes=sent_bytes / width if domains == 1 else 0.0,
        network_steps=up_and_down,
        local_steps=2 * (width - 1),
        scale_up_bytes=2 * sent_bytes * (1 - 1 / width),
    )


def _in_switches(job: Job, sent_bytes: float) -> Phase:
    """Every rank sends its share of the data once and receives it once; switches add.

    The load of links between switches is taken as if each rank sent to the next domain: one stream a rail, where the
    switches' own tree has one a leaf.
    """
    ring = _ring(job, "all_reduce", sent_bytes, rounds=1)
    return replace(ring, constants="in_network", network_steps=1, local_steps=2)


def _edges(domains: int) -> tuple[IntArray, IntArray]:
    """Child and parent of every edge of both trees: a heap, and the same with its numbers turned round."""
    child = np.arange(1, domains)
    parent = (child - 1) // 2
    last = domains - 1
    return np.concatenate([child, last - child]), np.concatenate([parent, last - parent])


def _width(ranks: Ranks) -> int:
    """Ranks of a job in each of its domains.

    Raises:
        InputError: its last domain is part-filled.
    """
    if ranks.job_size % ranks.per_domain:
        raise InputError(f"{ranks.job_size} ranks are not whole scale-up domains of {ranks.per_domain} accelerators")
    return ranks.per_domain
