"""What is left with one element down, and the limits that must still hold."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error, info

_ASKED_BY = {"link": "links", "spine": "switches", "leaf": "switches"}
"""Key of `survive` that asks for the loss of each kind of element; a lost cage is only told."""


@check("survival", "request", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error per asked loss after which endpoints are apart or a limit breaks; tell what else leaves."""
    limits_us = {each.limit_us.p99 for each in ctx.request.workloads if each.limit_us.p99 is not None}
    for failure in ctx.flow_result.failures:
        kind, _, where = failure.element.partition(" ")
        key = _ASKED_BY.get(kind)
        asked = key is not None and getattr(ctx.request.survive, key) > 0
        if not failure.uniform_theta:
            say = error if asked else info
            yield say(where, f"without this {kind} some endpoints have no path", measured=0, limit=1, unit="paths")
        elif asked and limits_us and failure.p99_us is not None and failure.p99_us > max(limits_us):
            message = f"without this {kind} a workload takes {failure.p99_us:.6g} us at p99"
            yield error(where, message, measured=failure.p99_us, limit=max(limits_us), unit="us")
        else:
            message = f"without this {kind}, the worst of its kind, uniform traffic of all others runs at "
            message += f"{failure.uniform_theta:.1%} of line rate"
            yield info(where, message, measured=failure.uniform_theta, unit="of line rate")
    if len(limits_us) > 1:
        yield Gap("workloads have different p99 limits; times after a loss are held to the largest alone")
