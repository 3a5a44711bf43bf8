"""What a workload takes from the catalog: its model, and the software stack that times it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fabric.catalog.constants import Stack
from fabric.catalog.load import Catalog
from fabric.errors import Fault, InputError
from fabric.flow.latency import StackConstants
from fabric.model.request import LinkLayer
from fabric.model.workload import MOE, MoeNumbers, Workload


@contextmanager
def named(workload: Workload) -> Iterator[None]:
    """Every fault that a block finds about a workload has its name, as messages about several need."""
    try:
        yield
    except InputError as error:
        key = f"workloads.{workload.name}"
        raise InputError(*(fault if fault.key else replace(fault, key=key) for fault in error.faults)) from None


def mode_of(workload: Workload) -> str:
    """What a stack must serve to carry a workload: its mode, or `plain` for everything else."""
    return workload.mode if workload.pattern == MOE else "plain"


def stack_of(workload: Workload, layer: LinkLayer, catalog: Catalog) -> tuple[str, Stack]:
    """The stack named, else the one that the catalog recommends for the mode and the link layer.

    Raises:
        InputError: the catalog has none.
    """
    if workload.stack is not None:
        return workload.stack, catalog.stacks[workload.stack]
    mode = mode_of(workload)
    for key, stack in sorted(catalog.stacks.items()):
        if mode in stack.serves and layer in stack.default_for:
            return key, stack
    message = f"the catalog recommends no stack for {mode} on {layer}; name one"
    raise InputError(Fault(message, key=f"workloads.{workload.name}.stack"))


def choices(phase: str, stack: Stack, port_gbps: float, catalog: Catalog) -> tuple[StackConstants, ...]:
    """Constants that a library may choose between for one phase: those of the phase and of its protocols."""
    names = [str(name) for name in stack.phases if name == phase or name.startswith(f"{phase}_")] or [phase]
    return tuple(constants_of(name, stack, port_gbps, catalog) for name in names)


def constants_of(phase: str, stack: Stack, port_gbps: float, catalog: Catalog) -> StackConstants:
    """Constants of one phase; one of another mode times single exchanges by its first, chains by none but their own.

    Bandwidth grows with the port's rate in proportion; beyond the rate measured that is a guess, and said so. The way
    inside alpha is that of the link layer of the fit.

    Raises:
        InputError: the stack has no constants, none across a fabric, or none like this phase.
    """
    if stack.no_constants is not None:
        raise InputError(f"{stack.name} has no constants to predict with: {stack.no_constants}")
    if stack.port_gbps is None or stack.message_rate_mops is None or stack.link_layer is None or stack.nic is None:
        raise InputError(f"{stack.name}: its constants hold inside one scale-up domain, not across a fabric")
    figure = stack.figure(phase)
    if figure is None:
        raise InputError(f"{stack.name} has no steps of a {phase.replace('_', ' ')} to predict with")
    return StackConstants(
        name=phase,
        alpha0_us=figure.alpha0_us,
        alpha1_us=figure.alpha1_us,
        bandwidth_gbyte_s=figure.bandwidth_gbyte_s * port_gbps / stack.port_gbps,
        message_rate_mops=stack.message_rate_mops,
        way_us=catalog.link_layers[stack.link_layer].way_ns(stack.fitted_hop_count) / 1000,
        relative_sd=figure.relative_sd,
        min_ranks=stack.min_ranks,
        max_ranks=stack.max_ranks,
        link_layer=stack.link_layer,
        nic=stack.nic,
        step_us=figure.step_us,
        local_step_us=figure.local_step_us,
    )


def model_of(workload: Workload, catalog: Catalog) -> MoeNumbers | None:
    """The numbers of a workload's model: its own, or those of the catalog; None without a model."""
    if not isinstance(workload.model, str):
        return workload.model
    model = catalog.moe_models[workload.model]
    return MoeNumbers(
        experts=model.routed_experts,
        top_k=model.top_k,
        payload_dim=model.dispatch_payload_dim,
        layers=model.moe_layers,
        groups=model.n_group or 1,
        groups_per_token=model.topk_group or 1,
        kv_bytes_per_token=model.kv_bytes_per_token_bf16,
    )
