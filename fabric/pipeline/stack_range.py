"""Where a software stack is used as nobody measured it: one warning a workload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabric.catalog.constants import Stack
from fabric.flow.latency import outside_fit
from fabric.model.report import Finding
from fabric.model.workload import Workload
from fabric.pipeline.carrying import Setting, phases_of, port_gbps_of
from fabric.pipeline.networks import Plane
from fabric.pipeline.stacks import constants_of, mode_of, stack_of
from fabric.traffic._protocol import Phase


def stretched(workload: Workload, setting: Setting, planes: tuple[Plane, ...]) -> list[Finding]:
    """One warning when the stack's constants are used outside what they were fitted on."""
    key, stack = stack_of(workload, setting.request.fabric.part_layer, setting.catalog)
    gbps = port_gbps_of(planes)
    ranks = workload.job_size
    layer, nic = setting.request.fabric.part_layer, setting.system.nic or "unknown"
    reasons = [*outside_fit(constants_of("", stack, gbps), ranks, layer, nic), *unmeasured(workload, stack)]
    if gbps != stack.port_gbps:
        reasons.append(f"{gbps:g}G ports where {stack.port_gbps}G were measured, bandwidth taken in proportion")
    reasons.extend(unmeasured_messages(stack, phases_of(workload, setting)))
    if workload.job_size <= setting.hosts.domain_size and workload.placement != "by_rail":
        reasons.append("nothing crosses the network, and time inside one scale-up domain is not predicted")
    if not reasons:
        return []
    message = f"stack {key} is used outside what it was fitted on: {'; '.join(reasons)}"
    return [Finding("stack-range", "warning", workload.name, message, source=", ".join(stack.sources))]


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
