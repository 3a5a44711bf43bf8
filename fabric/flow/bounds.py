"""Upper bounds on the throughput of a demand under any routing, and what is achieved beside them, in order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fabric.flow.bisection import cut_bound
from fabric.flow.merged import merged
from fabric.flow.offered import EdgeDemand
from fabric.flow.throughput_lp import MOST_COLUMNS, Status, columns, throughput_lp
from fabric.flow.walk import fewest_hops
from fabric.model.network import FloatArray, Network
from fabric.units import bytes_per_us

_REACHED = 1e-9
"""Relative distance within which a bound counts as reached."""

_ROUNDING = 1e-6
"""Excess over a bound that is rounding or the solver's tolerance, and no fault; optima are given in steps of it."""

_TOLERATED = 0.1
"""Part of such a step that an optimum may be above it by the solver's tolerance."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """Throughput of one demand: what is achieved, what the best of all routings reaches, and what none can pass.

    Attributes:
        theta: achieved, as a multiple of the demand.
        best: of all routings; None where it was not found.
        why_not: why not; empty where it was.
        bounds: upper bounds by name.

    Raises:
        ArithmeticError: they are out of order, so that one of them is wrong.
    """

    theta: float
    best: float | None
    why_not: str
    bounds: Mapping[str, float]

    def __post_init__(self) -> None:
        for name, bound in {"lp": self.best, **self.bounds}.items():
            below = self.theta if self.best is None or name == "lp" else self.best
            if bound is not None and below > bound * (1 + _ROUNDING):
                raise ArithmeticError(f"throughput {below} is above its bound by {name}, {bound}")


def bracket(network: Network, offered: EdgeDemand, theta: float) -> Bracket:
    """The achieved throughput of a demand between its bounds, with that of the best routing where that is known.

    It is known where what is achieved reaches a bound; else it is the optimum of a linear program, if the program has
    at most `MOST_COLUMNS` variables and its solver proves the optimum.

    Args:
        network: the plane.
        offered: the demand, in bytes of a microsecond.
        theta: what is achieved of it.
    """
    bounds = upper_bounds(network, offered)
    least = min(bounds.values())
    if theta >= least * (1 - _REACHED):
        return Bracket(theta, theta, "", bounds)
    flows = columns(network, offered.pair_bytes)
    if flows > MOST_COLUMNS:
        why = f"its program has {flows:,} variables, more than the {MOST_COLUMNS:,} that are tried"
        return Bracket(theta, None, why, bounds)
    found = throughput_lp(network, offered.pair_bytes / bytes_per_us(1.0))
    if found is None or found.status != Status.OPTIMAL:
        return Bracket(theta, None, "the solver stopped before an optimum was proved", bounds)
    return Bracket(theta, max(theta, min(_in_digits(found.bound), least)), "", bounds)


def _in_digits(bound: float) -> float:
    """An optimum in the digits that the solver's tolerance leaves, rounded up: the others differ between machines."""
    return math.ceil(bound / _ROUNDING - _TOLERATED) * _ROUNDING


def upper_bounds(network: Network, offered: EdgeDemand) -> dict[str, float]:
    """What alone each limits the throughput of a demand to, whatever the routing.

    - host_links: rate of an endpoint over what it sends or receives;
    - uplinks: rate of the links of a leaf or router over what leaves or reaches it;
    - hops: all rates over bytes times fewest hops, Σ c_e / Σ D_sd dist(s, d) (namyar-tub-2021);
    - bisection: rate of a cut over what crosses it, for the cuts of `bisection`.

    Args:
        network: the plane.
        offered: the demand, in bytes of a microsecond.

    Returns:
        Multiples of the demand by these names. Where nothing crosses between switches all are that of the host links.
    """
    pair_gbps = offered.pair_bytes / bytes_per_us(1.0)
    np.fill_diagonal(pair_gbps, 0.0)
    plane = merged(network)
    host = host_bound(network, offered)
    found = {
        "uplinks": _edge_bound(plane, pair_gbps),
        "hops": hop_bound(plane, pair_gbps),
        "bisection": cut_bound(plane, pair_gbps),
    }
    return {"host_links": host} | {name: host if math.isinf(bound) else bound for name, bound in found.items()}


def host_bound(network: Network, offered: EdgeDemand) -> float:
    """Least rate of an endpoint over what it sends or receives; infinite where nothing is sent."""
    rate = np.tile(network.endpoint_gbps * bytes_per_us(1.0), 2)
    return _least(rate, np.concatenate([offered.sent_bytes, offered.received_bytes]))


def hop_bound(network: Network, pair_gbps: FloatArray) -> float:
    """All rates between switches over what a demand takes of them on the fewest hops; 0 where a pair has no way.

    For the farthest matching it bounds the throughput of the worst demand of all (namyar-tub-2021).

    Args:
        network: the plane.
        pair_gbps: (n_edges, n_edges) demand from leaf (router) to leaf [Gb/s].
    """
    used = np.unique(network.endpoint_switch)
    wanted, hops = pair_gbps[np.ix_(used, used)], fewest_hops(network)
    if (hops[wanted > 0] < 0).any():
        return 0.0
    needed = float((wanted * hops).sum())
    return 2 * float(network.link_gbps.sum()) / needed if needed else math.inf


def _edge_bound(network: Network, pair_gbps: FloatArray) -> float:
    """Least rate of the links of a leaf or router over what leaves or reaches it."""
    have = np.bincount(network.arc_from, np.tile(network.pipes.gbps, 2), network.switch_count)[: network.edge_count]
    return _least(np.tile(have, 2), np.concatenate([pair_gbps.sum(axis=1), pair_gbps.sum(axis=0)]))


def _least(rate: FloatArray, load: FloatArray) -> float:
    loaded = load > 0
    return float((rate[loaded] / load[loaded]).min(initial=math.inf))
