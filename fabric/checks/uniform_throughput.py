"""Uniform traffic against the throughput asked, for families that have no oversubscription of a leaf."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error
from fabric.model.report import SWITCH_LINKS

UNIFORM_FLOOR = 0.995
"""Share of line rate, over the oversubscription asked, at which uniform all-to-all must run."""

ROUNDING = 1e-9
"""Tolerance of a ratio of whole rates."""


@check("uniform-throughput", "request", "flow")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error where θ of uniform all-to-all is below 0.995 / `oversubscription`, except on trees.

    Where the routing does not fit the links, or switches have no place, other rules say so (`family`, `global-spread`,
    `torus-grid`), and this one nothing.

    Below a ratio of 1 the links between switches keep a reserve, which those of the nodes cannot fill.
    """
    if ctx.is_tree or ctx.is_routed_otherwise or ctx.homeless_routers:
        return
    flow, least = ctx.flow_result.throughput, UNIFORM_FLOOR / ctx.request.fabric.oversubscription
    is_reserve = SWITCH_LINKS in flow.bounds
    theta = flow.bounds[SWITCH_LINKS] if is_reserve else flow.uniform_theta
    if theta is None:
        yield Gap("the flow model gives no uniform throughput")
        return
    if theta < least - ROUNDING:
        what = "links between switches carry uniform all-to-all" if is_reserve else "uniform all-to-all runs"
        message = f"{what} at {theta:.1%} of line rate where {least:.1%} is asked"
        yield error(ctx.design.name, message, measured=theta, limit=least, unit="of line rate")
