"""Schema of the planning watts: what stands in for a maximum power nobody published, by class of part."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import Field

from fabric.catalog.record import Figure, PartRecord
from fabric.errors import CatalogError
from fabric.resources import data_dir
from fabric.yaml_file import parse, validate

PLANNING_WATTS = "planning_watts.yaml"
"""Name of the file in a catalog folder."""


class WattClass(PartRecord):
    """Planning power of one class [W], and why it is reasonable."""

    watts: Figure
    reason: str
    sources: Annotated[tuple[str, ...], Field(min_length=1)]


class PlanningWatts(PartRecord):
    """Classes by name: switches for each Tb/s; plugs of assemblies and modules at `reference_gbps`."""

    reference_gbps: Annotated[int, Field(ge=1)]
    switches: dict[str, WattClass]
    assemblies: dict[str, WattClass]
    modules: dict[str, WattClass]


@cache
def shipped_planning_watts() -> PlanningWatts:
    """The planning watts that travel with the package."""
    text = (data_dir("catalog") / PLANNING_WATTS).read_text(encoding="utf-8")
    return validate(PlanningWatts, parse(text, PLANNING_WATTS, CatalogError), CatalogError)
