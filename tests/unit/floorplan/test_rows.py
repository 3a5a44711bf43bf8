"""Which racks form rows, and their order."""

from __future__ import annotations

from fabric.floorplan.rows import from_middle, row_names, walking_order
from fabric.model.floorplan import Rack


def rack(name: str, x_m: float, y_m: float, row: str | None = None) -> Rack:
    """A rack at one place."""
    return Rack(name=name, x_m=x_m, y_m=y_m, row=row)


def test_a_named_row_wins_over_equal_y():
    """Racks of equal y but different row are two rows; racks without a row are grouped by y."""
    racks = (rack("a", 0, 0, "R"), rack("b", 1, 0, "S"), rack("c", 0, 5), rack("d", 1, 5))
    assert row_names(racks) == ("R", "S", "y=5", "y=5")


def test_walking_order_goes_row_by_row_along_x():
    """Rows come as first listed, racks of a row by x, whatever their order in the file."""
    racks = (rack("b2", 1, 3, "B"), rack("a2", 1, 0, "A"), rack("b1", 0, 3, "B"), rack("a1", 0, 0, "A"))
    assert [racks[i].name for i in walking_order(racks)] == ["b1", "b2", "a1", "a2"]


def test_distance_from_the_middle_is_per_row():
    """In a row from 0 to 4 m the rack at 2 m is the middle; the middle of a single rack is itself."""
    racks = (rack("a", 0, 0), rack("b", 2, 0), rack("c", 4, 0), rack("d", 9, 1))
    assert from_middle(racks) == (2, 0, 2, 0)
