"""Scales: what one piece of a part weighs under an objective, in whole numbers that searches may add up and compare.

Capex and total cost of ownership are weighed in whole cents, power in whole milliwatts. What is not known weighs what
planning prices and planning watts say. Energy of one piece is rounded down to a cent, so that a sum of weights never
exceeds the total cost of ownership that it bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from fabric.catalog.bill import Totals, energy_usd
from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart, Switch, Transceiver
from fabric.catalog.power import Draw
from fabric.catalog.price import price
from fabric.catalog.watts import Watts, assembly_watts, module_watts, switch_watts
from fabric.model.request import Cost, Goal, Request
from fabric.units import milliwatts_to_watts, usd_to_cents


@dataclass(frozen=True, slots=True)
class Scale:
    """Weights of parts under one goal and the terms of one request."""

    goal: Goal
    request: Request
    catalog: Catalog

    def switch(self, key: str) -> int:
        """Weight of one switch."""
        part = self.catalog.switches[key]
        return self._weight(part, switch_watts(part, self.catalog, self.request.planning.switch_w.get(key)))

    def module(self, part: Transceiver, *, included: bool) -> int:
        """Weight of one transceiver; its power is nothing more where that of its switch has it `included`."""
        return self._weight(part, module_watts(part, self.catalog, included=included))

    def assembly(self, part: CablePart, included: Sequence[bool] = ()) -> int:
        """Weight of one cable; `included` says for each plug in use, the head first, whether its switch counts it."""
        return self._weight(part, assembly_watts(part, self.catalog, included))

    def _weight(self, part: Switch | Transceiver | CablePart, drawn: Watts) -> int:
        if self.goal == "power":
            return drawn.milliwatts
        cents = price(part, self.catalog).cents
        if self.goal == "capex":
            return cents
        return cents + floor(100 * energy_usd(milliwatts_to_watts(drawn.milliwatts), self.request.cost))


def value_of(goal: Goal, money: Totals, power: Draw, terms: Cost) -> int:
    """Capex in cents, power in milliwatts, or both as cents, of a whole design; planning figures for the unknown."""
    if goal == "power":
        return power.planning_mw
    if goal == "capex":
        return money.planning_cents
    return money.planning_cents + usd_to_cents(energy_usd(milliwatts_to_watts(power.planning_mw), terms))


def goals_of(request: Request) -> tuple[Goal, ...]:
    """The goals of a request in their order; where capex is none of them it decides between equals at the end."""
    goals = tuple(dict.fromkeys(request.objective))
    return goals if "capex" in goals else (*goals, "capex")


def scales_of(request: Request, catalog: Catalog) -> tuple[Scale, ...]:
    """One scale for each goal, the first to compare first."""
    return tuple(Scale(goal, request, catalog) for goal in goals_of(request))
