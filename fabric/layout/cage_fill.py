"""Filling cages: every arrangement of links on the ports of one cage, and the cheapest choice of them for a leaf.

Links that no price tells apart are of one class, so that a leaf is a count for each class and the choice a small
set partition: how often each arrangement is used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from scipy.optimize import LinearConstraint, milp

from fabric.layout.cage import PORTS_OF_ONE_SPLITTER
from fabric.layout.ladder import Whole

EMPTY = 0
"""A port without a link; classes of links count from 1."""

Slots = tuple[int, ...]
"""What stands on each port of a cage: a class or EMPTY, in the order of `in_order`."""

NODE_LIMIT = 1_000
"""Nodes of one branch and bound at most; counted, so that runs repeat."""

_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class Choices:
    """Arrangements to choose from: (choices,) slots, ranks (choices, columns), and the kind of cage of each."""

    slots: tuple[Slots, ...]
    rank: Whole
    kind: tuple[int, ...]


def in_order(slots: Sequence[int]) -> Slots:
    """The same arrangement in its one spelling: ports that share a splitter may trade places, and so may such groups.

    A splitter of two legs serves adjacent ports, one of four legs two such pairs; so halves are ordered, and in each
    half its halves, higher classes first.
    """
    half = len(slots) // 2
    if len(slots) <= PORTS_OF_ONE_SPLITTER or len(slots) % 2:
        return tuple(sorted(slots, reverse=True))
    first, second = sorted((in_order(slots[:half]), in_order(slots[half:])), reverse=True)
    return first + second


def arrangements(classes: Sequence[int], ports: int) -> list[Slots]:
    """Every arrangement of `classes` and empty ports in a cage but the empty one, as `in_order` spells them."""
    return _orders([*sorted(classes, reverse=True), EMPTY], ports)[:-1]


def _orders(symbols: Sequence[int], ports: int) -> list[Slots]:
    if ports <= PORTS_OF_ONE_SPLITTER or ports % 2:
        return list(combinations_with_replacement(symbols, ports))
    return [a + b for a, b in combinations_with_replacement(_orders(symbols, ports // 2), 2)]


def arrangement_count(classes: int, ports: int) -> int:
    """How many `arrangements` of so many classes there are."""
    return _order_count(classes + 1, ports) - 1


def _order_count(symbols: int, ports: int) -> int:
    if ports <= PORTS_OF_ONE_SPLITTER or ports % 2:
        return math.comb(symbols + ports - 1, ports)
    return math.comb(_order_count(symbols, ports // 2) + 1, 2)


def cheapest_fill(
    links: Mapping[int, int], cages: Sequence[int], choices: Choices, *, cages_used: int | None = None
) -> tuple[int, ...] | None:
    """How often each of `choices` is used so that their ranks add up to the least, the first column first.

    minimise rank @ x subject to sum of x times the links of a class = its links, sum of x of a kind <= its cages,
    x whole and >= 0; the columns of the rank one after the other, each with the sums before it kept. HiGHS solves it;
    its bound is checked in whole numbers.

    Args:
        links: how many links of each class stand on the leaf.
        cages: how many cages of each kind it has for them.
        choices: arrangements of one cage.
        cages_used: so many cages exactly; None for any number.

    Returns:
        Proved least; None where nothing fits or the proof takes more than NODE_LIMIT nodes.
    """
    if not choices.slots:
        return None
    held = np.array([[cage.count(each) for cage in choices.slots] for each in links])
    of_kind = np.array([[of == kind for of in choices.kind] for kind in range(len(cages))])
    rows = np.vstack([held, of_kind, np.ones(len(choices.slots))])
    low = [*links.values(), *[0] * len(cages), cages_used or 0]
    high = [*links.values(), *cages, sum(cages) if cages_used is None else cages_used]
    times = np.zeros(len(choices.slots), dtype=np.int64)
    least: list[int] = []
    for cost in choices.rank.T:
        solved = milp(
            cost,
            integrality=np.ones_like(times),
            constraints=LinearConstraint(rows, low, high),
            options={"mip_rel_gap": 0.0, "node_limit": NODE_LIMIT},
        )
        if solved.x is None or solved.mip_dual_bound is None:
            return None
        times = np.rint(solved.x).astype(np.int64)
        least.append(math.ceil(solved.mip_dual_bound - _ROUNDING))
        if (times @ choices.rank[:, : len(least)]).tolist() != least:
            return None
        rows, low, high = np.vstack([rows, cost]), [*low, 0], [*high, least[-1]]
    return tuple(times.tolist())
