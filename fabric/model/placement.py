"""Where devices stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from fabric.model.termination import Termination


@dataclass(frozen=True, slots=True)
class Position:
    """A device's rack, its lowest rack unit (1 is the bottom) and its height in rack units."""

    device: str
    rack: str
    u: int
    units: int


@dataclass(frozen=True)
class Placement:
    """Positions sorted by device, with what the search for them proved (None when read from tables)."""

    positions: tuple[Position, ...]
    termination: Termination | None = None

    @cached_property
    def of(self) -> Mapping[str, Position]:
        """Positions by device."""
        return {position.device: position for position in self.positions}
