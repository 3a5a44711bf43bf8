"""What is left with one element down, and the limits that must still hold."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import PERCENTILES, Remark, Verdict, check, error, info
from fabric.model.report import Failure
from fabric.model.request import Survive

_ASKED_BY = {"link": "links", "core": "switches", "spine": "switches", "leaf": "switches", "router": "switches"}
"""Key of `survive` that asks for the loss of each kind of element; others are only told."""


def kinds_asked(survive: Survive) -> tuple[str, ...]:
    """Kinds of elements whose loss a request wants survived."""
    return tuple(kind for kind, key in _ASKED_BY.items() if getattr(survive, key) > 0)


@check("survival", "request", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error per asked loss after which endpoints are apart or a limit breaks; tell what else leaves."""
    wanted = kinds_asked(ctx.request.survive)
    told: set[str] = set()
    for failure in ctx.flow_result.failures:
        where = failure.element if failure.kind == "plane" else failure.element.partition(" ")[2]
        asked = failure.kind in wanted
        lost = f"without this {failure.kind.replace('_', ' ')}{_and_others(failure)}"
        if asked and not failure.uniform_theta:
            yield error(where, f"{lost} some endpoints have no path", measured=0, limit=1, unit="paths")
        elif asked and (broken := list(_broken(ctx, failure, lost, where))):
            yield from broken
        elif failure.kind not in told:
            yield _left(failure, f"{lost}, the worst of its kind,", where)
        told.add(failure.kind)


def _and_others(failure: Failure) -> str:
    """How many more the same is said of."""
    more = failure.count - 1
    return "" if not more else f" or any of {more:,} like it" if more > 1 else " or one like it"


def _left(failure: Failure, lost: str, where: str) -> Remark:
    """What the worst element of a kind leaves, where nothing asks that it be survived or all limits hold."""
    if not failure.uniform_theta:
        return info(where, f"{lost} some endpoints have no path", measured=0, limit=1, unit="paths")
    message = f"{lost} uniform traffic of all others runs at {failure.uniform_theta:.1%} of line rate"
    return info(where, message, measured=failure.uniform_theta, unit="of line rate")


def _broken(ctx: CheckContext, failure: Failure, lost: str, where: str) -> Verdict:
    """Limits of workloads that hold on the whole fabric and not without the element."""
    for workload in ctx.request.workloads:
        times = failure.workloads.get(workload.name, {})
        for percentile in PERCENTILES:
            limit_us, time_us = getattr(workload.limit_us, percentile), times.get(percentile)
            if limit_us is not None and time_us is not None and time_us > limit_us:
                message = f"{lost} {workload.name} takes {time_us:.6g} us at {percentile}"
                yield error(where, message, measured=time_us, limit=limit_us, unit="us")
