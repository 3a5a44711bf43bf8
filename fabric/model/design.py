"""A design: every decision about a fabric, computed by us or read back from tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from fabric.model.cabling import Cabling
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement
from fabric.model.ranking import Ranking
from fabric.model.request import Request
from fabric.model.settings import Settings
from fabric.model.topology import Topology

UNIT_WORDS: Mapping[str, str] = MappingProxyType({"usd": "USD", "planning_usd": "planning USD", "w": "W"})
"""Units of what a search weighs, as sentences name them."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A runner-up of the search: what it was, what it would cost, and why it was not taken.

    One that was refused before it was weighed has neither objective nor bound.
    """

    family: str
    switches: Mapping[str, str | int]
    objective: int | None
    bound: int | None
    why_not: str


@dataclass(frozen=True, slots=True)
class LaterGoal:
    """A goal that decides between designs equal by those before it; amounts as in `Optimality`.

    `bound` holds among designs that equal this one by the goals before; None where those are not proved best.
    """

    goal: str
    objective: int
    bound: int | None
    unit: str


@dataclass(frozen=True, slots=True)
class Optimality:
    """What the search proved about the whole design; amounts in whole cents (or milliwatts for power).

    `objective` and `bound` are those of the first goal; `optimal` means that no design precedes by any goal asked.
    """

    status: str
    objective: int
    bound: int
    unit: str
    scope: tuple[str, ...]
    fixed: tuple[str, ...]
    method: str
    later: tuple[LaterGoal, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a bound that is none, computed or read back.

        Raises:
            ValueError: the bound is above what the design comes to.
        """
        if self.bound > self.objective:
            raise ValueError(f"the bound {self.bound} is above the objective {self.objective}")


@dataclass(frozen=True, slots=True)
class Binding:
    """A constraint with what relaxing it from `value` to `relaxed` saves [whole cents, or milliwatts for power].

    `marginal` is what the search found, so it is the least that can be saved. A policy is listed even if it costs 0.
    """

    key: str
    value: str
    relaxed: str
    marginal: int
    unit: str
    is_policy: bool = False


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a design comes from; the same on every machine."""

    tool: str
    version: str
    catalog_digest: str
    seed: int
    optimality: Optimality | None = None
    alternatives: tuple[Alternative, ...] = ()
    binding: tuple[Binding, ...] = ()
    assumptions: tuple[str, ...] = ()
    ranking: Ranking | None = None


@dataclass(frozen=True)
class Design:
    """Decisions only. A computed design has every part; a read-in proposal may lack some."""

    request: Request | None
    floor_plan: FloorPlan | None
    topology: Topology
    placement: Placement | None = None
    cabling: Cabling | None = None
    settings: Settings | None = None
    provenance: Provenance | None = None
    name: str = ""
