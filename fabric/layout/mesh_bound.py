"""How little switches that are linked in any way can cost, wherever they stand.

A switch at a site pays half of each of its trunks. Its neighbours take different slots, and none takes its own; so
its n trunks cost at least what they cost to its n nearest slots, the dearest kinds to the nearest. With these prices
the switches are a transportation problem, which is solved exactly. Prices are doubled, so that halves are whole.
It is the bound of Gilmore and Lawler, sharpened by slots.
"""

from __future__ import annotations

import numpy as np

from fabric.layout.mesh import MeshProblem
from fabric.layout.rows import distinct_rows
from fabric.layout.transport import Ints, transport


def bound_cost(problem: MeshProblem) -> int:
    """No sites of the switches cost less.

    Raises:
        ArithmeticError: the switches have no room.
    """
    view_of = _views(problem)
    types, type_of = _types(problem, view_of)
    first, number = distinct_rows(np.stack([problem.switch_class, type_of], axis=1))
    class_of = problem.switch_class[first]
    cost = 2 * problem.own[class_of] + _halves(problem, view_of, types)[type_of[first]]
    found = transport(cost, np.bincount(number), problem.capacity, problem.allowed[class_of])
    if found is None:
        raise ArithmeticError("a feasible problem lost its assignment")
    return -(-int((cost * found).sum()) // 2)


def _views(problem: MeshProblem) -> Ints:
    """(2 trunks,) view of each trunk from each end; a trunk between switches of one height looks alike from both."""
    pairings = len(problem.step)
    first = np.arange(2 * pairings)
    for pairing, step in enumerate(problem.step):
        if np.array_equal(step, step.T):
            first[pairing + pairings] = pairing
    view: Ints = first[problem.neighbours.view]
    return view


def _types(problem: MeshProblem, view_of: Ints) -> tuple[Ints, Ints]:
    """(types, views, kinds) trunks of a switch of each type by view and kind, and (switches,) types."""
    near = problem.neighbours
    views, kinds, count = len(problem.views), len(problem.cost), len(problem.switch_class)
    switch = np.repeat(np.arange(count), np.diff(near.start))
    key = (switch * views + view_of) * kinds + near.kind
    held = np.bincount(key, minlength=count * views * kinds).reshape(count, views * kinds)
    chosen, type_of = distinct_rows(held)
    return held[chosen].reshape(-1, views, kinds), type_of


def _halves(problem: MeshProblem, view_of: Ints, types: Ints) -> Ints:
    """(types, sites) least cost of all trunks of a switch of each type at each site."""
    weight = problem.links
    unit = (problem.cost // weight[:, None]).min(axis=0)
    rest = (problem.cost - weight[:, None] * unit).min(axis=1)
    least = np.zeros((len(types), len(problem.capacity)), dtype=np.int64)
    for view in np.unique(view_of):
        counts = types[:, view]
        nearest = _nearest(problem, view_of, int(view), int(counts.sum(axis=1).max()))
        alone = [np.pad(np.cumsum(cost[nearest], axis=1), ((0, 0), (1, 0))) for cost in problem.cost]
        for row, held in enumerate(counts):
            kinds = np.repeat(np.arange(len(weight)), held)
            heavy = np.sort(weight[kinds])[::-1]
            ranked = unit[nearest[:, : len(heavy)]] @ heavy + int(rest[kinds].sum())
            apart = sum(alone[kind][:, held[kind]] for kind in np.flatnonzero(held))
            least[row] += np.maximum(ranked, apart)
    return least


def _nearest(problem: MeshProblem, view_of: Ints, view: int, count: int) -> Ints:
    """(sites, count) ascending steps from each site to the nearest slots that far ends may take, but for one's own."""
    far = np.unique(problem.switch_class[problem.neighbours.far[view_of == view]])
    room = problem.capacity * problem.allowed[far].any(axis=0)
    slots = np.repeat(np.arange(len(room)), np.minimum(room, count + 1))
    steps = problem.views[view][slots].T.copy()
    held = np.flatnonzero(room)
    steps[held, np.searchsorted(slots, held)] = problem.cost.shape[1] - 1
    nearest: Ints = np.sort(steps, axis=1)[:, :count]
    return nearest
