"""Switches that are linked in any way to sites: a quadratic assignment in whole numbers, and its cost.

Routers of a dragonfly or a torus have links to each other, so no side can be placed beside a fixed other one. With
s(i) the site of switch i the cables cost

    sum own[i, s(i)]  +  sum over linked i, j of cost[kind(i, j), step[s(i), s(j)]].

A trunk is all links between two switches; trunks of one kind cost alike at every length. Ways come in steps, from
short to long, between which no trunk tells a difference; so no trunk gets cheaper with a higher step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabric.layout.assignment import TRUNK_PENALTY_COST
from fabric.layout.transport import Bools, Ints, transport

CLOSED_COST = 2**50
"""Stands in for the cost of a switch where it may not be: dearer than all its links, and summable."""


class Neighbours(NamedTuple):
    """Every trunk as seen from each of its ends, sorted by the near end.

    Attributes:
        start: (switches + 1,) where the trunks of each switch begin.
        far: (2 trunks,) switch at the far end.
        kind: (2 trunks,) kind of the trunk.
        view: (2 trunks,) its matrix in `MeshProblem.views`.
        first_look: (switches + 1,) where the looks of each switch begin.
        looks: (looks, 2) kinds of its trunks, each with their matrix from the far end; no two of a switch alike.
        look: (2 trunks,) which of the looks of its switch a trunk has.
    """

    start: Ints
    far: Ints
    kind: Ints
    view: Ints
    first_look: Ints
    looks: Ints
    look: Ints


class Cluster(NamedTuple):
    """Switches (members,), and the trunks among them: their ends by place (trunks, 2), and their kinds (trunks,)."""

    members: Ints
    ends: Ints
    kind: Ints


@dataclass(frozen=True)
class MeshProblem:
    """Switches in classes, the trunks between them, and the sites that they share.

    Attributes:
        own: (classes, sites) cost of one switch without its trunks.
        allowed: (classes, sites) where one may stand.
        switch_class: (switches,) class of each.
        ends: (trunks, 2) switches of each trunk; no two trunks have the same two.
        kind: (trunks,) kind of each trunk.
        links: (kinds,) links of a trunk.
        cost: (kinds, steps) cost of a trunk, never falling from step to step.
        pairing: (kinds,) which matrix of `step` tells the ways of a trunk.
        step: (pairings, sites, sites) step of the way from the first end of a trunk at one site to the second.
        capacity: (sites,) switches.
        rack: (sites,) rack of each site, the sites of a rack side by side; it shapes the search, not the problem.
        cluster: (switches,) group of each switch, numbered from 0; it shapes the search, not the problem.
    """

    own: Ints
    allowed: Bools
    switch_class: Ints
    ends: Ints
    kind: Ints
    links: Ints
    cost: Ints
    pairing: Ints
    step: Ints
    capacity: Ints
    rack: Ints
    cluster: Ints

    @cached_property
    def neighbours(self) -> Neighbours:
        """Trunks by switch."""
        near, far = self.ends.T.reshape(-1), self.ends[:, ::-1].T.reshape(-1)
        order = np.argsort(near, kind="stable")
        near, far, kind = near[order], far[order], np.tile(self.kind, 2)[order]
        from_second, switches = order >= len(self.ends), np.arange(len(self.switch_class) + 1)
        pairing, count = self.pairing[kind], len(self.step)
        sizes = len(self.switch_class), len(self.cost), 2 * count
        mirror = pairing + count * ~from_second
        met, number = np.unique(np.ravel_multi_index((near, kind, mirror), sizes), return_inverse=True)
        switch, *looks = np.unravel_index(met, sizes)
        first_look = np.searchsorted(switch, switches)
        return Neighbours(
            start=np.searchsorted(near, switches),
            far=far,
            kind=kind,
            view=pairing + count * from_second,
            first_look=first_look,
            looks=np.stack(looks, axis=1),
            look=number.reshape(-1) - first_look[near],
        )

    @cached_property
    def views(self) -> Ints:
        """(2 pairings, sites, sites) steps by site of the far end, then of the near end.

        Near ends that a trunk names first, then those that it names second.
        """
        return np.ascontiguousarray(np.concatenate([np.swapaxes(self.step, 1, 2), self.step]))

    def cost_of(self, site: Ints) -> int:
        """Cost with each switch at its site (switches,)."""
        a, b = site[self.ends].T
        trunks = self.cost[self.kind, self.step[self.pairing[self.kind], a, b]]
        return int(self.own[self.switch_class, site].sum() + trunks.sum())

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """Every cluster with the trunks inside it."""
        found = []
        inner = self.cluster[self.ends[:, 0]] == self.cluster[self.ends[:, 1]]
        place = np.empty(len(self.cluster), dtype=np.int64)
        for number in range(int(self.cluster.max(initial=-1)) + 1):
            members = np.flatnonzero(self.cluster == number)
            place[members] = np.arange(len(members))
            inside = inner & (self.cluster[self.ends[:, 0]] == number)
            found.append(Cluster(members, place[self.ends[inside]], self.kind[inside]))
        return tuple(found)

    def inside_cost(self, cluster: Cluster, site: Ints) -> Ints:
        """(choices,) cost of the trunks inside a cluster with its members at sites (choices, members)."""
        a, b = site[:, cluster.ends[:, 0]], site[:, cluster.ends[:, 1]]
        total: Ints = self.cost[cluster.kind, self.step[self.pairing[cluster.kind], a, b]].sum(axis=1)
        return total

    @cached_property
    def dearest_within_reach(self) -> int:
        """More than this costs nothing whose trunks all have a cable; where a bound exceeds it, there is none."""
        reached = self.cost < self.links[:, None] * TRUNK_PENALTY_COST
        trunk = np.where(reached, self.cost, 0).max(axis=1, initial=0)
        own = np.where(self.allowed, self.own, 0).max(axis=1, initial=0)
        return int(own[self.switch_class].sum() + trunk[self.kind].sum())

    def linear(self, cost: Ints) -> Ints | None:
        """(switches,) sites where switches cost least by themselves, at `cost` (classes, sites); None without room.

        Switches of a class take its sites in order.
        """
        if not self.capacity.any():
            return None
        counts = np.bincount(self.switch_class, minlength=len(self.own))
        found = transport(cost, counts, self.capacity, self.allowed)
        if found is None:
            return None
        sites = np.arange(len(self.capacity))
        site = np.empty(len(self.switch_class), dtype=np.int64)
        for number, taken in enumerate(found):
            site[self.switch_class == number] = np.repeat(sites, taken)
        return site
