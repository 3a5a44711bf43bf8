"""Switches at sites while a search moves them, and what each would cost at each site.

All sites of a switch are weighed at once, against the other switches where they stand. When one moves, these costs
change for its neighbours alone.
"""

from __future__ import annotations

import numpy as np

from fabric.layout.mesh import CLOSED_COST, MeshProblem
from fabric.layout.transport import Ints

ENTRIES_PER_WORK = 60
"""Matrix entries that numpy passes in the time of one arc of a flow, the unit of work."""

LOOK_WORK = 30
"""Work of a look at the moves of one switch beside that for its entries."""

NOWHERE = -1
"""Site of a switch that has none."""


class Standing:
    """Switches at sites: a builder, changed move by move.

    Attributes:
        site: (switches,) site of each, NOWHERE for those without.
        free: (sites,) places that are left.
        at: (switches, sites) cost of each switch at each site, CLOSED_COST and more where it may not be.
        work: work done so far.
    """

    def __init__(self, problem: MeshProblem) -> None:
        """No switch has a site yet."""
        self.problem = problem
        self.site = np.full(len(problem.switch_class), NOWHERE, dtype=np.int64)
        self.free = problem.capacity.copy()
        self.at = np.where(problem.allowed, problem.own, CLOSED_COST)[problem.switch_class]
        self.work = self.at.size // ENTRIES_PER_WORK

    def copy(self) -> Standing:
        """Switches that stand alike and move on their own, work counted anew."""
        other = object.__new__(Standing)
        other.problem, other.work = self.problem, 2 * self.at.size // ENTRIES_PER_WORK
        other.site, other.free, other.at = self.site.copy(), self.free.copy(), self.at.copy()
        return other

    def put(self, switch: int, target: int) -> None:
        """Give a switch that has none a site."""
        self._tell(switch, target, 1)
        self.free[target] -= 1
        self.site[switch] = target

    def lift(self, switch: int) -> None:
        """Take the site of a switch away."""
        here = int(self.site[switch])
        self._tell(switch, here, -1)
        self.free[here] += 1
        self.site[switch] = NOWHERE

    def _tell(self, switch: int, site: int, sign: int) -> None:
        """Add to the costs of all neighbours that a switch is at a site, or that it no longer is."""
        near = self.problem.neighbours
        low, high = near.start[switch : switch + 2]
        kind, mirror = near.looks[slice(*near.first_look[switch : switch + 2])].T
        rise = sign * self.problem.cost[kind[:, None], self.problem.views[mirror, site]]
        self.at[near.far[low:high]] += rise[near.look[low:high]]
        self.work += LOOK_WORK + 2 * int(high - low) * len(self.free) // ENTRIES_PER_WORK

    def swap(self, one: int, other: int) -> None:
        """Let two switches take each other's sites."""
        here, there = int(self.site[one]), int(self.site[other])
        self.lift(one)
        self.lift(other)
        self.put(one, there)
        self.put(other, here)

    def may_swap(self, one: int, other: int) -> bool:
        """Whether two switches may take each other's sites."""
        return bool(max(self.at[one, self.site[other]], self.at[other, self.site[one]]) < CLOSED_COST)

    def settle(self) -> None:
        """Make the best move or swap of one switch after the other until none gains; all have sites."""
        count = len(self.site)
        waiting, switch = count, 0
        while waiting:
            waiting = count if self._improve(switch) else waiting - 1
            switch = (switch + 1) % count

    def _improve(self, switch: int) -> bool:
        """Whether moving one switch, alone or for another one, gains; it has moved then."""
        self.work += LOOK_WORK + 2 * (len(self.site) + len(self.free)) // ENTRIES_PER_WORK
        rise = np.where(self.free > 0, self.at[switch], 2 * CLOSED_COST) - self.at[switch, self.site[switch]]
        swap_rise = self._swap_rise(switch)
        target, other = int(rise.argmin()), int(swap_rise.argmin())
        if min(rise[target], swap_rise[other]) >= 0:
            return False
        if rise[target] <= swap_rise[other]:
            self.lift(switch)
            self.put(switch, target)
        else:
            self.swap(switch, other)
        return True

    def _swap_rise(self, switch: int) -> Ints:
        """(switches,) what the cost rises by when a switch takes the place of another, and that one its."""
        site, here = self.site, self.site[switch]
        numbers = np.arange(len(site))
        rise: Ints = self.at[switch, site] + self.at[:, here] - self.at[numbers, site] - self.at[switch, here]
        low, high = self.problem.neighbours.start[switch : switch + 2]
        near = self.problem.neighbours
        far, kind, view = near.far[low:high], near.kind[low:high], near.view[low:high]
        there = site[far]
        cost, views = self.problem.cost, self.problem.views
        between = cost[kind, views[view, here, there]] + cost[kind, views[view, there, here]]
        rise[far] += between - cost[kind, views[view, there, there]] - cost[kind, views[view, here, here]]
        return rise


def stand(problem: MeshProblem, site: Ints) -> Standing:
    """Switches at given sites (switches,)."""
    standing = Standing(problem)
    for switch, target in enumerate(site.tolist()):
        standing.put(switch, target)
    return standing
