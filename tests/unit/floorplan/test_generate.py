"""Generated floor plans hold what they were made for."""

from __future__ import annotations

from collections import Counter

import pytest

from fabric.errors import InfeasibleError, InputError
from fabric.floorplan import hall
from fabric.floorplan.generate import generate, without
from fabric.floorplan.routes import Routes
from fabric.model.placement import DeviceSpace, NodeHousing
from fabric.model.request import PlacementPolicy

NODE = NodeHousing(DeviceSpace(units=8, power_w=14_300))
SWITCH = DeviceSpace(units=2, power_w=2_500)
TRAYS = NodeHousing(
    DeviceSpace(units=1, power_w=6_000),
    per_rack=18,
    whole_rack=True,
    first_u=tuple(range(5, 23)),
    rack_power_w=142_000,
)


def test_nodes_per_rack_follow_from_power():
    """60 kW over 14.3 kW is 4 nodes; 128 nodes need 32 racks, 24 switches of 2.5 kW one network rack."""
    plan = generate(128, NODE, [SWITCH] * 24)
    uses = Counter((rack.use, rack.nodes) for rack in plan.all_racks)
    assert uses == {("any", 4): 32, ("network", None): 1}


def test_nodes_per_rack_follow_from_units():
    """Nodes of 10 U and 5 kW: 48 U hold 4, although 60 kW would feed 12."""
    plan = generate(8, NodeHousing(DeviceSpace(10, 5_000)), [SWITCH])
    assert [rack.nodes for rack in plan.all_racks if rack.use == "any"] == [4, 4]


def test_network_racks_stand_in_the_middle_of_rows_that_are_not_too_long():
    """No row is longer than 20 racks, and a row's network racks have as many node racks on either side."""
    plan = generate(1296, NODE, [SWITCH] * 216)
    rows: dict[str | None, list[str]] = {}
    for rack in plan.all_racks:
        rows.setdefault(rack.row, []).append(rack.use)
    assert max(map(len, rows.values())) <= hall.ROW_RACKS_COUNT
    for uses in rows.values():
        if "network" in uses:
            west, east = uses.index("network"), uses[::-1].index("network")
            assert abs(west - east) <= 1
    Routes(plan)


def test_rows_face_each_other_in_pairs():
    """Rows stand 2.4 m apart over a cold aisle and 2.2 m over a hot one, in turn."""
    plan = generate(1296, NODE, [SWITCH] * 216)
    y_m = sorted({rack.y_m for rack in plan.all_racks})
    assert y_m[:4] == [0.0, 2.4, 4.6, 7.0]


def test_whole_racks_keep_their_trays_and_no_switch():
    """144 trays are 8 racks for nodes only, each with 18 fixed places and the rack's own power."""
    plan = generate(144, TRAYS, [SWITCH] * 24)
    node_racks = [rack for rack in plan.all_racks if rack.use == "node"]
    assert len(node_racks) == 8
    assert {rack.power_kw for rack in node_racks} == {142.0}
    assert [place.u for place in node_racks[0].place] == list(range(5, 23))
    assert {rack.use for rack in plan.all_racks} == {"node", "network"}


def test_trays_that_fill_no_rack_are_refused():
    """140 trays of racks of 18 name the nearest whole numbers."""
    with pytest.raises(InputError, match="140 is no whole number of racks of 18; nearest: 126 or 144"):
        generate(140, TRAYS, [SWITCH])


def test_a_node_that_fits_no_rack_is_infeasible():
    """A node of 70 kW exceeds the 60 kW of a generated rack, and the message says both."""
    with pytest.raises(InfeasibleError, match="8 U and 70 kW fits no rack of 48 U and 60 kW"):
        generate(4, NodeHousing(DeviceSpace(8, 70_000)), [SWITCH])


def test_leaves_in_their_own_racks_take_room_from_the_nodes():
    """Four nodes of 14.8 kW leave 0.8 kW, too little for a leaf: three a rack remain."""
    policy = PlacementPolicy(leaf="own_rack")
    plan = generate(128, NodeHousing(DeviceSpace(8, 14_800)), [SWITCH] * 24, policy=policy)
    assert {(rack.use, rack.nodes) for rack in plan.all_racks} == {("any", 3)}


def test_leaves_in_their_own_racks_find_racks_enough():
    """16 leaves at two a rack need 8 racks: 20 nodes stand three to a rack (7 racks) no longer, but two."""
    policy = PlacementPolicy(leaf="own_rack", max_switches_per_rack=2)
    plan = generate(20, NODE, [SWITCH] * 16, [SWITCH] * 3, policy=policy)
    assert Counter((rack.use, rack.nodes) for rack in plan.all_racks) == {("any", 2): 10, ("network", None): 2}


def test_network_racks_are_as_many_as_the_policy_needs():
    """24 switches, at most 4 in a rack, are 6 racks; two attached devices take no switch's place there."""
    policy = PlacementPolicy(max_switches_per_rack=4)
    plan = generate(128, NODE, [SWITCH] * 16, [SWITCH] * 8, [DeviceSpace(1, 1_000)] * 2, policy)
    assert sum(rack.use == "network" for rack in plan.all_racks) == 6


def test_attached_devices_take_room_from_the_switches():
    """60 kW feed 24 switches of 2.5 kW, or 20 beside a device of 10 kW: 24 switches then need a second rack."""
    plan = generate(8, NODE, [SWITCH] * 16, [SWITCH] * 8, [DeviceSpace(4, 10_000)])
    assert sum(rack.use == "network" for rack in plan.all_racks) == 2


def test_spread_spines_have_two_racks():
    """Three switches fit one rack, but spines that are spread must not all stand in it."""
    plan = generate(8, NODE, [SWITCH], [SWITCH] * 2, policy=PlacementPolicy(spine="spread"))
    assert sum(rack.use == "network" for rack in plan.all_racks) == 2


def test_leaves_at_row_ends_have_network_racks_there():
    """Both ends of every row that has network racks are network racks, and no rack between nodes is."""
    policy = PlacementPolicy(leaf="row_end", max_switches_per_rack=4)
    plan = generate(128, NODE, [SWITCH] * 16, [SWITCH] * 8, policy=policy)
    for row in {rack.row for rack in plan.all_racks}:
        uses = "".join(rack.use[0] for rack in plan.all_racks if rack.row == row)
        assert uses.strip("n") == "a" * 16
        assert uses.startswith("n")
        assert uses.endswith("n")


def test_leaves_at_row_ends_and_spines_in_a_row_of_their_own():
    """Each kind of switch has its racks: 16 leaves and 8 spines at 4 a rack are 4 racks in rows and 2 in the row."""
    policy = PlacementPolicy(leaf="row_end", spine="network_row", max_switches_per_rack=4)
    plan = generate(128, NODE, [SWITCH] * 16, [SWITCH] * 8, policy=policy)
    rows: dict[str | None, list[str]] = {}
    for rack in plan.all_racks:
        rows.setdefault(rack.row, []).append(rack.use)
    assert [uses.count("network") for uses in rows.values()] == [2, 2, 2]
    assert [uses.count("any") for uses in rows.values()] == [16, 0, 16]


def test_a_plan_closes_up_without_some_racks():
    """Row A without its network rack and row B are as if they had been generated so: no gap in places or names."""
    plan = generate(128, NODE, [SWITCH] * 24, policy=PlacementPolicy(max_switches_per_rack=12))
    idle = [rack.name for rack in plan.all_racks if rack.use == "network" and rack.row == "A"]
    closed = without(plan, idle)
    assert [rack.name for rack in closed.all_racks][:17] == [*(f"A{i:02d}" for i in range(1, 17)), "B01"]
    assert closed.all_racks[15].x_m == pytest.approx(15 * hall.RACK_PITCH_M)
    assert sum(rack.use == "network" for rack in closed.all_racks) == 1


def test_a_network_row_holds_network_racks_alone():
    """Policy network_row puts every network rack into rows of their own."""
    plan = generate(128, NODE, [SWITCH] * 24, policy=PlacementPolicy(spine="network_row"))
    rows: dict[str | None, set[str]] = {}
    for rack in plan.all_racks:
        rows.setdefault(rack.row, set()).add(rack.use)
    assert {"network"} in rows.values()
    assert {"any", "network"} not in rows.values()


def test_the_same_input_gives_the_same_plan():
    """Two runs agree in every field."""
    assert generate(128, NODE, [SWITCH] * 24) == generate(128, NODE, [SWITCH] * 24)
