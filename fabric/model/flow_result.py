"""What the flow and deadlock models say about a design, on their way into a report."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.model.deadlock import Deadlock
from fabric.model.report import Failure, Finding, NotChecked, Throughput, WorkloadResult


@dataclass(frozen=True, slots=True)
class FlowResult:
    """Throughput, workloads and single failures of the port map, and whether its buffers can wait in a circle.

    `findings` and `not_checked` are what the models say about their own limits.
    """

    throughput: Throughput
    workloads: tuple[WorkloadResult, ...]
    failures: tuple[Failure, ...]
    deadlock: Deadlock | None
    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
