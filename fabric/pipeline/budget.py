"""Latency budget of a workload: its longest way link by link, the mean, and what the hop that is assumed does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fabric.catalog.link_layer import LinkTimes
from fabric.flow.longest_way import LongestWay, longest_way
from fabric.flow.offered import EdgeDemand
from fabric.flow.way import PlaneNs
from fabric.model.latency import BudgetHop, LatencyBudget
from fabric.model.workload import Workload
from fabric.pipeline.carried import PlaneLoad
from fabric.pipeline.carrying import Setting, message_way
from fabric.pipeline.hop_times import lane_gbps, part_of, plane_ns
from fabric.pipeline.known import Known
from fabric.pipeline.networks import Plane
from fabric.pipeline.workloads import predict


@dataclass(frozen=True, slots=True, eq=False)
class _Longest:
    """The longest way of all planes, with its plane and the times there."""

    plane: Plane
    parts: PlaneNs
    way: LongestWay


def budget_of(workload: Workload, known: Known) -> LatencyBudget | None:
    """The budget of the phase with most ways in series; None where nothing crosses the network.

    Args:
        workload: as asked.
        known: the fabric, and what all workloads share.
    """
    setting, carried = known.setting, known.carried(workload) or ()
    crossing = [each for each in carried if each.time.links_us]
    longest = max(crossing, key=lambda each: each.phase.network_steps) if crossing else None
    found = _longest(longest.loads, setting) if longest is not None else None
    if longest is None or found is None:
        return None
    times = setting.catalog.link_layers[setting.request.fabric.part_layer]
    ends_ns = times.ends_ns - times.link_ns
    hops = tuple(_hops(found, setting, times))
    mean = max(
        (message_way(load, setting) for load in longest.loads if load.byte_count), key=lambda each: each.total_ns
    )
    range_ns = {"least": times.least_hop_ns + times.cable_ns, "used": times.hop_ns, "most": times.most_hop_ns}
    return LatencyBudget(
        phase=longest.phase.name,
        ways=max(1, longest.phase.network_steps),
        ends_ns=ends_ns,
        longest=hops,
        longest_ns=ends_ns + found.way.total_ns + sum(hop.stored_ns for hop in hops),
        mean_ns={
            "ends": ends_ns,
            "switches": mean.switch_ns,
            "fec": mean.fec_ns,
            "first_bytes": mean.first_ns,
            "stored": mean.stored_ns,
            "cables": mean.cables_ns,
            "total": ends_ns + mean.total_ns,
        },
        fitted_ns=longest.constants.way_us * 1000,
        hop_ns=range_ns,
        p50_us={key: _median_us(workload, replace(setting, hop_ns=range_ns[key]), known) for key in ("least", "most")},
        assumption=_assumption(times, hops),
    )


def _median_us(workload: Workload, setting: Setting, known: Known) -> float | None:
    """Median time of a workload in another setting [us]."""
    changed = known.under(workload, setting, known.planes)
    return predict(workload, changed.setting, changed.planes, changed).time_us["p50"]


def _longest(loads: Sequence[PlaneLoad], setting: Setting) -> _Longest | None:
    """The longest way of all planes, the first of equals."""
    layer, found = setting.request.fabric.part_layer, []
    for load in loads:
        parts = plane_ns(load.plane, setting.catalog, layer, setting.delay_ns, setting.hop_ns)
        offered = EdgeDemand(load.folded.pair_bytes, load.folded.sent_bytes, load.folded.received_bytes)
        owner = load.plane.node // setting.hosts.nodes_per_domain
        way = longest_way(load.plane.network, load.plane.routes, parts, offered, owner)
        if way is not None:
            found.append(_Longest(load.plane, parts, way))
    return max(found, key=lambda each: each.way.total_ns, default=None)


def _hops(longest: _Longest, setting: Setting, times: LinkTimes) -> Iterator[BudgetHop]:
    """The way link by link."""
    plane, way, parts = longest.plane, longest.way, longest.parts
    layer = setting.request.fabric.part_layer
    links = [
        (plane.endpoints[way.source], parts.endpoints, way.source),
        *((plane.links[each], parts.links, each) for each in way.links),
        (plane.endpoints[way.target], parts.endpoints, way.target),
    ]
    switches = [*way.switches, None]
    for number, ((link, own, index), switch) in enumerate(zip(links, switches, strict=True)):
        near = way.switches[min(number, len(way.switches) - 1)]
        part = part_of(plane.switches[near], setting.catalog, layer)
        code = times.code(link.rate_gbps, lane_gbps(part, link.rate_gbps, times))
        is_slower = switch is not None and link.rate_gbps < links[number + 1][0].rate_gbps
        yield BudgetHop(
            link=link.name,
            cable_m=setting.cable_m.get(link.name),
            cable_ns=float(own.cable[index]),
            fec=code.code if code is not None else None,
            fec_ns=float(own.fec[index]),
            first_ns=float(own.first[index]),
            device=plane.switches[switch].name if switch is not None else link.a.device,
            stored_ns=float(own.packet[index]) if is_slower else 0.0,
            switch_ns=float(parts.switch[switch]) if switch is not None else 0.0,
            is_published=switch is not None and part is not None and part.latency_ns is not None,
        )


def _assumption(times: LinkTimes, hops: Sequence[BudgetHop]) -> str:
    """What the time of a hop rests on, in words."""
    unknown = sum(hop.switch_ns > 0 and not hop.is_published for hop in hops)
    source = times.evidence["hop_ns"].source or ", ".join(times.sources)
    if not unknown:
        return "the makers of all switches on the way publish their times"
    return (
        f"no maker's figure for {unknown} of the {len(hops) - 1} switches: a hop of {times.name} takes"
        f" {times.hop_ns:g} ns, {times.cable_m:g} m of cable included ({source})"
    )
