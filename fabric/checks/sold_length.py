"""Lengths, families and media of cables as their parts are sold."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error

ROUNDING_M = 1e-6
"""Tolerance of a length written with 9 digits [m]."""


@check("sold-length", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per cable whose length, family or medium is not that of its orderable number."""
    for cable in ctx.cabling.cables:
        part = ctx.catalog.cables.get(cable.part)
        if part is None:
            continue
        if abs(cable.length_m - part.length_m) > ROUNDING_M:
            message = f"is {cable.length_m:g} m long; {cable.part} is sold with {part.length_m:g} m"
            yield error(
                cable.name, message, measured=cable.length_m, limit=part.length_m, unit="m", source=part.sources[0]
            )
        family = part.family or cable.part
        if cable.family != family:
            message = f"{cable.part} is of family {family}"
            yield error(cable.name, message, measured=cable.family, limit=family, source=part.sources[0])
        if cable.medium != part.medium:
            message = f"{cable.part} is {part.medium}"
            yield error(cable.name, message, measured=cable.medium, limit=part.medium, source=part.sources[0])
