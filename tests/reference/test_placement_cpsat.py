"""The search for leaves and spines against CP-SAT on the same problem, a bit too large to enumerate.

CP-SAT gets the bilinear cost as products of counts and stops after a fixed amount of its own work, so that runs repeat.
"""

from __future__ import annotations

import numpy as np
import pytest
from ortools.sat.python import cp_model

from fabric.layout.assignment import SiteProblem, any_assignment
from fabric.layout.site_search import search_sites
from fabric.layout.trunk_shares import prove_apart

PROBLEMS = range(48)

DETERMINISTIC_LIMIT = 1.0
"""Work after which CP-SAT gives up, in its own units; a few seconds."""

SHARES_WORK = 50_000
"""Work of the bound by shares of trunk prices."""

SIZES = {
    1: {"groups": (3, 4), "leaves": (2, 3), "spines": (3, 6), "racks": (5, 6), "rack_sites": (1, 2)},
    2: {"groups": (2, 2), "leaves": (1, 3), "spines": (2, 3), "racks": (4, 5), "rack_sites": (1, 2)},
}
"""Ranges of a problem by its planes."""


def model_of(problem: SiteProblem) -> cp_model.CpModel:
    """Leaves and spines as counts by site.

    A trunk enters as trunk[r, q] times a product: links that end at r by spines at q, which is all that is not linear.
    """
    model = cp_model.CpModel()
    leaves = _counts(model, problem.leaves, problem.leaf_allowed)
    spines = _counts(model, problem.spines, np.tile(problem.spine_allowed, (len(problem.spines), 1)))
    for site, capacity in enumerate(problem.capacity):
        model.add(sum(row[site] for row in (*leaves, *spines)) <= int(capacity))
    cost = [int(problem.own[k, r]) * n for k, row in enumerate(leaves) for r, n in enumerate(row)]
    cost += [int(problem.spine_own[q]) * y for row in spines for q, y in enumerate(row)]
    for plane, row in enumerate(spines):
        groups = np.flatnonzero(problem.plane == plane)
        most_links = int(problem.weight[groups] @ problem.leaves[groups])
        for r in range(len(problem.rack)):
            links = model.new_int_var(0, most_links, "")
            model.add(links == sum(int(problem.weight[k]) * leaves[k][r] for k in groups))
            for q, y in enumerate(row):
                trunks = model.new_int_var(0, most_links * int(problem.spines[plane]), "")
                model.add_multiplication_equality(trunks, [links, y])
                cost.append(int(problem.trunk[r, q]) * trunks)
    model.minimize(sum(cost))
    return model


def solve(problem: SiteProblem) -> tuple[str, int, int]:
    """Status of CP-SAT, the value found and its bound (both 0 where it found none)."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = DETERMINISTIC_LIMIT
    status = solver.status_name(solver.solve(model_of(problem)))
    if status in {"OPTIMAL", "FEASIBLE"}:
        return status, round(solver.objective_value), round(solver.best_objective_bound)
    return status, 0, 0


def _counts(model: cp_model.CpModel, things: np.ndarray, allowed: np.ndarray) -> list[list[cp_model.IntVar]]:
    """A count for each row of `things` and each site, all of which add up to the row's."""
    rows = [
        [model.new_int_var(0, int(most) * int(may), "") for may in row]
        for most, row in zip(things, allowed, strict=True)
    ]
    for row, most in zip(rows, things, strict=True):
        model.add(sum(row) == int(most))
    return rows


@pytest.mark.parametrize("seed", PROBLEMS)
def test_cpsat_agrees(random_sites, seed):
    """Where both prove their answers these are equal, and no bound of either exceeds an answer of the other."""
    planes = 2 if seed % 5 == 4 else 1
    problem = random_sites(np.random.default_rng([7, seed]), planes=planes, **SIZES[planes])
    status, value, bound = solve(problem)
    if any_assignment(problem) is None:
        assert status == "INFEASIBLE"
        return
    found, bound_cost = search_sites(problem)
    assert status in {"OPTIMAL", "FEASIBLE"}
    assert bound_cost <= value
    assert bound <= found.cost
    if planes == 1:
        assert prove_apart(problem, found, SHARES_WORK).bound_cost <= value
    if status == "OPTIMAL" and bound_cost == found.cost:
        assert value == found.cost
