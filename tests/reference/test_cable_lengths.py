"""Route lengths against cable tables that a vendor published for its own racks.

The vendor routes under the floor and lists the length to order, which must not be shorter than the way our model
finds. Sources: Oracle SuperCluster M8/M7 installation guide, tables 57/58 (eight racks, leaf switches at U24 and
U18, spine at U1 of each rack); Oracle four-rack cabling (leaf switches at U32 and U26, spine at U1).
"""

from __future__ import annotations

import pytest

from fabric.floorplan.routes import Routes
from fabric.model.floorplan import FloorPlan, Rack, TrayDrop, TrayNode, Trays, TraySegment

UNDER_FLOOR_M = 0.2
"""Depth of the way under the floor [m], which the tables do not give: trays close under the tiles."""

EIGHT_RACKS = {
    (1, 24): {1: 3, 2: 5, 3: 5, 4: 10, 5: 10, 6: 10, 7: 10, 8: 10},
    (1, 18): {1: 3, 2: 3, 3: 5, 4: 10, 5: 10, 6: 10, 7: 10, 8: 10},
    (2, 24): {1: 5, 2: 3, 3: 5, 4: 5, 5: 10},
}
FOUR_RACKS = {
    (1, 32): {1: 5, 2: 5, 3: 5, 4: 10},
    (1, 26): {1: 5, 2: 5, 3: 5, 4: 10},
    (2, 32): {1: 5, 2: 5, 3: 5, 4: 5},
}
ROWS = [
    (rack, unit, to, listed_m)
    for table in (EIGHT_RACKS, FOUR_RACKS)
    for (rack, unit), lengths in table.items()
    for to, listed_m in lengths.items()
]


def adjacent_racks() -> FloorPlan:
    """Eight racks of 42 U side by side, joined under the floor."""
    numbers = range(1, 9)
    return FloorPlan(
        racks=tuple(Rack(name=f"R{i}", x_m=0.6 * i, y_m=0, units=42) for i in numbers),
        trays=Trays(
            nodes=tuple(TrayNode(name=f"n{i}", x_m=0.6 * i, y_m=0, z_m=-UNDER_FLOOR_M) for i in numbers),
            segments=tuple(TraySegment(a=f"n{i}", b=f"n{i + 1}") for i in range(1, 8)),
            drops=tuple(TrayDrop(rack=f"R{i}", node=f"n{i}") for i in numbers),
        ),
    )


@pytest.mark.parametrize(("rack", "unit", "to", "listed_m"), ROWS)
def test_the_listed_cable_is_long_enough_for_the_route(rack, unit, to, listed_m):
    """The way from the leaf switch to the spine at U1 of each rack, with copper slack, fits the listed cable."""
    routes = Routes(adjacent_racks())
    route_m = routes.lengths_m(rack - 1, unit, to - 1, 1) + routes.slack_m("dac")
    assert route_m <= listed_m
