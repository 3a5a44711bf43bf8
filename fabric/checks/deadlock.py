"""Buffers that cannot wait for each other in a circle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error, warning


@check("deadlock", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error where the buffer dependency graph has a cycle, or asks for more lanes than the switches have.

    A warning where fewer lossless priorities are set than the routing needs lanes, with what a further one takes.
    """
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
    yield from _unset_priorities(ctx, verdict.lanes_needed)


def _unset_priorities(ctx: CheckContext, lanes_needed: int) -> Iterator[Remark]:
    """Priorities that the settings lack; each takes as much headroom as the one that is set."""
    pausing = [row for row in ctx.settings.lossless if row.xoff is not None] if ctx.design.settings is not None else []
    priorities = {row.priority for row in pausing}
    if not pausing or lanes_needed <= len(priorities):
        return
    xoff_bytes: Counter[str] = Counter()
    for row in pausing:
        xoff_bytes[row.device] += row.xoff or 0
    device, most_bytes = max(xoff_bytes.items(), key=lambda item: (item[1], item[0]))
    further = lanes_needed - len(priorities)
    message = (
        f"routing needs {lanes_needed} lossless priorities at once, {len(priorities)} is set: buffers may come to wait "
        f"in a circle. Set PFC for {further} more and let the switches move packets on to it where routing changes "
        f"lanes (family-support: whether theirs can); each takes {most_bytes // len(priorities):,} bytes of headroom "
        f"again on {device}, the switch with most. Or ask for fabric.family: fat_tree, whose routing needs one"
    )
    yield warning(ctx.design.name, message, measured=len(priorities), limit=lanes_needed, unit="priorities")
