"""A scale on a sheet, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

_TICKS = 5
"""Fewest steps between the first and the last tick."""

_STEPS = (1, 2, 2.5, 5, 10)
"""Round steps between ticks, times a power of ten."""


class Axis:
    """Values on a stretch of the sheet, with round ticks that enclose them."""

    def __init__(self, values: Sequence[float], start_pt: float, length_pt: float) -> None:
        low, high = min(values), max(values)
        reach = (high - low) or abs(high) or 1.0
        power = 10.0 ** math.floor(math.log10(reach / _TICKS))
        step = next(factor * power for factor in _STEPS if factor * power * _TICKS >= reach)
        first, last = math.floor(low / step), math.ceil(high / step)
        self.ticks = [number * step for number in range(first, max(last, first + 1) + 1)]
        self._start_pt = start_pt
        self._per_pt = length_pt / (self.ticks[-1] - self.ticks[0])

    def at(self, value: float) -> float:
        """Place of a value on the sheet [pt]."""
        return self._start_pt + (value - self.ticks[0]) * self._per_pt
