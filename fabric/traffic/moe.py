"""Bytes of one mixture-of-experts phase (dispatch or combine), per rank and per pair of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fabric.errors import InputError
from fabric.traffic.routing import ExpertRouting, expected_domains


class Mode(StrEnum):
    """Which copies of a token a kernel sends.

    LOW_LATENCY sends one message per (token, expert); RANK_DEDUP one per distinct rank; NODE_DEDUP, the
    kernels called "normal", one per distinct node: to the rank of the sender's index there, which forwards.
    """

    LOW_LATENCY = "low_latency"
    RANK_DEDUP = "rank_dedup"
    NODE_DEDUP = "node_dedup"


@dataclass(frozen=True, slots=True)
class ExpertParallel:
    """Ranks that share the experts of one model, in equal nodes.

    Attributes:
        ranks: expert-parallel ranks R.
        ranks_per_node: ranks g inside one scale-up domain ("node").
    """

    ranks: int
    ranks_per_node: int

    def __post_init__(self) -> None:
        if self.ranks < 1 or self.ranks_per_node < 1 or self.ranks % self.ranks_per_node:
            raise InputError(f"{self.ranks} ranks do not fill whole nodes of {self.ranks_per_node}")

    @property
    def nodes(self) -> int:
        """Nodes N = R / g."""
        return self.ranks // self.ranks_per_node

    @property
    def remote_share(self) -> float:
        """Share 1 - 1/N of uniform traffic that leaves the node."""
        return 1 - 1 / self.nodes


@dataclass(frozen=True, slots=True)
class PhaseTraffic:
    """What one rank sends in one phase; under uniform routing it receives as much.

    Attributes:
        copies_per_token: expected copies of each token, those that stay in the node included.
        pair_bytes: to each remote peer [byte].
        remote_peer_count: ranks on other nodes that are sent to.
        nic_bytes: through the rank's NIC [byte], pair_bytes · remote_peer_count.
        local_bytes: to other ranks of the own node over the scale-up network [byte].
        message_count: copies through the NIC, each of which a low-latency kernel posts as one message.
    """

    copies_per_token: float
    pair_bytes: float
    remote_peer_count: int
    nic_bytes: float
    local_bytes: float
    message_count: float


def moe_phase(
    mode: Mode, parallel: ExpertParallel, routing: ExpertRouting, tokens_per_rank: int, copy_bytes: float
) -> PhaseTraffic:
    """Bytes that one rank sends in one phase under uniform routing.

    Equation: with c copies per token spread evenly over D domains, pair = T·c·b / D and
    NIC = T·c·b · (1 - 1/N), where (c, D) is (k, R) for low_latency, (U(R), R) for rank_dedup and (U(N), N)
    for node_dedup. A combine is the transpose: call it with the combine's bytes per copy.

    Args:
        mode: which copies the kernel sends.
        parallel: the ranks that share the experts.
        routing: the model's expert numbers.
        tokens_per_rank: tokens T that each rank holds in this step.
        copy_bytes: bytes b of one copy [byte].
    """
    per_rank = float(routing.top_k) if mode is Mode.LOW_LATENCY else expected_domains(routing, parallel.ranks)
    by_node = mode is Mode.NODE_DEDUP
    copies = expected_domains(routing, parallel.nodes) if by_node else per_rank
    domains = parallel.nodes if by_node else parallel.ranks
    # Forwarding brings a token to all its ranks over the scale-up network, else only to its own node's.
    scale_up_copies = per_rank if by_node else per_rank / parallel.nodes
    pair_bytes = tokens_per_rank * copies * copy_bytes / domains
    peers = domains - domains // parallel.nodes
    return PhaseTraffic(
        copies_per_token=copies,
        pair_bytes=pair_bytes,
        remote_peer_count=peers,
        nic_bytes=pair_bytes * peers,
        local_bytes=tokens_per_rank * copy_bytes * scale_up_copies * (1 - 1 / parallel.ranks_per_node),
        message_count=tokens_per_rank * copies * parallel.remote_share,
    )
