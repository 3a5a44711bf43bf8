"""Cables as long as their routes."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks.sold_length import ROUNDING_M


@check("cable-length", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per cable that is shorter than its own route."""
    for cable in ctx.cabling.cables:
        if cable.length_m < cable.route_m - ROUNDING_M:
            message = f"is {cable.length_m:g} m long on a route of {cable.route_m:g} m with slack"
            yield error(cable.name, message, measured=cable.length_m, limit=cable.route_m, unit="m")
