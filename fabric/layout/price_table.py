"""What a single link costs by its length, where a component as a whole cannot be priced yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fabric.layout.ladder import COST, ROUNDING_M, UNREACHABLE_COST, Metres, Whole
from fabric.layout.purchase import Way

KNOWN = 256
"""Shapes of component whose prices are remembered: halls tried one after the other buy the same ones."""


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Cost of one link of a shape of component: a staircase over its route without slack [m].

    `limit_m` (steps,) is the longest route of each step; `step_cost` (steps + 1,) ends with UNREACHABLE_COST.
    """

    limit_m: Metres
    step_cost: Whole

    def cost(self, route_m: Metres) -> Whole:
        """Costs of routes [m, without slack], in the same shape; UNREACHABLE_COST where nothing reaches."""
        steps: Whole = self.step_cost[np.searchsorted(self.limit_m, route_m - ROUNDING_M)]
        return steps


@lru_cache(maxsize=KNOWN)
def price_limits_m(options: tuple[Way, ...]) -> Metres:
    """Routes beyond which the price of a way may change, ascending."""
    return np.unique(np.concatenate([option.limits_m() for option in options]))


@lru_cache(maxsize=KNOWN)
def link_tables(options: tuple[Way, ...]) -> tuple[tuple[PriceTable, tuple[int, ...]], ...]:
    """Tables whose sum over the links of a component never exceeds its price, with the links that each is for.

    A link bears its share of each way: of the pluggables one part in as many as the shape has links, of its cable one
    in as many as the cable carries. A table is the least share over all ways, so its sum is below the price of each;
    it equals that price, up to rounding down, where all links are alike and equally long. Where a longer route would
    be cheaper (only a last resort reaches it) its price counts, so that a table never falls.
    """
    limit_m = price_limits_m(options)
    shares = np.minimum.reduce([_shares(option, limit_m) for option in options])
    shares = np.minimum.accumulate(shares[:, ::-1], axis=1)[:, ::-1]
    distinct, number = np.unique(shares, axis=0, return_inverse=True)
    return tuple(
        (PriceTable(limit_m, share), tuple(np.flatnonzero(number.reshape(-1) == index).tolist()))
        for index, share in enumerate(distinct)
    )


def _shares(way: Way, limit_m: Metres) -> Whole:
    """What each link costs at each step and beyond, (links, steps + 1)."""
    links = sum(map(len, way.leads))
    shares = np.full((links, len(limit_m) + 1), UNREACHABLE_COST, dtype=np.int64)
    cables = {id(ladder): ladder.rank[ladder.rung(limit_m), COST] for ladder in way.distinct_ladders}
    for lead, ladder in zip(way.leads, way.ladders, strict=True):
        cable = cables[id(ladder)]
        share = (way.module_rank[COST] * len(lead) + cable * links) // (links * len(lead))
        shares[list(lead), :-1] = np.where(cable < UNREACHABLE_COST, share, UNREACHABLE_COST)
    return shares


def least_table(tables: Sequence[PriceTable]) -> PriceTable:
    """The least of several tables at every length."""
    limit_m = np.unique(np.concatenate([table.limit_m for table in tables]))
    step_cost = np.minimum.reduce([table.cost(limit_m) for table in tables])
    return PriceTable(limit_m, np.append(step_cost, UNREACHABLE_COST))
