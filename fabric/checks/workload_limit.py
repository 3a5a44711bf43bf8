"""Predicted times of workloads against their limits."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import PERCENTILES, Verdict, check, error


@check("workload-limit", "request", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per percentile over its limit, and per workload some of whose endpoints have no path.

    A workload without a result is one that the flow model says it cannot judge.
    """
    results = {result.name: result for result in ctx.flow_result.workloads}
    for workload in ctx.request.workloads:
        result = results.get(workload.name)
        if result is None:
            continue
        if all(time is None for time in result.time_us.values()):
            yield error(workload.name, "some of its endpoints have no path to each other", measured="no path")
            continue
        for percentile in PERCENTILES:
            limit_us, time_us = getattr(workload.limit_us, percentile), result.time_us.get(percentile)
            if limit_us is not None and time_us is not None and time_us > limit_us:
                message = f"takes {time_us:.6g} us at {percentile}, the limit is {limit_us:g} us"
                yield error(workload.name, message, measured=time_us, limit=limit_us, unit="us", source=result.stack)
