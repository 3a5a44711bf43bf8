"""Where devices stand, and what they need of a rack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fabric.model.termination import Termination


@dataclass(frozen=True, slots=True)
class DeviceSpace:
    """What a device needs of a rack: height [U], power with its pluggables at maximum [W], cooling and feed.

    None for cooling or feed means that every rack suits.
    """

    units: int
    power_w: float
    cooling: str | None = None
    feed: str | None = None


@dataclass(frozen=True, slots=True)
class NodeHousing:
    """How nodes of one system stand in racks.

    `per_rack` is the most nodes of one rack (None: as many as fit). Nodes of a `whole_rack` system are delivered as
    racks of `per_rack` nodes whose lowest rack units are `first_u`; such a rack draws `rack_power_w` [W] in all.
    """

    space: DeviceSpace
    per_rack: int | None = None
    whole_rack: bool = False
    first_u: tuple[int, ...] = ()
    rack_power_w: float | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """A device's rack, its lowest rack unit (1 is the bottom) and its height in rack units."""

    device: str
    rack: str
    u: int
    units: int

    @property
    def top_u(self) -> int:
        """Its highest rack unit."""
        return self.u + self.units - 1

    @property
    def mid_u(self) -> float:
        """Middle of the device counted in rack units: 1.0 for one unit at the bottom."""
        return self.u + (self.units - 1) / 2


@dataclass(frozen=True)
class Placement:
    """Positions sorted by device.

    `termination` says what the search for them proved; it is not stored, the design's provenance says what counts.
    """

    positions: tuple[Position, ...]
    termination: Termination | None = field(default=None, compare=False)

    @cached_property
    def of(self) -> Mapping[str, Position]:
        """Positions by device."""
        return {position.device: position for position in self.positions}
