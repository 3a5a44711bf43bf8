"""The nearest racks of any generated hall against halls that were generated."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.floorplan.generate import generate, without
from fabric.floorplan.nearest import nearest_racks_m
from fabric.floorplan.routes import Routes
from fabric.model.placement import DeviceSpace, NodeHousing
from fabric.model.request import PlacementPolicy

NODE, SWITCH = DeviceSpace(8, 11000.0), DeviceSpace(2, 3000.0)
POLICIES = (
    PlacementPolicy(),
    PlacementPolicy(spine="network_row"),
    PlacementPolicy(leaf="row_end"),
    PlacementPolicy(leaf="own_rack"),
)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: f"{policy.leaf}-{policy.spine}")
@pytest.mark.parametrize("nodes", [5, 40, 97, 230, 800])
def test_no_rack_of_a_generated_hall_has_nearer_neighbours(nodes, policy):
    """From each rack the j-th nearest other one, by way along the ladders, is at least as far as said.

    That holds for the whole hall and after every second or each of its network racks is taken out.
    """
    switches = [SWITCH] * (nodes // 2)
    whole = generate(nodes, NodeHousing(NODE), switches, switches[::3], policy=policy)
    idle = [rack.name for rack in whole.racks if rack.use == "network"]
    for plan in (whole, without(whole, idle[::2]), without(whole, idle)):
        trays = Routes(plan)._trays
        between_m = np.sort(trays.between_m(trays.drop_station, trays.drop_station.T), axis=1)[:, 1:]
        assert (nearest_racks_m(between_m.shape[1]) <= between_m + 1e-9).all()


def test_the_middle_of_a_full_row_has_such_neighbours():
    """Two racks at each step of 0.6 m on both sides; the count asked is the count given."""
    assert nearest_racks_m(6) == pytest.approx([0.6, 0.6, 1.2, 1.2, 1.8, 1.8])
    assert nearest_racks_m(0).shape == (0,)
    assert nearest_racks_m(500).shape == (500,)
