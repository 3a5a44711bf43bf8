"""Offers: parts with what ranks them against each other, and the terms they are made under."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CablePart, Transceiver

P = TypeVar("P", CablePart, Transceiver)


@dataclass(frozen=True, slots=True)
class Terms:
    """What binds every purchase of one fabric.

    `spare_m` gives the slack of both ends together [m] that a floor plan asks of a medium.
    """

    catalog: Catalog
    link_layer: str
    spare_m: Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Offer(Generic[P]):
    """One part that fits, with what ranks it against others.

    A part that is not in active sale is a last resort whatever its price. `unqualified` counts the ends whose
    device the part's vendor does not name; it decides between equal prices only.
    """

    key: str
    part: P = field(compare=False)
    cents: int
    last_resort: int
    unqualified: int

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Sort key, best first."""
        return self.last_resort, self.cents, self.unqualified, self.key
