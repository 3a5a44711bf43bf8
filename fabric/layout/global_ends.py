"""Which switches the global links of a dragonfly join, with all places known: an integer program over classes of them.

Links go in bundles, of one link or of those of a whole cage. Let m bundles join two groups of a and b switches. They
are spread evenly: any two switches share m / (a b) of them and a switch has m / a to the other group, each rounded up
or down; its number of links in all stays, or changes by the rest of a cage. Switches of one group and rack with equally
many are a class c of n switches.
With X[c, d] bundles between two classes,

    minimise    sum  price[c, d] X[c, d]
    subject to  sum over the classes of two groups X[c, d]  =  m
                n_c floor(m / a)  <=  sum over d in a group X[c, d]  <=  n_c ceil(m / a)
                n_c fewest  <=  sum over all d  X[c, d]  <=  n_c most  bundles of a switch
                n_c n_d floor(m / (a b))  <=  X[c, d]  <=  n_c n_d ceil(m / (a b)),

the price that of the nearest two. Dealt in turns to the switches of c, far group after far group, X gives each of them
its even share. What is left is a transportation problem for every two groups, solved at exact prices; it is feasible,
for bundles dealt in turns at both ends meet every two switches equally often, but for one. The linear program bounds
all even spreads, and nearly always has a whole optimum.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from ortools.graph.python import min_cost_flow
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from fabric.layout.rows import distinct_rows
from fabric.layout.transport import Ints
from fabric.model.topology import GLOBAL, Topology

NODE_LIMIT = 2_000
"""Nodes of the branch and bound for one plane."""

_ROUNDING = 1e-6

_PRECISION = 1e-9
"""Relative error of a linear program."""


@dataclass(frozen=True, eq=False)
class Spread:
    """Global links of one plane in bundles, and what all even spreads of them have in common.

    Attributes:
        names: of the switches.
        group: (switches,) group of each, numbered from 0.
        fewest: (switches,) bundles of each at least.
        most: (switches,) bundles of each at most: as many, or one more.
        between: (groups, groups) bundles.
        bundle: links of one.
    """

    names: tuple[str, ...]
    group: Ints
    fewest: Ints
    most: Ints
    between: Ints
    bundle: int = 1

    @cached_property
    def size(self) -> Ints:
        """(groups,) switches."""
        return np.bincount(self.group)

    @cached_property
    def shared(self) -> Ints:
        """(groups, groups) bundles that any two switches share at least."""
        shared: Ints = self.between // np.outer(self.size, self.size)
        return shared

    @cached_property
    def is_more(self) -> Ints:
        """(groups, groups) 1 where some two switches share a bundle more than others, else 0."""
        more: Ints = (self.between % np.outer(self.size, self.size) > 0).astype(np.int64)
        return more

    def bundled(self, links: int) -> Spread | None:
        """The same in bundles of so many links, a switch with one more or less; None where two groups share a rest.

        Its ports are in whole cages, so there is room for that.
        """
        if (self.between % links).any():
            return None
        fewest, most = self.fewest // links, -(-self.most // links)
        return replace(self, fewest=fewest, most=most, between=self.between // links, bundle=links)


class Joined(NamedTuple):
    """The two switches of every link, what the bundles cost there, and what those of no even spread undercut."""

    ends: tuple[tuple[str, str], ...]
    cost: int
    bound_cost: int


def spreads(topology: Topology) -> Iterator[Spread]:
    """The global links of every plane that has some, each by itself."""
    links = topology.of_kind(GLOBAL)
    for plane in dict.fromkeys(link.plane for link in links):
        ends = [(link.a.device, link.b.device) for link in links if link.plane == plane]
        held = Counter(name for pair in ends for name in pair)
        switches = [device for device in topology.devices if device.name in held]
        number = {device.name: index for index, device in enumerate(switches)}
        group = np.unique([device.group or 0 for device in switches], return_inverse=True)[1].reshape(-1)
        a, b = group[np.array([(number[one], number[other]) for one, other in ends])].T
        between = np.zeros((group.max() + 1,) * 2, dtype=np.int64)
        np.add.at(between, (a, b), 1)
        ports = np.array([held[name] for name in number])
        yield Spread(tuple(number), group, ports, ports, between + between.T)


def join(spread: Spread, rack: Ints, price: Ints) -> Joined | None:
    """The cheapest even spread; None where there is none, or none was found within the work.

    Args:
        spread: the links of a plane.
        rack: (switches,) rack of each.
        price: (switches, switches) of one bundle between any two.
    """
    classes = _classes(spread, rack, price)
    found = _solved(spread, classes)
    if found is None:
        return None
    between, bound_cost = found
    share = _dealt(spread, classes, between)
    ends, cost = [], 0
    for low, high in zip(*np.triu_indices(len(spread.size), 1), strict=True):
        here, there = (np.flatnonzero(spread.group == group) for group in (low, high))
        limits = int(spread.shared[low, high]), int(spread.is_more[low, high])
        whole = _cheapest(price[np.ix_(here, there)], (share[here, high], share[there, low]), limits)
        cost += int((price[np.ix_(here, there)] * whole).sum())
        row, column = (np.repeat(index, whole.ravel()) for index in map(np.ravel, np.indices(whole.shape)))
        pairs = zip(here[row], there[column], strict=True)
        ends += [(spread.names[a], spread.names[b]) for a, b in pairs for _ in range(spread.bundle)]
    return Joined(tuple(ends), cost, bound_cost)


class _Classes(NamedTuple):
    """Classes of switches, by group, and the pairs of them that links join.

    Attributes:
        number: (switches,) class of each.
        size: (classes,) switches.
        group: (classes,) of its switches.
        fewest: (classes,) bundles of one of its switches at least.
        most: (classes,) and at most.
        near: (pairs,) one class.
        far: (pairs,) the other, of a later group.
        price: (pairs,) of a bundle between the nearest two switches.
    """

    number: Ints
    size: Ints
    group: Ints
    fewest: Ints
    most: Ints
    near: Ints
    far: Ints
    price: Ints


def _classes(spread: Spread, rack: Ints, price: Ints) -> _Classes:
    first, number = distinct_rows(np.column_stack([spread.group, rack, spread.fewest, spread.most]))
    group, order = spread.group[first], np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(len(first)))
    least = np.minimum.reduceat(np.minimum.reduceat(price[np.ix_(order, order)], starts, axis=0), starts, axis=1)
    near, far = np.nonzero(group[:, None] < group)
    held = spread.fewest[first], spread.most[first]
    return _Classes(number, np.bincount(number), group, *held, near, far, least[near, far])


def _solved(spread: Spread, classes: _Classes) -> tuple[Ints, int] | None:
    """(classes, classes) bundles between classes, and what the linear program bounds; None where none are found."""
    groups = classes.group[classes.near], classes.group[classes.far]
    pairs = classes.size[classes.near] * classes.size[classes.far]
    limits = Bounds(pairs * spread.shared[groups], pairs * (spread.shared + spread.is_more)[groups])
    constraint = _constraint(spread, classes)
    linear = found = milp(classes.price, constraints=constraint, bounds=limits)
    if linear.x is not None and np.abs(linear.x - np.rint(linear.x)).max(initial=0.0) > _ROUNDING:
        found = milp(
            classes.price,
            integrality=np.ones_like(classes.price),
            constraints=constraint,
            bounds=limits,
            options={"mip_rel_gap": 0.0, "node_limit": NODE_LIMIT},
        )
    if linear.x is None or found.x is None:
        return None
    between = np.zeros((len(classes.size),) * 2, dtype=np.int64)
    between[classes.near, classes.far] = np.rint(found.x)
    return between + between.T, math.ceil(linear.fun * (1 - _PRECISION))


def _constraint(spread: Spread, classes: _Classes) -> LinearConstraint:
    """All sums over pairs of classes: of two groups, of a class with a group, and of a class."""
    groups, pairs = len(spread.size), np.arange(len(classes.near))
    one, other = classes.group[classes.near], classes.group[classes.far]
    side, far = np.concatenate([classes.near, classes.far]), np.concatenate([other, one])
    count = classes.size[:, None]
    share, size = spread.between[classes.group], spread.size[classes.group, None]
    parts = (
        (one * groups + other, spread.between, spread.between),
        (side * groups + far, count * (share // size), count * -(-share // size)),
        (side, classes.size * classes.fewest, classes.size * classes.most),
    )
    rows = [np.unique(row, return_inverse=True) for row, _, _ in parts]
    base = np.cumsum([0, *(len(used) for used, _ in rows)])
    row = np.concatenate([first + place.reshape(-1) for first, (_, place) in zip(base[:-1], rows, strict=True)])
    column = np.concatenate([pairs, *[pairs] * 4])
    low, high = (
        np.concatenate([part[side].ravel()[used] for part, (used, _) in zip(parts, rows, strict=True)])
        for side in (1, 2)
    )
    return LinearConstraint(csr_array((np.ones(len(row)), (row, column)), shape=(base[-1], len(pairs))), low, high)


def _dealt(spread: Spread, classes: _Classes, between: Ints) -> Ints:
    """(switches, groups) bundles of every switch to every group: those of its class, dealt in turns."""
    share = np.zeros((len(spread.names), len(spread.size)), dtype=np.int64)
    for number, bundles in enumerate(between):
        members = np.flatnonzero(classes.number == number)
        far = np.repeat(classes.group, bundles)
        np.add.at(share, (members[np.arange(len(far)) % len(members)], far), 1)
    return share


def _cheapest(price: Ints, sums: tuple[Ints, Ints], limits: tuple[int, int]) -> Ints:
    """(rows, columns) bundles with the sums of rows and of columns, each so many at least and so many more at most."""
    least, more = limits
    supply, demand = sums[0] - least * price.shape[1], sums[1] - least * price.shape[0]
    whole = np.full(price.shape, least, dtype=np.int64)
    if not more:
        return whole
    flow = min_cost_flow.SimpleMinCostFlow()
    row, column = (index.ravel() for index in np.indices(price.shape))
    arcs = flow.add_arcs_with_capacity_and_unit_cost(row, len(supply) + column, np.full(row.size, more), price.ravel())
    flow.set_nodes_supplies(np.arange(len(supply) + len(demand)), np.concatenate([supply, -demand]))
    if flow.solve() != flow.OPTIMAL:
        raise ArithmeticError("the global links between two groups lost their ends")
    whole += flow.flows(arcs).reshape(price.shape)
    return whole
