"""From a workload to its phases on the fabric.

A workload becomes ranks on accelerators, its pattern the demand of phases, the demand loads on every plane, and these a
time. As many copies of the job run side by side as the nodes hold unless the workload says how many: that is the load
that a busy fabric sees. Other workloads that run at the same time take nodes of their own, and what they do to the time
is added afterwards (`meeting`). An accelerator's traffic is shared evenly by its ports and dealt to planes (`dealing`);
ranks that share a port add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from fabric.catalog.load import Catalog
from fabric.catalog.parts import System
from fabric.errors import Fault, InputError
from fabric.flow import spreading
from fabric.flow.hash_ways import Seeds
from fabric.flow.latency import PhaseLoad
from fabric.flow.offered import Offered
from fabric.flow.way import MeanWay, mean_way
from fabric.flow.wire import wire_factor
from fabric.model.network import FloatArray
from fabric.model.request import Request
from fabric.model.workload import Workload
from fabric.pipeline.carried import Carried, PlaneLoad
from fabric.pipeline.dealing import are_used, carriers_of, dealing_of, drawn_links, drawn_ports
from fabric.pipeline.hop_times import plane_ns
from fabric.pipeline.jobs import Hosts, are_short_of_planes, farthest, ports_of, ranks_of
from fabric.pipeline.networks import Plane
from fabric.pipeline.scale_up import inside_of
from fabric.pipeline.stacks import model_of, named
from fabric.pipeline.timing import timed
from fabric.traffic._protocol import PATTERNS, Job, Phase
from fabric.traffic.demand import forwarded
from fabric.traffic.fold import Carriers, Folded, fold
from fabric.traffic.planes import Dealing, cut_off
from fabric.traffic.ranks import Ranks
from fabric.units import bytes_per_us

HASHED = frozenset({"ecmp", "dlb"})
"""Ways to spread that keep a flow on one path."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What every workload of a design shares.

    Attributes:
        request: of the design.
        system: of its nodes.
        catalog: parts, models and stacks.
        hosts: its nodes, undamaged.
        balancing: how packets are spread.
        delay_ns: propagation along the cable of each link, by its name; empty before cables are chosen.
        cable_m: sold length of each link's cable [m], likewise.
        more_hops: switches that every way is taken to have more.
        is_quiet: whether the workloads beside another hold their nodes and send nothing.
        hop_ns: a hop over switches that publish nothing, instead of that of the link layer [ns].
    """

    request: Request
    system: System
    catalog: Catalog
    hosts: Hosts
    balancing: str
    delay_ns: Mapping[str, float] = field(default_factory=dict)
    cable_m: Mapping[str, float] = field(default_factory=dict)
    more_hops: int = 0
    hop_ns: float | None = None
    is_quiet: bool = False


def carry(
    workload: Workload, setting: Setting, planes: tuple[Plane, ...], ranks: Ranks | None = None
) -> tuple[Carried, ...] | None:
    """Every phase of a workload on the planes; None when two ranks have no path.

    Args:
        workload: as asked.
        setting: what all workloads share.
        planes: that carry it.
        ranks: its seats, where these are known already.

    Raises:
        InputError: as of `predict`.
    """
    if workload.pattern == "all_reduce" and workload.algorithm == "auto":
        return _fastest(workload, setting, planes, ranks)
    job = _job(workload, setting, ranks)
    ranks = job.ranks
    if workload.algorithm == "in_network" and setting.request.fabric.link_layer == "roce":
        raise InputError(Fault("switches add on InfiniBand alone", key=f"workloads.{workload.name}.algorithm"))
    ports = tuple(ports_of(ranks, setting.hosts, plane) for plane in planes)
    dealing = dealing_of(workload, setting.request, setting.system, setting.catalog)
    if not dealing.moves and are_short_of_planes(ranks, setting.hosts, planes):
        return None
    carriers = carriers_of(ranks, planes, ports, dealing)
    if workload.order == "worst":
        job = replace(job, farthest=farthest(ranks, ports[0], planes[0]))
    gbps, found = port_gbps_of(planes), []
    for phase in _phases(job):
        sent = replace(phase, demand=forwarded(phase.demand, ranks)) if _forwards(setting) else phase
        loads = _loads(job, sent, setting, (planes, carriers, dealing))
        if loads is None:
            return None
        inside = inside_of(workload, phase, ranks, setting.system, setting.catalog, forwards=_forwards(setting))
        ports_drawn = _ports_drawn(job, setting, loads, dealing)
        load = _phase_load(job, sent, setting, (loads, ports_drawn), (carriers, _messages(carriers)))
        uneven = dealing.fullest(len(planes)) * len(planes)
        line_us = load.busiest_bytes / workload.slow_rank / uneven / bytes_per_us(max(1.0, gbps))
        time, constants = timed(workload, load, inside, gbps, setting.request, setting.catalog)
        ideal_us = max(line_us, inside.line_us)
        found.append(Carried(job, sent, carriers, dealing, loads, ports_drawn, time, ideal_us, constants, inside))
    return tuple(found)


def _fastest(
    workload: Workload, setting: Setting, planes: tuple[Plane, ...], ranks: Ranks | None
) -> tuple[Carried, ...] | None:
    """An all-reduce by the faster of the algorithms that a library chooses between by itself, rings first."""
    both = [workload.model_copy(update={"algorithm": each}) for each in ("ring", "tree")]
    found = [each for each in (carry(one, setting, planes, ranks) for one in both) if each is not None]
    return min(found, key=lambda each: sum(phase.time.total_us for phase in each), default=None)


def phases_of(workload: Workload, setting: Setting) -> tuple[Phase, ...]:
    """The phases of a workload, by themselves."""
    return tuple(_phases(_job(workload, setting)))


def _phases(job: Job) -> Iterator[Phase]:
    with named(job.workload):
        yield from PATTERNS[job.workload.pattern](job)


def _job(workload: Workload, setting: Setting, ranks: Ranks | None = None) -> Job:
    if ranks is None:
        ranks = ranks_of(workload, setting.hosts, setting.request.seed, setting.request.workloads)
    return Job(workload, ranks, model_of(workload, setting.catalog), setting.request.seed)


def port_gbps_of(planes: tuple[Plane, ...]) -> float:
    """Rate of one node port [Gb/s]."""
    return float(planes[0].network.endpoint_gbps.max(initial=0.0))


def _forwards(setting: Setting) -> bool:
    return setting.request.transport.rail_forwarding


def _loads(
    job: Job, phase: Phase, setting: Setting, sharing: tuple[tuple[Plane, ...], Carriers, Dealing]
) -> tuple[PlaneLoad, ...] | None:
    """What a phase puts on every plane; None when two ranks have no path."""
    planes, carriers, dealing = sharing
    if cut_off(phase.demand, job.ranks, carriers.meet):
        return None
    ways = [way_of(job.workload, setting, plane) for plane in planes]
    flows, by_port = (any(isinstance(way, kind) for way in ways) for kind in (spreading.Hashed, spreading.Tables))
    flows |= not dealing.moves
    folded = fold(phase.demand, job.ranks, carriers, dealing, flows=flows, by_port=by_port)
    loads = tuple(_plane_load(plane, each, job.workload, setting) for plane, each in zip(planes, folded, strict=True))
    if any(load.arcs.unreachable.size for load in loads):
        return None
    return loads if len(planes) == 1 else _slowest(loads, setting, dealing)


def _slowest(loads: tuple[PlaneLoad, ...], setting: Setting, dealing: Dealing) -> tuple[PlaneLoad, ...]:
    """The loads of several planes, where chance decides with the times of the fullest arc of all of them."""
    samples, seed = setting.request.samples, setting.request.seed
    busy = [load for load in loads if load.byte_count]
    if not busy or (dealing.moves and all(load.drawn_us.size == 1 for load in busy)):
        return loads
    rng = np.random.default_rng(seed)
    drawn_us = np.max([rng.permutation(np.resize(load.drawn_us, samples)) for load in busy], axis=0)
    if not dealing.moves:
        networks, folded, arcs = zip(*((load.plane.network, load.folded, load.arcs) for load in loads), strict=True)
        headers = wire_factor(setting.request.fabric.link_layer)
        drawn_us = np.maximum(drawn_us, drawn_links(networks, folded, arcs, samples, seed) * headers)
    return tuple(replace(load, drawn_us=np.sort(drawn_us)) if load.byte_count else load for load in loads)


def _ports_drawn(job: Job, setting: Setting, loads: tuple[PlaneLoad, ...], dealing: Dealing) -> FloatArray:
    """Bytes of the fullest plane of any port over the busiest port's mean, where chance decides."""
    if dealing.moves or len(loads) == 1:
        return np.ones(1)
    folded, planes = [load.folded for load in loads], [load.plane for load in loads]
    return drawn_ports(planes, folded, job.workload.slow_rank, setting.request.samples, setting.request.seed)


def _plane_load(plane: Plane, folded: Folded, workload: Workload, setting: Setting) -> PlaneLoad:
    """The load of a folded demand."""
    flows, flow_bytes = np.zeros_like(folded.pair_bytes).astype(np.int64), None
    if folded.flows is not None:
        flows, flow_bytes = folded.flows.whole, folded.flows.flow_bytes
    ends = folded.sent_bytes, folded.received_bytes
    offered = Offered(folded.pair_bytes, *ends, flows, folded.port_bytes, flow_bytes)
    way = way_of(workload, setting, plane)
    spread = spreading.carry(plane.network, plane.routes, offered, way)
    if not folded.sent_bytes.any():
        return PlaneLoad(plane, folded, offered, way, spread.load, None, 0.0, np.zeros(1), 0.0, 0.0)
    headers = wire_factor(setting.request.fabric.link_layer)
    return PlaneLoad(
        plane=plane,
        folded=folded,
        offered=offered,
        spread=way,
        arcs=spread.load,
        worst=spread.fullest,
        links_us=spread.fullest.time_us * headers,
        drawn_us=spread.fullest_us * headers,
        between_us=float(np.median(spread.between_us)) * headers,
        ends_us=spread.ends_us * headers,
    )


def message_way(load: PlaneLoad, setting: Setting) -> MeanWay:
    """A small message's way over a plane, the mean over all bytes."""
    layer = setting.request.fabric.part_layer
    parts = plane_ns(load.plane, setting.catalog, layer, setting.delay_ns, setting.hop_ns)
    return mean_way(load.plane.network, parts, load.arcs)


def _phase_load(
    job: Job,
    phase: Phase,
    setting: Setting,
    sharing: tuple[tuple[PlaneLoad, ...], FloatArray],
    dealt: tuple[Carriers, float],
) -> PhaseLoad:
    """A phase as far as its time depends on it, with the messages of the busiest adapter for each one of a rank."""
    (loads, ports_drawn), (carriers, messages) = sharing, dealt
    fastest = max(float(load.plane.network.endpoint_gbps.max(initial=0.0)) for load in loads)
    # A port slower than the fastest takes as long as that would with more bytes.
    by_plane = [
        np.maximum(load.folded.sent_bytes, load.folded.received_bytes) * (fastest / load.plane.network.endpoint_gbps)
        for load in loads
    ]
    are_ours = are_used([load.folded for load in loads], carriers.planes)
    port_bytes = np.concatenate([each[ours] for each, ours in zip(by_plane, are_ours, strict=True)])
    used = [load for load in loads if load.byte_count] or loads
    fullest = max(used, key=lambda load: load.rank)
    mean = float(port_bytes.mean()) if port_bytes.size else 0.0
    busiest = float(port_bytes.max(initial=0.0))
    times = setting.catalog.link_layers[setting.request.fabric.part_layer]
    way = max((message_way(load, setting) for load in used), key=lambda each: each.total_ns)
    own_ns = way.cables_ns - (way.switches + 1) * times.cable_ns
    own = max(by_plane, key=lambda each: float(each.max(initial=0.0)))
    hottest = busiest / float(own[own > 0].mean()) if busiest and phase.hottest.max() > 1 else 1.0
    return PhaseLoad(
        nodes=-(-job.ranks.job_size // job.ranks.per_domain),
        way_us=(times.ends_ns - times.link_ns + way.total_ns - own_ns + setting.more_hops * times.hop_ns) / 1000,
        port_bytes=mean,
        # Ports of a regular exchange differ by rounding alone.
        busiest_bytes=(busiest if busiest > mean * _ALIKE else mean) * job.workload.slow_rank,
        # Adapters of popular experts have as many more copies as bytes.
        messages=phase.message_count * messages * hottest,
        links_us=fullest.links_us,
        cables_us=own_ns / 1000,
        slowdown=fullest.median_us / fullest.links_us if fullest.links_us else 1.0,
        plane_slowdown=float(np.median(ports_drawn)),
        network_steps=phase.network_steps,
        local_steps=phase.local_steps,
        arrivals=phase.arrivals,
    )


_ALIKE = 1 + 1e-9
"""Ratio of the busiest to a mean port above which they differ."""


def _messages(carriers: Carriers) -> float:
    """Messages of the busiest adapter for each message of a rank: those of the ranks that share it, in all its planes.

    A port of each plane belongs to one adapter, and the rate of messages is the adapter's, however its ports are split.
    """
    return max(
        float(np.bincount(each.port, weights=each.share, minlength=leaf.size).max(initial=0.0))
        for leaf, each in zip(carriers.leaves, carriers.planes, strict=True)
    )


def way_of(workload: Workload, setting: Setting, plane: Plane) -> spreading.Way:
    """How the switches of a plane spread packets; InfiniBand without adaptive routing has a table of destinations."""
    balancing = workload.routing if workload.routing != "auto" else setting.balancing
    if balancing in _MINIMAL_SHARE:
        return spreading.Detoured(_MINIMAL_SHARE[balancing])
    if balancing not in HASHED:
        return spreading.Even()
    if setting.request.fabric.part_layer == "infiniband":
        return spreading.Tables(plane.forwarding)
    seeds = Seeds(setting.request.transport.hash_seeds)
    return spreading.Hashed(setting.request.samples, setting.request.seed, seeds)


_MINIMAL_SHARE: Mapping[str, float | None] = MappingProxyType({"valiant": 0.0, "ugal": None, "adaptive": None})
"""Share of the bytes that take the shortest way, by how packets are routed; None is the best one."""
