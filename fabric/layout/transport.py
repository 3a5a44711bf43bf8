"""The transportation problem, solved exactly in whole units of cost by min-cost flow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ortools.graph.python import min_cost_flow

Ints = npt.NDArray[np.int64]
ShortInts = npt.NDArray[np.int32 | np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SlotCosts:
    """What the pieces of one site cost besides, the first the least: (slots,) site, rank from 0 and cost of each slot.

    Costs must not fall with the rank, so that a cheapest flow takes them in order.
    """

    site: Ints
    rank: Ints
    cost: Ints


def transport(cost: Ints, supply: Ints, capacity: Ints, allowed: Bools, slots: SlotCosts | None = None) -> Ints | None:
    """Cheapest whole numbers x with row sums `supply` and column sums at most `capacity`.

    minimise sum cost[k, r] x[k, r] + slots, subject to sum_r x[k, r] = supply[k], sum_k x[k, r] <= capacity[r],
    x[k, r] = 0 where not allowed. Forbidden pairs are left out as arcs, so no penalty enters a cost.

    Args:
        cost: (groups, sites) cost of one piece.
        supply: (groups,) pieces.
        capacity: (sites,) pieces.
        allowed: (groups, sites).
        slots: at least `capacity` slots of every site that anything may go to; none cost anything when left out.

    Returns:
        (groups, sites) pieces, or None when there is no such x.
    """
    if not supply.any():
        return np.zeros_like(cost)
    group, site = np.nonzero(allowed & (capacity > 0) & (supply > 0)[:, None])
    flow, arcs = _flow(cost, supply, capacity, (group, site), slots)
    status = flow.solve()
    if status == flow.INFEASIBLE:
        return None
    if status != flow.OPTIMAL:
        raise ArithmeticError(f"min-cost flow ended with status {status}; costs up to {cost.max()}")
    pieces = np.zeros_like(cost)
    pieces[group, site] = flow.flows(arcs)
    return pieces


def _flow(
    cost: Ints, supply: Ints, capacity: Ints, pairs: tuple[Ints, Ints], slots: SlotCosts | None
) -> tuple[min_cost_flow.SimpleMinCostFlow, Ints]:
    """The network group -> site -> sink, and the arcs of the allowed `pairs` (groups, sites) in it."""
    groups, sites = cost.shape
    group, site = pairs
    open_sites = np.flatnonzero(np.bincount(site, minlength=sites))
    sink = groups + sites
    flow = min_cost_flow.SimpleMinCostFlow()
    arcs = flow.add_arcs_with_capacity_and_unit_cost(
        group, groups + site, np.minimum(supply[group], capacity[site]), cost[group, site]
    )
    if slots is None:
        ends, room, price = open_sites, capacity[open_sites], np.zeros(len(open_sites), dtype=np.int64)
    else:
        taken = slots.rank < capacity[slots.site]
        ends, price, room = _alike(slots.site[taken], slots.cost[taken])
    flow.add_arcs_with_capacity_and_unit_cost(groups + ends, np.full(len(ends), sink), room, price)
    flow.set_nodes_supplies(np.arange(groups), supply)
    flow.set_nodes_supplies(np.array([sink]), np.array([-int(supply.sum())]))
    return flow, arcs


def _alike(site: Ints, cost: Ints) -> tuple[Ints, Ints, Ints]:
    """Site, cost and number of slots that are alike and stand side by side."""
    first = np.ones(len(site), dtype=np.bool_)
    first[1:] = (site[1:] != site[:-1]) | (cost[1:] != cost[:-1])
    starts = np.flatnonzero(first)
    return site[starts], cost[starts], np.diff(np.append(starts, len(site)))
