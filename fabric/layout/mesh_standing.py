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

FEW_AT_ONCE = 4
"""Switches whose moves are looked at together after one that gained."""

CELLS_AT_ONCE = 2**18
"""Sites of switches that are weighed together at most."""

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
        self._tell(switch, target)

    def lift(self, switch: int) -> None:
        """Take the site of a switch away."""
        self._tell(switch, NOWHERE)

    def _tell(self, switch: int, target: int) -> None:
        """Move a switch, and add to the costs of all neighbours that it is where it now is and no more where it was."""
        near = self.problem.neighbours
        low, high = near.start[switch : switch + 2]
        kind, mirror = near.looks[slice(*near.first_look[switch : switch + 2])].T
        rise = np.zeros((len(kind), len(self.free)), dtype=np.int64)
        for sign, site in ((-1, int(self.site[switch])), (1, target)):
            if site != NOWHERE:
                rise += sign * self.problem.cost[kind[:, None], self.problem.views[mirror, site]]
                self.free[site] -= sign
                self.work += LOOK_WORK + 2 * int(high - low) * len(self.free) // ENTRIES_PER_WORK
        self.at[near.far[low:high]] += rise[near.look[low:high]]
        self.site[switch] = target

    def swap(self, one: int, other: int) -> None:
        """Let two switches take each other's sites."""
        here, there = int(self.site[one]), int(self.site[other])
        self._tell(one, there)
        self._tell(other, here)

    def may_swap(self, one: int, other: int) -> bool:
        """Whether two switches may take each other's sites."""
        return bool(max(self.at[one, self.site[other]], self.at[other, self.site[one]]) < CLOSED_COST)

    def settle(self) -> None:
        """Make the best move or swap of one switch after the other until none gains; all have sites.

        Most switches gain nothing, so ever more of them are looked at together until one does.
        """
        count = waiting = len(self.site)
        most, switch, many = max(1, CELLS_AT_ONCE // (count + len(self.free))), 0, FEW_AT_ONCE
        while waiting:
            beyond = min(switch + min(many, most), count, switch + waiting)
            moved = self._improve(switch, beyond)
            waiting = waiting - (beyond - switch) if moved is None else count
            many = 2 * many if moved is None else FEW_AT_ONCE
            switch = (beyond if moved is None else moved + 1) % count

    def _improve(self, low: int, beyond: int) -> int | None:
        """Move the first switch from `low` to before `beyond` that gains, alone or for another one; which, if any."""
        own = self.at[np.arange(low, beyond), self.site[low:beyond]]
        rise = np.where(self.free > 0, self.at[low:beyond], 2 * CLOSED_COST) - own[:, None]
        swap_rise = self._swap_rise(low, beyond) - own[:, None]
        gains = np.flatnonzero(np.minimum(rise.min(axis=1), swap_rise.min(axis=1)) < 0)
        looks = int(gains[0]) + 1 if gains.size else beyond - low
        self.work += looks * (LOOK_WORK + 2 * (len(self.site) + len(self.free)) // ENTRIES_PER_WORK)
        if not gains.size:
            return None
        place, switch = gains[0], low + int(gains[0])
        target, other = int(rise[place].argmin()), int(swap_rise[place].argmin())
        if rise[place, target] <= swap_rise[place, other]:
            self._tell(switch, target)
        else:
            self.swap(switch, other)
        return switch

    def _swap_rise(self, low: int, beyond: int) -> Ints:
        """(some, switches) cost of switches in the place of each other one, and of it in theirs, beyond its own."""
        site, here = self.site, self.site[low:beyond]
        rise: Ints = self.at[low:beyond, site] + self.at[:, here].T - self.at[np.arange(len(site)), site]
        near, cost, views = self.problem.neighbours, self.problem.cost, self.problem.views
        some = slice(near.start[low], near.start[beyond])
        row = np.repeat(np.arange(beyond - low), np.diff(near.start[low : beyond + 1]))
        far, kind, view = near.far[some], near.kind[some], near.view[some]
        here, there = here[row], site[far]
        between = cost[kind, views[view, here, there]] + cost[kind, views[view, there, here]]
        rise[row, far] += between - cost[kind, views[view, there, there]] - cost[kind, views[view, here, here]]
        return rise


def stand(problem: MeshProblem, site: Ints) -> Standing:
    """Switches at given sites (switches,)."""
    standing = Standing(problem)
    for switch, target in enumerate(site.tolist()):
        standing.put(switch, target)
    return standing
