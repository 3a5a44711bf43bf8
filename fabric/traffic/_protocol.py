"""What a traffic pattern is, and how one registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from fabric.model.network import FloatArray, IntArray
from fabric.model.workload import MoeNumbers, Workload
from fabric.registry import Registry
from fabric.traffic.demand import Demand
from fabric.traffic.ranks import Ranks


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """All that a pattern is made from.

    Attributes:
        workload: as asked.
        ranks: where its ranks stand.
        model: numbers of its model, where the pattern has one.
        seed: of whatever the pattern draws.
        farthest: (n_ranks,) for the worst permutation, the rank that each rank sends to.
    """

    workload: Workload
    ranks: Ranks
    model: MoeNumbers | None = None
    seed: int = 1
    farthest: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Phase:
    """One phase of a job: what is sent, and what is paid besides bytes.

    Attributes:
        name: as the report calls it.
        demand: rank to rank.
        constants: phase of a stack that times it: `dispatch`, `combine`, `exchange`, `ring`, `tree` or `in_network`.
        message_count: messages that one rank sends through its ports.
        message_bytes: payload of one of them, where all are alike; 0 where nobody measured by its size [byte].
        network_steps: steps in series between domains, each a way over the network, where the pattern is a chain.
        local_steps: steps in series within a domain.
        arrivals: share of time in which receivers are busy, where requests come at random; 0 where all start together.
        scale_up_bytes: through the busiest rank's scale-up port, where the demand does not show them all; None: it does
            [byte].
        hottest: (n_layers,) largest over mean share of a receiver in every layer, the first of which the demand shows;
            ones where all are alike.
    """

    name: str
    demand: Demand
    constants: str
    message_count: float
    message_bytes: float = 0.0
    network_steps: int = 0
    local_steps: int = 0
    arrivals: float = 0.0
    scale_up_bytes: float | None = None
    hottest: FloatArray = field(default_factory=lambda: np.ones(1))


Pattern: TypeAlias = Callable[[Job], Iterator[Phase]]

PATTERNS: Registry[Pattern] = Registry("fabric.traffic", "traffic pattern")


def pattern(name: str) -> Callable[[Pattern], Pattern]:
    """Decorator that files a traffic pattern under its name."""
    return PATTERNS.register(name)
