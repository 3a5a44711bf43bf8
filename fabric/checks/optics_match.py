"""Pluggables at both ends of a fibre that speak the same light."""

from __future__ import annotations

from functools import cache

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("optics-match", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per fibre between pluggables of different optics; unnamed optics agree by rate and lane rate."""

    @cache
    def light(part: str) -> str | None:
        module = ctx.catalog.transceivers.get(part)
        return None if module is None else module.optics or f"{module.rate_gbps}G on lanes of {module.lane_gbps}G"

    for name, seats in ctx.seats.items():
        if ctx.is_fibre(ctx.cable[name]):
            parts = dict.fromkeys(part for seat in seats if (part := ctx.modules.get(seat.cage)))
            lights = dict.fromkeys(text for part in parts if (text := light(part)))
            if len(lights) > 1:
                message = f"joins {' and '.join(parts)}, which send {' and '.join(lights)}"
                yield error(name, message, measured=len(lights), limit=1, unit="kinds of optics")
