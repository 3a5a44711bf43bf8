"""Shapes of three-tier fat-trees: pods of leaves and spines, and cores that join spine i of all pods.

Per plane, with L leaves a pod of d down ports, S spines a pod, t links from leaf to spine and spines of R ports:

    S t >= d rate / (uplink rate oversubscription);   L t + u <= R with u >= L t;   cores of P pods: P m v <= R

where a spine has v links to each of its u / v cores and m spines of a pod share them. Below the spines the tree may be
oversubscribed as asked, above them it is not. A full tree of k ports has k/2 pods' worth of k³/4 endpoints.
Source: al-fares-2008; published counts: nvidia-superpod-b200.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from fabric.errors import Conflict
from fabric.model.request import Request
from fabric.model.shape import PodTreeShape
from fabric.topology.candidates import Pair
from fabric.topology.size import Size
from fabric.topology.units import Unit, of_edges

FEWEST_PODS = 2
"""A single pod is a tree of two tiers."""


def shapes(request: Request, size: Size, pair: Pair) -> Iterator[PodTreeShape]:
    """For every unit, number of pods and spines of a pod the fewest links and cores."""
    fixed = request.fabric.parameters
    for unit in of_edges(request, size, pair.most_down_ports):
        if fixed.get("leaves", unit.units * unit.leaves * size.planes) != unit.units * unit.leaves * size.planes:
            continue
        for per_pod in sorted({math.ceil(unit.units / pods) for pods in range(FEWEST_PODS, unit.units + 1)}):
            for found in _of_pods(request, size, pair, unit, per_pod):
                totals = {tier.role: tier.count for tier in found.tiers}
                is_asked = fixed.get("spines", totals["spine"]) == totals["spine"]
                if is_asked and fixed.get("cores", totals["core"]) == totals["core"]:
                    yield found


def _of_pods(request: Request, size: Size, pair: Pair, unit: Unit, per_pod: int) -> Iterator[PodTreeShape]:
    """Every number of spines of a pod, each with the shortest trunks that are enough."""
    fewest, room = pair.uplinks(unit.down_ports), pair.room(unit.down_ports)
    leaves, pods = per_pod * unit.leaves, math.ceil(unit.units / per_pod)
    seen: set[int] = set()
    for spines in range(request.fabric.min_spines, room + 1):
        trunk = request.fabric.parameters.get("trunk", math.ceil(fewest / spines))
        if not fewest <= spines * trunk <= room or 2 * leaves * trunk > pair.spine_ports or trunk in seen:
            continue
        cores = _cores(pair.spine_ports, pods, spines, leaves * trunk)
        if cores is None:
            continue
        seen.add(trunk)
        yield PodTreeShape(
            leaf_part=pair.leaf_key,
            spine_part=pair.spine_key,
            planes=size.planes,
            wiring=unit.wiring,
            node_ports=size.node_ports,
            node_port_gbps=size.node_port_gbps,
            uplink_gbps=pair.uplink_gbps,
            unit_nodes=unit.nodes,
            units=unit.units,
            rails_per_leaf=unit.rails_per_leaf,
            leaves_per_unit=unit.leaves,
            extra_ports=unit.extra,
            down_ports=unit.down_ports,
            units_per_pod=per_pod,
            spines=spines,
            trunk=trunk,
            cores_per_spine=cores[0],
            spines_per_core=cores[1],
            core_trunk=cores[2],
        )


def _cores(ports: int, pods: int, spines: int, uplinks: int) -> tuple[int, int, int] | None:
    """Cores of a spine, spines of a pod that share them, and links to each, of the fewest cores; None if none fit.

    Every core has a link to every pod. Uplinks are rounded up to equal links on all cores of a spine.
    """
    found: list[tuple[int, int, int, int]] = []
    for shared in (each for each in range(1, spines + 1) if spines % each == 0):
        for cores in range(1, uplinks + 1):
            links = math.ceil(uplinks / cores)
            if pods * shared * links <= ports and uplinks + cores * links <= ports:
                found.append((spines // shared * cores, cores * links, cores, shared))
                break
    if not found:
        return None
    _, links, cores, shared = min(found)
    return cores, shared, links // cores


def conflict(request: Request, size: Size, pair: Pair) -> Conflict:
    """Why three tiers of this pair cannot hold the request."""
    needed = size.growth_nodes * size.node_ports + math.ceil(size.attached_ports / size.planes)
    down, half = pair.most_down_ports, pair.spine_ports // 2
    most = down * half * pair.spine_ports
    why = (
        f"{needed} endpoints a plane; at {request.fabric.oversubscription:g}:1 a leaf has at most {down} ports down, a "
        f"spine of {pair.spine_ports} reaches {half} leaves, a core {pair.spine_ports} pods: {down} x {half} x "
        f"{pair.spine_ports} = {most} endpoints"
    )
    return Conflict("fabric.switches", f"{pair.leaf_key} + {pair.spine_key}", why)
