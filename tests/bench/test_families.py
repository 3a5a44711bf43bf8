"""The bench of families: that it measures each against the fat-tree of its run, on a small size."""

from __future__ import annotations


def test_families_are_measured_against_the_tree(script):
    """Sixteen nodes: a line of the tree, which is one of itself, and a line of a dragonfly with all its phases."""
    families = script("families")
    lines = []
    families.bench(("infiniband",), ("dragonfly",), lines.append, nodes=16)
    assert [line.split(":")[0] for line in lines] == ["infiniband fat_tree", "infiniband dragonfly"]
    assert ", 1.00 fat-trees;" in lines[0]
    assert all(f"{phase} " in lines[1] for phase in ("search", "layout", "judge", "render"))


def test_shipped_halls_have_the_promised_sizes(script):
    """10,368 endpoints on InfiniBand, 8,192 on RoCE."""
    assert [8 * nodes for *_, nodes in script("families").HALLS.values()] == [10368, 8192]
