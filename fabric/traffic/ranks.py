"""Where the ranks of a job stand: packed, spread, by rail, at random, or on listed scale-up domains."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fabric.errors import InputError
from fabric.model.network import IntArray


class Order(StrEnum):
    """How a scheduler hands out scale-up domains.

    PACKED takes neighbours; SPREAD takes one unit after the other, so that a job stands under as many leaves as can
    be; BY_RAIL gives a job one accelerator of every domain; RANDOM shuffles whole domains.
    """

    PACKED = "packed"
    SPREAD = "spread"
    BY_RAIL = "by_rail"
    RANDOM = "random"


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Ranks of equal jobs, one job after the other, by number within the job.

    Attributes:
        job_size: ranks of one job.
        domain: (n_ranks,) scale-up domain of each rank.
        index: (n_ranks,) its accelerator within the domain.
    """

    job_size: int
    domain: IntArray
    index: IntArray

    def are_as(self, others: Ranks) -> bool:
        """Whether others stand on the same accelerators, rank by rank, in jobs as large."""
        return (
            self.job_size == others.job_size
            and np.array_equal(self.domain, others.domain)
            and np.array_equal(self.index, others.index)
        )

    @property
    def count(self) -> int:
        """Ranks of all jobs."""
        return self.domain.size

    @property
    def jobs(self) -> int:
        """Jobs that run side by side."""
        return self.count // self.job_size

    @property
    def job(self) -> IntArray:
        """(n_ranks,) job of each rank."""
        return np.repeat(np.arange(self.jobs), self.job_size)

    @property
    def number(self) -> IntArray:
        """(n_ranks,) number of each rank within its job."""
        return np.tile(np.arange(self.job_size), self.jobs)

    @property
    def per_domain(self) -> int:
        """Most ranks that a job has in one domain."""
        _, counts = np.unique(self.job * (int(self.domain.max(initial=0)) + 1) + self.domain, return_counts=True)
        return int(counts.max(initial=1))


def seat(job_size: int, jobs: int | None, domains: IntArray, domain_size: int, by_rail: bool = False) -> Ranks:
    """Ranks of jobs on domains in the order in which these are handed out.

    Jobs of a domain or more take whole ones; smaller jobs share one. By rail, a job has one rank in each of
    `job_size` domains, and the next job takes the next accelerator of the same ones.

    Args:
        job_size: ranks of one job.
        jobs: jobs side by side; None is as many as there is room for.
        domains: (n_domains,) labels, in order.
        domain_size: accelerators of a domain.
        by_rail: one accelerator of every domain instead of all of them.

    Raises:
        InputError: there is no room, with the arithmetic.
    """
    room = _room(job_size, domains.size, domain_size, by_rail)
    wanted = room if jobs is None else jobs
    if not 1 <= wanted <= room:
        how = "one a domain" if by_rail else "whole domains a job" if job_size > domain_size else "jobs within a domain"
        least = max(1, wanted)
        raise InputError(
            f"{least} job{'s' * (least > 1)} of {job_size} ranks do not fit: {domains.size} domains of {domain_size} "
            f"accelerators hold {room} ({how})"
        )
    job, number = np.divmod(np.arange(wanted * job_size), job_size)
    if by_rail:
        block, index = np.divmod(job, domain_size)
        return Ranks(job_size, domains[block * job_size + number], index)
    if job_size <= domain_size:
        block, within = np.divmod(job, domain_size // job_size)
        return Ranks(job_size, domains[block], within * job_size + number)
    per_job = -(-job_size // domain_size)
    return Ranks(job_size, domains[job * per_job + number // domain_size], number % domain_size)


def _room(job_size: int, domain_count: int, domain_size: int, by_rail: bool) -> int:
    """Jobs that fit."""
    if by_rail:
        return domain_count // job_size * domain_size
    if job_size <= domain_size:
        return domain_count * (domain_size // job_size)
    return domain_count // -(-job_size // domain_size)


def in_order(order: Order, unit: IntArray, seed: int) -> IntArray:
    """(n_domains,) domains in the order in which a scheduler hands them out.

    Args:
        order: the policy.
        unit: (n_domains,) label of the leaf (or set of rail leaves) under which each domain stands.
        seed: of RANDOM.
    """
    if order is Order.RANDOM:
        return np.random.default_rng(seed).permutation(unit.size)
    if order is not Order.SPREAD:
        return np.arange(unit.size)
    by_unit = np.argsort(unit, kind="stable")
    counts = np.unique(unit, return_counts=True)[1]
    place = np.arange(unit.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(by_unit[np.lexsort((unit[by_unit], place))], dtype=np.int64)
