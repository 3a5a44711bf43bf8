"""Throughput of a design, the worst of its planes, and the bounds that no routing of its links can pass."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from fabric.flow.bounds import Bracket, bracket
from fabric.flow.link_load import bottleneck
from fabric.flow.offered import EdgeDemand, Offered
from fabric.flow.permutation import Permutation, permutations
from fabric.flow.table_load import table_load
from fabric.flow.throughput import links_throughput, uniform_demand, uniform_throughput
from fabric.model.network import Network
from fabric.model.report import SWITCH_LINKS, NotChecked, Throughput
from fabric.pipeline.carried import Carried
from fabric.pipeline.networks import Plane

LP = "lp"
"""The bound that some routing reaches."""

WORST = "worst_permutation_"
"""What the names of bounds on the worst permutation begin with."""

NAMES = {"uplinks": "uplinks", "hops": "tub", "bisection": "bisection", LP: LP}
"""Bounds on the worst permutation by those on each: that by hops of the farthest one is the least of all by hops."""


@dataclass(frozen=True, slots=True, eq=False)
class _Carried:
    """What a plane carries of uniform traffic and of each permutation tried."""

    network: Network
    uniform: float
    permutations: tuple[Permutation, ...]


def throughput(planes: Sequence[Plane], *, is_adaptive: bool) -> Throughput:
    """Throughput alone, of planes with at least two endpoints each.

    Planes with dumped tables follow them; of these no permutation is tried, for none is known to be the worst.

    Args:
        planes: all planes of the design.
        is_adaptive: whether switches leave a full way for a longer one.
    """
    return _worst([_carried(plane, is_adaptive=is_adaptive) for plane in _unlike(planes)], {})


def bounded_throughput(
    planes: Sequence[Plane], *, is_adaptive: bool, keeps_reserve: bool = False
) -> tuple[Throughput, tuple[NotChecked, ...]]:
    """Throughput with its bounds, and the traffic of which the best routing was not found.

    Args:
        planes: all planes of the design, with at least two endpoints each.
        is_adaptive: whether switches leave a full way for a longer one.
        keeps_reserve: whether the links between switches are asked to carry more than those of the nodes can.
    """
    carried = [_carried(plane, is_adaptive=is_adaptive) for plane in _unlike(planes)]
    uniform = [bracket(each.network, uniform_demand(each.network), each.uniform) for each in carried]
    worst = [bracket(each.network, one.offered, one.theta) for each in carried for one in each.permutations]
    bounds = _least(uniform) | {
        f"{WORST}{NAMES[name]}": bound for name, bound in _least(worst).items() if name in NAMES
    }
    reserve = min(links_throughput(plane.network, plane.routes) for plane in planes) if keeps_reserve else math.inf
    if math.isfinite(reserve):
        bounds[SWITCH_LINKS] = reserve
    unsolved = (*_unsolved("uniform all-to-all", uniform), *_unsolved("the worst permutation", worst))
    return _worst(carried, bounds), unsolved


def least_links_us(carried: Carried) -> dict[str, float]:
    """Time that the fullest link of a phase takes, as `routed`, and at least by every bound on its demand [us].

    Args:
        carried: a phase with traffic, of which every pair has a way.
    """
    planes = []
    for load in carried.loads:
        network, folded = load.plane.network, load.folded
        time_us = bottleneck(network, load.arcs).time_us
        if time_us:
            demand = (folded.pair_bytes, folded.sent_bytes, folded.received_bytes)
            at_once = bracket(network, EdgeDemand(*(each / time_us for each in demand)), 1.0)
            least = {name: load.links_us / bound for name, bound in _least([at_once]).items()}
            planes.append({"routed": load.links_us} | least)
    known = [name for name in (planes[0] if planes else ()) if all(name in each for each in planes)]
    return {name: max(each[name] for each in planes) for name in known}


def uniform_theta(plane: Plane) -> float:
    """Share of line rate that uniform all-to-all of a plane runs at by its forwarding tables; 0 where a way is missing.

    Args:
        plane: with at least two endpoints.
    """
    network, demand = plane.network, uniform_demand(plane.network)
    offered = Offered(demand.pair_bytes, demand.sent_bytes, demand.received_bytes, np.zeros(0, dtype=np.int64))
    load = table_load(network, plane.forwarding, offered)
    time_us = bottleneck(network, load).time_us
    return 1 / time_us if time_us and not load.unreachable.size else 0.0


def _carried(plane: Plane, *, is_adaptive: bool) -> _Carried:
    network, routes = plane.network, plane.routes
    if plane.dumped is not None:
        return _Carried(network, uniform_theta(plane), ())
    has_others = (network.endpoint_switch != network.endpoint_switch[0]).any()
    tried = permutations(network, routes, is_adaptive=is_adaptive) if has_others else ()
    return _Carried(network, uniform_throughput(network, routes).theta, tried)


def _worst(carried: Sequence[_Carried], bounds: dict[str, float]) -> Throughput:
    thetas = [one.theta for each in carried for one in each.permutations]
    return Throughput(min(each.uniform for each in carried), min(thetas, default=None), bounds)


def _unlike(planes: Sequence[Plane]) -> tuple[Plane, ...]:
    """The first plane of each set of planes that are the same in every number."""
    first: dict[tuple[object, ...], Plane] = {}
    for plane in planes:
        arrays = (getattr(plane.network, field.name) for field in fields(Network) if field.name != "edge_count")
        tables = plane.dumped.link.tobytes() if plane.dumped is not None else b""
        key = (plane.scheme, plane.detours, plane.network.edge_count, tables, *(each.tobytes() for each in arrays))
        first.setdefault(key, plane)
    return tuple(first.values())


def _least(brackets: Sequence[Bracket]) -> dict[str, float]:
    """The least of every bound over planes or permutations; that of the best routing only where all are known."""
    names = brackets[0].bounds if brackets else ()
    found = {name: min(each.bounds[name] for each in brackets) for name in names}
    best = [each.best for each in brackets if each.best is not None]
    return found | ({LP: min(best)} if best and len(best) == len(brackets) else {})


def _unsolved(traffic: str, brackets: Sequence[Bracket]) -> Iterator[NotChecked]:
    """Why the best routing of some traffic is not known, told once."""
    why = next((each.why_not for each in brackets if each.best is None), None)
    if why is not None:
        yield NotChecked("throughput-lp", f"the best routing of {traffic}: {why}; the other bounds hold")
