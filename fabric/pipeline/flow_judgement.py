"""What the flow model says about a design: throughput, workloads, single failures, deadlock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from fabric.catalog.constants import Stack
from fabric.catalog.load import Catalog
from fabric.errors import InputError
from fabric.flow.hashing import is_leaf_spine
from fabric.flow.latency import outside_fit
from fabric.flow.permutation import worst_permutation
from fabric.flow.throughput import uniform_throughput
from fabric.lossless.buffer_dependency import judge
from fabric.model.design import Design
from fabric.model.flow_result import FlowResult
from fabric.model.report import Deadlock, Finding, NotChecked, Throughput, WorkloadResult
from fabric.model.request import Workload
from fabric.pipeline.elements import KINDS
from fabric.pipeline.failure_judgement import judge_failures, untried
from fabric.pipeline.networks import Plane, planes_of
from fabric.pipeline.settings import credit_chip_of
from fabric.pipeline.shared_load import MEETING
from fabric.pipeline.workloads import HASHED, MODELLED, Setting, constants_of, mode_of, port_gbps_of, predict, stack_of

ADAPTIVE = frozenset({"spray", "adaptive"})
"""Ways to spread that leave a full way for a longer one, where the family has any."""

BALANCINGS = ("spray", "adaptive", "dlb", "ecmp")
"""Ways to spread packets, best first."""


def judge_flow(design: Design, catalog: Catalog, kinds: Sequence[str] = KINDS) -> FlowResult:
    """Load, times and failures of the port map as cabled, the latter of elements of these `kinds`."""
    planes, deadlock = _planes(design, catalog)
    if not planes or any(len(plane.endpoints) < MEETING for plane in planes):
        alone = NotChecked("flow", "fewer than two endpoints in a plane")
        return FlowResult(Throughput(None, None, {}), (), (), deadlock, not_checked=(alone,))
    setting = _setting(design, catalog)
    workloads = design.request.workloads if design.request is not None else ()
    judged = [_workload(workload, setting, planes) for workload in workloads]
    results = tuple(result for result, _, _ in judged if result is not None)

    def timed(left: tuple[Plane, ...]) -> list[WorkloadResult | None]:
        return [_workload(workload, setting, left)[0] for workload in workloads]

    failures = tuple(judge_failures(planes, kinds, timed, [result for result, _, _ in judged]))
    return FlowResult(
        throughput=_throughput(planes, balancing_of(design, catalog)),
        workloads=results,
        failures=failures,
        deadlock=deadlock,
        findings=tuple(finding for _, findings, _ in judged for finding in findings),
        not_checked=(
            *(item for _, _, missing in judged for item in missing),
            *_unhashed(setting, planes),
            *untried(failures, are_timed=bool(results)),
        ),
    )


def judge_throughput(design: Design, catalog: Catalog) -> Throughput:
    """Throughput of the port map alone, as `judge_flow` gives it."""
    planes, _ = _planes(design, catalog)
    if any(len(plane.endpoints) < MEETING for plane in planes):
        return Throughput(None, None, {})
    return _throughput(planes, balancing_of(design, catalog))


def _planes(design: Design, catalog: Catalog) -> tuple[tuple[Plane, ...], Deadlock]:
    """The planes, with as much of their routing as the switches have lanes for, and what was found about these."""
    planes = planes_of(design.topology)
    deadlock = _deadlock(planes, _lanes_available(design, catalog))
    return _on_lanes(planes, deadlock), deadlock


def _throughput(planes: tuple[Plane, ...], balancing: str) -> Throughput:
    return Throughput(
        uniform_theta=_theta(planes),
        worst_permutation_theta=_worst_theta(planes, balancing),
        bounds={"host_links": 1.0, "uplinks": _uplink_bound(planes)},
    )


def _unhashed(setting: Setting | None, planes: tuple[Plane, ...]) -> Iterator[NotChecked]:
    """What hashing does to flows where it is used and not modelled."""
    is_hashed = setting is not None and setting.balancing in HASHED
    if is_hashed and not all(is_leaf_spine(plane.network) for plane in planes):
        why = "collisions of hashed flows are modelled for two tiers; here traffic is taken as spread evenly"
        yield NotChecked("hash-collisions", why)


def _workload(
    workload: Workload, setting: Setting | None, planes: tuple[Plane, ...]
) -> tuple[WorkloadResult | None, list[Finding], list[NotChecked]]:
    """A workload's times, or why there are none."""
    rule = f"workload-limit: {workload.name}"
    if setting is None:
        return None, [], [NotChecked(rule, "the nodes name no system of the catalog")]
    if workload.pattern not in MODELLED:
        return None, [], [NotChecked(rule, f"pattern {workload.pattern} has no model yet")]
    try:
        return predict(workload, setting, planes), _stretched(workload, setting, planes), []
    except InputError as error:
        return None, [], [NotChecked(rule, str(error))]


def first_p99_us(design: Design, catalog: Catalog) -> float | None:
    """p99 of the first workload [us]; None without one, or where it has no model or no path."""
    workloads = design.request.workloads if design.request is not None else ()
    planes = planes_of(design.topology)
    if not workloads or any(len(plane.endpoints) < MEETING for plane in planes):
        return None
    result, _, _ = _workload(workloads[0], _setting(design, catalog), planes)
    return result.time_us["p99"] if result is not None else None


def _setting(design: Design, catalog: Catalog) -> Setting | None:
    """What all workloads share; None when the nodes' system is not known."""
    nodes = design.topology.with_role("node")
    system = catalog.systems.get(nodes[0].part or "") if nodes else None
    if system is None or design.request is None:
        return None
    return Setting(design.request, system, catalog, balancing_of(design, catalog))


def balancing_of(design: Design, catalog: Catalog) -> str:
    """How packets are spread: as the request says, else the best way that every switch has."""
    asked = design.request.transport.load_balancing if design.request is not None else "auto"
    if asked != "auto":
        return asked
    parts = {device.part or "" for device in design.topology.devices if device.is_switch}
    known = [set(catalog.switches[part].load_balancing) for part in parts if part in catalog.switches]
    shared = set.intersection(*known) if known else set()
    return next((way for way in BALANCINGS if way in shared), "ecmp")


def _stretched(workload: Workload, setting: Setting, planes: tuple[Plane, ...]) -> list[Finding]:
    """One warning when the stack's constants are used outside what they were fitted on."""
    key, stack = stack_of(workload, setting)
    gbps = port_gbps_of(planes)
    ranks = workload.expert_parallel or workload.ranks or 1
    layer, nic = setting.request.fabric.part_layer, setting.system.nic or "unknown"
    reasons = [*outside_fit(constants_of("", stack, gbps), ranks, layer, nic), *_unmeasured(workload, stack)]
    if gbps != stack.port_gbps:
        reasons.append(f"{gbps:g}G ports where {stack.port_gbps}G were measured, bandwidth taken in proportion")
    if not reasons:
        return []
    message = f"stack {key} is used outside what it was fitted on: {'; '.join(reasons)}"
    return [Finding("stack-range", "warning", workload.name, message, source=", ".join(stack.sources))]


def _unmeasured(workload: Workload, stack: Stack) -> Iterator[str]:
    """Mode and tokens of a workload that its stack was not measured with."""
    mode = mode_of(workload)
    if mode not in stack.serves:
        yield f"mode {mode} where {' and '.join(stack.serves)} was measured"
    tokens, least, most = workload.tokens_per_rank, stack.min_tokens_per_rank, stack.max_tokens_per_rank
    if mode != "plain" and tokens and least and most and not least <= tokens <= most:
        yield f"{tokens} tokens a rank where {least} to {most} were measured"


def _theta(planes: tuple[Plane, ...]) -> float:
    return min(uniform_throughput(plane.network, plane.routes).theta for plane in planes)


def _worst_theta(planes: tuple[Plane, ...], balancing: str) -> float | None:
    """Throughput of the worst permutation tried; None in one tier, where every permutation stays in a switch."""
    found = [
        worst_permutation(plane.network, plane.routes, is_adaptive=balancing in ADAPTIVE).theta
        for plane in planes
        if len(set(plane.network.endpoint_switch.tolist())) > 1
    ]
    return min(found, default=None)


def _uplink_bound(planes: tuple[Plane, ...]) -> float:
    """Least, over leaves or routers, of switch link rate over what uniform traffic sends out: a bound on theta."""
    bounds = [1.0]
    for network in (plane.network for plane in planes):
        endpoints = network.endpoint_switch.size
        here = np.bincount(network.endpoint_switch, minlength=network.edge_count)
        out_gbps = network.per_edge(network.endpoint_gbps) * (endpoints - here) / (endpoints - 1)
        have_gbps = np.bincount(network.arc_from, np.tile(network.pipes.gbps, 2), network.switch_count)
        loaded = out_gbps > 0
        bounds.append(float((have_gbps[: network.edge_count][loaded] / out_gbps[loaded]).min(initial=1.0)))
    return min(bounds)


def _lanes_available(design: Design, catalog: Catalog) -> int | None:
    """Data lanes that every switch has, None where one's number is not known."""
    parts = {device.part or "" for device in design.topology.devices if device.is_switch}
    lanes: list[int | None] = []
    for key in sorted(parts):
        switch = catalog.switches.get(key)
        if switch is None:
            lanes.append(None)
        elif switch.link_layer == "infiniband":
            lanes.append(switch.data_virtual_lanes or credit_chip_of(key, catalog).data_vls_count)
        else:
            lanes.append(switch.lossless_priorities)
    known = [count for count in lanes if count is not None]
    return min(known) if known and len(known) == len(lanes) else None


def _deadlock(planes: tuple[Plane, ...], lanes_available: int | None) -> Deadlock:
    """Whether routing can make buffers wait in a circle; planes share no switch, so each is judged alone."""
    lanes_needed, for_detours, found = 1, None, None
    for plane in planes:
        verdict = judge(plane.network, plane.routes[:1], lanes_available)
        lanes_needed = max(lanes_needed, verdict.lanes_needed)
        if len(plane.routes) > 1:
            for_detours = max(for_detours or 1, judge(plane.network, plane.routes).lanes_needed)
        if found is None and not verdict.free:
            names = [device.name for device in plane.switches]
            found = tuple(f"{names[hop.source]} > {names[hop.target]}" for hop in verdict.cycle or ())
    return Deadlock(found is None, lanes_needed, lanes_available, found, for_detours)


def _on_lanes(planes: tuple[Plane, ...], deadlock: Deadlock) -> tuple[Plane, ...]:
    """The planes without detours where the switches are known to have too few lanes for them."""
    wanted, have = deadlock.lanes_for_detours, deadlock.lanes_available
    if wanted is None or have is None or wanted <= have:
        return planes
    return tuple(replace(plane, detours=False) for plane in planes)
