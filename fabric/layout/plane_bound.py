"""How cheap leaves and spines of one plane can be at most, by the bound that suits their sites.

Splitting the prices of trunks (`trunk_shares`) proves most answers where leaves and spines have sites of their own and
the spines need many of them. Where few sites hold all spines, corners with all spines in one rack are near to what
there is; and where leaves and spines want the same slots, boxes of corners see how they crowd (`site_bound`).
"""

from __future__ import annotations

import numpy as np

from fabric.layout.assignment import Assignment, Proof, SiteProblem
from fabric.layout.site_bound import ENTRIES_PER_WORK, WORK_LIMIT, prove
from fabric.layout.trunk_shares import prove_apart

FEW_SITES_COUNT = 16
"""Sites that corners of a box stand for well (measured: 9 sites are better off with corners, 33 and 72 without)."""


def prove_plane(problem: SiteProblem, start: Assignment, work_limit: int = WORK_LIMIT) -> Proof:
    """Improve `start` and bound the cost of one plane from below, at most until the bound proves a trunk out of reach.

    Args:
        problem: one plane; its leaves and spines share the capacity of each site.
        start: an assignment of that plane.
        work_limit: work after which the search stops with a gap.
    """
    find = prove if _is_of_corners(problem) else prove_apart
    return find(problem, start, work_limit)


def _is_of_corners(problem: SiteProblem) -> bool:
    """Whether corners suit the sites better than shares of the prices of trunks."""
    room = np.where(problem.spine_allowed, problem.capacity, 0)
    is_shared = problem.leaf_allowed.any(axis=0) & (room > 0)
    largest = np.sort(room)[::-1][:FEW_SITES_COUNT].sum()
    return bool(is_shared.any() or largest >= problem.spines[0])


def first_work(problem: SiteProblem) -> int:
    """Work that a proof takes at least for its first box, and so all that it does where it is given less; 0 if unknown.

    That box wants the corners of all racks.
    """
    if len(problem.spines) > 1 or not _is_of_corners(problem):
        return 0
    is_open = problem.capacity > 0
    leaf_racks = len(np.unique(problem.rack[is_open & problem.leaf_allowed.any(axis=0)]))
    spine_racks = len(np.unique(problem.rack[is_open & problem.spine_allowed]))
    return len(problem.leaves) * leaf_racks * spine_racks // ENTRIES_PER_WORK
