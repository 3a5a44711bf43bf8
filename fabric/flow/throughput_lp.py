"""Throughput of a demand under the best of all routings, by a concurrent flow LP."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.sparse import csr_array, csr_matrix, eye_array, hstack, kron, vstack
from scipy.sparse.csgraph import dijkstra

from fabric.flow.merged import merged
from fabric.model.network import FloatArray, IntArray, Network

_SOLVERS = "ortools.linear_solver.python.model_builder_helper"
"""OR-Tools' linear solvers, loaded when there is something to solve: most fabrics are judged without."""

MOST_COLUMNS = 32_768
"""Variables of the largest program that is worth its time, about a second: 64 routers of 8 links each, 32 leaves of 16
unlike spines. Time grows faster than they do: 262,144 take 15 times as long."""

_TOLERANCE = 1e-8
"""Relative gap and infeasibility at which the solver stops."""

_CLOSED = 1e-6
"""Relative gap to the bound proved by lengths within which an optimum counts as one."""

_MOST_ITERATIONS = 50_000
"""Steps after which the solver gives up; programs of this size take some hundreds to some thousands."""


class Status(StrEnum):
    """What became of the search for the best routing."""

    OPTIMAL = "optimal"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class BestRouting:
    """Result of `throughput_lp`.

    Attributes:
        status: whether the solver ended at an optimum that the bound confirms.
        theta: multiple of the demand that the solver's flows carry, within its tolerance.
        bound: multiple that no routing carries more than, whatever the solver did.
    """

    status: Status
    theta: float
    bound: float


@dataclass(frozen=True, slots=True, eq=False)
class _Arcs:
    """Arcs of a plane, parallel ones as one.

    Attributes:
        begin: (n_arcs,) switch where each begins.
        end: (n_arcs,) switch where it ends.
        gbps: (n_arcs,) its rate [Gb/s].
        switch_count: switches of the plane.
    """

    begin: IntArray
    end: IntArray
    gbps: FloatArray
    switch_count: int


def columns(network: Network, pair_gbps: FloatArray) -> int:
    """Variables of the program of a demand: senders times arcs, interchangeable switches taken as one."""
    return int(np.count_nonzero(_crossing(pair_gbps).any(axis=1))) * _arcs(merged(network)).begin.size


def throughput_lp(network: Network, pair_gbps: FloatArray) -> BestRouting | None:
    """Largest multiple of a demand that the links between switches carry, each byte on any ways in any parts.

    maximise θ  subject to, for every sender s, switch v ≠ s and arc e,
        Σ_{e into v} x_se − Σ_{e out of v} x_se = θ D_sv,  Σ_s x_se ≤ c_e,  x ≥ 0.

    The prices y of the capacities are lengths of arcs, and for any lengths θ ≤ Σ c_e y_e / Σ D_sv dist_y(s, v): what
    the demand needs of capacity weighed by length is at least its shortest ways. That bound is added up here and owes
    nothing to the solver's tolerances. Links of endpoints are not counted. Source: shahrokhi-matula-1990.

    Args:
        network: the plane.
        pair_gbps: (n_edges, n_edges) demand from leaf (router) to leaf, in any unit of rate; the diagonal is no load.

    Returns:
        The optimum, 0 where some pair has no way at all; None where nothing crosses between switches.
    """
    demand = _crossing(pair_gbps)
    if not demand.any():
        return None
    arcs = _arcs(merged(network))
    most = _bound(arcs, demand, np.ones(arcs.gbps.size))
    if most == 0:
        return BestRouting(Status.OPTIMAL, 0.0, 0.0)
    return _solve(arcs, demand, most)


def _crossing(pair_gbps: FloatArray) -> FloatArray:
    return np.where(np.eye(len(pair_gbps), dtype=np.bool_), 0.0, pair_gbps)


def _arcs(network: Network) -> _Arcs:
    count = max(1, network.switch_count)
    ends, arc = np.unique(network.arc_from * count + network.arc_to, return_inverse=True)
    gbps = np.bincount(arc, np.tile(network.pipes.gbps, 2), ends.size).astype(np.float64)
    begin, end = np.divmod(ends, count)
    return _Arcs(begin, end, gbps, network.switch_count)


def _bound(arcs: _Arcs, demand: FloatArray, length: FloatArray) -> float:
    """Most θ by lengths (n_arcs,) of arcs: capacity over what the demand needs of it on its shortest ways."""
    senders = np.flatnonzero(demand.any(axis=1))
    graph = csr_array((length, (arcs.begin, arcs.end)), shape=(arcs.switch_count, arcs.switch_count))
    far = np.asarray(dijkstra(graph, indices=senders))[:, : demand.shape[1]]
    wanted = demand[senders]
    needed = float((wanted[wanted > 0] * far[wanted > 0]).sum())
    return float(arcs.gbps @ length) / needed if needed else math.inf


def _solve(arcs: _Arcs, demand: FloatArray, most: float) -> BestRouting:
    """The optimum, in the scale of `most`, a bound on it: so that all numbers of the program are about 1."""
    rate_gbps = float(arcs.gbps.max())
    equal = _conservation(arcs, demand * (most / rate_gbps))
    rows = csr_matrix(vstack([equal, _capacity(arcs, equal.shape[1])]))
    zeros = np.zeros(equal.shape[0])
    lower = np.concatenate([zeros, np.full(arcs.gbps.size, -np.inf)])
    upper = np.concatenate([zeros, arcs.gbps / rate_gbps])
    has_ended, flows, prices = _run(rows, lower, upper)
    if not flows.size:
        return BestRouting(Status.STOPPED, 0.0, most)
    theta = most * float(flows[-1])
    bound = min(most, _bound(arcs, demand, np.maximum(prices[-arcs.gbps.size :], 0.0)))
    is_closed = has_ended and bound - theta <= _CLOSED * bound
    return BestRouting(Status.OPTIMAL if is_closed else Status.STOPPED, theta, bound)


def _run(rows: csr_matrix, lower: FloatArray, upper: FloatArray) -> tuple[bool, FloatArray, FloatArray]:
    """Whether the solver ended at an optimum; values of the variables, the last of which is largest; prices of rows.

    Values and prices are empty where it has none.
    """
    solvers = importlib.import_module(_SOLVERS)
    zeros = np.zeros(rows.shape[1])
    objective = np.concatenate([zeros[1:], [1.0]])
    model = solvers.ModelBuilderHelper()
    model.fill_model_from_sparse_data(zeros, np.full(zeros.size, np.inf), objective, lower, upper, rows)
    model.set_maximize(True)
    solver = solvers.ModelSolverHelper("PDLP")
    solver.set_solver_specific_parameters(
        "termination_criteria { simple_optimality_criteria "
        f"{{ eps_optimal_absolute: {_TOLERANCE} eps_optimal_relative: {_TOLERANCE} }} "
        f"iteration_limit: {_MOST_ITERATIONS} }} num_threads: 1"
    )
    solver.solve(model)
    if not solver.has_solution():
        return False, zeros[:0], zeros[:0]
    has_ended = solver.status() == solvers.SolveStatus.OPTIMAL
    return has_ended, np.asarray(solver.variable_values()), np.asarray(solver.dual_values())


def _conservation(arcs: _Arcs, demand: FloatArray) -> csr_array:
    """What enters a switch leaves it, but for its share of θ: Σ in − Σ out = θ D_sv, and −θ Σ D_s at the sender."""
    count, arc = arcs.switch_count, np.arange(arcs.begin.size)
    signs = np.repeat([1.0, -1.0], arc.size)
    balance = csr_array((signs, (np.concatenate([arcs.end, arcs.begin]), np.tile(arc, 2))), shape=(count, arc.size))
    senders = np.flatnonzero(demand.any(axis=1))
    share = np.zeros((senders.size, count))
    share[:, : demand.shape[1]] = -demand[senders]
    share[np.arange(senders.size), senders] = demand[senders].sum(axis=1)
    return csr_array(hstack([kron(eye_array(senders.size), balance), csr_array(share.reshape(-1, 1))]))


def _capacity(arcs: _Arcs, column_count: int) -> csr_array:
    """The flows of all senders on an arc, that is at most its rate: Σ_s x_se <= c_e."""
    ones = np.ones((1, (column_count - 1) // arcs.gbps.size))
    return csr_array(hstack([kron(ones, eye_array(arcs.gbps.size)), csr_array((arcs.gbps.size, 1))]))
