"""A second bound, for halls where a trunk inside one rack is much cheaper than any other (copper against optics).

The envelope of `site_bound` believes that every leaf could share a rack with every spine. Here the price of a trunk
is split: trunk = far − saving, where `far` prices links inside a rack like the cheapest link that leaves it. Then

    cost  >=  (least cost at prices `far`)  −  (most that trunks inside racks can save),

and the second term is bounded by what fits a rack. With l leaves and y spines of a plane in a rack that saves s on
each of w links it is s w l y. For any prices alpha of a leaf and beta of a spine, summed over racks and planes,

    saving  <=  alpha L + beta S + sum_racks max (s w l y − alpha l − beta y),   l + y within the rack's slots,

(Lagrangian duality; L leaves and S spines in all). The prices that make the right side least are searched on a grid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from fabric.layout.assignment import SiteProblem
from fabric.layout.transport import Ints

GRID_COUNT = 9
"""Prices of each kind tried per round."""

ROUNDS_COUNT = 8
"""Rounds of the search; each looks around the best pair of the round before, four times as close."""


@dataclass(frozen=True, slots=True)
class _Shelf:
    """Slots of one rack, those that spines may use, and the cents that a link inside it saves."""

    slots: int
    spine_slots: int
    saving_cents: int


def far_problem(problem: SiteProblem) -> SiteProblem | None:
    """The problem with trunks inside a rack priced like the cheapest that leave a rack; None for a single rack."""
    inside = problem.rack[:, None] == problem.rack
    if inside.all():
        return None
    far = int(problem.trunk[~inside].min())
    return replace(problem, trunk=np.where(inside, np.maximum(problem.trunk, far), problem.trunk))


def most_saving_cents(problem: SiteProblem, far: SiteProblem) -> int:
    """Upper bound on what trunks inside racks save against the prices of `far`, over all planes together."""
    shelves = Counter(shelf for shelf in _shelves(problem, far.trunk - problem.trunk) if shelf.saving_cents)
    if not shelves or not problem.spines.any():
        return 0
    links = int(problem.weight.max())
    counts = np.array([int(problem.leaves.sum()), int(problem.spines.sum())])
    limits = (int(_leaves_per_plane(problem).max()), int(problem.spines.max()))
    planes = len(problem.spines)

    def dual(prices: tuple[float, float]) -> float:
        gains = (count * _gain(shelf, links, prices, limits, planes) for shelf, count in shelves.items())
        return float(counts @ np.array(prices)) + sum(gains)

    reach = max(shelf.saving_cents * shelf.slots for shelf in shelves) * links
    best, centre, width = dual((0.0, 0.0)), (reach / 2, reach / 2), reach / 2
    for _ in range(ROUNDS_COUNT):
        steps = np.linspace(-width, width, GRID_COUNT)
        tries = [(max(0.0, centre[0] + a), max(0.0, centre[1] + b)) for a in steps for b in steps]
        value, centre = min((dual(prices), prices) for prices in tries)
        best, width = min(best, value), width / 4
    return ceil(best)


def _leaves_per_plane(problem: SiteProblem) -> Ints:
    return np.bincount(problem.plane, weights=problem.leaves, minlength=len(problem.spines)).astype(np.int64)


def _shelves(problem: SiteProblem, saving: Ints) -> Iterator[_Shelf]:
    """One shelf per rack, with the largest saving of any two of its sites that may hold leaf and spine."""
    leaf_allowed = np.asarray(problem.leaf_allowed.any(axis=0))
    for rack in np.unique(problem.rack):
        sites = np.flatnonzero((problem.rack == rack) & (problem.capacity > 0))
        leaf, spine = sites[leaf_allowed[sites]], sites[problem.spine_allowed[sites]]
        if len(leaf) and len(spine):
            yield _Shelf(
                slots=int(problem.capacity[sites].sum()),
                spine_slots=int(problem.capacity[spine].sum()),
                saving_cents=int(saving[np.ix_(leaf, spine)].max()),
            )


def _gain(shelf: _Shelf, links: int, prices: tuple[float, float], limits: tuple[int, int], planes: int) -> float:
    """Most of saving − prices over leaves and spines of all planes in one rack; never below 0."""
    leaves, spines = np.mgrid[: min(shelf.slots, limits[0]) + 1, : min(shelf.spine_slots, limits[1]) + 1]
    value = shelf.saving_cents * links * leaves * spines - prices[0] * leaves - prices[1] * spines
    alone = np.full(shelf.slots + 1, 0.0)
    used = leaves + spines
    fits = used <= shelf.slots
    np.maximum.at(alone, used[fits], value[fits])
    alone = np.maximum.accumulate(alone)
    total = alone
    for _ in range(min(planes, shelf.slots) - 1):
        total = np.array([(total[: slots + 1] + alone[slots::-1]).max() for slots in range(len(alone))])
    return float(total[-1])
