"""Limits passed by what is known, by planning figures, and by neither, to the cent and the milliwatt."""

from __future__ import annotations

import pytest

from fabric.catalog.bill import Totals
from fabric.catalog.breach import breaches, known_share
from fabric.catalog.power import Draw
from fabric.model.request import Limits

MONEY, DRAWN = Totals(60_000, 100_000), Draw(3_000_000, 4_000_000, all_known=False)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"budget_usd": 1000.0, "power_kw": 4.0, "part_numbers": 5}, []),
        ({"budget_usd": 999.99}, [("limits.budget_usd", 1000.0, "planning USD", False)]),
        ({"budget_usd": 600.0}, [("limits.budget_usd", 1000.0, "planning USD", False)]),
        ({"budget_usd": 599.99}, [("limits.budget_usd", 600.0, "USD", True)]),
        ({"power_kw": 3.999999}, [("limits.power_kw", 4.0, "kW", False)]),
        ({"power_kw": 2.999999}, [("limits.power_kw", 3.0, "kW", True)]),
        ({"part_numbers": 4}, [("limits.part_numbers", 5, "parts", True)]),
    ],
)
def test_what_is_known_proves_and_planning_figures_do_not(limits, expected):
    """A limit is passed from the next cent, milliwatt or number on."""
    found = breaches(Limits(**limits), MONEY, DRAWN, 5)
    assert [(each.key, each.measured, each.unit, each.is_proved) for each in found] == expected


def test_messages_say_what_share_is_known():
    """60 % of the money, 75 % of the power; where all is known there is nothing to add."""
    budget, power = breaches(Limits(budget_usd=700.0, power_kw=1.0), MONEY, DRAWN, 0)
    assert budget.message == (
        "all together comes to 1,000.00 planning USD, 60.0% of it known prices, the budget is 700.00 USD"
    )
    assert power.message == (
        "what is known draws 3 kW (all together 4 kW with planning watts, 75.0% of it known), the limit is 1 kW"
    )
    (all_priced,) = breaches(Limits(budget_usd=3_000_000), Totals(10**9, 10**9), DRAWN, 0)
    assert all_priced.message == "what is priced costs 10,000,000.00 USD, the budget is 3,000,000.00 USD"


def test_a_share_is_never_rounded_up_to_all():
    """9,999 of 10,000 are 99.9 %."""
    assert (known_share(9_999, 10_000), known_share(5, 5), known_share(0, 0)) == ("99.9%", "100%", "100%")
