"""Units and power of one rack."""

from __future__ import annotations

import pytest

from fabric.layout.rack_space import RackSpace
from fabric.model.floorplan import FixedPlace, Rack
from fabric.model.placement import DeviceSpace


def rack(**keys: object) -> Rack:
    """A rack of ten units."""
    return Rack.model_validate({"name": "R", "x_m": 0.0, "y_m": 0.0, "units": 10, **keys})


def test_devices_stack_from_either_end_around_blocked_units():
    """With units 4 and 5 blocked two-unit devices stand at 1, 6, 8 from the bottom and at 9, 7, 2 from the top."""
    space = RackSpace(rack(blocked_u=((4, 5),)), {})
    assert space.stack("leaf", 2, from_top=False) == [1, 6, 8]
    assert space.stack("leaf", 2, from_top=True) == [9, 7, 2]


def test_power_limits_devices_and_is_used_up():
    """5 kW with 1 kW reserved feed two devices of 1.9 kW, exactly 4 kW feed two of 2 kW."""
    space = RackSpace(rack(power_kw=5, reserved_kw=1), {})
    assert space.fitting("node", DeviceSpace(1, 1_900)) == 2
    assert space.fitting("node", DeviceSpace(1, 2_000)) == 2
    space.put("node", DeviceSpace(1, 2_000))
    assert space.fitting("node", DeviceSpace(1, 2_000)) == 1
    assert space.fitting("node", DeviceSpace(1, 2_100)) == 0


def test_kept_places_serve_their_role_only():
    """A leaf stands at the kept unit 5; a node of three units avoids units 5 and 6, which the leaf may need."""
    space = RackSpace(rack(place=(FixedPlace(u=5, role="leaf"),)), {"leaf": 2})
    assert space.stack("leaf", 2, from_top=True) == [5]
    assert space.stack("node", 3, from_top=False) == [1, 7]


@pytest.mark.parametrize(
    ("offered", "needed", "fits"),
    [("any", "liquid", 1), ("air", "liquid", 0), ("liquid", "liquid", 1), ("air", None, 1)],
)
def test_cooling_must_suit(offered, needed, fits):
    """A rack offers one kind of cooling or any; a device that names none stands everywhere."""
    space = RackSpace(rack(cooling=offered), {})
    assert space.fitting("leaf", DeviceSpace(10, 100, needed)) == fits


def test_a_copy_is_filled_on_its_own():
    """What enters a copy leaves the original empty."""
    space = RackSpace(rack(), {})
    space.copy().put("node", DeviceSpace(10, 100))
    assert space.stack("node", 10, from_top=False) == [1]
