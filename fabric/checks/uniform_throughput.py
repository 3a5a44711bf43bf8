"""Uniform traffic against the throughput asked, for families that have no oversubscription of a leaf."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error

UNIFORM_FLOOR = 0.995
"""Share of line rate, over the oversubscription asked, at which uniform all-to-all must run."""

ROUNDING = 1e-9
"""Tolerance of a ratio of whole rates."""


@check("uniform-throughput", "request", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error where θ of uniform all-to-all is below 0.995 / `oversubscription`, except on trees."""
    if ctx.is_tree:
        return
    theta = ctx.flow_result.throughput.uniform_theta
    if theta is None:
        yield Gap("the flow model gives no uniform throughput")
        return
    least = UNIFORM_FLOOR / ctx.request.fabric.oversubscription
    if theta < least - ROUNDING:
        message = f"uniform all-to-all runs at {theta:.1%} of line rate where {least:.1%} is asked"
        yield error(ctx.design.name, message, measured=theta, limit=least, unit="of line rate")
