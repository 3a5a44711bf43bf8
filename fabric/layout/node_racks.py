"""Which racks nodes take where a hall has more than they need: a few compact windows of racks to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabric.floorplan.rows import from_middle, row_names, walking_order
from fabric.model.floorplan import Rack


def node_racks(
    racks: Sequence[Rack], capacity: Sequence[int], count: int, free_racks_count: int
) -> tuple[tuple[int, ...], ...]:
    """Choices of racks for `count` nodes in walking order, no two alike, simplest first.

    Windows run from the start of the first row, or lie over as many rows as make them most compact. They hold the
    nodes alone or `free_racks_count` racks more, which stay free in the middle of their rows. The whole hall, with the
    racks nearest the middle of its rows left free, comes last; it is the only choice if some racks are for the network.
    """
    order = [index for index in walking_order(racks) if capacity[index]]
    if any(rack.use == "network" for rack in racks):
        return (tuple(order),)
    spare = sum(capacity) - count
    if spare < min((capacity[index] for index in order), default=0):
        return (tuple(order),)
    found: dict[tuple[int, ...], None] = {}
    for free in sorted({0, free_racks_count}):
        windows = [_window(run, capacity, count, free) for run in _runs(racks, order)]
        for window in (windows[0], min(windows, key=lambda window: _extent_m(racks, window))):
            found[_without_middle(racks, sorted(window, key=order.index), capacity, count)] = None
    found[_without_middle(racks, order, capacity, count)] = None
    return tuple(found)


def _runs(racks: Sequence[Rack], order: Sequence[int]) -> Iterator[list[int]]:
    """Racks along the rows, then abreast of each other in the first two rows, three rows and so on."""
    yield list(order)
    names = row_names(racks)
    rows = list(dict.fromkeys(names[index] for index in order))
    row = [rows.index(name) if name in rows else 0 for name in names]
    for abreast in range(2, len(rows) + 1):
        yield sorted(order, key=lambda index: (row[index] // abreast, round(racks[index].x_m, 6), row[index]))


def _window(run: Sequence[int], capacity: Sequence[int], count: int, free_racks_count: int) -> list[int]:
    """The first racks of a run that hold `count` nodes, and some more."""
    held = 0
    for number, index in enumerate(run, start=1):
        held += capacity[index]
        if held >= count:
            return list(run[: number + free_racks_count])
    return list(run)


def _extent_m(racks: Sequence[Rack], window: Sequence[int]) -> float:
    """Length and breadth of a window together [m]."""
    x_m, y_m = [racks[index].x_m for index in window], [racks[index].y_m for index in window]
    return round(max(x_m) - min(x_m) + max(y_m) - min(y_m), 6)


def _without_middle(
    racks: Sequence[Rack], window: Sequence[int], capacity: Sequence[int], count: int
) -> tuple[int, ...]:
    """A window without the racks nearest the middle of its rows that `count` nodes do not need."""
    distance_m = dict(zip(window, from_middle([racks[index] for index in window]), strict=True))
    spare = sum(capacity[index] for index in window) - count
    left_out = set()
    for index in sorted(window, key=lambda index: round(distance_m[index], 6)):
        if capacity[index] <= spare:
            left_out.add(index)
            spare -= capacity[index]
    return tuple(index for index in window if index not in left_out)
