"""Workloads whose ranks find no seats on the nodes of the design."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check


@check("workload-fit", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield what the flow model says of workloads that it cannot seat, with the arithmetic."""
    for finding in ctx.flow_result.findings:
        if finding.rule == "workload-fit":
            yield Remark(finding.severity, finding.where, finding.message)
