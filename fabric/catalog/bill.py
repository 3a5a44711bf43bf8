"""The bill of materials of a design and what it costs, from its tables and the catalog alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart, Switch, Transceiver
from fabric.catalog.price import price
from fabric.model.design import Design
from fabric.model.report import BillLine, CostSummary, PowerSummary
from fabric.model.request import Cost
from fabric.units import cents_to_usd, usd_to_cents

HOURS_PER_YEAR = 8766
"""365.25 days."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Exact sums in whole cents: what is known, and with planning prices where a price is not known."""

    known_cents: int
    planning_cents: int

    @property
    def all_priced(self) -> bool:
        """Whether no planning price was needed."""
        return self.known_cents == self.planning_cents


def bill(design: Design, catalog: Catalog) -> tuple[BillLine, ...]:
    """One line per orderable number: switches, cables and pluggables; nodes and attached devices are not ours."""
    quantity = Counter(
        ("switch", device.part) for device in design.topology.devices if device.is_switch and device.part is not None
    )
    if design.cabling is not None:
        quantity.update(("cable", cable.part) for cable in design.cabling.cables)
        quantity.update(("transceiver", pluggable.part) for pluggable in design.cabling.pluggables)
    order = {"switch": 0, "transceiver": 1, "cable": 2}
    return tuple(
        _line(kind, part, count, catalog)
        for (kind, part), count in sorted(quantity.items(), key=lambda item: (order[item[0][0]], item[0][1]))
    )


def _line(kind: str, key: str, quantity: int, catalog: Catalog) -> BillLine:
    part = _part(kind, key, catalog)
    if part is None:
        return BillLine(key, "", kind, quantity, None, None, None)
    found = price(part, catalog)
    usd = cents_to_usd(found.cents)
    known, source = (usd, found.source) if found.known else (None, None)
    return BillLine(key, part.family or key, kind, quantity, known, source, None if found.known else usd)


def _part(kind: str, key: str, catalog: Catalog) -> Switch | CablePart | Transceiver | None:
    if kind == "switch":
        return catalog.switches.get(key)
    return catalog.cables.get(key) if kind == "cable" else catalog.transceivers.get(key)


def totals(lines: tuple[BillLine, ...]) -> Totals:
    """Sums over bill lines in whole cents."""
    known = sum(line.quantity * usd_to_cents(line.price_usd or 0) for line in lines)
    planning = sum(line.quantity * usd_to_cents(line.planning_usd or 0) for line in lines)
    return Totals(known, known + planning)


def energy_usd(watts: float, terms: Cost) -> float:
    """Cost of energy over the years asked [USD], cooling included by the PUE, not rounded."""
    return watts / 1000 * HOURS_PER_YEAR * terms.years * terms.pue * terms.usd_per_kwh


def cost(lines: tuple[BillLine, ...], drawn: PowerSummary, terms: Cost) -> CostSummary:
    """Cost of what is priced [USD]: capex by kind, energy over the years asked, and their sum."""

    def usd(kind: str) -> float:
        cents = sum(line.quantity * usd_to_cents(line.price_usd or 0) for line in lines if line.kind == kind)
        return cents_to_usd(cents)

    capex = cents_to_usd(totals(lines).known_cents)
    energy = round(energy_usd(drawn.total, terms), 2)
    pieces = sum(line.quantity for line in lines)
    priced = sum(line.quantity for line in lines if line.price_usd is not None)
    return CostSummary(
        capex_usd=capex,
        switches_usd=usd("switch"),
        cables_usd=usd("cable"),
        pluggables_usd=usd("transceiver"),
        energy_usd=energy,
        tco_usd=round(capex + energy, 2),
        years=terms.years,
        priced_share=priced / pieces if pieces else 1.0,
    )
