"""What a workload sends otherwise than its request or its fabric takes for granted, each with its arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from fabric.errors import InputError
from fabric.model.report import Finding, Severity, WorkloadResult
from fabric.model.workload import MOE, Workload
from fabric.pipeline.carrying import Setting, phases_of, port_gbps_of
from fabric.pipeline.dealing import carriers_of, dealing_of
from fabric.pipeline.jobs import ports_of, ranks_of
from fabric.pipeline.known import Planes
from fabric.pipeline.stacks import constants_of, model_of, stack_of
from fabric.traffic.demand import Demand, forwarded
from fabric.traffic.expert_shares import routing_of
from fabric.traffic.fold import fold
from fabric.traffic.ranks import Ranks
from fabric.traffic.routing import expected_domains

_CLOSE = 1e-9
"""Difference below which two shares are equal."""


def flagged(workload: Workload, result: WorkloadResult, setting: Setting, planes: Planes) -> list[Finding]:
    """Remarks about a workload that was timed on some planes."""
    if not result.terms:
        return []
    ranks = ranks_of(workload, setting.hosts, setting.request.seed, setting.request.workloads)
    said: dict[Severity, tuple[Iterator[str], ...]] = {
        "warning": (_no_groups(workload, planes), _forwarding(workload, ranks, setting, planes)),
        "info": (_small_messages(workload, result, setting, planes), _node_limit(workload, ranks, setting)),
    }
    return [
        Finding("workload-traffic", severity, workload.name, message)
        for severity, flags in said.items()
        for message in chain.from_iterable(flags)
    ]


def _has_groups(planes: Planes) -> bool:
    """Whether any plane is no tree."""
    return any(plane.network.position.size for plane in planes)


def _no_groups(workload: Workload, planes: Planes) -> Iterator[str]:
    """Longer ways asked for where there are none."""
    if workload.routing in {"valiant", "ugal"} and not _has_groups(planes):
        yield f"routing {workload.routing} goes over third groups, this fabric has none: all bytes go the shortest ways"


def _forwarding(workload: Workload, ranks: Ranks, setting: Setting, planes: Planes) -> Iterator[str]:
    """Low-latency kernels where the request, or the uplinks, count on data that moves to the receiver's rail first.

    They write to the receiver from their own adapter, whatever a library does for other traffic.
    """
    is_asked, room = setting.request.transport.rail_forwarding, _room(planes)
    if workload.pattern != MOE or workload.mode != "low_latency" or setting.hosts.rails == 1:
        return
    if _has_groups(planes) or (not is_asked and room + _CLOSE >= 1):
        return
    demand = phases_of(workload, setting)[0].demand
    try:
        direct, moved = (
            _crossing(each, workload, ranks, setting, planes) for each in (demand, forwarded(demand, ranks))
        )
    except InputError:
        return
    if direct <= moved + _CLOSE:
        return
    shares = f"{direct:.1%} of its bytes cross the spines, {moved:.1%} if they moved to the rail of the receiver first"
    if is_asked:
        yield f"low-latency kernels send from their own adapter, against rail_forwarding: {shares}, as timed"
    elif moved <= room + _CLOSE and room + _CLOSE < direct:
        yield f"uplinks hold {room:.1%} of what node ports do, enough for kernels that forward, not for these: {shares}"


def _crossing(demand: Demand, workload: Workload, ranks: Ranks, setting: Setting, planes: Planes) -> float:
    """Share of the bytes between domains that change leaves, in the plane where most do."""
    dealing = dealing_of(workload, setting.request, setting.system, setting.catalog)
    carriers = carriers_of(ranks, planes, [ports_of(ranks, setting.hosts, plane) for plane in planes], dealing)
    return max(each.crossing_share for each in fold(demand, ranks, carriers, dealing))


def _room(planes: Planes) -> float:
    """Rate of a leaf's uplinks over that of its node ports, where it is least."""
    least = np.inf
    for network in (plane.network for plane in planes):
        ports = np.bincount(network.endpoint_switch, network.endpoint_gbps, network.switch_count)
        links = np.bincount(network.link_a, network.link_gbps, network.switch_count)
        links += np.bincount(network.link_b, network.link_gbps, network.switch_count)
        least = min(least, float((links[ports > 0] / ports[ports > 0]).min(initial=np.inf)))
    return least


def _small_messages(workload: Workload, result: WorkloadResult, setting: Setting, planes: Planes) -> Iterator[str]:
    """Payloads so small that the rate of messages decides and not their bytes."""
    terms, (_, stack) = result.terms or {}, stack_of(workload, setting.request.fabric.part_layer, setting.catalog)
    for phase in phases_of(workload, setting):
        messages_us, bytes_us = (terms[f"{phase.name}_{key}_us"] or 0.0 for key in ("messages", "bytes"))
        if not phase.message_bytes or messages_us <= bytes_us + (terms[f"{phase.name}_skew_us"] or 0.0):
            continue
        constants = constants_of(phase.constants, stack, port_gbps_of(planes), setting.catalog)
        adapter = constants.bandwidth_gbyte_s * len(planes)
        least = 1000 * adapter / constants.message_rate_mops
        yield (
            f"{phase.name} messages of {phase.message_bytes:,.0f} bytes are below the {least:,.0f} at which"
            f" {adapter:.4g} GB/s and {constants.message_rate_mops:g} million messages a second of an adapter balance:"
            f" messages take {messages_us:,.1f} us, bytes {bytes_us:,.1f}, and fewer bytes save nothing"
        )


def _node_limit(workload: Workload, ranks: Ranks, setting: Setting) -> Iterator[str]:
    """A limit of groups that is none of nodes, for kernels that send one copy a node."""
    model = model_of(workload, setting.catalog)
    if workload.pattern != MOE or workload.mode != "normal" or model is None or model.groups_per_token == model.groups:
        return
    domains = -(-ranks.job_size // ranks.per_domain)
    reached = expected_domains(routing_of(model, workload.redundant_experts or 0), domains)
    if reached > model.groups_per_token + _CLOSE:
        yield (
            f"a limit of {model.groups_per_token} groups a token is none of {model.groups_per_token} nodes:"
            f" on {domains} scale-up domains {model.groups} groups let it reach {reached:.2f} on average"
        )
