"""Whether tables are still those that the proof in `design.yaml` is about."""

from __future__ import annotations

from fabric.catalog.scale import goals_of, value_of
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, warning
from fabric.units import amount


@check("proof", "request", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield a warning where tables and catalog come to another value than the one that was proved."""
    origin = ctx.design.provenance
    if origin is None or origin.optimality is None:
        return
    proof, goal = origin.optimality, goals_of(ctx.request)[0]
    value = value_of(goal, ctx.money, ctx.drawn, ctx.request.cost)
    if value != proof.objective:
        found, proved = amount(value, proof.unit), amount(proof.objective, proof.unit)
        message = (
            f"tables and catalog come to {found:,} by {goal}; the proof is about {proved:,} and says nothing of them"
        )
        yield warning("design.yaml", message, measured=found, limit=proved, unit=proof.unit)
