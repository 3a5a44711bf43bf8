"""What a part costs: its known price, or the planning price of its class."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart, Connector, Switch, Transceiver
from fabric.catalog.planning import PlanningPrices, PriceClass
from fabric.units import usd_to_cents

GBPS_PER_TBPS = 1000


@dataclass(frozen=True, slots=True)
class Price:
    """A price in whole cents; where it is not known, a planning price that no text may call a price.

    `source` is the key or text of the source of a known price, and the class of a planning price.
    """

    cents: int
    known: bool
    source: str | None


def price(part: Switch | CablePart | Transceiver, catalog: Catalog) -> Price:
    """Price of one piece of `part`.

    A planning price never falls with the length of a cable, and is proportional to the rate of a cable's head end or
    of a module, to a switch's capacity, and includes the optics of a switch with co-packaged ones.
    """
    if part.price_usd is not None:
        evidence = part.evidence.get("price_usd")
        source = (evidence and evidence.source) or next(iter(part.sources), None)
        return Price(usd_to_cents(part.price_usd), known=True, source=source)
    name, usd = _planned(part, catalog.planning_prices)
    return Price(usd_to_cents(usd), known=False, source=f"planning price of class {name}")


def _planned(part: Switch | CablePart | Transceiver, classes: PlanningPrices) -> tuple[str, float]:
    """Class and planning price [USD] of a part."""
    if isinstance(part, Switch):
        tbps = capacity_gbps(part) / GBPS_PER_TBPS
        optics_usd = classes.modules["smf"].usd * capacity_gbps(part) / classes.reference_gbps
        usd = classes.switches[part.link_layer].usd * tbps + optics_usd * part.co_packaged
        return f"{part.link_layer} switch", usd
    if isinstance(part, Transceiver):
        name = optical_class(part.medium, part.connector)
        return f"{name} module", classes.modules[name].usd * part.ports * part.rate_gbps / classes.reference_gbps
    if part.rate_gbps is None:
        name = optical_class(part.medium, part.head.connector)
        return f"{name} fibre", _at_length(classes.fibres[name], part.length_m)
    scale = part.ports * part.rate_gbps / classes.reference_gbps
    return part.medium, _at_length(classes.assemblies[part.medium], part.length_m) * scale


def capacity_gbps(switch: Switch) -> float:
    """Sum of the rates of all ports in one direction [Gb/s], as stated or else as counted."""
    if switch.switching_tbps is not None:
        return switch.switching_tbps * GBPS_PER_TBPS
    return max((rate * count for rate, count in switch.ports_by_speed_gbps.items()), default=0)


def optical_class(medium: str, connector: Connector | None) -> str:
    """Parallel single mode and the dearer kind that shares one pair of fibres are two classes."""
    return "smf-duplex" if connector == "lc-duplex-upc" else medium


def _at_length(price_class: PriceClass, length_m: float) -> float:
    return price_class.usd + price_class.usd_per_m * length_m
