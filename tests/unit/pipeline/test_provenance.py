"""What a design remembers of the shapes that were not taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.layout.search import Candidate
from fabric.model.design import Alternative, Optimality
from fabric.model.tree_shape import FatTreeShape
from fabric.pipeline.judging import _difference
from fabric.pipeline.provenance import ALTERNATIVES, _alternative, _runners_up

SHAPE = FatTreeShape(
    leaf_part="a",
    spine_part="a",
    planes=1,
    wiring="rail",
    node_ports=8,
    node_port_gbps=400,
    uplink_gbps=400,
    unit_nodes=8,
    units=2,
    rails_per_leaf=1,
    leaves_per_unit=8,
    extra_ports=0,
    down_ports=8,
    uplinks=8,
    last_uplinks=8,
    spines=2,
)


def lost(leaf: str, spine: str | None, unit: int) -> Candidate[FatTreeShape]:
    """A shape that was not taken."""
    return Candidate(replace(SHAPE, leaf_part=leaf, spine_part=spine, unit_nodes=unit), None, (unit,), "dearer")


def test_every_pair_of_models_comes_before_a_second_shape_of_one():
    """Ten shapes of one pair leave room for the best of three more; after these the ten go on in their order."""
    others = [
        *(lost("a", "a", unit) for unit in range(1, 21)),
        lost("b", "a", 21),
        lost("a", None, 22),
        lost("b", "a", 23),
    ]
    found = _runners_up(others)
    assert [each.bound[0] for each in found[:5]] == [1, 21, 22, 2, 3]
    assert len(found) == ALTERNATIVES


def test_of_one_model_other_numbers_and_wiring_come_first():
    """Two shapes of 16 leaves and 2 spines differ in their unit alone: 24 leaves, and another wiring, go between."""
    alike = [lost("a", "a", unit) for unit in (1, 2)]
    more = Candidate(replace(SHAPE, leaf_part="a", spine_part="a", units=3), None, (3,), "dearer")
    rack = Candidate(replace(SHAPE, leaf_part="a", spine_part="a", wiring="rack"), None, (4,), "dearer")
    assert [each.bound[0] for each in _runners_up([*alike, more, rack])] == [1, 3, 4, 2]
    assert _alternative(rack).switches["wiring"] == "rack"


def test_few_shapes_are_all_remembered():
    """Each once, the best of each pair first."""
    others = [lost("a", "a", 1), lost("a", "a", 2), lost("b", "b", 3)]
    assert [each.bound[0] for each in _runners_up(others)] == [1, 3, 2]


@pytest.mark.parametrize(
    ("value", "bound", "difference"), [(130, 90, 30), (80, 70, -20), (None, 120, 20), (None, 90, None), (None, 0, None)]
)
def test_what_is_not_laid_out_differs_by_its_bound_at_least(value, bound, difference):
    """All of the difference to 100 where the value is known; the least where a bound is above it; else none."""
    best = Optimality("feasible", 100, 95, "usd", (), (), "")
    assert _difference(Alternative("fat_tree", {}, value, bound, "dearer"), best) == difference
