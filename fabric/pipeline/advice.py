"""What limits a workload and what would help: the flows on its fullest link, and its time under single changes.

Every change is predicted like the workload itself, on the same port map: one thing differs at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

import numpy as np

from fabric.errors import InputError
from fabric.flow.link_load import Bottleneck, Direction
from fabric.flow.spreading import Hashed, bytes_on
from fabric.model.network import FloatArray, IntArray
from fabric.model.report import Change, FlowShare, LinkUse, WorkloadResult
from fabric.model.workload import MOE, STEEPEST, Popularity, Workload, together
from fabric.pipeline.budget import budget_of
from fabric.pipeline.carried import Carried
from fabric.pipeline.carrying import HASHED, Setting, way_of
from fabric.pipeline.dealing import balancer_of
from fabric.pipeline.fairness import fair_share
from fabric.pipeline.known import Known, Planes
from fabric.pipeline.networks import Plane
from fabric.pipeline.stacks import model_of
from fabric.pipeline.throughput import least_links_us
from fabric.pipeline.workloads import predict
from fabric.traffic.demand import only
from fabric.traffic.fold import fold
from fabric.traffic.planes import Balancing

MOST_FLOWS = 5
"""Flows listed of the fullest link."""

_REDUNDANT = 32
"""Further copies of experts that balancing is tried with, at least. Source: trtllm-blog-4."""

_ALGORITHMS = {"ring": "over rings", "tree": "over trees", "in_network": "in the switches"}
"""Ways to run an all-reduce, in words."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """One change: what it is in words, the workload, setting and planes that it makes, and what is known without."""

    change: str
    workload: Workload
    setting: Setting
    planes: Planes
    known: Known


def advised(result: WorkloadResult, workload: Workload, known: Known) -> WorkloadResult:
    """A result with the flows on its fullest link, with what would help, and with what it is sensitive to."""
    base_us = result.time_us["p99"]
    if base_us is None:
        return result
    here = _Trial("", workload, known.setting, known.planes, known)
    carried = max(known.carried(workload) or (), key=lambda each: each.time.links_us)
    return replace(
        result,
        kinds=tuple(_kinds(carried)),
        switches=tuple(_switches(carried)),
        edges=tuple(_edges(carried)),
        flows=tuple(_flows(carried)),
        links_us=least_links_us(carried),
        fair=fair_share(carried),
        helps=tuple(sorted(_tried(_remedies(here), base_us), key=lambda each: (each.delta_us, each.change))),
        sensitivity=tuple(_tried(_derivatives(here), base_us)),
        latency=budget_of(workload, known),
    )


def _tried(trials: Iterator[_Trial], base_us: float) -> Iterator[Change]:
    """The p99 of every trial that can be predicted."""
    for trial in trials:
        try:
            known = trial.known.under(trial.workload, trial.setting, trial.planes)
            p99_us = predict(trial.workload, known.setting, known.planes, known).time_us["p99"]
        except InputError:
            continue
        if p99_us is not None:
            yield Change(trial.change, p99_us, p99_us - base_us)


def _remedies(here: _Trial) -> Iterator[_Trial]:
    """Changes that a designer or operator can make."""
    workload, setting = here.workload, here.setting
    yield from _routed(here)
    if not workload.popularity.is_even and workload.redundant_experts is None:
        yield from _balanced(here)
    for placement in ("packed", "spread", "by_rail"):
        if workload.placement != placement:
            changed = workload.model_copy(update={"placement": placement})
            yield replace(here, change=f"ranks placed {placement.replace('_', ' ')}", workload=changed)
    yield from _algorithms(here)
    others = [each.name for each in together(workload, setting.request.workloads) if each.name != workload.name]
    if others:
        yield replace(here, change=f"{' and '.join(others)} silent meanwhile", setting=replace(setting, is_quiet=True))
    if not setting.request.transport.rail_forwarding and workload.mode != "normal":
        asked = _transport(setting, rail_forwarding=True)
        yield replace(here, change="data forwarded to the rail of its receiver first", setting=asked)
    yield from _altered(here, "one more uplink a leaf or router", partial(_map, change=_one_uplink_more))
    if setting.hosts.rails > 1:
        yield from _altered(here, "rail instead of rack wiring", partial(_railed, rails=setting.hosts.rails))
    if setting.request.fabric.link_layer == "roce":
        fabric = setting.request.fabric.model_copy(update={"link_layer": "infiniband"})
        request = setting.request.model_copy(update={"fabric": fabric})
        changed = workload.model_copy(update={"routing": "auto", "stack": None})
        asked = replace(setting, request=request, balancing="adaptive")
        what = "InfiniBand, routed adaptively, instead of RoCE"
        yield replace(here, change=what, workload=changed, setting=asked)


def _altered(here: _Trial, change: str, make: Callable[[Planes], Planes | None]) -> Iterator[_Trial]:
    """Other planes, where the change makes any."""
    planes = here.known.altered(change, make)
    if planes is not None:
        yield replace(here, change=change, planes=planes)


def _routed(here: _Trial) -> Iterator[_Trial]:
    """Other ways to spread packets, hash seeds, forwarding tables, and queue pairs dealt to planes otherwise."""
    workload, setting = here.workload, here.setting
    if (setting.balancing if workload.routing == "auto" else workload.routing) in HASHED:
        unrouted, sprayed = workload.model_copy(update={"routing": "auto"}), replace(setting, balancing="spray")
        yield replace(here, change="packets sprayed instead of flows hashed", workload=unrouted, setting=sprayed)
    seeds = setting.request.transport.hash_seeds
    if seeds == "shared" and isinstance(way_of(workload, setting, here.planes[0]), Hashed):
        own = _transport(setting, hash_seeds="per_switch")
        yield replace(here, change="a hash seed of its own in every switch", setting=own)
    if any(plane.dumped is not None for plane in here.planes):
        yield from _altered(here, "forwarding tables computed anew", partial(_map, change=attrgetter("computed")))
    if len(here.planes) > 1 and balancer_of(setting.request, setting.system, setting.catalog) is not Balancing.HARDWARE:
        yield from _dealt(here)


def _dealt(here: _Trial) -> Iterator[_Trial]:
    """Planes balanced by the adapters, or by queue pairs that come out even."""
    asked = _transport(here.setting, plane_balancing="hardware")
    yield replace(here, change="planes balanced by the adapters", setting=asked)
    planes = len(here.planes)
    queue_pairs = here.workload.queue_pairs or here.setting.request.transport.queue_pairs
    if queue_pairs % planes:
        even = -(-queue_pairs // planes) * planes
        changed = here.workload.model_copy(update={"queue_pairs": even})
        yield replace(here, change=f"{even} queue pairs from rank to rank instead of {queue_pairs}", workload=changed)


def _transport(setting: Setting, **changes: object) -> Setting:
    """The setting with other keys of `transport`."""
    transport = setting.request.transport.model_copy(update=changes)
    return replace(setting, request=setting.request.model_copy(update={"transport": transport}))


def _algorithms(here: _Trial) -> Iterator[_Trial]:
    """Other ways to run an all-reduce; sums in the switches where these are InfiniBand's."""
    if here.workload.pattern == "all_reduce":
        in_switches = here.setting.request.fabric.link_layer == "infiniband"
        for algorithm in ("ring", "tree", *(["in_network"] if in_switches else [])):
            if algorithm != here.workload.algorithm:
                changed = here.workload.model_copy(update={"algorithm": algorithm})
                yield replace(here, change=f"all-reduce {_ALGORITHMS[algorithm]}", workload=changed)


def _balanced(here: _Trial) -> Iterator[_Trial]:
    """Experts copied and packed by load, with as many slots as fill the ranks evenly."""
    workload, model = here.workload, model_of(here.workload, here.setting.catalog)
    experts = model.experts if model is not None else 0
    slots = -(-(experts + _REDUNDANT) // workload.job_size) * workload.job_size
    changed = workload.model_copy(update={"redundant_experts": slots - experts})
    yield replace(here, change=f"experts balanced by load with {slots - experts} copies", workload=changed)


def _derivatives(here: _Trial) -> Iterator[_Trial]:
    """What the time depends on, one step each."""
    workload, setting = here.workload, here.setting
    yield replace(
        here, change="one more switch on every way", setting=replace(setting, more_hops=setting.more_hops + 1)
    )
    yield from _altered(here, "all ports and links at twice the rate", partial(_map, change=_twice))
    if workload.pattern == MOE:
        steeper_by = (workload.popularity.zipf or 0.0) + 0.1
        if workload.popularity.histogram is None and steeper_by <= STEEPEST:
            steeper = Popularity(zipf=steeper_by)
            changed = workload.model_copy(update={"popularity": steeper})
            yield replace(here, change="Zipf exponent 0.1 higher", workload=changed)
        wider = workload.model_copy(update={"expert_parallel": 2 * workload.job_size})
        yield replace(here, change="twice the ranks of a job", workload=wider)
    for key in ("tokens_per_rank", "bytes_per_rank"):
        value = getattr(workload, key)
        if value is not None:
            more = workload.model_copy(update={key: 2 * value})
            yield replace(here, change=f"twice the {key.replace('_', ' ')}", workload=more)
    slower = workload.model_copy(update={"slow_rank": workload.slow_rank * 1.1})
    yield replace(here, change="one rank 10 % slower", workload=slower)


def _map(planes: Planes, change: Callable[[Plane], Plane]) -> Planes:
    return tuple(change(plane) for plane in planes)


def _twice(plane: Plane) -> Plane:
    network = plane.network
    faster = replace(network, endpoint_gbps=2 * network.endpoint_gbps, link_gbps=2 * network.link_gbps)
    return replace(plane, network=faster)


def _one_uplink_more(plane: Plane) -> Plane:
    """Every link with as much more room as one more of the leaf's (or router's) own would give all of them together.

    Packets pass each as fast as before: no switch has to wait for whole ones.
    """
    network = plane.network
    uplinks = np.bincount(network.link_a, minlength=network.switch_count)
    uplinks += np.bincount(network.link_b[network.tier[network.link_b] == 0], minlength=network.switch_count)
    own = uplinks[network.link_a]
    grown = network.link_gbps * np.where(network.tier[network.link_a] == 0, (own + 1) / np.maximum(own, 1), 1.0)
    return replace(plane, network=replace(network, link_gbps=grown), packet_gbps=network.link_gbps)


def _railed(planes: Planes, rails: int) -> Planes | None:
    """The planes with every port on the leaf of its rail within blocks of as many leaves; None if wired so already."""
    found = []
    for plane in planes:
        network = plane.network
        own = plane.rail >= 0
        if network.edge_count % rails or network.position.shape[1]:
            return None
        block = network.endpoint_switch // rails * rails
        railed = np.where(own, block + np.maximum(plane.rail, 0), network.endpoint_switch)
        now, then = (np.bincount(each, minlength=network.edge_count) for each in (network.endpoint_switch, railed))
        if (railed == network.endpoint_switch).all() or not np.array_equal(now, then):
            return None
        found.append(replace(plane, network=replace(network, endpoint_switch=railed), dumped=None))
    return tuple(found)


def _kinds(carried: Carried) -> Iterator[LinkUse]:
    """Use of the links of every kind, over all planes."""
    uses: dict[str, list[float]] = {}
    for load in carried.loads:
        ends, links = load.utilization(carried.time.total_us)
        for each, use in zip(
            (*load.plane.endpoints, *load.plane.links), (*ends.tolist(), *links.tolist()), strict=True
        ):
            uses.setdefault(each.kind, []).append(use)
    for kind, found in uses.items():
        yield _use(kind, np.array(found))


def _switches(carried: Carried) -> Iterator[LinkUse]:
    """Use of the links between switches at every switch, over all planes."""
    for load in carried.loads:
        network = load.plane.network
        _, links = load.utilization(carried.time.total_us)
        yield from _at(load.plane, np.concatenate([network.link_a, network.link_b]), np.tile(links, 2))


def _edges(carried: Carried) -> Iterator[LinkUse]:
    """Use of the links of nodes at every leaf or router, over all planes."""
    for load in carried.loads:
        ends, _ = load.utilization(carried.time.total_us)
        yield from _at(load.plane, load.plane.network.endpoint_switch, ends)


def _at(plane: Plane, switch: IntArray, use: FloatArray) -> Iterator[LinkUse]:
    """Use (n_ends,) of links by the number of the switch (n_ends,) that they end at."""
    order = np.argsort(switch, kind="stable")
    cuts = np.cumsum(np.bincount(switch, minlength=plane.network.switch_count))[:-1]
    for device, here in zip(plane.switches, np.split(use[order], cuts), strict=True):
        if here.size:
            yield _use(device.name, here)


def _use(where: str, use: FloatArray) -> LinkUse:
    return LinkUse(where, use.size, float(use.mean()), float(np.quantile(use, 0.99)), float(use.max()))


def _flows(carried: Carried) -> Iterator[FlowShare]:
    """The largest flows on the fullest link of a phase, by the leaves or routers between which they go."""
    load = carried.loads[carried.fullest]
    if load.worst is None:
        return
    names = [device.name for device in load.plane.switches]
    pair_bytes = _pair_bytes(carried, load.worst)
    total = float(pair_bytes.sum())
    order = np.argsort(-pair_bytes, axis=None, kind="stable")[:MOST_FLOWS]
    for source, target in zip(*np.unravel_index(order, pair_bytes.shape), strict=True):
        if pair_bytes[source, target] > 0:
            yield FlowShare(names[source], names[target], float(pair_bytes[source, target]) / total)


def _pair_bytes(carried: Carried, worst: Bottleneck) -> FloatArray:
    """(n_edges, n_edges) bytes of every pair of leaves or routers on the fullest link."""
    load = carried.loads[carried.fullest]
    if worst.direction in {Direction.LINK_UP, Direction.LINK_DOWN}:
        return bytes_on(load.plane.network, load.plane.routes, load.offered, load.spread, worst)
    ports = carried.carriers.planes[carried.fullest]
    here = np.isin(np.arange(carried.job.ranks.count), ports.rank[ports.port == worst.index])
    demand = only(carried.phase.demand, here, sends=worst.direction is Direction.ENDPOINT_UP)
    folded = fold(demand, carried.job.ranks, carried.carriers, carried.dealing)
    return list(folded)[carried.fullest].pair_bytes
