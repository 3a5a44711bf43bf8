"""The best assignment of all planes to sites, and a bound on it."""

from __future__ import annotations

from fabric.layout.assignment import Assignment, SiteProblem, assignment, best_assignment
from fabric.layout.rack_saving import linear_savings
from fabric.layout.site_bound import Proof, prove


def search_sites(problem: SiteProblem) -> tuple[Assignment, int]:
    """Best assignment found, and a bound that no assignment goes below.

    Several planes share the sites. Their bound is the sum of the planes' own, each of which sees every site empty;
    copies of a plane are bounded once.

    Raises:
        ArithmeticError: the problem has no assignment; callers asked `any_assignment` before.
    """
    best = best_assignment(problem)
    if best is None:
        raise ArithmeticError("a feasible problem lost its assignment")
    if len(problem.spines) == 1:
        proof = bounded(problem, best)
        return proof.best, proof.bound_cost
    known: dict[bytes, int] = {}
    bound_cost = 0
    for plane in range(len(problem.spines)):
        alone = problem.of_plane(plane)
        key = b"".join(part.tobytes() for part in (alone.own, alone.weight, alone.leaves, alone.spines))
        if key not in known:
            start = best_assignment(alone)
            if start is None:
                raise ArithmeticError("a plane alone cannot be harder than all planes together")
            known[key] = bounded(alone, start).bound_cost
        bound_cost += known[key]
    return best, bound_cost


def bounded(problem: SiteProblem, start: Assignment) -> Proof:
    """One plane's best assignment with the better of two bounds: its own, and that of its linear relaxation."""
    proof = prove(problem, start)
    is_open = proof.bound_cost < min(proof.best.cost, problem.dearest_within_reach + 1)
    linear = linear_savings(problem) if is_open else None
    first = None if linear is None else assignment(linear, proof.best.spines)
    if linear is None or first is None:
        return proof
    return Proof(proof.best, max(proof.bound_cost, prove(linear, first).bound_cost))
