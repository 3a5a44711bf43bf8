"""Mixture-of-experts layer: dispatch of tokens to the ranks of their experts, and combine of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fabric.errors import InputError
from fabric.model.workload import MoeNumbers, Workload
from fabric.traffic._protocol import Job, Phase, pattern
from fabric.traffic.demand import Exchange, labels, transposed
from fabric.traffic.expert_shares import even_copies, layer_copies, routing_of
from fabric.traffic.moe import ExpertParallel, Mode, moe_phase
from fabric.traffic.payload import copy_bytes, payload_format

MODES: Mapping[str, Mode] = {
    "low_latency": Mode.LOW_LATENCY,
    "normal": Mode.NODE_DEDUP,
    "rank_dedup": Mode.RANK_DEDUP,
}
"""Modes of a workload, as the kernels are told apart here."""

LOW_LATENCY_HEADER_BYTES = 16
"""Header of one low-latency message. Source: deepep-readme."""

_FORMATS = {"fp4": "nvfp4"}
"""Words of a request for which there is a more exact one."""


@pattern("moe_all_to_all")
def phases(job: Job) -> Iterator[Phase]:
    """Dispatch and combine of one layer.

    Every rank sends what its tokens need: k messages a token (low latency), one copy to each rank (rank_dedup), or one
    to the rank of its own index in each node (normal). What a rank receives follows the popularity of its experts.
    Combine is the same turned round, with its own bytes a copy.
    """
    if job.model is None:
        raise InputError("nothing says what its model is")
    work, ranks, model, mode = job.workload, job.ranks, job.model, MODES[job.workload.mode]
    parallel = ExpertParallel(ranks.job_size, ranks.per_domain)
    routing = routing_of(model, work.redundant_experts or 0)
    by_node = mode is Mode.NODE_DEDUP
    domains = parallel.nodes if by_node else parallel.ranks
    each_copy = mode is Mode.LOW_LATENCY
    layers = layer_copies(work, model, domains, each_copy=each_copy, seed=job.seed)
    shares = layers[0] / even_copies(work, model, domains, each_copy=each_copy)
    place = ranks.number // parallel.ranks_per_node if by_node else ranks.number
    group = labels(ranks.job, ranks.index) if by_node else ranks.job
    for name, size_bytes in copies(work, model):
        hottest = layers.max(axis=1) * domains / layers.sum(axis=1)
        traffic = moe_phase(mode, parallel, routing, work.tokens_per_rank or 0, size_bytes)
        sent = (work.tokens_per_rank or 0) * traffic.copies_per_token * size_bytes
        out = Exchange(group, np.full(ranks.count, sent), shares[place])
        demand = out if name == "dispatch" else transposed(out)
        yield Phase(
            name,
            demand,
            name,
            traffic.message_count * shares.sum(),
            size_bytes,
            # What comes to a node is forwarded there to the ranks of its experts, or summed up on the way back.
            scale_up_bytes=traffic.local_bytes * float(hottest[0]) if by_node else None,
            hottest=hottest,
        )


def copies(work: Workload, model: MoeNumbers) -> Iterator[tuple[str, int]]:
    """Names of the two phases, each with the bytes of one copy of a token."""
    for name, dtype in (("dispatch", work.dispatch_dtype), ("combine", work.combine_dtype)):
        header = LOW_LATENCY_HEADER_BYTES if work.mode == "low_latency" and name == "dispatch" else 0
        yield name, copy_bytes(model.payload_dim, payload_format(_FORMATS.get(dtype, dtype)), header)
