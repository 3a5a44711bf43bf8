"""What a design is worth by every goal of its request, in whole cents or milliwatts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fabric.catalog.bill import Totals, bill, totals
from fabric.catalog.load import Catalog
from fabric.catalog.power import Draw, draw
from fabric.catalog.scale import Scale, scales_of, value_of
from fabric.layout.waiting import Value
from fabric.model.cabling import Cabling
from fabric.model.design import Design
from fabric.model.request import Goal, Request
from fabric.model.topology import Topology
from fabric.pipeline.laying import Layout
from fabric.units import milliwatts_to_watts


@dataclass(frozen=True, slots=True)
class Worth:
    """Money and power of a design, and its value by each goal."""

    money: Totals
    power: Draw
    value: Value


@dataclass(frozen=True, slots=True)
class Weighed:
    """A layout and what it is worth."""

    layout: Layout
    worth: Worth


@dataclass(frozen=True)
class Objective:
    """The goals of a request, the first to compare first; where capex is none of them it comes last of all."""

    request: Request
    catalog: Catalog

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        """What one piece of each part weighs by each goal."""
        return scales_of(self.request, self.catalog)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goal of each scale."""
        return tuple(scale.goal for scale in self.scales)

    @property
    def asked_count(self) -> int:
        """Goals that the request itself names."""
        return len(set(self.request.objective))

    def of(self, topology: Topology, cabling: Cabling | None) -> Worth:
        """Worth of switches and, if given, cabling."""
        design = Design(self.request, None, topology, cabling=cabling)
        money, power = totals(bill(design, self.catalog)), draw(design, self.catalog)
        return Worth(money, power, tuple(value_of(goal, money, power, self.request.cost) for goal in self.goals))

    def unit(self, goal: Goal, worth: Worth) -> str:
        """`w`; `usd` where every piece has a known price (and power, if it counts), else `planning_usd`."""
        if goal == "power":
            return "w"
        known = worth.money.all_priced and (goal == "capex" or worth.power.all_known)
        return "usd" if known else "planning_usd"

    def notes(self, worth: Worth) -> Iterator[str]:
        """What a reader must know about the value besides its unit."""
        goals = self.goals[: self.asked_count]
        if {"power", "tco"} & set(goals) and not worth.power.all_known:
            planned_w = milliwatts_to_watts(worth.power.planning_mw - worth.power.known_mw)
            yield (
                f"objective: parts without a known power add {planned_w:,.1f} W by planning watts, an estimate that "
                "power_w leaves out"
            )
