"""Predicted times of the request's workloads on the port map of a design.

Ranks stand packed: rank r is accelerator r mod g of node r div g, and as many copies of the job run side by side as the
nodes hold, because that is the load a busy fabric sees. An accelerator's traffic is shared evenly by its ports and
planes; ranks that share a port add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np

from fabric.catalog.constants import Stack
from fabric.catalog.load import Catalog
from fabric.catalog.parts import System
from fabric.errors import Fault, InputError
from fabric.flow.latency import PhaseTime, StackConstants, phase_time
from fabric.flow.offered import Offered
from fabric.flow.spreading import Even, Hashed, Tables, Way, carry
from fabric.flow.tail import slowest_rank
from fabric.model.network import IntArray
from fabric.model.report import Bottleneck, WorkloadResult
from fabric.model.request import Request, Workload
from fabric.pipeline.networks import Plane
from fabric.traffic.leaf_pairs import LeafPairs, group_labels, remote_pairs
from fabric.traffic.moe import ExpertParallel, Mode, PhaseTraffic, all_to_all_phase, moe_phase
from fabric.traffic.payload import copy_bytes, payload_format
from fabric.traffic.routing import ExpertRouting
from fabric.units import bytes_per_us

MODES: Mapping[str, Mode] = {
    "low_latency": Mode.LOW_LATENCY,
    "normal": Mode.NODE_DEDUP,
    "rank_dedup": Mode.RANK_DEDUP,
}
"""Modes of a workload, as the traffic room names them."""

LOW_LATENCY_HEADER_BYTES = 16
"""Header of one low-latency message. Source: deepep-readme."""

HASHED = frozenset({"ecmp", "dlb"})
"""Ways to spread that keep a flow on one path."""

MODELLED = ("moe_all_to_all", "all_to_all")
"""Patterns that have a model."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What every workload of a design shares."""

    request: Request
    system: System
    catalog: Catalog
    balancing: str


@dataclass(frozen=True, slots=True)
class _Phase:
    """One phase as planned: its traffic per rank and the constants of its stack."""

    name: str
    traffic: PhaseTraffic
    constants: StackConstants


@dataclass(frozen=True, slots=True, eq=False)
class _Exchange:
    """Who talks with whom on one plane, the same in every phase: endpoints that take part (n,), and their pairs."""

    plane: Plane
    members: IntArray
    pairs: LeafPairs


def expert_parallel(workload: Workload, system: System) -> ExpertParallel:
    """The job's ranks in their scale-up domains.

    Raises:
        InputError: no accelerators to stand on, or more than one domain and not whole ones.
    """
    if not system.accelerators:
        raise InputError(Fault(f"{system.name} has no accelerators", key=f"workloads.{workload.name}"))
    ranks = workload.expert_parallel or workload.ranks or 1
    domain = system.scale_up_accelerators or system.accelerators
    if ranks > domain and ranks % domain:
        message = f"{ranks} ranks are not whole scale-up domains of {domain} accelerators"
        raise InputError(Fault(message, key=f"workloads.{workload.name}"))
    return ExpertParallel(ranks, min(ranks, domain))


def mode_of(workload: Workload) -> str:
    """What a stack must serve to carry a workload: its mode, or `plain` for a collective."""
    return workload.mode if workload.pattern == "moe_all_to_all" else "plain"


def stack_of(workload: Workload, setting: Setting) -> tuple[str, Stack]:
    """The stack named, else the one that the catalog recommends for the mode and the link layer.

    Raises:
        InputError: the catalog has none.
    """
    if workload.stack is not None:
        return workload.stack, setting.catalog.stacks[workload.stack]
    mode = mode_of(workload)
    for key, stack in sorted(setting.catalog.stacks.items()):
        if mode in stack.serves and setting.request.fabric.part_layer in stack.default_for:
            return key, stack
    message = f"the catalog recommends no stack for {mode} on {setting.request.fabric.part_layer}; name one"
    raise InputError(Fault(message, key=f"workloads.{workload.name}.stack"))


def predict(workload: Workload, setting: Setting, planes: tuple[Plane, ...]) -> WorkloadResult:
    """Times of one workload on the given planes (those of the design, or with an element down)."""
    parallel = expert_parallel(workload, setting.system)
    stack_key, stack = stack_of(workload, setting)
    exchanges = tuple(_exchange(workload, parallel, setting, plane, _rails(planes)) for plane in planes)
    times: list[tuple[_Phase, PhaseTime, str]] = []
    for phase in _phases(workload, parallel, setting.catalog, stack, port_gbps_of(planes)):
        timed = _time(phase, workload, parallel, setting, exchanges)
        if timed is None:
            nothing: dict[str, float | None] = {"p50": None, "p99": None, "p999": None}
            return WorkloadResult(workload.name, workload.pattern, nothing, None, None, {}, stack_key)
        times.append((phase, *timed))
    mean_us = sum(time.total_us for _, time, _ in times)
    sd_us = math.sqrt(sum((time.total_us * phase.constants.relative_sd) ** 2 for phase, time, _ in times))
    tail = slowest_rank(mean_us, sd_us, parallel.ranks)
    fullest = max(times, key=lambda item: item[1].links_us)
    sent_bytes = sum(phase.traffic.nic_bytes for phase, _, _ in times)
    return WorkloadResult(
        name=workload.name,
        pattern=workload.pattern,
        time_us={"p50": tail.p50_us, "p99": tail.p99_us, "p999": tail.p999_us},
        ideal_us=sent_bytes / _line_bytes_per_us(setting, planes),
        bottleneck=Bottleneck(fullest[2], fullest[1].links_us / fullest[1].total_us) if fullest[2] else None,
        parts={f"{phase.name}_us": _median_us(phase, time, parallel) for phase, time, _ in times},
        stack=stack_key,
        terms={f"{phase.name}_{key}": value for phase, time, _ in times for key, value in asdict(time).items()},
    )


def _median_us(phase: _Phase, time: PhaseTime, parallel: ExpertParallel) -> float:
    return slowest_rank(time.total_us, time.total_us * phase.constants.relative_sd, parallel.ranks).p50_us


def port_gbps_of(planes: tuple[Plane, ...]) -> float:
    """Rate of one node port [Gb/s]."""
    return float(planes[0].network.endpoint_gbps.max(initial=0.0))


def _line_bytes_per_us(setting: Setting, planes: tuple[Plane, ...]) -> float:
    """Line rate of one accelerator over all its ports and planes [byte/us]."""
    gbps = sum(float(plane.network.endpoint_gbps.max(initial=0.0)) for plane in planes)
    return bytes_per_us(gbps) * _rails(planes) / setting.system.accelerators


def _rails(planes: tuple[Plane, ...]) -> int:
    return int(max(int(plane.rail.max(initial=0)) for plane in planes)) + 1


def _phases(
    workload: Workload, parallel: ExpertParallel, catalog: Catalog, stack: Stack, port_gbps: float
) -> Iterator[_Phase]:
    if workload.pattern == "all_to_all":
        traffic = all_to_all_phase(parallel, float(workload.bytes_per_rank or 0))
        yield _Phase("all_to_all", traffic, constants_of("all_to_all", stack, port_gbps))
        return
    model = catalog.moe_models[workload.model or ""]
    routing = ExpertRouting(model.routed_experts, model.top_k, model.n_group or 1, model.topk_group or 1)
    mode = MODES[workload.mode]
    for name, dtype in (("dispatch", workload.dispatch_dtype), ("combine", workload.combine_dtype)):
        header = LOW_LATENCY_HEADER_BYTES if mode is Mode.LOW_LATENCY and name == "dispatch" else 0
        size_bytes = copy_bytes(model.dispatch_payload_dim, payload_format(_FORMATS.get(dtype, dtype)), header)
        traffic = moe_phase(mode, parallel, routing, workload.tokens_per_rank or 0, size_bytes)
        yield _Phase(name, traffic, constants_of(name, stack, port_gbps))


_FORMATS = {"fp4": "nvfp4"}
"""Words of a request for which the traffic room has a more exact one."""


def constants_of(phase: str, stack: Stack, port_gbps: float) -> StackConstants:
    """Constants of one phase; a stack with a single phase uses it for all.

    Bandwidth grows with the port's rate in proportion; beyond the rate measured that is a guess, and said so.
    """
    if stack.port_gbps is None or stack.message_rate_mops is None or stack.link_layer is None or stack.nic is None:
        raise InputError(f"{stack.name}: its constants hold inside one scale-up domain, not across a fabric")
    figures = {str(name): figure for name, figure in stack.phases.items()}
    figure = figures.get(phase) or next(iter(figures.values()))
    return StackConstants(
        name=f"{stack.name}, {phase}",
        alpha0_us=figure.alpha0_us,
        alpha1_us=figure.alpha1_us,
        bandwidth_gbyte_s=figure.bandwidth_gbyte_s * port_gbps / stack.port_gbps,
        message_rate_mops=stack.message_rate_mops,
        hop_ns=stack.hop_ns,
        fitted_hop_count=stack.fitted_hop_count,
        relative_sd=figure.relative_sd,
        min_ranks=stack.min_ranks,
        max_ranks=stack.max_ranks,
        link_layer=stack.link_layer,
        nic=stack.nic,
    )


def _time(
    phase: _Phase, workload: Workload, parallel: ExpertParallel, setting: Setting, exchanges: tuple[_Exchange, ...]
) -> tuple[PhaseTime, str] | None:
    """Time of a phase and its fullest link; None when two ranks have no path."""
    rails = _rails(tuple(exchange.plane for exchange in exchanges))
    share = setting.system.accelerators / rails
    links_us, link, hops = 0.0, "", 0.0
    for plane, members, pairs in ((each.plane, each.members, each.pairs) for each in exchanges):
        if not pairs.pairs.sum():
            continue
        pair_bytes = phase.traffic.pair_bytes * share * share / len(exchanges)
        sent = np.zeros(plane.network.endpoint_switch.size)
        sent[members] = pairs.peers * pair_bytes
        flows = pairs.pairs * (workload.queue_pairs or setting.request.transport.queue_pairs)
        offered = Offered((pairs.pairs * pair_bytes).astype(np.float64), sent, sent, flows)
        carried = carry(plane.network, plane.routes, offered, _way(setting, plane))
        if carried.load.unreachable.size:
            return None
        time_us = carried.quantile_us(0.5)
        hops = max(hops, carried.load.hops)
        if time_us > links_us:
            links_us, link = time_us, plane.link(carried.fullest)
    ports = rails * len(exchanges) / setting.system.accelerators
    time = phase_time(
        phase.constants,
        nodes=parallel.nodes,
        hops=1 + hops,
        nic_bytes=phase.traffic.nic_bytes / ports,
        messages=phase.traffic.message_count / ports,
        links_us=links_us,
    )
    return time, link


def _exchange(workload: Workload, parallel: ExpertParallel, setting: Setting, plane: Plane, rails: int) -> _Exchange:
    """Endpoints that take part, and who of them talks with whom: ranks packed, copies of the job side by side."""
    nodes_per_domain = max(1, (setting.system.scale_up_accelerators or 0) // setting.system.accelerators)
    nodes_per_job = max(1, math.ceil(parallel.ranks / setting.system.accelerators))
    nodes = int(plane.node[plane.rail >= 0].max(initial=-1)) + 1
    last = nodes // nodes_per_job * nodes_per_job or nodes
    members = np.flatnonzero((plane.rail >= 0) & (plane.node < last)).astype(np.int64)
    node = plane.node[members]
    job, domain = node // nodes_per_job, node // nodes_per_domain
    forwarding = MODES[workload.mode] is Mode.NODE_DEDUP or setting.request.transport.rail_forwarding
    index = node % nodes_per_domain * rails + plane.rail[members]
    group = group_labels(job, index) if forwarding else job
    pairs = remote_pairs(plane.network.endpoint_switch[members], group, domain, plane.network.edge_count)
    return _Exchange(plane, members, pairs)


def _way(setting: Setting, plane: Plane) -> Way:
    """How the switches of a plane spread packets; InfiniBand without adaptive routing has a table of destinations."""
    if setting.balancing not in HASHED:
        return Even()
    if setting.request.fabric.part_layer == "infiniband":
        return Tables(plane.forwarding)
    return Hashed(setting.request.samples, setting.request.seed)
