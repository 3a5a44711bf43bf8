"""What a link costs by its length: the price that placement weighs places with, before any place is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.layout.component import Group
from fabric.layout.ladder import COST, ROUNDING_M, UNREACHABLE_COST, Metres, Whole
from fabric.layout.market import Market
from fabric.layout.purchase import Way, best_way


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Cost of one link of a kind: a staircase over its route without slack [m].

    It is the least, over all shapes of component that hold such links, of the price of the component with every
    link that long, divided by its links and rounded down; what links share is shared evenly among them. Where a
    longer route would be cheaper (only a last resort reaches the shorter), its price counts. Hence the table never
    falls, and its sum over links never exceeds what their cabling will cost, provided that the links of each
    component are of one kind between one pair of ends. It equals that cost, up to rounding down, when all
    components are of one shape and the links of each are equally long.

    `limit_m` (steps,) is the longest route of each step; `step_cost` (steps + 1,) ends with UNREACHABLE_COST.
    """

    limit_m: Metres
    step_cost: Whole

    def cost(self, route_m: Metres) -> Whole:
        """Costs of routes [m, without slack], in the same shape; UNREACHABLE_COST where nothing reaches."""
        steps: Whole = self.step_cost[np.searchsorted(self.limit_m, route_m - ROUNDING_M)]
        return steps


def price_tables(market: Market) -> Mapping[str, PriceTable]:
    """The price table of every kind of link in `market`."""
    by_kind: dict[str, list[tuple[Group, tuple[Way, ...]]]] = {}
    for group, options in zip(market.graph.groups, market.ways, strict=True):
        for kind in {joint.kind for joint in group.shape.joints}:
            by_kind.setdefault(kind, []).append((group, options))
    return {kind: _price_table(sold) for kind, sold in sorted(by_kind.items())}


def _price_table(sold: Sequence[tuple[Group, tuple[Way, ...]]]) -> PriceTable:
    limit_m = np.unique(np.concatenate([option.limits_m() for _, options in sold for option in options]))
    step_cost = np.full(len(limit_m) + 1, UNREACHABLE_COST, dtype=np.int64)
    for group, options in sold:
        links = len(group.shape.joints)
        _, rank = best_way(options, np.repeat(limit_m[:, None], links, axis=1))
        reached = rank[:, COST] < UNREACHABLE_COST
        per_link = np.where(reached, rank[:, COST] // links, UNREACHABLE_COST)
        step_cost[:-1] = np.minimum(step_cost[:-1], per_link)
    return PriceTable(limit_m, np.minimum.accumulate(step_cost[::-1])[::-1])
