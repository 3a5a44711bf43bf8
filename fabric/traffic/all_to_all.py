"""Plain all-to-all: each rank splits its bytes evenly over all ranks of its job."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabric.traffic._protocol import Job, Phase, pattern
from fabric.traffic.demand import Exchange


@pattern("all_to_all")
def phases(job: Job) -> Iterator[Phase]:
    """One phase, one message to every rank of another domain."""
    ranks = job.ranks
    sent = np.full(ranks.count, float(job.workload.bytes_per_rank or 0))
    demand = Exchange(ranks.job, sent, np.full(ranks.count, 1 / ranks.job_size))
    yield Phase(
        "all_to_all", demand, "exchange", float(ranks.job_size - ranks.per_domain), float(sent[0]) / ranks.job_size
    )
