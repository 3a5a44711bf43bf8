"""From a workload and the planes of a design to ranks on accelerators and the ports that they send through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment

from fabric.catalog.parts import System
from fabric.errors import Fault, InputError, nearest
from fabric.flow.walk import distances
from fabric.model.network import FloatArray, IntArray
from fabric.model.workload import MOE, Workload, together
from fabric.pipeline.networks import Plane
from fabric.traffic.demand import Ports
from fabric.traffic.ranks import Order, Ranks, in_order, seat

_ROUNDING = 1e-9
"""Share of an accelerator below which an overlap with a port is none."""

_MOST_NAMES = 5
"""Nodes that a message names."""


@dataclass(frozen=True, slots=True, eq=False)
class Hosts:
    """The nodes of a whole, undamaged design.

    Attributes:
        names: of the nodes, by the number that planes give them.
        accelerators: of a node.
        rails: node ports in one plane.
        nodes_per_domain: nodes of one scale-up domain.
        unit: (n_nodes,) leaf or router of each node's first port in the first plane.
        spares: of the nodes the last ones, which are idle.
        planes_of_port: (n_nodes, rails) planes that each port has links to; None where nothing is known of them.
    """

    names: tuple[str, ...]
    accelerators: int
    rails: int
    nodes_per_domain: int
    unit: IntArray
    spares: int = 0
    planes_of_port: IntArray | None = None

    @property
    def domain_size(self) -> int:
        """Accelerators of one scale-up domain."""
        return self.accelerators * self.nodes_per_domain

    @property
    def domain_unit(self) -> IntArray:
        """(n_domains,) leaf or router of each whole domain's first node."""
        whole = (self.unit.size - self.spares) // self.nodes_per_domain
        return self.unit[: whole * self.nodes_per_domain : self.nodes_per_domain]


def hosts_of(names: Sequence[str], system: System, planes: Sequence[Plane], spares: int = 0) -> Hosts:
    """The nodes called `names`, all of one system, on undamaged planes, the last of them spares."""
    unit = np.zeros(len(names), dtype=np.int64)
    first = planes[0]
    own = np.flatnonzero(first.rail >= 0)[::-1]
    unit[first.node[own]] = first.network.endpoint_switch[own]
    domain = system.scale_up_accelerators or system.accelerators
    rails = 1 + max(int(plane.rail.max(initial=0)) for plane in planes)
    return Hosts(
        names=tuple(names),
        accelerators=system.accelerators,
        rails=rails,
        nodes_per_domain=max(1, domain // max(1, system.accelerators)),
        unit=unit,
        spares=spares,
        planes_of_port=_planes_of_port(len(names), rails, planes),
    )


def _planes_of_port(nodes: int, rails: int, planes: Sequence[Plane]) -> IntArray:
    """(n_nodes, rails) planes that each port has links to."""
    found = np.zeros((nodes, rails), dtype=np.int64)
    for plane in planes:
        own = (plane.rail >= 0) & (plane.node < nodes)
        has = np.zeros(found.shape, dtype=np.int64)
        has[plane.node[own], plane.rail[own]] = 1
        found += has
    return found


def are_short_of_planes(ranks: Ranks, hosts: Hosts, planes: Sequence[Plane]) -> bool:
    """Whether any rank has a port that has lost some of its planes and not all."""
    if hosts.planes_of_port is None:
        return False
    left = _planes_of_port(hosts.unit.size, hosts.rails, planes)
    short = (left > 0) & (left < hosts.planes_of_port)
    node = ranks.domain * hosts.nodes_per_domain + ranks.index // hosts.accelerators
    return bool((short[node] & (_parts(hosts)[ranks.index % hosts.accelerators] > 0)).any())


def ranks_of(workload: Workload, hosts: Hosts, seed: int = 1, listed: Sequence[Workload] = ()) -> Ranks:
    """Where the ranks of a workload stand, beside those of the workloads that run at the same time (`seats_of`)."""
    return seats_of(workload, hosts, seed, listed)[workload.name]


def seats_of(workload: Workload, hosts: Hosts, seed: int, listed: Sequence[Workload]) -> dict[str, Ranks]:
    """Where the ranks of a workload stand, and those of the workloads that run at the same time, by name.

    Each workload has scale-up domains of its own. Named nodes are kept for whom names them; then workloads with a
    number of `jobs` are seated in the order of the list, each by its own placement on the domains still free; one
    without takes the rest. So a seat does not depend on whose it is that is asked for.

    Args:
        workload: as asked.
        hosts: the nodes.
        seed: of a random placement.
        listed: all workloads of the request; those beside this one are seated too.

    Raises:
        InputError: the nodes have no accelerators, too little room, a listed name is none of theirs, or two workloads
            name nodes of one domain.
    """
    group = together(workload, listed)
    for each in group:
        _judge_size(each, hosts)
    kept = {each.name: _named(each, hosts) for each in group if not isinstance(each.placement, str)}
    _judge_apart(group, kept, hosts)
    counted = [each for each in group if each.name in kept or each.jobs is not None]
    rest = [each for each in group if each not in counted]
    if len(rest) > 1:
        names = " and ".join(each.name for each in rest)
        raise _unseated(rest[0], f"{names} run at the same time without `jobs`: only one of them may take what is left")
    seated: dict[str, Ranks] = {}
    for each in (*counted, *rest):
        taken = [*kept.values(), *(ranks.domain for ranks in seated.values())]
        how = each.placement
        domains = _free(Order(how), hosts, seed, taken) if isinstance(how, str) else kept[each.name]
        seated[each.name] = _seat(each, hosts, domains, len(group) > 1)
    return seated


def _judge_size(workload: Workload, hosts: Hosts) -> None:
    """Refuse a job that no number of nodes of this kind can hold."""
    size = workload.job_size
    if not hosts.accelerators:
        raise _unseated(workload, "the nodes have no accelerators for its ranks")
    if workload.pattern == MOE and size > hosts.domain_size and size % hosts.domain_size:
        message = f"{size} ranks are not whole scale-up domains of {hosts.domain_size} accelerators"
        raise _unseated(workload, message)


def _judge_apart(group: Sequence[Workload], kept: Mapping[str, IntArray], hosts: Hosts) -> None:
    """Refuse placements that name nodes of one domain for two workloads."""
    for first, second in combinations([each for each in group if each.name in kept], 2):
        shared = np.intersect1d(kept[first.name], kept[second.name])
        number = {name: index // hosts.nodes_per_domain for index, name in enumerate(hosts.names)}
        names = [name for name in second.placement if number[name] in shared]
        if names:
            what = "nodes" if hosts.nodes_per_domain == 1 else "nodes of scale-up domains"
            told = f"{', '.join(names[:_MOST_NAMES])}{', …' if len(names) > _MOST_NAMES else ''}"
            raise _unseated(second, f"it runs beside {first.name} on {what} that this names too: {told}")


def _seat(workload: Workload, hosts: Hosts, domains: IntArray, is_beside: bool) -> Ranks:
    """The ranks of one workload on the domains it is given."""
    by_rail = workload.placement == "by_rail"
    try:
        return seat(workload.job_size, workload.jobs, domains, hosts.domain_size, by_rail=by_rail)
    except InputError as error:
        left = ""
        if is_beside and isinstance(workload.placement, str):
            whole = hosts.domain_unit.size
            left = f"; workloads beside it take {whole - domains.size} of all {whole} domains"
        raise _unseated(workload, f"{error.faults[0].message}{left}") from None


def _free(order: Order, hosts: Hosts, seed: int, taken: Sequence[IntArray]) -> IntArray:
    """Scale-up domains that nobody has, in the order in which the placement hands them out."""
    free = np.setdiff1d(np.arange(hosts.domain_unit.size), np.concatenate([*taken, []]))
    return free[in_order(order, hosts.domain_unit[free], seed)]


def _named(workload: Workload, hosts: Hosts) -> IntArray:
    """Scale-up domains of the nodes that a placement lists, in its order."""
    number = {name: index // hosts.nodes_per_domain for index, name in enumerate(hosts.names)}
    strange = [name for name in workload.placement if name not in number]
    if strange:
        hint = nearest(strange[0], number, otherwise=f"; the nodes are {hosts.names[0]} to {hosts.names[-1]}")
        raise _unseated(workload, f"{strange[0]!r} is no node of the design{hint}")
    return np.array(list(dict.fromkeys(number[name] for name in workload.placement)), dtype=np.int64)


def _unseated(workload: Workload, message: str) -> InputError:
    return InputError(Fault(message, key=f"workloads.{workload.name}"))


def ports_of(ranks: Ranks, hosts: Hosts, plane: Plane) -> Ports:
    """The ports of one plane through which ranks send: each accelerator has its equal part of the node's ports."""
    grid = np.full((hosts.unit.size, hosts.rails), -1, dtype=np.int64)
    own = np.flatnonzero((plane.rail >= 0) & (plane.node < hosts.unit.size))
    grid[plane.node[own], plane.rail[own]] = own
    node = ranks.domain * hosts.nodes_per_domain + ranks.index // hosts.accelerators
    part = _parts(hosts)[ranks.index % hosts.accelerators]  # (n_ranks, n_rails)
    part = np.where(grid[node] >= 0, part, 0.0)
    rank, rail = np.nonzero(part)
    total = part.sum(axis=1)
    return Ports(rank, grid[node[rank], rail], part[rank, rail] / total[rank])


def farthest(ranks: Ranks, ports: Ports, plane: Plane) -> IntArray:
    """(n_ranks,) rank of the same job to which each sends in the worst permutation.

    Leaves or routers of a job are matched so that the ways add up to the longest, and their ranks one by one; what is
    left over where one has more ranks than its match goes round among themselves.
    """
    home = np.full(ranks.count, -1, dtype=np.int64)
    home[ports.rank] = plane.network.endpoint_switch[ports.port]
    used = np.unique(plane.network.endpoint_switch)
    steps = distances(plane.network, plane.routes)
    target = np.arange(ranks.count)
    for first in range(0, ranks.count, ranks.job_size):
        own = np.arange(first, first + ranks.job_size)
        here = np.unique(home[own][home[own] >= 0])
        if not here.size:
            continue
        place = np.searchsorted(used, here)
        senders, receivers = linear_sum_assignment(-steps[np.ix_(place, place)])
        sending, taking = [], []
        for source, sink in zip(here[senders].tolist(), here[receivers].tolist(), strict=True):
            out, into = own[home[own] == source], own[home[own] == sink]
            matched = min(out.size, into.size)
            # Leaves of two rails of one unit hold the same domains: one further, and no rank sends to its own.
            together = int((ranks.domain[into[:matched]] == ranks.domain[into[:1]]).sum())
            target[out[:matched]] = np.roll(into[:matched], together)
            sending.append(out[matched:])
            taking.append(into[matched:])
        target[np.concatenate(sending)] = np.roll(np.concatenate(taking), 1)
    return target


def _parts(hosts: Hosts) -> FloatArray:
    """(n_accelerators, n_rails) share of each accelerator's traffic on each port: both cut one node evenly."""
    mine = np.arange(hosts.accelerators)[:, None] / hosts.accelerators
    ports = np.arange(hosts.rails)[None, :] / hosts.rails
    ends = np.minimum(mine + 1 / hosts.accelerators, ports + 1 / hosts.rails)
    overlap = np.maximum(0.0, ends - np.maximum(mine, ports)) * hosts.accelerators
    return np.where(overlap > _ROUNDING, overlap, 0.0)
