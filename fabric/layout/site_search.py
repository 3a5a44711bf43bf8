"""The best assignment of all planes to sites, and a bound on it."""

from __future__ import annotations

from fabric.layout.assignment import Assignment, SiteProblem, best_assignment
from fabric.layout.plane_bound import prove_plane
from fabric.layout.plane_rents import prove_planes
from fabric.layout.site_bound import WORK_LIMIT


def search_sites(problem: SiteProblem, work_limit: int = WORK_LIMIT) -> tuple[Assignment, int]:
    """Best assignment found, and a bound that no assignment goes below, within so much work.

    Raises:
        ArithmeticError: the problem has no assignment; callers asked `any_assignment` before.
    """
    best = best_assignment(problem)
    if best is None:
        raise ArithmeticError("a feasible problem lost its assignment")
    if len(problem.spines) > 1:
        return prove_planes(problem, best, work_limit)
    proof = prove_plane(problem, best, work_limit)
    return proof.best, proof.bound_cost
