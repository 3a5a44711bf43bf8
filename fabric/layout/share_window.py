"""What leaves and spines of one plane cost at least when the price of each trunk is split between its two ends.

With n leaves (of weight w) at each site r, y spines at each site q, and trunk = U + V for any U whatever,

    sum_rq w n_r trunk_rq y_q  =  sum_r w n_r (sum_q U_rq y_q)  +  sum_q y_q (sum_r V_rq w n_r)
                              >=  sum_r w n_r h_r               +  sum_q y_q g_q,

with h_r the least that all spines could cost a leaf at r by U, and g_q the least that all leaves could cost a spine
at q by V, each within the room of the sites. What is left is linear: a flow of leaves, and spines in the order of g.
The best U makes this the linear program of all products of a leaf's with a spine's constraints (the first level of
the reformulation-linearization technique). Where leaves and spines have slots of their own it is tight, or nearly.

Counts are kept between limits. The least counts are a fixed part, whose products are linear; only the sites that are
open between their limits, a window on the trunks, are priced as above. Reduced costs bring the limits closer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fabric.layout.assignment import SiteProblem
from fabric.layout.cells import CLOSED_COST
from fabric.layout.corner_values import filled
from fabric.layout.transport import Ints, SlotCosts, transport

FEWEST_REWARD_COST = 2**44
"""Taken off for each leaf up to the fewest of a site: a flow that leaves one out pays so much more than its price."""


@dataclass(frozen=True)
class Limits:
    """Fewest and most leaves and spines at every site, (sites,) each."""

    leaf_low: Ints
    leaf_high: Ints
    spine_low: Ints
    spine_high: Ints

    def settled(self, problem: SiteProblem) -> Limits | None:
        """The same limits as close as counts and capacity alone make them; None where no counts fit."""
        leaves, spines = int(problem.leaves.sum()), int(problem.spines[0])
        leaf_high = np.minimum(self.leaf_high, problem.capacity - self.spine_low)
        spine_high = np.minimum(self.spine_high, problem.capacity - self.leaf_low)
        if (leaf_high < self.leaf_low).any() or (spine_high < self.spine_low).any():
            return None
        if not self.spine_low.sum() <= spines <= spine_high.sum():
            return None
        if not self.leaf_low.sum() <= leaves <= leaf_high.sum():
            return None
        if self.spine_low.sum() == spines:
            spine_high = self.spine_low
        if self.leaf_low.sum() == leaves:
            leaf_high = self.leaf_low
        return replace(self, leaf_high=leaf_high, spine_high=spine_high)

    def within(self, other: Limits) -> Limits:
        """What both allow."""
        return Limits(
            np.maximum(self.leaf_low, other.leaf_low),
            np.minimum(self.leaf_high, other.leaf_high),
            np.maximum(self.spine_low, other.spine_low),
            np.minimum(self.spine_high, other.spine_high),
        )

    @property
    def open_count(self) -> int:
        """Leaves and spines that may be more than the fewest."""
        return int((self.leaf_high - self.leaf_low + self.spine_high - self.spine_low).sum())


@dataclass(frozen=True)
class Answer:
    """The cheapest leaves and spines by some split of the prices; `slope` is how the bound grows with U.

    Attributes:
        bound_cost: what nothing between the limits is below.
        leaves: (groups, open leaf sites).
        spines: (open spine sites,) above the fewest.
        leaf_cost: (groups, open leaf sites) cost of one leaf; CLOSED_COST where it may not be.
        spine_cost: (open spine sites,) cost of one spine.
        slope: (window) links of a leaf site to a spine site by the leaves' choice less those by the spines'.
    """

    bound_cost: int
    leaves: Ints
    spines: Ints
    leaf_cost: Ints
    spine_cost: Ints
    slope: Ints


class Window:
    """The sites of one plane's problem that are open between limits, and the trunks between them."""

    def __init__(self, problem: SiteProblem, limits: Limits) -> None:
        self.problem = problem
        self.limits = limits
        self.leaf_at = np.flatnonzero(limits.leaf_high > limits.leaf_low)
        self.spine_at = np.flatnonzero(limits.spine_high > limits.spine_low)
        self.trunk: Ints = problem.trunk[np.ix_(self.leaf_at, self.spine_at)].astype(np.int64)
        self._stand = np.flatnonzero(limits.leaf_high)
        self._inside = np.searchsorted(self._stand, self.leaf_at)
        self._most_weight = int(problem.weight.max())
        self._rest_spines = int(problem.spines[0] - limits.spine_low.sum())
        fewest = self._most_weight * limits.leaf_low
        self._rest_links = int(problem.weight @ problem.leaves - fewest.sum())
        self._leaf_room = self._most_weight * (limits.leaf_high - limits.leaf_low)[self.leaf_at]
        self._spine_room = (limits.spine_high - limits.spine_low)[self.spine_at]
        fixed_links = problem.trunk[self._stand] @ limits.spine_low
        self._own = problem.own[:, self._stand] + problem.weight[:, None] * fixed_links
        self._may = problem.leaf_allowed[:, self._stand]
        self._spine_own = problem.spine_own[self.spine_at] + fewest @ problem.trunk[:, self.spine_at]

    @property
    def is_exact(self) -> bool:
        """Whether no trunk is between two open sites, so that the answer is the best there is."""
        return self.trunk.size == 0

    @property
    def arcs(self) -> int:
        """Arcs of one flow of leaves."""
        return self._own.size

    @cached_property
    def _slots(self) -> SlotCosts:
        """The slots of each site, those up to the fewest leaves rewarded."""
        high = self.limits.leaf_high[self._stand]
        site = np.repeat(np.arange(len(high)), high)
        rank = np.arange(len(site)) - np.repeat(np.cumsum(high) - high, high)
        is_due = rank < self.limits.leaf_low[self._stand][site]
        return SlotCosts(site, rank, np.where(is_due, -FEWEST_REWARD_COST, 0))

    def answer(self, shares: Ints) -> Answer | None:
        """What is cheapest with `shares` of the trunks' prices (window) at the leaves; None where nothing fits."""
        low, due = self.limits.leaf_low[self._stand], np.zeros(len(self._stand), dtype=np.int64)
        rest = self.trunk - shares
        to_spines = filled_rows(shares, self._spine_room, self._rest_spines)
        to_leaves = filled_rows(np.ascontiguousarray(rest.T), self._leaf_room, self._rest_links).T
        due[self._inside] = (shares * to_spines).sum(axis=1)
        leaf_cost = np.where(self._may, self._own + self.problem.weight[:, None] * due, CLOSED_COST)
        spine_cost = self._spine_own + (rest * to_leaves).sum(axis=0)
        leaves = transport(leaf_cost, self.problem.leaves, self.limits.leaf_high[self._stand], self._may, self._slots)
        if leaves is None:
            return None
        spines = filled(spine_cost, self._spine_room, self._rest_spines)
        links = (self.problem.weight @ leaves)[self._inside] - self._most_weight * low[self._inside]
        return Answer(
            bound_cost=self._leaves_cost(leaf_cost, leaves)
            - self._most_weight * int(low @ due)
            + int(spine_cost @ spines + self.problem.spine_own @ self.limits.spine_low),
            leaves=leaves,
            spines=spines,
            leaf_cost=leaf_cost,
            spine_cost=spine_cost,
            slope=links[:, None] * to_spines - spines * to_leaves,
        )

    def _leaves_cost(self, leaf_cost: Ints, leaves: Ints) -> int:
        """What these leaves cost, and the rewards that the fewest of a site miss."""
        missing = np.maximum(self.limits.leaf_low[self._stand] - leaves.sum(axis=0), 0)
        return int((leaf_cost * leaves).sum() + FEWEST_REWARD_COST * missing.sum())

    def all_spines(self, answer: Answer) -> Ints:
        """(sites,) the spines of an answer with those that are fixed."""
        spines = self.limits.spine_low.copy()
        spines[self.spine_at] += answer.spines
        return spines

    def closer(self, answer: Answer, spare_cost: int) -> Limits:
        """Limits that leave out only what costs `spare_cost` or more above the answer's bound."""
        leaf_low, leaf_high = self._closer_leaves(answer, spare_cost)
        spine_low, spine_high = self._closer_spines(answer, spare_cost)
        return Limits(leaf_low, leaf_high, spine_low, spine_high)

    def _closer_leaves(self, answer: Answer, spare_cost: int) -> tuple[Ints, Ints]:
        """Fewest and most leaves (sites,) by their reduced costs at prices of slots.

        At any prices p the leaves cost sum_k leaves[k] min_r (cost[k, r] + p_r) − sum_r max(low_r p_r, high_r p_r) at
        least: more by p_r for each leaf that a site with p_r > 0 has less than the most, by −p_r for each that one
        with p_r < 0 has above the fewest, and by the least cost[k, r] + p_r − min for every leaf at r.
        """
        low, high = self.limits.leaf_low.copy(), self.limits.leaf_high.copy()
        at, least, most = self._stand, low[self._stand], high[self._stand]
        price = self._slot_prices(answer)
        priced = answer.leaf_cost + price
        cheapest = priced.min(axis=1)
        dual = int(self.problem.leaves @ cheapest) - int(np.maximum(least * price, most * price).sum())
        spare = spare_cost + self._leaves_cost(answer.leaf_cost, answer.leaves) - dual
        reduced = (priced - cheapest[:, None]).min(axis=0)
        over, under = np.maximum(price, 0), np.maximum(-price, 0)
        more = (spare - 1 + least * under) // np.maximum(reduced + under, 1)
        high[at] = np.where(reduced + under > 0, np.minimum(most, more), most)
        if (self.problem.weight == self._most_weight).all():
            low[at] = np.where(over > 0, np.maximum(least, most - (spare - 1) // np.maximum(over, 1)), least)
        return low, high

    def _slot_prices(self, answer: Answer) -> Ints:
        """(open leaf sites,) what one slot more would save: longest ways along which the leaves could shift."""
        price = np.where(answer.leaves.sum(axis=0) > self.limits.leaf_low[self._stand], 0, -CLOSED_COST)
        for _ in self.problem.leaves:
            paid = np.where(answer.leaves > 0, answer.leaf_cost + price, -CLOSED_COST).max(axis=1)
            raised = np.maximum(price, (paid[:, None] - answer.leaf_cost).max(axis=0))
            if (raised == price).all():
                break
            price = raised
        return price

    def _closer_spines(self, answer: Answer, spare_cost: int) -> tuple[Ints, Ints]:
        """Fewest and most spines (sites,): each that stands where the answer has none costs more than the dearest."""
        low, high = self.limits.spine_low.copy(), self.limits.spine_high.copy()
        if not answer.spines.any():
            return low, high
        above = answer.spine_cost - answer.spine_cost[answer.spines > 0].max()
        count = (spare_cost - 1) // np.maximum(np.abs(above), 1)
        room = self._spine_room
        high[self.spine_at] = low[self.spine_at] + np.where(above > 0, np.minimum(count, room), room)
        low[self.spine_at] += np.where(above < 0, np.maximum(room - count, 0), 0)
        return low, high


def filled_rows(values: Ints, room: Ints, rest: int) -> Ints:
    """(rows, n) `rest` pieces of each row put into places in the order of its values (rows, n), each up to its room."""
    count = values.shape[1]
    if rest == 0 or count == 0:
        return np.zeros_like(values)
    bits = (count - 1).bit_length()
    keys = (values << bits) + np.arange(count)
    ranked = np.sort(keys, axis=1)
    upto = np.cumsum(room[ranked & ((1 << bits) - 1)], axis=1)
    last = (upto < rest).sum(axis=1)
    row = np.arange(len(values))
    dearest = ranked[row, last]
    fill = np.where(keys <= dearest[:, None], room, 0)
    fill[row, dearest & ((1 << bits) - 1)] -= upto[row, last] - rest
    return fill
