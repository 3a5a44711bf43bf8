"""Offers: parts with what ranks them against each other, and the terms they are made under."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart, Transceiver
from fabric.catalog.scale import Scale
from fabric.layout.cage import EndSpec

P = TypeVar("P", CablePart, Transceiver)

NOT_YET_SOLD = ("planned", "prototype")
"""States of a part that nobody can order today; it is bought only where nothing else fits."""

LEFT_OUT = 64
"""Doubt about an end that a list of devices leaves out; more than the ends of any assembly."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What binds every purchase of one fabric.

    `spare_m` gives the slack of both ends together [m] that a floor plan asks of a medium. Parts are weighed by
    `scales`, the first to compare first.
    """

    catalog: Catalog
    link_layer: str
    spare_m: Callable[[str], float]
    scales: tuple[Scale, ...]


@dataclass(frozen=True, slots=True)
class Offer(Generic[P]):
    """One part that fits, with what ranks it against others.

    `costs` are its weights by the scales of the fabric, in their order. A part that is not yet sold is a last resort
    whatever it costs. `doubt` adds up what its maker leaves open about the devices at its ends (`doubt_about`); it
    decides between equal costs only.
    """

    key: str
    part: P = field(compare=False)
    costs: tuple[int, ...]
    last_resort: int
    doubt: int

    @property
    def columns(self) -> tuple[int, ...]:
        """What adds up over the parts of a purchase, first to compare first."""
        return self.last_resort, *self.costs, self.doubt

    @property
    def rank(self) -> tuple[tuple[int, ...], str]:
        """Sort key, best first."""
        return self.columns, self.key


def doubt_about(part: CablePart | Transceiver, ends: Sequence[EndSpec]) -> int:
    """How far the maker of `part` is from naming the devices at `ends` as qualified; 0 when it names them all.

    An end that a list of devices leaves out makes a warning later, so it outweighs ends of parts without a list.
    """
    if not part.qualified_with:
        return len(ends)
    return LEFT_OUT * sum(not set(end.keys) & set(part.qualified_with) for end in ends)
