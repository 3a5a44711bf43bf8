"""Schema of the planning prices: what stands in for a price nobody published, by class of part."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import Field

from fabric.catalog.record import Figure, PartRecord
from fabric.errors import CatalogError
from fabric.resources import data_dir
from fabric.yaml_file import parse, validate

PLANNING_PRICES = "planning_prices.yaml"
"""Name of the file in a catalog folder."""


class PriceClass(PartRecord):
    """Planning price of one class [USD], and why it is reasonable."""

    usd: Figure
    usd_per_m: Figure = 0.0
    reason: str
    sources: Annotated[tuple[str, ...], Field(min_length=1)]


class PlanningPrices(PartRecord):
    """Classes by name: switches for each Tb/s; assemblies and modules at `reference_gbps`; fibres as they are."""

    reference_gbps: Annotated[int, Field(ge=1)]
    switches: dict[str, PriceClass]
    assemblies: dict[str, PriceClass]
    modules: dict[str, PriceClass]
    fibres: dict[str, PriceClass]


@cache
def shipped_planning_prices() -> PlanningPrices:
    """The planning prices that travel with the package."""
    text = (data_dir("catalog") / PLANNING_PRICES).read_text(encoding="utf-8")
    return validate(PlanningPrices, parse(text, PLANNING_PRICES, CatalogError), CatalogError)
