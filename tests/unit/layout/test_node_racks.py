"""Windows of racks for nodes."""

import pytest

from fabric.layout.node_racks import node_racks
from fabric.model.floorplan import Rack


def row(count, name="A", y_m=0.0, use="any"):
    """Racks along one row."""
    return [
        Rack(name=f"{name}{i:02}", row=name, x_m=0.6 * i, y_m=y_m, units=48, power_kw=60, use=use) for i in range(count)
    ]


@pytest.mark.parametrize("width", [8, 12, 40, 160])
def test_windows_do_not_depend_on_how_wide_the_hall_is(width):
    """Racks far away take no part, but for the whole hall with its middle free."""
    windows = node_racks(row(width), [5] * width, 24, 1)
    assert windows[:2] == ((0, 1, 2, 3, 4), (0, 1, 3, 4, 5))
    assert windows[-1][0] == 0
    assert windows[-1][-1] == width - 1


def test_a_block_over_several_rows_is_among_the_windows():
    """Where rows lie near each other, a block is more compact than a line."""
    racks = [*row(20, "A"), *row(20, "B", y_m=1.8)]
    assert (0, 1, 2, 3, 20, 21, 22, 23) in node_racks(racks, [1] * 40, 8, 0)


def test_racks_without_room_are_passed_over():
    """A rack that holds no node is in no window."""
    assert node_racks(row(6), [0, 2, 0, 2, 2, 2], 4, 0)[0] == (1, 3)


def test_network_racks_or_no_spare_rack_leave_no_choice():
    """Then nodes fill the racks row by row."""
    assert node_racks(row(3), [2, 2, 2], 5, 1) == ((0, 1, 2),)
    racks = [*row(3), *row(1, "N", use="network")]
    assert node_racks(racks, [2, 2, 2, 0], 2, 1) == ((0, 1, 2),)
