"""Stacks that were measured inside one scale-up domain: what a workload may take from them, and never without asking.

A job within one domain is timed by such a stack alone. A job across domains takes its bandwidth for the bytes that stay
inside, which overlap those on the network, or the rate of the port where nobody measured; its fixed time is inside that
of the network's stack, which was measured with both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from fabric.catalog.constants import Stack, StackPhase
from fabric.catalog.load import Catalog
from fabric.catalog.parts import System
from fabric.errors import Fault, InputError
from fabric.flow.latency import StackConstants
from fabric.model.report import NotChecked, WorkloadResult
from fabric.model.workload import MOE, Workload
from fabric.pipeline.stacks import mode_of
from fabric.traffic._protocol import Phase
from fabric.traffic.ranks import Ranks
from fabric.traffic.scale_up import local_bytes


@dataclass(frozen=True, slots=True)
class Inside:
    """What of a phase stays in scale-up domains.

    Attributes:
        phase: of a stack.
        is_all: whether every job stands in one domain, so that nothing crosses the network.
        sent_bytes: through the busiest rank's port [byte].
        line_us: time of these at the rate of the port [us]; 0 where that is not known.
        stack: that was measured in such a domain, by key; None where none was.
        time_us: of these bytes at its bandwidth, never faster than the port [us]; without a stack at the port's rate.
    """

    phase: str
    is_all: bool
    sent_bytes: float
    line_us: float
    stack: str | None
    time_us: float


def unknown(result: WorkloadResult) -> Iterator[NotChecked]:
    """What is not said of a workload whose bytes stay inside domains where nobody measured."""
    phases = [phase for phase, stack in result.scale_up.items() if stack is None]
    if phases:
        terms = result.terms or {}
        has_rate = all(terms.get(f"{phase}_scale_up_us") for phase in phases)
        taken = "move at the rate of the port, the least it takes" if has_rate else "be faster than the network"
        why = (
            f"no stack was measured inside a scale-up domain of this system for {' and '.join(phases)}:"
            f" what stays there is taken to {taken}"
        )
        yield NotChecked(f"scale-up: {result.name}", why)


def is_inside(ranks: Ranks) -> bool:
    """Whether every job stands in one domain."""
    return ranks.per_domain == ranks.job_size


def scale_up_of(workload: Workload, phase: str, system: System, catalog: Catalog) -> str | None:
    """Key of the stack that times a phase inside a domain of a system; None where none was measured there.

    A stack that the workload names holds for any system: that is the user's word.

    Args:
        workload: as asked.
        phase: of a stack.
        system: of the nodes.
        catalog: its stacks.
    """
    inside = {
        key: stack
        for key, stack in sorted(catalog.stacks.items())
        if stack.scope == "node" and phase in {str(name) for name in stack.phases}
    }
    if workload.stack in inside:
        return workload.stack
    fitting = (key for key, stack in inside.items() if _serves(stack, workload) and is_measured(stack, system, catalog))
    return next(fitting, None)


def _serves(stack: Stack, workload: Workload) -> bool:
    """Whether a stack carries the mode of a workload and, where it was measured with one type of values, that one."""
    is_its_type = stack.dispatch_dtype in {None, workload.dispatch_dtype if workload.pattern == MOE else None}
    return mode_of(workload) in stack.serves and is_its_type


def is_measured(stack: Stack, system: System, catalog: Catalog) -> bool:
    """Whether a stack was measured inside a domain of a system."""
    return any(catalog.systems[key] == system for key in stack.systems)


def inside_of(
    workload: Workload, phase: Phase, ranks: Ranks, system: System, catalog: Catalog, *, forwards: bool
) -> Inside:
    """What of a phase stays in scale-up domains, and its time at the bandwidth of a stack measured there.

    The rate of the port is a floor, also for a stack of another system that the user named.

    A stack that counts what a rank keeps for itself has that much more to carry.
    """
    sent_bytes = local_bytes(phase, ranks, forwards=forwards)
    line_us = sent_bytes / (1000 * (system.scale_up_gbyte_s_each_direction or inf))
    key = scale_up_of(workload, phase.constants, system, catalog)
    if key is None:
        return Inside(phase.constants, is_inside(ranks), sent_bytes, line_us, None, line_us)
    stack = catalog.stacks[key]
    kept = ranks.per_domain / (ranks.per_domain - 1) if stack.counts_own_rank and ranks.per_domain > 1 else 1.0
    time_us = kept * sent_bytes / (1000 * _figure(stack, phase.constants).bandwidth_gbyte_s)
    return Inside(phase.constants, is_inside(ranks), sent_bytes, line_us, key, max(time_us, line_us))


def constants_inside(inside: Inside, workload: Workload, catalog: Catalog) -> StackConstants:
    """Constants of a phase inside a domain: no adapter, no messages and no ways over switches.

    Raises:
        InputError: none were measured there.
    """
    if inside.stack is None:
        message = (
            f"nothing crosses the network, and no stack for {mode_of(workload)} ({inside.phase}) was measured inside"
            " a scale-up domain of this system"
        )
        raise InputError(Fault(message, key=f"workloads.{workload.name}"))
    stack = catalog.stacks[inside.stack]
    figure = _figure(stack, inside.phase)
    return StackConstants(
        name=inside.phase,
        alpha0_us=figure.alpha0_us,
        alpha1_us=figure.alpha1_us,
        bandwidth_gbyte_s=figure.bandwidth_gbyte_s,
        message_rate_mops=inf,
        way_us=0.0,
        relative_sd=figure.relative_sd,
        min_ranks=stack.min_ranks,
        max_ranks=stack.max_ranks,
        link_layer="",
        nic="",
    )


def _figure(stack: Stack, phase: str) -> StackPhase:
    return {str(name): figure for name, figure in stack.phases.items()}[phase]
