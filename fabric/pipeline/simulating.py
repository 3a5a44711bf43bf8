"""The flow model alone, on a design as it is or with elements down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fabric.catalog.load import Catalog
from fabric.checks import CheckContext, workload_limit
from fabric.checks._protocol import Remark
from fabric.errors import Fault, InputError
from fabric.io.request_check import strangers
from fabric.model.design import Design
from fabric.model.flow_result import FlowResult
from fabric.model.report import Finding, NotChecked, Throughput, WorkloadResult
from fabric.model.workload import Workload
from fabric.pipeline.balancing import LONGER
from fabric.pipeline.carrying import Setting
from fabric.pipeline.damage import damage
from fabric.pipeline.dumped_tables import TableUse, compared, cut, followed, with_tables
from fabric.pipeline.failure_judgement import change
from fabric.pipeline.failures import damaged
from fabric.pipeline.flow_judgement import judge_workload, moves_of, routed_planes, setting_of
from fabric.pipeline.known import Known
from fabric.pipeline.networks import Gone, Plane
from fabric.pipeline.shared_load import MEETING, Ports, SharedLoad
from fabric.pipeline.throughput import throughput
from fabric.pipeline.workloads import predict


@dataclass(frozen=True, slots=True)
class Damage:
    """What the elements named down change against the whole fabric, all of them together.

    Attributes:
        theta_change: of uniform all-to-all, as a share of the whole's: -0.125 is an eighth less.
        p99_change: of each workload's p99, likewise; None where it finds no path.
        worst_link: the fullest link under uniform traffic then; None where nothing runs.
        whole_worst_link: that of the whole fabric.
    """

    theta_change: float | None
    p99_change: Mapping[str, float | None]
    worst_link: str | None
    whole_worst_link: str | None


@dataclass(frozen=True, slots=True)
class Simulation:
    """What `fabric simulate` says: times of workloads and throughput, with the elements named down."""

    name: str
    failed: tuple[str, ...]
    throughput: Throughput
    workloads: tuple[WorkloadResult, ...]
    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    tables: tuple[TableUse, ...] = ()
    damage: Damage | None = None

    def as_dict(self) -> Mapping[str, Any]:
        """Its JSON form, named as in a report."""
        return asdict(self)


def simulate(
    design: Design,
    catalog: Catalog,
    *,
    workloads: Sequence[Workload] | None = None,
    failed: Sequence[str] = (),
    seed: int | None = None,
    samples: int | None = None,
    tables: Path | None = None,
) -> Simulation:
    """Times of workloads on the port map of a design; one that cannot be timed is judged, as in a report, beside them.

    Args:
        design: with a request, whose system, transport and quality of service hold.
        catalog: its parts.
        workloads: instead of those of the request.
        failed: elements that are down: links, devices, `DEVICE:CAGE`, or `plane N`.
        seed: of all draws, instead of the request's.
        samples: of every draw, instead of the request's.
        tables: dumps of forwarding tables that an InfiniBand fabric follows.

    Raises:
        ArtifactError: the tables cannot be read, do not fit the design or lead nowhere.
        InputError: no workload or no system, an element that the design does not have, or names of workloads
            beside each other that the list has not.
    """
    if design.request is None:
        raise InputError(Fault("the design has no request, so nothing says what its nodes are"))
    faults = [Fault(message, key="beside") for _, message in strangers(workloads or ())]
    if faults:
        raise InputError(*faults)
    changes = {key: value for key, value in (("seed", seed), ("samples", samples)) if value is not None}
    asked = tuple(design.request.workloads if workloads is None else workloads)
    design = replace(design, request=design.request.model_copy(update=changes | {"workloads": asked}))
    if not asked:
        raise InputError(Fault("the request of the design has no workloads; name a file with --workload"))
    planes, _ = routed_planes(design, catalog)
    setting = setting_of(design, catalog, planes)
    if setting is None:
        raise InputError(Fault("the nodes of the design name no system of the catalog"))
    down = damage(planes, failed)
    left = damaged(planes, down)
    if not left or any(len(plane.endpoints) < MEETING for plane in left):
        raise InputError(Fault("fewer than two endpoints are left in a plane"))
    if tables is not None:
        followed(asked)
        planes = with_tables(planes, left, design, catalog, tables)
        left = damaged(planes, down)
        setting = replace(setting, balancing="ecmp")
    known = Known(setting, left)
    judged = [judge_workload(workload, known, is_advised=True) for workload in asked]
    results = tuple(result for result, _, _ in judged if result is not None)
    return Simulation(
        name=design.name,
        failed=tuple(failed),
        throughput=_throughput(planes, down, setting),
        workloads=results,
        tables=tuple(compared(left)) if tables is not None else (),
        damage=_damage(planes, down, setting, results) if down and tables is None else None,
        findings=(
            *(cut(left) if tables is not None else ()),
            *(finding for _, findings, _ in judged for finding in findings),
            *_limits(design, catalog, results),
        ),
        not_checked=tuple(item for _, _, missing in judged for item in missing),
    )


def _damage(
    planes: tuple[Plane, ...], down: Mapping[int, Gone], setting: Setting, results: Sequence[WorkloadResult]
) -> Damage:
    """What is lost against the whole fabric, on which the same workloads are timed for it."""
    shared, known = SharedLoad(planes, Ports(planes), moves=moves_of(setting)), Known(setting, planes)
    left, whole = shared.without(down), shared.whole
    workloads = {each.name: each for each in setting.request.workloads}
    p99_us = {result.name: predict(workloads[result.name], setting, planes, known).time_us["p99"] for result in results}
    return Damage(
        theta_change=change(left.theta, whole.theta),
        p99_change={result.name: change(result.time_us["p99"], p99_us[result.name]) for result in results},
        worst_link=left.worst_link,
        whole_worst_link=whole.worst_link,
    )


def _throughput(planes: tuple[Plane, ...], down: Mapping[int, Gone], setting: Setting) -> Throughput:
    """Throughput of what is left, with uniform traffic moved between planes as their loss makes it.

    Under dumped tables nothing moves: each plane is loaded with its own uniform traffic.
    """
    left = throughput(damaged(planes, down), is_adaptive=setting.balancing in LONGER)
    if not down or len(planes) == 1 or planes[0].dumped is not None:
        return left
    shared = SharedLoad(planes, Ports(planes), moves=moves_of(setting))
    return replace(left, uniform_theta=shared.without(down).theta)


def _limits(design: Design, catalog: Catalog, results: tuple[WorkloadResult, ...]) -> Iterator[Finding]:
    """What breaks a limit of its workload or finds no path, as the report judges it."""
    flow = FlowResult(Throughput(None, None, {}), results, (), None)
    for remark in workload_limit.judge(CheckContext(design, catalog, flow)):
        if isinstance(remark, Remark):
            body = (remark.where, remark.message, remark.measured, remark.limit, remark.unit, remark.source)
            yield Finding("workload-limit", remark.severity, *body)
