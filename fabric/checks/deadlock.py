"""Buffers that cannot wait for each other in a circle."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error


@check("deadlock", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error where the buffer dependency graph has a cycle, or asks for more lanes than the switches have."""
    verdict = ctx.flow_result.deadlock
    if verdict is None:
        yield Gap("the flow model did not judge it")
        return
    if not verdict.free:
        hops = verdict.cycle or ()
        message = f"buffers wait in a circle: {', '.join(hops)}"
        yield error(
            hops[0].split(" ")[0] if hops else ctx.design.name, message, measured=len(hops), limit=0, unit="hops"
        )
    if verdict.lanes_available is None:
        if verdict.lanes_needed > 1:
            yield Gap(f"routing needs {verdict.lanes_needed} lossless lanes; how many the switches have is not known")
    elif verdict.lanes_needed > verdict.lanes_available:
        message = f"routing needs {verdict.lanes_needed} lanes, the switches have {verdict.lanes_available}"
        yield error(
            ctx.design.name, message, measured=verdict.lanes_needed, limit=verdict.lanes_available, unit="lanes"
        )
