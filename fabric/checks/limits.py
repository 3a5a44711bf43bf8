"""Upper limits of the request on the whole fabric."""

from __future__ import annotations

from fabric.catalog.bill import bill, totals
from fabric.catalog.power import power
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error
from fabric.units import cents_to_usd


@check("limits", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per limit that is passed by what is known; what is not known puts it under not checked."""
    limits = ctx.request.limits
    lines = bill(ctx.design, ctx.catalog)
    if limits.budget_usd is not None:
        known_usd = cents_to_usd(totals(lines).known_cents)
        if known_usd > limits.budget_usd:
            message = f"what is priced costs {known_usd:,.2f} USD, the budget is {limits.budget_usd:,.2f} USD"
            yield error("limits.budget_usd", message, measured=known_usd, limit=limits.budget_usd, unit="USD")
        elif not totals(lines).all_priced:
            yield Gap("budget_usd: some parts have no known price")
    if limits.power_kw is not None:
        drawn = power(ctx.design, ctx.catalog)
        if drawn.total > 1000 * limits.power_kw:
            message = (
                f"switches and what is plugged draw {drawn.total / 1000:.6g} kW, the limit is {limits.power_kw:g} kW"
            )
            yield error("limits.power_kw", message, measured=drawn.total / 1000, limit=limits.power_kw, unit="kW")
        elif drawn.known_share < 1:
            yield Gap("power_kw: the power of some parts is not known")
    if limits.part_numbers is not None and len(lines) > limits.part_numbers:
        message = f"{len(lines)} orderable numbers are bought, at most {limits.part_numbers} are allowed"
        yield error("limits.part_numbers", message, measured=len(lines), limit=limits.part_numbers, unit="parts")
