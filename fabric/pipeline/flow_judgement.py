"""What the flow model says about a design: throughput, workloads, single failures, deadlock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fabric.catalog.load import Catalog
from fabric.errors import Fault, InputError
from fabric.model.deadlock import Deadlock
from fabric.model.design import Design
from fabric.model.flow_result import FlowResult
from fabric.model.report import Finding, NotChecked, Throughput, WorkloadResult
from fabric.model.request import COPPER
from fabric.model.workload import Workload
from fabric.pipeline.advice import advised
from fabric.pipeline.balancing import LONGER, balancing_of
from fabric.pipeline.carrying import Setting, phases_of
from fabric.pipeline.deadlock_judgement import judge_deadlock
from fabric.pipeline.dealing import balancer_of
from fabric.pipeline.elements import KINDS
from fabric.pipeline.failure_judgement import judge_failures, untried
from fabric.pipeline.jobs import hosts_of
from fabric.pipeline.known import Known
from fabric.pipeline.networks import TREE, Plane, planes_of
from fabric.pipeline.scale_up import unknown
from fabric.pipeline.shared_load import MEETING
from fabric.pipeline.stack_range import stretched
from fabric.pipeline.throughput import bounded_throughput, throughput
from fabric.pipeline.traffic_flags import flagged
from fabric.pipeline.workloads import predict
from fabric.traffic.planes import Balancing
from fabric.units import COPPER_NS_PER_M, FIBRE_NS_PER_M


def judge_flow(
    design: Design, catalog: Catalog, kinds: Sequence[str] = KINDS, *, is_advised: bool = False
) -> FlowResult:
    """Load, times and failures of the port map as cabled.

    Args:
        design: with as many of its parts as there are.
        catalog: its parts.
        kinds: of elements whose loss is judged.
        is_advised: also what limits each workload and what would help it, which costs a prediction each.
    """
    planes, deadlock = routed_planes(design, catalog)
    if not planes or any(len(plane.endpoints) < MEETING for plane in planes):
        alone = NotChecked("flow", "fewer than two endpoints in a plane")
        return FlowResult(Throughput(None, None, {}), (), (), deadlock, not_checked=(alone,))
    setting = setting_of(design, catalog, planes)
    workloads = design.request.workloads if design.request is not None else ()
    known = Known(setting, planes) if setting is not None else None
    judged = [judge_workload(workload, known, is_advised=is_advised) for workload in workloads]
    is_adaptive, keeps_reserve = balancing_of(design, catalog) in LONGER, _keeps_reserve(design)
    carried, unsolved = bounded_throughput(planes, is_adaptive=is_adaptive, keeps_reserve=keeps_reserve)
    results = tuple(result for result, _, _ in judged if result is not None)

    def timed(left: tuple[Plane, ...]) -> list[WorkloadResult | None]:
        without = Known(setting, left) if setting is not None else None
        return [_times(workload, without) for workload in workloads]

    moves = setting is None or moves_of(setting)
    found = judge_failures(planes, kinds, timed, [result for result, _, _ in judged], moves=moves)
    failures = tuple(sorted(found, key=lambda failure: round(failure.uniform_theta or 0.0, 9)))
    return FlowResult(
        throughput=carried,
        workloads=results,
        failures=failures,
        deadlock=deadlock,
        findings=tuple(finding for _, findings, _ in judged for finding in findings),
        not_checked=(
            *(item for _, _, missing in judged for item in missing),
            *unsolved,
            *untried(failures, are_timed=bool(results)),
        ),
    )


def judge_throughput(design: Design, catalog: Catalog) -> Throughput:
    """Throughput of the port map alone, as `judge_flow` gives it, but for the bounds."""
    planes, _ = routed_planes(design, catalog)
    if any(len(plane.endpoints) < MEETING for plane in planes):
        return Throughput(None, None, {})
    return throughput(planes, is_adaptive=balancing_of(design, catalog) in LONGER)


def _keeps_reserve(design: Design) -> bool:
    """Whether more than line rate is asked of links between switches, beside trees, whose leaves have a ratio."""
    asked = design.request.fabric.oversubscription if design.request is not None else 1.0
    return asked < 1 and design.topology.family != TREE


def routed_planes(design: Design, catalog: Catalog) -> tuple[tuple[Plane, ...], Deadlock]:
    """The planes, with as much of their routing as the switches have lanes for, and what was found about these."""
    planes = planes_of(design.topology)
    deadlock = judge_deadlock(planes, design, catalog)
    return _on_lanes(planes, deadlock), deadlock


def judge_workload(
    workload: Workload, known: Known | None, *, is_advised: bool
) -> tuple[WorkloadResult | None, list[Finding], list[NotChecked]]:
    """A workload's times with what is said of them, or why there are none: seats are a finding, constants a gap."""
    rule = f"workload-limit: {workload.name}"
    if known is None:
        return None, [], [NotChecked(rule, "the nodes name no system of the catalog")]
    setting, planes = known.setting, known.planes
    try:
        phases_of(workload, setting)
    except InputError as error:
        return None, [Finding("workload-fit", "error", workload.name, _said(error.faults[0], workload))], []
    try:
        result = predict(workload, setting, planes, known)
        if is_advised:
            result = advised(result, workload, known)
        findings = [*stretched(workload, setting, planes), *flagged(workload, result, setting, planes)]
        return result, findings, list(unknown(result))
    except InputError as error:
        return None, [], [NotChecked(rule, str(error))]


def _said(fault: Fault, workload: Workload) -> str:
    """Why a workload does not fit, with the name of the workload beside it whose fault it is."""
    return fault.message if fault.key == f"workloads.{workload.name}" else str(fault)


def _times(workload: Workload, known: Known | None) -> WorkloadResult | None:
    """A workload's times alone; None where there are none."""
    try:
        return predict(workload, known.setting, known.planes, known) if known is not None else None
    except InputError:
        return None


def first_p99_us(design: Design, catalog: Catalog) -> float | None:
    """p99 of the first workload [us]; None without one, or where it has no model or no path."""
    workloads = design.request.workloads if design.request is not None else ()
    planes = planes_of(design.topology)
    if not workloads or any(len(plane.endpoints) < MEETING for plane in planes):
        return None
    setting = setting_of(design, catalog, planes)
    result = _times(workloads[0], Known(setting, planes) if setting is not None else None)
    return result.time_us["p99"] if result is not None else None


def setting_of(design: Design, catalog: Catalog, planes: tuple[Plane, ...]) -> Setting | None:
    """What all workloads share; None when the nodes' system is not known."""
    nodes = design.topology.with_role("node")
    system = catalog.systems.get(nodes[0].part or "") if nodes else None
    if system is None or design.request is None:
        return None
    hosts = hosts_of([node.name for node in nodes], system, planes, design.request.spare_nodes)
    delay_ns, cable_m = _delays(design)
    return Setting(design.request, system, catalog, hosts, balancing_of(design, catalog), delay_ns, cable_m)


def moves_of(setting: Setting) -> bool:
    """Whether traffic leaves a plane in which it has no path."""
    return balancer_of(setting.request, setting.system, setting.catalog) is not Balancing.NONE


def _delays(design: Design) -> tuple[dict[str, float], dict[str, float]]:
    """Propagation along the cable of each link [ns] and its length [m], by name; nothing before cables are chosen."""
    if design.cabling is None:
        return {}, {}
    of_link, cables = design.cabling.cable_of, {cable.name: cable for cable in design.cabling.cables}
    own = {link: cables[name] for link, name in of_link.items() if name in cables}
    speed = {name: COPPER_NS_PER_M if cable.medium in COPPER else FIBRE_NS_PER_M for name, cable in cables.items()}
    delay_ns = {link: cable.length_m * speed[cable.name] for link, cable in own.items()}
    return delay_ns, {link: cable.length_m for link, cable in own.items()}


def _on_lanes(planes: tuple[Plane, ...], deadlock: Deadlock) -> tuple[Plane, ...]:
    """The planes without detours where the switches are known to have too few lanes for them."""
    wanted, have = deadlock.lanes_for_detours, deadlock.lanes_available
    if wanted is None or have is None or wanted <= have:
        return planes
    return tuple(replace(plane, detours=False) for plane in planes)
