"""Buffers that cannot wait for each other in a circle."""

from __future__ import annotations

from collections import Counter

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error, warning
from fabric.model.deadlock import Deadlock


@check("deadlock", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one finding where the buffer dependency graph has a circle, which it names hop by hop.

    An error where the switches have too few lanes, or the settings of InfiniBand ports; a warning where fewer
    priorities pause than routing needs, with the headroom that a further one takes: paused ports in a circle may
    deadlock and need not. Where the number that the switches have is not known, that is not checked.
    """
    verdict = ctx.flow_result.deadlock
    if verdict is None:
        yield Gap("the flow model did not judge it")
        return
    needed, have, are_set = verdict.lanes_needed, verdict.lanes_available, verdict.lanes_set
    if have is None and needed > 1:
        yield Gap(f"routing needs {needed} lossless lanes{_asked(verdict)}; how many the switches have is not known")
    if have is not None and needed > have:
        message = f"routing needs {needed} lanes{_asked(verdict)}, the switches have {have}{_circle(verdict)}"
        yield error(ctx.design.name, message, measured=needed, limit=have, unit="lanes")
    elif are_set is not None and needed > are_set:
        yield _unset(ctx, verdict, are_set)
    elif not verdict.free:
        hops = verdict.cycle or ()
        where = hops[0].split(" ")[0] if hops else ctx.design.name
        yield error(where, _circle(verdict).removeprefix(": "), measured=len(hops), limit=0, unit="hops")


def _asked(verdict: Deadlock) -> str:
    """What asks for more than the shortest ways."""
    return f" ({', '.join(verdict.longer_ways)})" if verdict.longer_ways else ""


def _circle(verdict: Deadlock) -> str:
    return f": buffers can wait in a circle: {', '.join(verdict.cycle)}" if verdict.cycle else ""


def _unset(ctx: CheckContext, verdict: Deadlock, are_set: int) -> Remark:
    """Lanes that the settings lack; each priority takes as much headroom as one that is set."""
    needed, further = verdict.lanes_needed, verdict.lanes_needed - are_set
    xoff_bytes: Counter[str] = Counter()
    for row in ctx.settings.lossless:
        xoff_bytes[row.device] += row.xoff or 0
    device, most_bytes = max(xoff_bytes.items(), key=lambda item: (item[1], item[0]))
    if not most_bytes:
        message = f"routing needs {needed} lanes{_asked(verdict)}, the settings use {are_set}{_circle(verdict)}"
        return error(ctx.design.name, message, measured=needed, limit=are_set, unit="lanes")
    message = (
        f"routing needs {needed} lossless priorities at once{_asked(verdict)}, {are_set} is set{_circle(verdict)}. Set "
        f"PFC for {further} more and let the switches move packets on to it where routing changes lanes "
        f"(family-support: whether theirs can); each takes {most_bytes // are_set:,} bytes of headroom again on "
        f"{device}, the switch with most. Or ask for fabric.family: fat_tree, whose routing needs one"
    )
    return warning(ctx.design.name, message, measured=are_set, limit=needed, unit="priorities")
