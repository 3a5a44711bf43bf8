"""Floor plans with more racks like those that they have."""

from __future__ import annotations

from fabric.floorplan import hall
from fabric.floorplan.rows import row_names
from fabric.model.floorplan import FloorPlan, Rack, TrayDrop, Trays


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


def with_one_more(plan: FloorPlan) -> FloorPlan:
    """The plan with one more rack at the end of its middle row, for the network where the plan has racks for it alone.

    Height, power, cooling, feed and tray of its neighbour are its own.
    """
    racks = plan.all_racks
    rows = list(dict.fromkeys(row_names(racks)))
    row = rows[len(rows) // 2]
    last = max((rack for rack, name in zip(racks, row_names(racks), strict=True) if name == row), key=lambda it: it.x_m)
    has_network = any(rack.use == "network" for rack in racks)
    new = last.model_copy(
        update={
            "name": f"{last.name}-more",
            "x_m": round(last.x_m + hall.RACK_PITCH_M, 6),
            "use": "network" if has_network else last.use,
            "place": (),
            "blocked_u": (),
            "nodes": None,
        }
    )
    drops = tuple(TrayDrop(rack=new.name, node=drop.node) for drop in plan.trays.drops if drop.rack == last.name)
    trays = plan.trays.model_copy(update={"drops": (*plan.trays.drops, *drops)})
    return plan.model_copy(update={"racks": (*racks, new), "rows": (), "trays": trays})
