"""Which racks a policy opens."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.layout.policy import leaf_racks, seats, spine_racks, spines_per_rack
from fabric.model.floorplan import FloorPlan, Row
from fabric.model.request import PlacementPolicy

RACKS = FloorPlan(
    rows=(
        Row(name="A", racks=5),
        Row(name="B", racks=5, y_m=2.4, use="node"),
        Row(name="N", racks=2, y_m=4.8, use="network"),
    )
).all_racks
SLOTS = np.full(len(RACKS), 4)


def names(mask: np.ndarray) -> list[str]:
    """Names of the racks that `mask` opens."""
    return [rack.name for rack, open_ in zip(RACKS, mask, strict=True) if open_]


@pytest.mark.parametrize(
    ("leaf", "count", "expected"),
    [
        ("free", 8, ["A01", "A02", "A03", "A04", "A05", "N01", "N02"]),
        ("own_rack", 8, ["A01", "A02", "A03", "A04", "A05"]),
        ("network_rack", 8, ["N01", "N02"]),
        ("row_middle", 8, ["A03", "N01"]),
        ("row_middle", 12, ["A02", "A03", "N01", "N02"]),
        ("row_end", 8, ["A01", "N01"]),
        ("row_end", 16, ["A01", "A05", "N01", "N02"]),
    ],
)
def test_leaf_policies(leaf, count, expected):
    """Rows open equally many racks, as few as hold all leaves; racks for nodes never open."""

    def enough(chosen: np.ndarray) -> bool:
        return int(SLOTS[chosen].sum()) >= count

    assert names(leaf_racks(RACKS, PlacementPolicy(leaf=leaf), enough)) == expected


@pytest.mark.parametrize(
    ("leaf", "spine", "counts", "leaves_in", "share"),
    [
        ("row_end", "network_row", (4, 4), ["A01"], 4),
        ("row_end", "network_row", (9, 4), ["A01", "A02", "A05"], 4),
        ("row_end", "network_row", (22, 4), ["A01", "A02", "A03", "A04", "A05", "N01"], 4),
        ("row_end", "spread", (7, 2), ["A01", "N01"], 1),
        ("row_end", "spread", (8, 2), ["A01", "A05", "N01", "N02"], 1),
        ("network_rack", "spread", (4, 4), ["N01", "N02"], 2),
        ("network_rack", "spread", (3, 4), ["N01", "N02"], 2),
    ],
)
def test_leaves_leave_the_spines_their_places(leaf, spine, counts, leaves_in, share):
    """Racks near the ends open until both kinds of switch fit; rows that spines have for themselves come last."""
    found = seats(
        RACKS,
        PlacementPolicy(leaf=leaf, spine=spine),
        {"leaf": SLOTS, "spine": SLOTS},
        dict(zip(("leaf", "spine"), counts, strict=True)),
    )
    assert (names(found.leaf), found.spines_per_rack_count) == (leaves_in, share)


def test_spine_policies():
    """`network_row` opens rows of network racks alone; `spread` prefers network racks where there are any."""
    assert names(spine_racks(RACKS, PlacementPolicy(spine="network_row"))) == ["N01", "N02"]
    assert names(spine_racks(RACKS, PlacementPolicy(spine="spread"))) == ["N01", "N02"]
    assert len(names(spine_racks(RACKS, PlacementPolicy()))) == 7


@pytest.mark.parametrize(("slots", "spines", "share"), [([4, 4], 5, 3), ([1, 9], 5, 4), ([9, 9, 9], 3, 1)])
def test_spread_is_as_even_as_the_slots_allow(slots, spines, share):
    """Five spines on two racks are three and two; with a single slot in one rack the other takes four."""
    assert spines_per_rack(PlacementPolicy(spine="spread"), np.array(slots), spines) == share
    assert spines_per_rack(PlacementPolicy(), np.array(slots), spines) == max(slots)
