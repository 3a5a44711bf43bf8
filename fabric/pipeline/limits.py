"""Limits that no design can hold, with the proof; a limit that only the design found breaks is for the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.model.request import Limits, Request
from fabric.model.shape import Shape
from fabric.units import cents_to_usd


def refuse_switches(shapes: Sequence[Shape], limits: Limits, catalog: Catalog) -> None:
    """Refuse shapes when the switches alone of each, by what is known of them, pass a limit.

    Raises:
        InfeasibleError: with the least sum that the shapes need.
    """
    conflict = []
    if limits.budget_usd is not None:
        usd, named = _least(shapes, {key: part.price_usd for key, part in catalog.switches.items()})
        if usd > limits.budget_usd:
            why = f"the least switches, {named}, cost {usd:,.2f} USD"
            conflict.append(Conflict("limits.budget_usd", f"{limits.budget_usd:,.15g} USD", why))
    if limits.power_kw is not None:
        watts, named = _least(shapes, {key: part.max_w for key, part in catalog.switches.items()})
        if watts > 1000 * limits.power_kw:
            why = f"the least switches, {named}, draw {watts / 1000:.6g} kW"
            conflict.append(Conflict("limits.power_kw", f"{limits.power_kw:,.15g} kW", why))
    if conflict:
        raise InfeasibleError(conflict=tuple(conflict))


def refuse_budget(bound_cents: int, request: Request, catalog: Catalog) -> None:
    """Refuse a budget below the proved bound on capex; without a price for every part the bound proves nothing.

    Nor does it where a workload has a limit: shapes too slow for that are not bounded, and may be within the budget.

    Raises:
        InfeasibleError: with the bound.
    """
    budget_usd = request.limits.budget_usd
    bound_usd = cents_to_usd(bound_cents)
    is_timed = any(workload.limit_us.model_fields_set for workload in request.workloads)
    if budget_usd is None or is_timed or request.objective[0] != "capex" or bound_usd <= budget_usd:
        return
    sold = (part for parts in (catalog.switches, catalog.cables, catalog.transceivers) for part in parts.values())
    if all(part.price_usd is not None for part in sold if part.can_be_bought):
        why = f"switches, cables and pluggables cost at least {bound_usd:,.2f} USD, whatever the shape"
        raise InfeasibleError(conflict=(Conflict("limits.budget_usd", f"{budget_usd:,.15g} USD", why),))


def _least(shapes: Sequence[Shape], figures: Mapping[str, float | None]) -> tuple[float, str]:
    """Least sum of a figure over the switches of a shape, what is not known counted as 0, and those switches."""
    sums = []
    for shape in shapes:
        counts: Counter[str] = Counter()
        for tier in shape.tiers:
            counts[tier.part] += tier.count
        total = sum(count * (figures[part] or 0.0) for part, count in counts.items())
        sums.append((total, " + ".join(f"{count} {part}" for part, count in counts.items())))
    return min(sums)
