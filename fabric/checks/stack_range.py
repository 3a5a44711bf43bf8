"""Software stacks used outside what their constants were fitted on."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check


@check("stack-range", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield what the flow model says about its own constants: only it knows how far it stretched them."""
    for finding in ctx.flow_result.findings:
        if finding.rule == "stack-range":
            yield Remark(finding.severity, finding.where, finding.message, source=finding.source)
