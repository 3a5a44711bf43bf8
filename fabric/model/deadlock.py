"""What is said of deadlock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Whether the buffer dependency graph is acyclic on the lanes there are, with one cycle if there is one.

    Attributes:
        free: whether it is, on the lanes of the switches and of the settings, whichever are fewer; where neither are
            known, on as many as are needed.
        lanes_needed: of the ways that traffic takes.
        lanes_available: of the switches; None where that is not known.
        cycle: hops of one circle, in order.
        lanes_for_detours: what routing needs that may leave the ways that it prefers where an element is down; None
            where it has no others.
        lanes_set: that the settings give every port: InfiniBand lanes, or priorities that pause; None without settings.
        longer_ways: what asks that traffic takes others than the shortest ways, as keys of the request with values.
    """

    free: bool
    lanes_needed: int
    lanes_available: int | None
    cycle: tuple[str, ...] | None
    lanes_for_detours: int | None = None
    lanes_set: int | None = None
    longer_ways: tuple[str, ...] = ()
