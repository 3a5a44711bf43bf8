"""A floor plan with more racks like those it has."""

from __future__ import annotations

from fabric.floorplan import hall
from fabric.model.floorplan import FloorPlan, Rack, Trays


def repeat(plan: FloorPlan, times_count: int) -> FloorPlan:
    """The hall of a plan `times_count` times, one behind the other.

    A tray graph of its own leads to no new rack, so the ladders that every plan without one has take its place.
    """
    racks = plan.all_racks
    depth_m = max(rack.y_m for rack in racks) - min(rack.y_m for rack in racks) + hall.COLD_AISLE_PITCH_M
    copies = (_behind(rack, number, number * depth_m) for number in range(1, times_count) for rack in racks)
    trays = Trays(height_m=plan.trays.height_m) if plan.trays.nodes else plan.trays
    return plan.model_copy(update={"racks": (*racks, *copies), "rows": (), "trays": trays})


def _behind(rack: Rack, number: int, shift_m: float) -> Rack:
    row = rack.row and f"{rack.row}-{number + 1}"
    name, y_m = f"{rack.name}-{number + 1}", round(rack.y_m + shift_m, 6)
    return rack.model_copy(update={"name": name, "row": row, "y_m": y_m})
