"""The transportation problem against an independent linear program."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from fabric.layout.transport import transport


@pytest.mark.parametrize("seed", range(25))
def test_flow_equals_the_linear_program(seed):
    """Cost equals the LP's, which is integral here; both agree on infeasibility."""
    rng = np.random.default_rng(seed)
    groups, sites = rng.integers(1, 5), rng.integers(1, 6)
    cost = rng.integers(0, 100, (groups, sites))
    supply, capacity = rng.integers(0, 4, groups), rng.integers(0, 5, sites)
    allowed = rng.random((groups, sites)) < 0.8
    pieces = transport(cost, supply, capacity, allowed)
    rows = np.kron(np.eye(groups), np.ones(sites))
    columns = np.kron(np.ones(groups), np.eye(sites))
    bounds = [(0, None if ok else 0) for ok in allowed.ravel()]
    program = linprog(cost.ravel(), columns, capacity, rows, supply, bounds)
    if pieces is None:
        assert program.status == 2
        return
    assert (pieces.sum(axis=1) == supply).all()
    assert (pieces.sum(axis=0) <= capacity).all()
    assert not pieces[~allowed].any()
    assert (pieces * cost).sum() == pytest.approx(program.fun)


def test_costs_of_a_large_hall_do_not_overflow():
    """A price of 2^33 cents for each of hundreds of pieces is summed exactly."""
    cost = np.full((2, 300), 2**33, dtype=np.int64)
    pieces = transport(cost, np.array([150, 150]), np.ones(300, dtype=np.int64), np.ones((2, 300), dtype=bool))
    assert pieces is not None
    assert int((pieces * cost).sum()) == 300 * 2**33
