"""What a design says of the shapes that were not taken."""

from __future__ import annotations

import pytest

from fabric.model.design import Alternative, Optimality
from fabric.pipeline.judging import _difference


@pytest.mark.parametrize(
    ("value", "bound", "difference"), [(130, 90, 30), (80, 70, -20), (None, 120, 20), (None, 90, None), (None, 0, None)]
)
def test_what_is_not_laid_out_differs_by_its_bound_at_least(value, bound, difference):
    """All of the difference to 100 where the value is known; the least where a bound is above it; else none."""
    best = Optimality("feasible", 100, 95, "usd", (), (), "")
    assert _difference(Alternative("fat_tree", {}, value, bound, "dearer"), best) == difference
