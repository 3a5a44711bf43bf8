"""Which of the switches that the search takes for equal stands at which site.

The search counts leaves and spines, and weighs every trunk at the least of all mixes. Where trunks are mixed
differently (of an odd number of links only every second fills whole cages at both ends) it matters which leaf stands
beside which spine. With the spines named the leaves are a transportation problem, and the other way round; so they
are named in turn, each time exactly, from a few starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fabric.layout.assignment import Assignment, SiteProblem
from fabric.layout.rows import distinct_rows
from fabric.layout.site_costs import MixCosts
from fabric.layout.transport import Bools, Ints, transport
from fabric.layout.wiring import LeafGroup, Trunks, Wiring


@dataclass(frozen=True)
class Named:
    """Switches of one role that are alike, and how many of them stand at each site (sites,)."""

    role: str
    names: tuple[str, ...]
    counts: Ints


@dataclass(frozen=True)
class _Alike:
    """Leaves, or spines, that are alike: their names, the group or plane that each kind is of, and what may hold them.

    `owner` is (kinds,), `own` (kinds, sites) the cost of one without its trunks, `allowed` (kinds, sites).
    """

    names: tuple[tuple[str, ...], ...]
    owner: Ints
    own: Ints
    allowed: Bools

    @property
    def supply(self) -> Ints:
        """(kinds,) switches."""
        return np.array([len(names) for names in self.names], dtype=np.int64)


@dataclass(frozen=True)
class _Naming:
    """Both sides, (mixes, leaf kinds, spine kinds) which mix lies between, and what trunks of each mix cost.

    Few of thousands of sites hold switches, and only those are summed over.
    """

    leaves: _Alike
    spines: _Alike
    is_mix: Ints
    mix_costs: MixCosts
    capacity: Ints

    def leaf_cost(self, spines: Ints) -> Ints:
        """(leaf kinds, sites) cost of one leaf with all its links, given the spines (spine kinds, sites)."""
        held = np.flatnonzero(spines.any(axis=0))
        reached = spines[:, held] @ np.swapaxes(self.mix_costs.between(slice(None), held), 1, 2)
        trunks: Ints = np.einsum("mls,msr->lr", self.is_mix, reached)
        return self.leaves.own + trunks

    def spine_cost(self, leaves: Ints) -> Ints:
        """(spine kinds, sites) cost of one spine with all its trunks, given the leaves (leaf kinds, sites)."""
        held = np.flatnonzero(leaves.any(axis=0))
        facing = np.einsum("mls,lh->msh", self.is_mix, leaves[:, held])
        trunks: Ints = (facing @ self.mix_costs.between(held, slice(None))).sum(axis=0)
        return trunks

    def cost(self, leaves: Ints, spines: Ints) -> int:
        """Cost of all links."""
        return int((self.leaf_cost(spines) * leaves).sum())

    def improve(self, leaves: Ints, spines: Ints) -> tuple[int, Ints, Ints]:
        """Name spines and leaves in turn until neither gains."""
        cost = self.cost(leaves, spines)
        while True:
            new = self._place(self.spines, self.spine_cost(leaves), leaves)
            others = self._place(self.leaves, self.leaf_cost(new), new)
            found = self.cost(others, new)
            if found >= cost:
                return cost, leaves, spines
            cost, leaves, spines = found, others, new

    def _place(self, side: _Alike, cost: Ints, others: Ints) -> Ints:
        """The cheapest places of one side beside the other."""
        found = transport(cost, side.supply, self.capacity - others.sum(axis=0), side.allowed)
        if found is None:
            raise ArithmeticError("switches no longer fit where they stood")
        return found


def name_switches(
    wires: Wiring,
    trunks: Trunks,
    groups: Sequence[LeafGroup],
    costs: tuple[Ints, MixCosts],
    problem: SiteProblem,
    found: Assignment,
) -> tuple[Named, ...]:
    """Names for the counts in `found`, spines first; where trunks are mixed differently switches may change sites.

    Args:
        wires: the leaves and spines by name.
        trunks: which mix lies between a leaf and a spine.
        groups: the leaves of each row of `found.leaves`.
        costs: (groups, sites) that of one leaf without trunks, and those of trunks of each mix.
        problem: capacities and permissions.
        found: leaves and spines of the search.
    """
    naming = _naming(wires, trunks, groups, costs, problem)
    starts = list(_starts(naming, found))
    if len(trunks.mixes) > 1:
        _, *best = min((naming.improve(*start) for start in starts), key=lambda each: each[0])
        starts = [(best[0], best[1])]
    leaves, spines = starts[0]
    return tuple(
        Named(role, names, counts)
        for role, side, placed in (("spine", naming.spines, spines), ("leaf", naming.leaves, leaves))
        for names, counts in zip(side.names, placed, strict=True)
    )


def _naming(
    wires: Wiring,
    trunks: Trunks,
    groups: Sequence[LeafGroup],
    costs: tuple[Ints, MixCosts],
    problem: SiteProblem,
) -> _Naming:
    own, mix = costs
    place = {wires.devices[number].name: row for row, number in enumerate(wires.leaves)}
    spine_count = np.cumsum([0, *(len(plane) for plane in wires.spines)])
    leaf_kinds = list(_kinds([[place[name] for name in group.leaves] for group in groups], trunks.mix))
    spine_kinds = list(_kinds([range(*ends) for ends in pairwise(spine_count)], trunks.mix.T))
    between = trunks.mix[np.ix_([rows[0] for _, rows in leaf_kinds], [rows[0] for _, rows in spine_kinds])]
    names = [wires.devices[number].name for number in wires.leaves]
    spine_names = [wires.devices[number].name for plane in wires.spines for number in plane]
    group_of = np.array([owner for owner, _ in leaf_kinds], dtype=np.int64)
    plane_of = np.array([owner for owner, _ in spine_kinds], dtype=np.int64)
    return _Naming(
        leaves=_Alike(
            tuple(tuple(names[row] for row in rows) for _, rows in leaf_kinds),
            group_of,
            own[group_of],
            problem.leaf_allowed[group_of],
        ),
        spines=_Alike(
            tuple(tuple(spine_names[row] for row in rows) for _, rows in spine_kinds),
            plane_of,
            np.zeros((len(plane_of), len(problem.capacity)), dtype=np.int64),
            np.broadcast_to(problem.spine_allowed, (len(plane_of), len(problem.capacity))),
        ),
        is_mix=(between == np.arange(len(trunks.mixes))[:, None, None]).astype(np.int64),
        mix_costs=mix,
        capacity=problem.capacity,
    )


def _kinds(owners: Iterable[Sequence[int]], mix: Ints) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Owner and rows of `mix` of each kind: rows of one owner that are equal."""
    for owner, rows in enumerate(owners):
        members = np.array(rows, dtype=np.int64)
        first, number = distinct_rows(mix[members] + 1)
        for kind in range(len(first)):
            yield owner, tuple(members[number == kind].tolist())


def _starts(naming: _Naming, found: Assignment) -> Iterator[tuple[Ints, Ints]]:
    """Leaves and spines dealt to the sites found: by name, by kind, and by kind there and back from owner to owner."""
    for order in (_by_name, _by_kind, _there_and_back):
        yield _dealt(naming.leaves, found.leaves, order), _dealt(naming.spines, found.spines, order)


def _dealt(side: _Alike, counts: Ints, order: Callable[[int, list[tuple[str, int]]], list[tuple[str, int]]]) -> Ints:
    """(kinds, sites) switches of each kind, given those of each owner (owners, sites) and an order of its switches."""
    dealt = np.zeros_like(side.own)
    for owner, here in enumerate(counts):
        members = [(name, kind) for kind in np.flatnonzero(side.owner == owner).tolist() for name in side.names[kind]]
        kinds = np.array([kind for _, kind in order(owner, members)], dtype=np.int64)
        np.add.at(dealt, (kinds, np.repeat(np.arange(len(here)), here)), 1)
    return dealt


def _by_name(_: int, members: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(members)


def _by_kind(_: int, members: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return members


def _there_and_back(owner: int, members: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return members[::-1] if owner % 2 else members
