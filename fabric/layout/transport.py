"""The transportation problem, solved exactly in whole units of cost by min-cost flow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from ortools.graph.python import min_cost_flow

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def transport(cost: Ints, supply: Ints, capacity: Ints, allowed: Bools) -> Ints | None:
    """Cheapest whole numbers x with row sums `supply` and column sums at most `capacity`.

    minimise sum cost[k, r] x[k, r] subject to sum_r x[k, r] = supply[k], sum_k x[k, r] <= capacity[r],
    x[k, r] = 0 where not allowed. Forbidden pairs are left out as arcs, so no penalty enters a cost.

    Args:
        cost: (groups, sites) cost of one piece.
        supply: (groups,) pieces.
        capacity: (sites,) pieces.
        allowed: (groups, sites).

    Returns:
        (groups, sites) pieces, or None when there is no such x.
    """
    if not supply.any():
        return np.zeros_like(cost)
    group, site = np.nonzero(allowed & (capacity > 0) & (supply > 0)[:, None])
    flow, arcs = _flow(cost, supply, capacity, (group, site))
    status = flow.solve()
    if status == flow.INFEASIBLE:
        return None
    if status != flow.OPTIMAL:
        raise ArithmeticError(f"min-cost flow ended with status {status}; costs up to {cost.max()}")
    pieces = np.zeros_like(cost)
    pieces[group, site] = flow.flows(arcs)
    return pieces


def _flow(
    cost: Ints, supply: Ints, capacity: Ints, pairs: tuple[Ints, Ints]
) -> tuple[min_cost_flow.SimpleMinCostFlow, Ints]:
    """The network group -> site -> sink, and the arcs of the allowed `pairs` (groups, sites) in it."""
    groups, sites = cost.shape
    group, site = pairs
    open_sites = np.unique(site)
    sink = groups + sites
    flow = min_cost_flow.SimpleMinCostFlow()
    arcs = flow.add_arcs_with_capacity_and_unit_cost(
        group, groups + site, np.minimum(supply[group], capacity[site]), cost[group, site]
    )
    flow.add_arcs_with_capacity_and_unit_cost(
        groups + open_sites,
        np.full(len(open_sites), sink),
        capacity[open_sites],
        np.zeros(len(open_sites), dtype=np.int64),
    )
    flow.set_nodes_supplies(np.arange(groups), supply)
    flow.set_nodes_supplies(np.array([sink]), np.array([-int(supply.sum())]))
    return flow, arcs
