"""Schemas of the planning values: what stands in for a price or a maximum power nobody published, by class of part."""

from __future__ import annotations

from functools import cache
from typing import Annotated, TypeVar

from pydantic import Field

from fabric.catalog.record import Figure, PartRecord
from fabric.errors import CatalogError
from fabric.resources import data_dir
from fabric.yaml_file import parse, validate

PLANNING_PRICES, PLANNING_WATTS = "planning_prices.yaml", "planning_watts.yaml"
"""Names of the files in a catalog folder."""

P = TypeVar("P", bound=PartRecord)


class PlanningClass(PartRecord):
    """One class of parts: why its planning value is reasonable, and after which sources."""

    reason: str
    sources: Annotated[tuple[str, ...], Field(min_length=1)]


class PriceClass(PlanningClass):
    """Planning price of one class [USD]."""

    usd: Figure
    usd_per_m: Figure = 0.0


class WattClass(PlanningClass):
    """Planning power of one class [W]."""

    watts: Figure


class PlanningPrices(PartRecord):
    """Classes by name: switches for each Tb/s; assemblies and modules at `reference_gbps`; fibres as they are."""

    reference_gbps: Annotated[int, Field(ge=1)]
    switches: dict[str, PriceClass]
    assemblies: dict[str, PriceClass]
    modules: dict[str, PriceClass]
    fibres: dict[str, PriceClass]


class PlanningWatts(PartRecord):
    """Classes by name: switches for each Tb/s; plugs of assemblies and modules at `reference_gbps`."""

    reference_gbps: Annotated[int, Field(ge=1)]
    switches: dict[str, WattClass]
    assemblies: dict[str, WattClass]
    modules: dict[str, WattClass]


@cache
def shipped_planning_prices() -> PlanningPrices:
    """The planning prices that travel with the package."""
    return _shipped(PlanningPrices, PLANNING_PRICES)


@cache
def shipped_planning_watts() -> PlanningWatts:
    """The planning watts that travel with the package."""
    return _shipped(PlanningWatts, PLANNING_WATTS)


def _shipped(schema: type[P], file: str) -> P:
    text = (data_dir("catalog") / file).read_text(encoding="utf-8")
    return validate(schema, parse(text, file, CatalogError), CatalogError)
