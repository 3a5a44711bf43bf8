"""What is left with one element down, and the limits that must still hold."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import PERCENTILES, Verdict, check, error, info
from fabric.model.report import Failure
from fabric.model.request import Survive

_ASKED_BY = {"link": "links", "core": "switches", "spine": "switches", "leaf": "switches", "router": "switches"}
"""Key of `survive` that asks for the loss of each kind of element; a lost cage is only told."""


def kinds_asked(survive: Survive) -> tuple[str, ...]:
    """Kinds of elements whose loss a request wants survived."""
    return tuple(kind for kind, key in _ASKED_BY.items() if getattr(survive, key) > 0)


@check("survival", "request", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error per asked loss after which endpoints are apart or a limit breaks; tell what else leaves."""
    wanted = kinds_asked(ctx.request.survive)
    for failure in ctx.flow_result.failures:
        kind, _, where = failure.element.partition(" ")
        asked = kind in wanted
        if not failure.uniform_theta:
            say = error if asked else info
            yield say(where, f"without this {kind} some endpoints have no path", measured=0, limit=1, unit="paths")
            continue
        broken = list(_broken(ctx, failure, kind, where)) if asked else []
        yield from broken
        if not broken:
            message = f"without this {kind}, the worst of its kind, uniform traffic of all others runs at "
            message += f"{failure.uniform_theta:.1%} of line rate"
            yield info(where, message, measured=failure.uniform_theta, unit="of line rate")


def _broken(ctx: CheckContext, failure: Failure, kind: str, where: str) -> Verdict:
    """Limits of workloads that hold on the whole fabric and not without the element."""
    for workload in ctx.request.workloads:
        times = failure.workloads.get(workload.name, {})
        for percentile in PERCENTILES:
            limit_us, time_us = getattr(workload.limit_us, percentile), times.get(percentile)
            if limit_us is not None and time_us is not None and time_us > limit_us:
                message = f"without this {kind} {workload.name} takes {time_us:.6g} us at {percentile}"
                yield error(where, message, measured=time_us, limit=limit_us, unit="us")
