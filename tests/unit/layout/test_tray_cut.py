"""What counting proves of trays, and what it does not: one cut, with nodes behind it."""

from __future__ import annotations

import pytest

from fabric.errors import InfeasibleError
from fabric.floorplan.cuts import Cut
from fabric.layout.nodes import empty_racks
from fabric.layout.tray_cut import refuse_cuts
from fabric.model.floorplan import Rack
from fabric.model.placement import DeviceSpace, NodeHousing

HOUSING = NodeHousing(
    DeviceSpace(8, 10_000.0, None, None), per_rack=None, whole_rack=False, first_u=(), rack_power_w=None
)
LEAF = DeviceSpace(1, 2_000.0, None, None)

BEHIND, ELSEWHERE = Rack(name="W", x_m=0, y_m=0, use="node", nodes=4), Rack(name="E", x_m=1, y_m=0, use="node", nodes=3)
NETWORK = Rack(name="N", x_m=2, y_m=0, use="network")


def refuse(limit_mm2, *racks, touched="W", nodes=7):
    """Judge a cut around the rack W: links of 8 a node at 2 mm² each."""
    cut = Cut(frozenset("W"), frozenset(touched), limit_mm2, "t > u")
    spaces = empty_racks(racks or (BEHIND, ELSEWHERE, NETWORK), HOUSING, {"node": 8})
    refuse_cuts([cut], spaces, HOUSING, LEAF, (nodes, 8, 2.0))


def test_nodes_that_only_the_rack_behind_a_cut_can_hold_need_its_room():
    """Seven nodes less three elsewhere are four behind: 32 links of 2 mm² are 64 mm², and 64 are enough."""
    with pytest.raises(InfeasibleError, match=r"at least 4 nodes stand behind t > u.*64 mm² for 32 links.*the 63 mm²"):
        refuse(63.0)
    refuse(64.0)
    refuse(48.0, nodes=6)
    refuse(1.0, nodes=3)


def test_where_a_leaf_can_stand_behind_a_cut_nothing_is_proved():
    """In the rack of the nodes, or in one that reaches the same tray by a drop; too hot a leaf stands nowhere."""
    refuse(1.0, BEHIND.model_copy(update={"use": "any"}), ELSEWHERE, NETWORK)
    refuse(1.0, touched="WN")
    weak = NETWORK.model_copy(update={"power_kw": 1.0})
    with pytest.raises(InfeasibleError):
        refuse(1.0, BEHIND, ELSEWHERE, weak, touched="WN")


def test_the_tightest_of_several_cuts_is_told():
    """Both are too narrow; the one that lacks most stands in the message."""
    cuts = [Cut(frozenset("W"), frozenset("W"), limit_mm2, f"{limit_mm2:g}") for limit_mm2 in (50.0, 20.0, 60.0)]
    spaces = empty_racks((BEHIND, ELSEWHERE, NETWORK), HOUSING, {"node": 8})
    with pytest.raises(InfeasibleError, match="stand behind 20, "):
        refuse_cuts(cuts, spaces, HOUSING, LEAF, (7, 8, 2.0))
