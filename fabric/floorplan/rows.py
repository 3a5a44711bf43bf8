"""Which racks form a row."""

from __future__ import annotations

from collections.abc import Sequence

from fabric.model.floorplan import Rack


def row_names(racks: Sequence[Rack]) -> tuple[str, ...]:
    """Row of each rack: its own `row`, else one row for all racks of equal `y_m`."""
    return tuple(rack.row or f"y={rack.y_m:g}" for rack in racks)


def walking_order(racks: Sequence[Rack]) -> tuple[int, ...]:
    """Indices of `racks` row by row, rows as they first appear, along x in each row."""
    rows = row_names(racks)
    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(row, len(first))
    return tuple(sorted(range(len(racks)), key=lambda i: (first[rows[i]], racks[i].x_m, racks[i].y_m, racks[i].name)))


def from_middle(racks: Sequence[Rack]) -> tuple[float, ...]:
    """Distance of each rack from the middle of its row [m]; the row's outermost racks are the farthest."""
    rows = row_names(racks)
    span: dict[str, tuple[float, float]] = {}
    for row, rack in zip(rows, racks, strict=True):
        west, east = span.get(row, (rack.x_m, rack.x_m))
        span[row] = (min(west, rack.x_m), max(east, rack.x_m))
    return tuple(abs(rack.x_m - sum(span[row]) / 2) for row, rack in zip(rows, racks, strict=True))
