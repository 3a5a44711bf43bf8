"""Watching a search: a line of progress with incumbent, bound and gap, and the end of its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

from fabric.layout.search import Standing
from fabric.model.request import Goal
from fabric.units import cents_to_usd, milliwatts_to_watts

Say = Callable[[str], None]
"""Takes one line of progress."""


def amount(value: int, goal: Goal) -> float:
    """A value [W] or [USD], planning figures included."""
    return milliwatts_to_watts(value) if goal == "power" else cents_to_usd(value)


class Watch:
    """Asked by a search before each shape (`GoOn`); its time starts when it is made.

    A limit on time is the one thing that lets two runs differ, so a search that it ended says so in its notes.
    """

    def __init__(self, goal: Goal, say: Say, time_limit_s: float | None = None) -> None:
        self._goal = goal
        self._say = say
        self._limit_s = time_limit_s
        self._start_s = monotonic()
        self._standing = ""
        self._is_over = False

    def __call__(self, standing: Standing) -> bool:
        """Whether time is left; remembers how the search stands."""
        self._is_over = self.is_out_of_time
        self._standing = f"; {standing.done} of {standing.listed} shapes laid out"
        if standing.value is not None:
            value, bound = (amount(each[0], self._goal) for each in (standing.value, standing.bound))
            gap = (value - bound) / value if value else 0.0
            unit = "W" if self._goal == "power" else "planning USD"
            self._standing += f", best {value:,.0f}, bound {bound:,.0f} {unit}, gap {gap:.1%}"
        return not self._is_over

    @property
    def is_out_of_time(self) -> bool:
        """Whether the limit on time is reached."""
        return self._limit_s is not None and monotonic() - self._start_s >= self._limit_s

    def say(self, text: str) -> None:
        """Say what is done next, and how the search stands."""
        self._say(text + self._standing)

    def notes(self, laid_out: int, left_open: int) -> Iterator[str]:
        """Which limit ended a search after `laid_out` shapes, if any did."""
        rest = f"shapes laid out {laid_out}, left open {left_open}"
        if self._is_over:
            yield f"search: ended by --time-limit {self._limit_s:g}, {rest}; another run may end elsewhere"
        elif left_open:
            yield f"search: ended by the work limit, {rest}"
