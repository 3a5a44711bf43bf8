"""Where a software stack is used as nobody measured it: one warning a workload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabric.catalog.constants import Stack
from fabric.flow.latency import outside_fit
from fabric.model.report import Finding
from fabric.model.workload import MOE, Workload
from fabric.pipeline.carrying import Setting, phases_of, port_gbps_of
from fabric.pipeline.jobs import ranks_of
from fabric.pipeline.networks import Plane
from fabric.pipeline.scale_up import is_inside, is_measured, scale_up_of
from fabric.pipeline.stacks import constants_of, mode_of, model_of, stack_of
from fabric.traffic._protocol import Phase
from fabric.traffic.expert_shares import is_limit_scaled
from fabric.traffic.ranks import Ranks


def stretched(workload: Workload, setting: Setting, planes: tuple[Plane, ...]) -> list[Finding]:
    """One warning when the stack's constants are used outside what they were fitted on."""
    ranks = ranks_of(workload, setting.hosts, seed=setting.request.seed)
    phases = phases_of(workload, setting)
    if is_inside(ranks):
        key = scale_up_of(workload, phases[0].constants, setting.system, setting.catalog)
        if key is None:
            return []
        stack = setting.catalog.stacks[key]
        reasons = list(_outside_domain(stack, ranks.job_size, setting))
    else:
        key, stack = stack_of(workload, setting.request.fabric.part_layer, setting.catalog)
        reasons = list(_outside_network(stack, ranks, setting, port_gbps_of(planes)))
        reasons.extend(optimistic(stack, phases, -(-ranks.job_size // ranks.per_domain)))
    reasons.extend((*unmeasured(workload, stack), *unmeasured_messages(stack, phases)))
    model = model_of(workload, setting.catalog)
    if workload.pattern == MOE and model is not None and is_limit_scaled(workload, model, setting.request.seed):
        reasons.append("experts more popular than their limit of groups allows, copies as with equal popularity")
    if not reasons:
        return []
    message = f"stack {key} is used outside what it was fitted on: {'; '.join(reasons)}"
    return [Finding("stack-range", "warning", workload.name, message, source=", ".join(stack.sources))]


def _outside_network(stack: Stack, ranks: Ranks, setting: Setting, port_gbps: float) -> Iterator[str]:
    """Ranks, link layer, adapter, domains and rate of adapters that a stack of the network was not measured with."""
    constants = constants_of("", stack, port_gbps, setting.catalog)
    nic = setting.system.nic or "unknown"
    yield from outside_fit(constants, ranks.job_size, setting.request.fabric.part_layer, nic)
    if stack.domain_ranks not in {None, ranks.per_domain}:
        yield f"{ranks.per_domain} of its ranks in a scale-up domain where {stack.domain_ranks} were measured"
    split = setting.hosts.planes_of_port
    planes = int(split.max(initial=1)) if split is not None else 1
    if planes * port_gbps != stack.port_gbps:
        has = f"{port_gbps:g}G ports" if planes == 1 else f"adapters of {planes} ports of {port_gbps:g}G"
        yield f"{has} where {stack.port_gbps}G were measured, bandwidth taken in proportion, message rate as measured"


def _outside_domain(stack: Stack, ranks: int, setting: Setting) -> Iterator[str]:
    """Ranks and systems that a stack was not measured with inside a domain."""
    if not stack.min_ranks <= ranks <= stack.max_ranks:
        yield f"{ranks} ranks where {stack.min_ranks} to {stack.max_ranks} were measured"
    if not is_measured(stack, setting.system, setting.catalog):
        yield f"system {setting.system.name} where {', '.join(stack.systems)} was measured"


def unmeasured(workload: Workload, stack: Stack) -> Iterator[str]:
    """Mode and tokens of a workload that its stack was not measured with."""
    if not stack.fit.rows:
        yield "no measured row of its own was fitted"
    mode = mode_of(workload)
    if mode not in stack.fit.modes:
        yield f"mode {mode} where {' and '.join(stack.fit.modes)} was measured"
    tokens, least, most = workload.tokens_per_rank, stack.min_tokens_per_rank, stack.max_tokens_per_rank
    if mode != "plain" and tokens and least and most and not least <= tokens <= most:
        yield f"{tokens} tokens a rank where {least} to {most} were measured"


def unmeasured_messages(stack: Stack, phases: Iterable[Phase]) -> Iterator[str]:
    """Message sizes of phases that a stack was not measured with."""
    figures = {str(name): figure for name, figure in stack.phases.items()}
    for phase in phases:
        figure, size = figures.get(phase.constants), round(phase.message_bytes)
        if figure is None or figure.min_message_bytes is None or figure.max_message_bytes is None or not size:
            continue
        least, most = figure.min_message_bytes, figure.max_message_bytes
        if not least <= size <= most:
            measured = f"{least}" if least == most else f"{least} to {most}"
            yield f"{phase.name} messages of {size} bytes where {measured} were measured"


def optimistic(stack: Stack, phases: Iterable[Phase], nodes: int) -> Iterator[str]:
    """Phases that were measured to take far longer on so few nodes than the constants say."""
    figures = {str(name): figure for name, figure in stack.phases.items()}
    for phase in phases:
        figure = figures.get(phase.constants)
        if figure is not None and 1 < nodes <= figure.optimistic_nodes:
            yield f"{phase.name} over {nodes} nodes, where measured times are up to twice as long"
