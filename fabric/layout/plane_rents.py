"""Several planes on the same sites: each placed by itself, at rents for the racks that all of them want.

With a rent mu >= 0 for every slot of a rack, and one plane after the other free to take any slot,

    L(mu) = sum over planes of min [cost + mu · (slots taken)]  −  mu · (slots there are)

never exceeds what all planes cost together, because those take no more slots than there are. The rents that make L
large are found by subgradient steps: a rack that is wanted too much gets dearer, one with room cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fabric.layout.assignment import Assignment, SiteProblem, alternate, assignment, best_assignment
from fabric.layout.plane_bound import prove_plane
from fabric.layout.site_bound import WORK_LIMIT
from fabric.layout.transport import Ints

ROUNDS = 6
"""Rents tried at most."""

STEP_SHRINKAGE = 0.5
"""Share of a step that is left after a round without gain."""


@dataclass(frozen=True)
class _Copies:
    """Planes that are copies of each other: one of them by itself, how many, and an assignment of one."""

    problem: SiteProblem
    count: int
    start: Assignment


def prove_planes(problem: SiteProblem, start: Assignment, work_limit: int = WORK_LIMIT) -> tuple[Assignment, int]:
    """Improve `start`, an assignment of all planes, and bound them together.

    Args:
        problem: several planes on the same sites.
        start: an assignment of them.
        work_limit: work after which the search stops with a gap, half of it for each purpose.

    Returns:
        The best assignment seen, and a bound that no assignment goes below.
    """
    best = _one_by_one(problem, start, work_limit // 2)
    return best, min(best.cost, _with_rents(problem, best.cost, work_limit // 2))


def _one_by_one(problem: SiteProblem, start: Assignment, work_limit: int) -> Assignment:
    """The planes placed in turn, each in what others left; `start` where it is cheaper or one finds no room."""
    left = problem.capacity.copy()
    spines = np.zeros_like(start.spines)
    for plane in range(len(problem.spines)):
        alone = replace(problem.of_plane(plane), capacity=left)
        first = best_assignment(alone)
        if first is None:
            return start
        found = prove_plane(alone, first, work_limit // len(problem.spines)).best
        spines[plane] = found.spines[0]
        left = left - found.leaves.sum(axis=0) - found.spines[0]
    joint = alternate(problem, spines)
    return joint if joint is not None and joint.cost < start.cost else start


def _with_rents(problem: SiteProblem, target_cost: int, work_limit: int) -> int:
    """The largest L found, at most in `ROUNDS` rounds; no assignment costs more than `target_cost`."""
    copies = _copies(problem)
    racks, rack_of = np.unique(problem.rack, return_inverse=True)
    room = _by_rack(problem.capacity, rack_of)
    rents = best_rents = np.zeros(len(racks), dtype=np.int64)
    bound, step, pull = 0, 1.0, np.zeros(len(racks))
    for number in range(ROUNDS):
        total, wanted = -int(rents @ room), -room
        for each in copies:
            rented = replace(
                each.problem, own=each.problem.own + rents[rack_of], spine_own=each.problem.spine_own + rents[rack_of]
            )
            begin = assignment(rented, each.start.spines)
            if begin is None:
                raise ArithmeticError("rents change no room")
            proof = prove_plane(rented, begin, work_limit // (ROUNDS * len(copies)))
            total += each.count * proof.bound_cost
            wanted = wanted + each.count * _by_rack(proof.best.leaves.sum(axis=0) + proof.best.spines[0], rack_of)
        if total > bound or number == 0:
            bound, best_rents, pull = max(total, bound), rents, np.where((rents > 0) | (wanted > 0), wanted, 0)
        else:
            step *= STEP_SHRINKAGE
        if not pull.any() or bound >= target_cost:
            break
        rents = np.maximum(0, best_rents + np.rint(step * (target_cost - bound) / (pull @ pull) * pull)).astype(
            np.int64
        )
    return bound


def _copies(problem: SiteProblem) -> list[_Copies]:
    """The planes, copies once; a plane alone has an assignment because all planes together have one."""
    found: dict[bytes, _Copies] = {}
    for plane in range(len(problem.spines)):
        alone = problem.of_plane(plane)
        parts = (alone.own, alone.weight, alone.leaves, alone.spines, alone.leaf_allowed)
        key = b"".join(part.tobytes() for part in parts)
        if key in found:
            found[key] = replace(found[key], count=found[key].count + 1)
            continue
        start = best_assignment(alone)
        if start is None:
            raise ArithmeticError("a plane alone cannot be harder than all planes together")
        found[key] = _Copies(alone, 1, start)
    return list(found.values())


def _by_rack(counts: Ints, rack_of: Ints) -> Ints:
    """(racks,) sums of what sites (sites,) count."""
    return np.bincount(rack_of, weights=counts).astype(np.int64)
