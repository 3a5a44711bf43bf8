"""Limits on the whole fabric that a design passes: by what is known of it, or by planning figures for the rest.

Search and judge ask here, so that a design which the one passes over is no silent pass of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabric.catalog.bill import Totals
from fabric.catalog.power import Draw
from fabric.model.request import Limits
from fabric.units import cents_to_usd, milliwatts_to_watts, usd_to_cents, watts_to_milliwatts


@dataclass(frozen=True, slots=True)
class Breach:
    """A limit that is passed, under its key; only what is known proves it (`is_proved`)."""

    key: str
    message: str
    measured: float
    limit: float
    unit: str
    is_proved: bool


def breaches(limits: Limits, money: Totals, drawn: Draw, numbers_count: int) -> Iterator[Breach]:
    """The limits that a design passes, given its sums and how many orderable numbers are bought.

    A part without a known figure counts at its planning figure, which is an estimate and proves nothing.
    """
    budget_usd, power_kw = limits.budget_usd, limits.power_kw
    if budget_usd is not None and max(money.known_cents, money.planning_cents) > usd_to_cents(budget_usd):
        yield _over_budget(budget_usd, money)
    if power_kw is not None and max(drawn.known_mw, drawn.planning_mw) > watts_to_milliwatts(1000 * power_kw):
        yield _over_power(power_kw, drawn)
    if limits.part_numbers is not None and numbers_count > limits.part_numbers:
        message = f"{numbers_count} orderable numbers are bought, at most {limits.part_numbers} are allowed"
        yield Breach("limits.part_numbers", message, numbers_count, limits.part_numbers, "parts", is_proved=True)


def _over_budget(budget_usd: float, money: Totals) -> Breach:
    known_usd, planning_usd = cents_to_usd(money.known_cents), cents_to_usd(money.planning_cents)
    is_proved = money.known_cents > usd_to_cents(budget_usd)
    rest = (
        f"{planning_usd:,.2f} planning USD, {known_share(money.known_cents, money.planning_cents)} of it known prices"
    )
    if is_proved:
        cost = f"what is priced costs {known_usd:,.2f} USD" + ("" if money.all_priced else f" (all together {rest})")
    else:
        cost = f"all together comes to {rest}"
    message = f"{cost}, the budget is {budget_usd:,.2f} USD"
    measured, unit = (known_usd, "USD") if is_proved else (planning_usd, "planning USD")
    return Breach("limits.budget_usd", message, measured, budget_usd, unit, is_proved)


def _over_power(power_kw: float, drawn: Draw) -> Breach:
    known_kw, planning_kw = (milliwatts_to_watts(each) / 1000 for each in (drawn.known_mw, drawn.planning_mw))
    is_proved = drawn.known_mw > watts_to_milliwatts(1000 * power_kw)
    rest = f"{planning_kw:,.6g} kW with planning watts, {known_share(drawn.known_mw, drawn.planning_mw)} of it known"
    if is_proved:
        draws = f"what is known draws {known_kw:,.6g} kW" + ("" if drawn.all_known else f" (all together {rest})")
    else:
        draws = f"all together draws {rest}"
    message = f"{draws}, the limit is {power_kw:,.15g} kW"
    return Breach("limits.power_kw", message, known_kw if is_proved else planning_kw, power_kw, "kW", is_proved)


def known_share(known: int, planning: int) -> str:
    """What part of a sum with planning figures is known, as percent; never rounded up to all of it."""
    return "100%" if known >= planning else f"{min(known / planning, 0.999):.1%}"
