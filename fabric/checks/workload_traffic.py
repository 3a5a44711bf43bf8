"""Workloads that send otherwise than their request or their fabric takes for granted."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check


@check("workload-traffic", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield what the flow model says of routing, forwarding, message sizes and limits, with the arithmetic."""
    for finding in ctx.flow_result.findings:
        if finding.rule == "workload-traffic":
            yield Remark(finding.severity, finding.where, finding.message)
