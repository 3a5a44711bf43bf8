"""Fibres within the reach of the pluggables at their ends."""

from __future__ import annotations

from fabric.checks._cages import place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error


@check("reach", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per fibre that is longer than a pluggable at its end reaches on its grade, or too short for it.

    Copper and active optical cables reach as far as they are sold.
    """
    for sitting, seats in ctx.sittings.items():
        fibre, module = ctx.catalog.cables[sitting.part], ctx.catalog.transceivers.get(sitting.module or "")
        if module is None or fibre.medium != module.medium:
            continue
        reach_m = module.reach_m.get(fibre.fibre_grade) if fibre.fibre_grade is not None else None
        if reach_m is None:
            yield Gap(f"the reach of {sitting.module} on {fibre.fibre_grade or 'fibre without a grade'} is not known")
            continue
        for seat in seats:
            if fibre.length_m > reach_m or fibre.length_m < module.min_reach_m:
                limit_m = reach_m if fibre.length_m > reach_m else module.min_reach_m
                message = f"is {fibre.length_m:g} m of {fibre.fibre_grade}; {sitting.module} in {place(seat.cage)} "
                message += f"carries {module.min_reach_m:g} to {reach_m:g} m"
                yield error(
                    seat.cable.name,
                    message,
                    measured=fibre.length_m,
                    limit=limit_m,
                    unit="m",
                    source=module.sources[0],
                )
