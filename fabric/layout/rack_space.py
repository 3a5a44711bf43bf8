"""The free units and the free power of one rack while devices are put in."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from fabric.model.floorplan import Rack
from fabric.model.placement import DeviceSpace

WATT_SLIP = 1e-6
"""Sums of powers may miss an exact limit by this much [W]."""

UNLIMITED_W = float("inf")
"""Power of a rack whose plan gives none."""


class RackSpace:
    """One rack being filled: a builder, the only mutable thing of this room.

    Units are numbered from 1 at the bottom; sets of them are bits of a number, unit u the bit u − 1. Units kept for one
    role (`Rack.place`) are closed to all others.
    """

    def __init__(self, rack: Rack, heights: Mapping[str, int]) -> None:
        """An empty `rack`; `heights` gives the units of one device of each role, for the places kept for it."""
        self.rack = rack
        self.power_w = UNLIMITED_W
        if rack.power_kw is not None:
            self.power_w = 1000 * (rack.power_kw - rack.reserved_kw) + WATT_SLIP
        self._free = _units(1, rack.units)
        for low, high in rack.blocked_u:
            self._free &= ~_units(low, max(0, min(high, rack.units) - low + 1))
        self._kept: dict[str, list[int]] = {}
        for place in sorted(rack.place, key=lambda place: place.u):
            self._kept.setdefault(place.role, []).append(place.u)
        self._closed = 0
        for role, lows in self._kept.items():
            for u in lows:
                self._closed |= _units(u, heights.get(role, 1))

    def copy(self) -> RackSpace:
        """A rack filled alike that can be filled further on its own."""
        return copy.copy(self)

    @property
    def free_units(self) -> int:
        """Units in which nothing stands and that are not blocked."""
        return self._free.bit_count()

    def suits(self, space: DeviceSpace) -> bool:
        """Whether cooling and feed suit the device."""
        return self.rack.cooling in ("any", space.cooling or self.rack.cooling) and self.rack.feed in (
            "any",
            space.feed or self.rack.feed,
        )

    def starts(self, role: str, units: int) -> list[int]:
        """Lowest units at which a device of `units` could stand, ascending; they may overlap each other."""
        kept = self._kept.get(role)
        fits = self._free if kept is not None else self._free & ~self._closed
        for _ in range(1, units):
            fits &= fits >> 1
        lows = kept if kept is not None else range(1, self.rack.units - units + 2)
        return [u for u in lows if fits >> (u - 1) & 1]

    def stack(self, role: str, units: int, *, from_top: bool) -> list[int]:
        """Lowest units of as many devices as fit without overlap, in the order in which they are filled."""
        chosen: list[int] = []
        for u in sorted(self.starts(role, units), reverse=from_top):
            if not chosen or abs(u - chosen[-1]) >= units:
                chosen.append(u)
        return chosen

    def fitting(self, role: str, space: DeviceSpace) -> int:
        """Devices of one kind that fit: by cooling and feed, by units and by power."""
        if not self.suits(space) or self.power_w < space.power_w:
            return 0
        by_units = len(self.stack(role, space.units, from_top=False))
        if not space.power_w or self.power_w == UNLIMITED_W:
            return by_units
        return min(by_units, int(self.power_w // space.power_w))

    def put(self, role: str, space: DeviceSpace) -> int:
        """Take the lowest place of `role` and return its lowest unit; the caller asked `fitting` before."""
        u = self.starts(role, space.units)[0]
        self.take(u, space)
        return u

    def take(self, u: int, space: DeviceSpace) -> None:
        """Occupy the units from `u` up and the device's power."""
        self._free &= ~_units(u, space.units)
        self.power_w -= space.power_w


def _units(low: int, count: int) -> int:
    """So many units from `low` up."""
    return ((1 << count) - 1) << (low - 1)
