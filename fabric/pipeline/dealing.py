"""How the ports of a design's nodes deal what a workload sends to their planes, and what chance adds to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import binom

from fabric.catalog.load import Catalog
from fabric.catalog.parts import System
from fabric.catalog.plane_balancing import plane_balancing
from fabric.flow.hashing import fullest_plane
from fabric.flow.link_load import ArcLoad
from fabric.model.network import BoolArray, FloatArray, IntArray, Network
from fabric.model.request import Request
from fabric.model.workload import Workload
from fabric.pipeline.networks import Plane
from fabric.traffic.demand import Ports
from fabric.traffic.fold import Carriers, Folded
from fabric.traffic.planes import Balancing, Dealing
from fabric.traffic.ranks import Ranks
from fabric.units import bytes_per_us

_STRAYS = 8.0
"""Standard deviations that a number of flows never strays from its mean."""

_DIGITS = 9
"""Digits to which leaves are alike."""


def balancer_of(request: Request, system: System, catalog: Catalog) -> Balancing:
    """Who deals the traffic of a design's nodes to planes."""
    return Balancing(plane_balancing(request.transport.plane_balancing, system, request.fabric.part_layer, catalog)[0])


def dealing_of(workload: Workload, request: Request, system: System, catalog: Catalog) -> Dealing:
    """How a workload's traffic is dealt to planes."""
    queue_pairs = workload.queue_pairs or request.transport.queue_pairs
    return Dealing(balancer_of(request, system, catalog), queue_pairs)


def carriers_of(ranks: Ranks, planes: Sequence[Plane], ports: Sequence[Ports], dealing: Dealing) -> Carriers:
    """The planes as they carry a demand; what a single plane cannot carry has nowhere to go."""
    leaves = [plane.network.endpoint_switch for plane in planes]
    may_move = dealing.moves and len(planes) > 1
    joined = [plane.joined if may_move else None for plane in planes]
    edges = [plane.network.edge_count for plane in planes]
    return Carriers.of(ranks, ports, leaves, edges, joined)


def are_used(planes: Sequence[Folded], ports: Sequence[Ports]) -> list[BoolArray]:
    """Of every plane, (n_endpoints,) whether a rank that sends or receives anything anywhere has the endpoint."""
    ranks = max((int(each.rank.max(initial=-1)) for each in ports), default=-1) + 1
    busy = np.zeros(ranks, dtype=np.bool_)
    for folded, each in zip(planes, ports, strict=True):
        busy[each.rank[(folded.sent_bytes + folded.received_bytes)[each.port] > 0]] = True
    return [
        np.bincount(each.port, weights=busy[each.rank], minlength=folded.sent_bytes.size) > 0
        for folded, each in zip(planes, ports, strict=True)
    ]


def drawn_ports(
    planes: Sequence[Plane], folded: Sequence[Folded], slow_rank: float, samples: int, seed: int
) -> FloatArray:
    """(n_samples,) bytes of the fullest plane of any port over those of the busiest port's mean, ascending.

    The busiest port is as much slower as a slow rank's.
    """
    port, count = _numbered(planes)
    rate = max(float(plane.network.endpoint_gbps.max(initial=0.0)) for plane in planes)
    rows = [_of_ports(planes, folded, (port, count), rate, sends=sends) for sends in (True, False)]
    flows, flow_bytes = np.concatenate([row[0] for row in rows]), np.concatenate([row[1] for row in rows])
    links = np.maximum((flow_bytes > 0).sum(axis=1), 1)
    mean = flows / links * flow_bytes.max(axis=1, initial=0.0)
    busiest = int(np.argmax(mean))
    if not mean[busiest]:
        return np.ones(1)
    if slow_rank > 1:
        flows = np.append(flows, flows[busiest])
        flow_bytes = np.vstack([flow_bytes, flow_bytes[busiest] * slow_rank])
    drawn = fullest_plane(flows, flow_bytes, samples, seed)
    return np.asarray(drawn / (mean[busiest] * slow_rank), dtype=np.float64)


def _numbered(planes: Sequence[Plane]) -> tuple[list[IntArray], int]:
    """Of every plane, (n_endpoints,) number of each endpoint's port, the same in all planes; and how many there are."""
    rails = 2 + max(int(plane.rail.max(initial=0)) for plane in planes)
    keys = np.concatenate([plane.node * rails + plane.rail + 1 for plane in planes])
    found, number = np.unique(keys, return_inverse=True)
    cuts = np.cumsum([plane.node.size for plane in planes])[:-1]
    return np.split(number.reshape(-1).astype(np.int64), cuts), found.size


def _of_ports(
    planes: Sequence[Plane], folded: Sequence[Folded], ports: tuple[list[IntArray], int], rate: float, *, sends: bool
) -> tuple[IntArray, FloatArray]:
    """(n_ports,) flows that each port sends or takes, and (n_ports, n_planes) bytes of one, slower planes weighted."""
    number, count = ports
    flows, total, slower = np.zeros(count), np.zeros(count), np.zeros((count, len(planes)))
    for at, (plane, each) in enumerate(zip(planes, folded, strict=True)):
        here = each.flows.sent if sends else each.flows.received  # type: ignore[union-attr]
        flows += np.bincount(number[at], weights=here, minlength=count)
        total += np.bincount(number[at], weights=each.sent_bytes if sends else each.received_bytes, minlength=count)
        used = here > 0
        slower[number[at][used], at] = rate / plane.network.endpoint_gbps[used]
    whole = np.rint(flows).astype(np.int64)
    return whole, slower * np.divide(total, whole, out=np.zeros(count), where=whole > 0)[:, None]


def drawn_links(
    networks: Sequence[Network], folded: Sequence[Folded], arcs: Sequence[ArcLoad], samples: int, seed: int
) -> FloatArray:
    """(n_samples,) time of the fullest links of any leaf or router when its flows are hashed to planes [us].

    Equation: a plane gets a binomial number of the flows of a leaf; within the plane they spread as on average, so that
    all links of the leaf carry as many more. Leaves and planes are taken as independent.
    """
    bundles = [_bundles(*each) for each in zip(networks, folded, arcs, strict=True)]
    mean, time_us = np.concatenate(bundles, axis=1)
    chance = 1 / len(networks)
    strays = _STRAYS * np.sqrt(np.divide(1 - chance, mean, out=np.zeros(mean.size), where=mean > 0))
    near = (mean > 0) & (time_us * (1 + strays) >= time_us.max(initial=0.0))
    rng = np.random.default_rng(seed)
    found_us = np.zeros(samples)
    kinds, times = np.unique(np.stack([mean, time_us])[:, near].round(_DIGITS), axis=1, return_counts=True)
    for each, us, count in zip(*kinds.tolist(), times.tolist(), strict=True):
        flows = binom.ppf(rng.random(samples) ** (1 / count), round(each / chance), chance)
        np.maximum(found_us, flows * us / each, out=found_us)
    return found_us


def _bundles(network: Network, folded: Folded, arcs: ArcLoad) -> FloatArray:
    """(2, 2 n_edges) flows out of every leaf or router and into it, and the time of the fullest link that way [us]."""
    flows = np.zeros((0, 0)) if folded.flows is None else folded.flows.pairs
    crossing = flows - np.diag(flows.diagonal())
    there, back = (
        bytes_on / network.link_gbps / bytes_per_us(1.0) for bytes_on in (arcs.link_up_bytes, arcs.link_down_bytes)
    )
    out, into = np.zeros(network.switch_count), np.zeros(network.switch_count)
    for end, leaves, comes in ((network.link_a, there, back), (network.link_b, back, there)):
        np.maximum.at(out, end, leaves)
        np.maximum.at(into, end, comes)
    edges = network.edge_count
    return np.stack(
        [np.concatenate([crossing.sum(axis=1), crossing.sum(axis=0)]), np.concatenate([out[:edges], into[:edges]])]
    )
