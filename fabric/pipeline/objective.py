"""What a design is worth: whole cents of capex or of total cost of ownership, or whole watts."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.catalog.bill import HOURS_PER_YEAR, bill, totals
from fabric.catalog.load import Catalog
from fabric.catalog.power import power
from fabric.model.cabling import Cabling
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.topology import Topology


@dataclass(frozen=True, slots=True)
class Objective:
    """The first objective of a request; later ones are for the lexicographic search to come."""

    request: Request
    catalog: Catalog

    def of(self, topology: Topology, cabling: Cabling | None) -> int:
        """Value of switches and, if given, cabling."""
        design = Design(self.request, None, topology, cabling=cabling)
        watts = power(design, self.catalog).total
        if self.request.objective[0] == "power":
            return round(watts)
        capex = totals(bill(design, self.catalog)).planning_cents
        return capex + (self.energy_cents(watts) if self.request.objective[0] == "tco" else 0)

    def energy_cents(self, watts: float) -> int:
        """Cost of energy over the years asked [cents]."""
        terms = self.request.cost
        kwh = watts / 1000 * HOURS_PER_YEAR * terms.years * terms.pue
        return round(kwh * terms.usd_per_kwh * 100)

    def unit(self, topology: Topology, cabling: Cabling) -> str:
        """`w`, `usd` where every piece has a known price, else `planning_usd`."""
        if self.request.objective[0] == "power":
            return "w"
        found = totals(bill(Design(self.request, None, topology, cabling=cabling), self.catalog))
        return "usd" if found.all_priced else "planning_usd"
