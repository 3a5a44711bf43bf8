"""The sizing bench as a test: the search over listings finds the optimum that CP-SAT proves, and sooner."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.catalog.load import load


@pytest.fixture(scope="module")
def sizing(script):
    """The bench script as a module."""
    return script("sizing")


def test_search_and_cp_sat_agree(sizing):
    """Forty problems of up to 100,000 endpoints, none of the bench; most have an answer, in a fifth of the time."""
    ours_s, theirs_s, answered = sizing.compare(tuple(sizing.cases(count=40, seed=7)), load())
    assert answered > 20
    assert 0 < 5 * ours_s < theirs_s


def test_a_different_optimum_is_no_measurement(sizing, monkeypatch):
    """The comparison stops where the two differ."""
    monkeypatch.setattr(sizing, "solved", lambda _: 1)
    with pytest.raises(ArithmeticError, match="by the search, 1 by CP-SAT"):
        sizing.compare(tuple(sizing.cases(count=1, seed=7)), load())


def test_small_problems_by_hand(sizing):
    """96 endpoints on 64-port models of price 10: 3 leaves of 32 down and 2 spines; 64 fit on one; 3,000 on none."""
    base = sizing.Sizing(96, 1, (sizing.Model(32, 2, 10),), 1)
    assert sizing.solved(base) == 5 * 10 + 3 * 32
    assert sizing.solved(replace(base, endpoints=64)) == 10
    assert sizing.solved(replace(base, endpoints=3000)) is None
