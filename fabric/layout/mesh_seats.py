"""Switches with any links to each other that wait for sites: routers, or tiers that are no complete bipartite graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabric.layout.assignment import TRUNK_PENALTY_COST
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots
from fabric.layout.mesh import MeshProblem
from fabric.layout.mesh_bound import bound_cost
from fabric.layout.mesh_search import best_sites, first_look
from fabric.layout.naming import Named
from fabric.layout.policy import RULE_OF
from fabric.layout.rows import distinct_rows
from fabric.layout.seating import Edges, Ground, edges_on
from fabric.layout.transport import Bools, Ints
from fabric.layout.wiring import Wiring
from fabric.model.topology import NODE_KINDS, Device

METHOD = (
    "groups of switches put down one after the other, then moves and swaps of switches; bound by a min-cost flow in "
    "which each switch pays half of its trunks, as if its neighbours stood in the slots nearest to it"
)

EDGE_ROLES = frozenset(role for role, rule in RULE_OF.items() if rule == "leaf")

FIXED = "switches: in slots from the topmost free unit down, sized for the largest of them, kept places first"


@dataclass(frozen=True)
class MeshSeats:
    """The quadratic assignment of one ground (`mesh`); `switches` are its switches by device number."""

    ground: Ground
    edges: Edges
    switches: Ints
    problem: MeshProblem
    method: str = METHOD
    fixed: str = FIXED

    @cached_property
    def _first(self) -> Ints | None:
        start = self.ground.start
        return first_look(self.problem) if start is None else start[self.switches]

    @property
    def fits(self) -> bool:
        """Whether all switches find a site."""
        return self._first is not None

    @property
    def is_reached(self) -> bool:
        """Whether the nodes are within reach of every site."""
        return bool((self.edges.own < UNREACHABLE_COST).all())

    @property
    def dearest_within_reach(self) -> int:
        """More than this costs nothing whose trunks all have a cable."""
        return self.problem.dearest_within_reach

    @property
    def first_work(self) -> int:
        """Work below which every search ends alike: not known."""
        return 0

    def first_look(self) -> Ints:
        """(sites,) switches by two starts."""
        return np.bincount(self._start(), minlength=len(self.problem.capacity))

    def search(self, work_limit: int) -> tuple[tuple[Named, ...], int]:
        """The best sites found within so much work, and a bound on what any cost."""
        site = best_sites(self.problem, self._start(), work_limit)
        least = min(bound_cost(self.problem), self.problem.cost_of(site))
        return tuple(self._named(site)), least

    def _start(self) -> Ints:
        if self._first is None:
            raise ArithmeticError("a feasible problem lost its assignment")
        return self._first

    def _named(self, site: Ints) -> list[Named]:
        """Switches of each role by site, upper tiers first; those of a site in order of name."""
        devices = [self.ground.wires.devices[number] for number in self.switches.tolist()]
        found = []
        for role in sorted(self.ground.spaces, reverse=True):
            here = [place for place, device in enumerate(devices) if device.role == role]
            order = sorted(here, key=lambda place: (site[place], devices[place].name))
            counts = np.bincount(site[here], minlength=len(self.problem.capacity))
            found.append(Named(role, tuple(devices[place].name for place in order), counts))
        return found


class _Trunks(NamedTuple):
    """Switches of each trunk (trunks, 2), its kind (trunks,), lots of each kind (kinds, lots), and its two roles."""

    ends: Ints
    kind: Ints
    held: Ints
    roles: Sequence[tuple[str, str]]


def mesh_seats(ground: Ground) -> MeshSeats:
    """The switches of a topology on some ground."""
    edges = edges_on(ground)
    devices = ground.wires.devices
    switches = np.array([number for number, device in enumerate(devices) if device.is_switch], dtype=np.int64)
    own, allowed, class_of = _classes(ground, edges)
    sold = [each for each in ground.lots if each.kind not in NODE_KINDS]
    trunks = _trunks(ground.wires, sold, switches)
    pairs = list(dict.fromkeys(trunks.roles))
    links = np.maximum(1, trunks.held @ np.array([each.links.shape[1] for each in sold], dtype=np.int64))
    cost, step = _priced(ground, edges, sold, (trunks.held, links), pairs)
    problem = MeshProblem(
        own=own,
        allowed=allowed,
        switch_class=np.array([class_of[number] for number in switches.tolist()], dtype=np.int64),
        ends=trunks.ends,
        kind=trunks.kind,
        links=links,
        cost=cost,
        pairing=np.array([pairs.index(roles) for roles in trunks.roles], dtype=np.int64),
        step=step,
        capacity=np.array([len(site.top_u) for site in ground.sites], dtype=np.int64),
        rack=edges.at.rack,
        cluster=_clusters([devices[number] for number in switches.tolist()]),
    )
    return MeshSeats(ground, edges, switches, problem)


def _clusters(switches: Sequence[Device]) -> Ints:
    """(switches,) number of the group that each is of; switches without a group are one for each plane."""
    groups = [(device.plane or 0, -1 if device.group is None else device.group) for device in switches]
    number = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    return np.array([number[group] for group in groups], dtype=np.int64)


def _classes(ground: Ground, edges: Edges) -> tuple[Ints, Bools, Mapping[int, int]]:
    """Own cost and permission of each class (classes, sites), groups first and then roles; classes by device number."""
    number = {device.name: index for index, device in enumerate(ground.wires.devices)}
    class_of = {number[name]: row for row, group in enumerate(edges.groups) for name in group.leaves}
    roles = sorted({device.role for device in ground.wires.devices if device.is_switch} - EDGE_ROLES)
    class_of |= {
        index: len(edges.groups) + roles.index(device.role)
        for index, device in enumerate(ground.wires.devices)
        if device.role in roles
    }
    allowed = np.array([[role in site.roles for site in ground.sites] for role in roles], dtype=np.bool_)
    sites = len(ground.sites)
    own = np.vstack([edges.own, np.zeros((len(roles), sites), dtype=np.int64)])
    return own, np.vstack([edges.allowed, allowed.reshape(-1, sites)]), class_of


def _trunks(wires: Wiring, sold: Sequence[Lots], switches: Ints) -> _Trunks:
    """The links between every two switches that have any, the lower device number first."""
    count = len(wires.devices)
    pair_of = [np.sort(wires.ends[each.links[:, 0]], axis=1) @ np.array([count, 1]) for each in sold]
    pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *pair_of]))
    held = np.zeros((len(pairs), len(sold)), dtype=np.int64)
    for column, pair in enumerate(pair_of):
        held[:, column] = np.bincount(np.searchsorted(pairs, pair), minlength=len(pairs))
    ends = np.stack(np.divmod(pairs, count), axis=1)
    role = [device.role for device in wires.devices]
    names = [(role[a], role[b]) for a, b in ends.tolist()]
    numbers = list(dict.fromkeys(names))
    roles = np.array([numbers.index(each) for each in names], dtype=np.int64)
    first, kind = distinct_rows(np.concatenate([roles[:, None], held], axis=1))
    return _Trunks(np.searchsorted(switches, ends), kind, held[first], [names[row] for row in first])


def _priced(
    ground: Ground, edges: Edges, sold: Sequence[Lots], kinds: tuple[Ints, Ints], pairs: Sequence[tuple[str, str]]
) -> tuple[Ints, Ints]:
    """Cost of each kind of trunk at each step (kinds, steps), and steps between sites (pairings, sites, sites).

    A link that nothing reaches costs TRUNK_PENALTY_COST. `kinds` are lots (kinds, lots) and links (kinds,) of a trunk,
    `pairs` the two roles of each pairing.
    """
    held, links = kinds
    at, sites = edges.at, len(ground.sites)
    route_m = np.zeros((len(pairs), sites, sites))
    for row, (one, other) in enumerate(pairs):
        low_u, high_u = (limit_u[:, None] for limit_u in at.range_u[one])
        route_m[row] = ground.routes.shortest_m(at.rack[:, None], (low_u, high_u), at.rack, at.range_u[other])
    way_m, number = np.unique(route_m, return_inverse=True)
    lot = [each.cost(np.repeat(way_m[:, None], each.links.shape[1], axis=1)) for each in sold]
    table = np.array(lot, dtype=np.int64).reshape(len(sold), -1)
    most = links[:, None] * TRUNK_PENALTY_COST
    is_short = (held > 0) @ (table >= UNREACHABLE_COST)
    cost = np.where(is_short, most, np.minimum(held @ table, most))
    differs = np.append(True, (cost[:, 1:] != cost[:, :-1]).any(axis=0))
    step = np.cumsum(differs) - 1
    return cost[:, differs], step[number].reshape(route_m.shape)
