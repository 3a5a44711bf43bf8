"""Floor plans with more racks like those that they have."""

from __future__ import annotations

from fabric.floorplan.faults import refuse
from fabric.floorplan.repeat import repeat, with_one_more
from fabric.model.floorplan import FloorPlan

ROWS = FloorPlan.model_validate(
    {"rows": ({"name": "A", "racks": 3}, {"name": "B", "racks": 3, "y_m": 3.0, "power_kw": 40.0})}
)
GRAPH = FloorPlan.model_validate(
    {
        "racks": ({"name": "L", "x_m": 0.0, "y_m": 0.0}, {"name": "R", "x_m": 0.6, "y_m": 0.0}),
        "trays": {
            "nodes": ({"name": "n", "x_m": 0.0, "y_m": 0.0, "z_m": 3.0},),
            "drops": ({"rack": "L", "node": "n"}, {"rack": "R", "node": "n"}),
        },
    }
)


def test_a_repeated_hall_stands_behind_itself():
    """The 3 m deep hall begins again behind a cold aisle of 2.4 m; racks keep all but name, row and place."""
    plan = repeat(ROWS, 3)
    assert len(plan.all_racks) == 18
    assert {rack.y_m for rack in plan.all_racks} == {0.0, 3.0, 5.4, 8.4, 10.8, 13.8}
    assert [rack.power_kw for rack in plan.all_racks] == [None, None, None, 40.0, 40.0, 40.0] * 3
    assert plan.all_racks[-1].name == "B03-3"
    assert plan.all_racks[-1].row == "B-3"
    refuse(plan)


def test_repeating_once_changes_no_rack():
    """One hall is the hall."""
    assert repeat(ROWS, 1).all_racks == ROWS.all_racks


def test_a_tray_graph_gives_way_to_ladders():
    """New racks have no drop in it; one more rack shares that of its neighbour."""
    assert repeat(GRAPH, 2).trays.nodes == ()
    refuse(repeat(GRAPH, 2))
    assert [drop.rack for drop in with_one_more(GRAPH).trays.drops] == ["L", "R", "R-more"]
    refuse(with_one_more(GRAPH))
