"""The best assignment of all planes to sites, and the better of two bounds on it."""

from __future__ import annotations

from fabric.layout.assignment import Assignment, SiteProblem, assignment, best_assignment
from fabric.layout.rack_saving import far_problem, most_saving_cents
from fabric.layout.site_bound import prove


def search_sites(problem: SiteProblem) -> tuple[Assignment, int]:
    """Best assignment found, and a bound that no assignment goes below [cents].

    Raises:
        ArithmeticError: the problem has no assignment; callers asked `any_assignment` before.
    """
    best = best_assignment(problem)
    if best is None:
        raise ArithmeticError("a feasible problem lost its assignment")
    if len(problem.spines) == 1:
        proof = prove(problem, best)
        best, bound_cents = proof.best, proof.bound_cents
    else:
        bound_cents = planes_bound_cents(problem, best)
    if bound_cents < best.cents:
        bound_cents = max(bound_cents, saving_bound_cents(problem, best))
    return best, bound_cents


def planes_bound_cents(problem: SiteProblem, start: Assignment) -> int:
    """Sum of the bounds of all planes, each of which sees every site empty; copies of a plane are bounded once."""
    known: dict[bytes, int] = {}
    total_cents = 0
    for plane in range(len(problem.spines)):
        alone = problem.of_plane(plane)
        key = b"".join(part.tobytes() for part in (alone.own, alone.weight, alone.leaves, alone.spines))
        if key not in known:
            first = assignment(alone, start.spines[plane : plane + 1])
            if first is None:
                raise ArithmeticError("a plane alone cannot be harder than all planes together")
            known[key] = prove(alone, first).bound_cents
        total_cents += known[key]
    return total_cents


def saving_bound_cents(problem: SiteProblem, start: Assignment) -> int:
    """Bound from trunks priced as if all left their rack, less the most that trunks inside racks save."""
    far = far_problem(problem)
    saving_cents = 0 if far is None else most_saving_cents(problem, far)
    if far is None or saving_cents == 0:
        return 0
    return planes_bound_cents(far, start) - saving_cents
