"""A relaxation for halls where a trunk inside one rack is much cheaper than any other (copper against optics).

The envelope of `site_bound` believes that every leaf could share a rack with every spine. Here the price of a trunk
is split: trunk = far − saving, where `far` prices links inside a rack like the cheapest link that leaves one. With l
leaves and y spines of a plane in a rack of c slots, the saving grows as l y, and on l, y >= 0, l + y <= c

    l y  <=  c (1 − t)^2 l  +  c t^2 y        for any share t of leaves among the rack's switches,

because the right side is the tangent plane, at l : y = t : 1 − t, of c l y / (l + y), the least concave function
above l y there. Both terms are prices per switch, so what is left is the same problem with other prices, whose
bounds hold for the true one.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np

from fabric.layout.assignment import SiteProblem


def linear_savings(problem: SiteProblem) -> SiteProblem | None:
    """One plane's problem with the saving of short trunks turned into prices of leaves and spines.

    The share t is that of leaves among all switches, the same in every rack: were it taken rack by rack, the
    relaxation would put all leaves where t is low and all spines where it is high.

    Returns:
        A problem whose every assignment costs at most what it costs in `problem`; None when all sites are in one rack.
    """
    inside = problem.rack[:, None] == problem.rack
    if inside.all():
        return None
    far = int(problem.trunk[~inside].min())
    far_trunk = np.where(inside, np.maximum(problem.trunk, far), problem.trunk)
    leaf_allowed = np.asarray(problem.leaf_allowed.any(axis=0))
    saving = (far_trunk - problem.trunk) * leaf_allowed[:, None] * problem.spine_allowed
    leaves, spines = int(problem.leaves.sum()), int(problem.spines.sum())
    share = leaves / (leaves + spines)
    own, spine_own = problem.own.copy(), problem.spine_own.copy()
    for rack in np.unique(problem.rack):
        sites = np.flatnonzero(problem.rack == rack)
        slots = min(int(problem.capacity[sites].sum()), leaves + spines)
        most_cost = int(problem.weight.max()) * int(saving[np.ix_(sites, sites)].max())
        if slots > 1:
            own[:, sites] -= ceil(most_cost * slots * (1 - share) ** 2)
            spine_own[sites] -= ceil(most_cost * slots * share**2)
    return replace(problem, own=own, spine_own=spine_own, trunk=far_trunk)
