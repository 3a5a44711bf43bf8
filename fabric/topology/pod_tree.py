"""Shapes of three-tier fat-trees: pods of leaves and spines, and cores that join spine i of all pods.

Per plane, with L leaves a pod of d down ports, S spines a pod, t links from leaf to spine and spines of R ports:

    S t >= d rate / (uplink rate oversubscription);   L t + u <= R with u >= L t;   cores of P pods: P m v <= R

where a spine has v links to each of its u / v cores and m spines of a pod share them. Below the spines the tree may be
oversubscribed as asked, above them it is not. A full tree of k ports has k/2 pods' worth of k³/4 endpoints.
Source: al-fares-2008; published counts: nvidia-superpod-b200.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import Conflict
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Topology
from fabric.model.tree_shape import PodTreeShape
from fabric.topology.candidates import Pair
from fabric.topology.edge_links import plane_prefix
from fabric.topology.pods import Ports, build_pods
from fabric.topology.size import Size
from fabric.topology.units import Unit, below, group_sizes, of_edges


def shapes(request: Request, size: Size, pair: Pair) -> Iterator[PodTreeShape]:
    """For every unit, number of pods and spines of a pod the fewest links and cores."""
    fixed = request.fabric.parameters
    for unit in of_edges(request, size, pair.most_down_ports):
        if fixed.get("leaves", unit.units * unit.leaves * size.planes) != unit.units * unit.leaves * size.planes:
            continue
        for per_pod in group_sizes(unit):
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
        cores = _cores(pair, pods, spines, leaves * trunk)
        if cores is None:
            continue
        seen.add(trunk)
        yield PodTreeShape(
            leaf_part=pair.leaf_key,
            spine_part=pair.spine_key,
            **below(size, unit, pair.uplink_gbps),
            units_per_pod=per_pod,
            spines=spines,
            trunk=trunk,
            cores_per_spine=cores[0],
            spines_per_core=cores[1],
            core_trunk=cores[2],
        )


def _cores(pair: Pair, pods: int, spines: int, uplinks: int) -> tuple[int, int, int] | None:
    """Cores of a spine, spines of a pod that share them, and links to each, of the fewest cores; None if none fit.

    Every core has a link to every pod. Uplinks are rounded up to equal links on all cores of a spine, and begin at the
    next whole cage behind as many down ports.
    """
    per_cage = pair.spine.ports_per_cage(pair.uplink_gbps)
    ports, down = pair.spine_ports, math.ceil(uplinks / per_cage) * per_cage
    found: list[tuple[int, int, int, int]] = []
    for shared in (each for each in range(1, spines + 1) if spines % each == 0):
        for cores in range(1, uplinks + 1):
            links = math.ceil(uplinks / cores)
            if pods * shared * links <= ports and down + cores * links <= ports:
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
    if needed <= most:
        return Conflict("fabric.switches", f"{pair.leaf_key} + {pair.spine_key}", _why_none_fits(request, needed, pair))
    why = (
        f"{needed} endpoints a plane; at {request.fabric.oversubscription:g}:1 a leaf has at most {down} ports down, a "
        f"spine of {pair.spine_ports} reaches {half} leaves, a core {pair.spine_ports} pods: {down} x {half} x "
        f"{pair.spine_ports} = {most} endpoints"
    )
    return Conflict("fabric.switches", f"{pair.leaf_key} + {pair.spine_key}", why)


def _why_none_fits(request: Request, needed: int, pair: Pair) -> str:
    """Why no tree of this pair has the numbers asked though its ports are enough for the endpoints of a plane."""
    parameters = request.fabric.parameters
    told = ", ".join(f"{key} {value}" for key, value in sorted(parameters.items()))
    why = f"{needed} endpoints a plane with {told or f'min_spines {request.fabric.min_spines}'}: no whole number of "
    why += f"units, pods, spines and cores fits switches of {pair.leaf_ports} and {pair.spine_ports} ports"
    if "cores" in parameters:
        why += f"; cores of {pair.spine_ports} ports take up to {parameters['cores'] * pair.spine_ports} links from "
        why += f"spines, and {pair.uplinks(needed)} a plane go up at {request.fabric.oversubscription:g}:1"
    return why


def build(shape: PodTreeShape, request: Request, size: Size, catalog: Catalog) -> Topology:
    """Every device and link of `shape`, sorted by name."""
    cores, model = tuple(_core_devices(shape, request)), catalog.switches[shape.spine_part]

    def above(plane: int, spines: Sequence[Device], free: Ports) -> Iterator[Link]:
        return _spine_core(shape, spines, [core for core in cores if core.plane == plane], (free, model))

    return build_pods(shape, (request, size, catalog), _parameters(shape), above, cores)


def _parameters(shape: PodTreeShape) -> dict[str, int | str]:
    """The family's own numbers; leaves, spines and cores are totals over planes."""
    leaves, spines, cores = shape.tiers
    return {
        "cores": cores.count,
        "down_ports": shape.down_ports,
        "leaves": leaves.count,
        "planes": shape.planes,
        "pods": shape.pods,
        "rails_per_leaf": shape.rails_per_leaf,
        "spine_uplinks": shape.spine_uplinks,
        "spines": spines.count,
        "tiers": 3,
        "unit_nodes": shape.unit_nodes,
        "uplinks": shape.uplinks,
        "wiring": shape.wiring,
    }


def _core_devices(shape: PodTreeShape, request: Request) -> Iterator[Device]:
    pattern = request.names.core or f"core-{plane_prefix(shape)}{{index:0{max(2, len(str(shape.cores)))}d}}"
    for plane in range(shape.planes):
        for index in range(shape.cores):
            yield Device(pattern.format(plane=plane, index=index + 1), "core", shape.spine_part, plane=plane)


def _spine_core(
    shape: PodTreeShape, spines: Sequence[Device], cores: Sequence[Device], ports: tuple[Ports, Switch]
) -> Iterator[Link]:
    """Uplinks of every spine ascending by the cores of its place in the pod."""
    above, below = ports[0], Ports(ports[1], shape.uplink_gbps)
    for index, spine in enumerate(spines):
        first = index % shape.spines // shape.spines_per_core * shape.cores_per_spine
        for link in range(shape.spine_uplinks):
            near, far = above.take(spine.name), below.take(cores[first + link // shape.core_trunk].name)
            yield Link(f"{near.device}.{near.port}", "spine_core", near, far, shape.uplink_gbps, plane=spine.plane)
