"""Shapes of one switch and of two-tier fat-trees.

Per plane, with leaves of R_l and spines of R_s ports and units of n nodes:

    d = n·ports per leaf + extra;  u ≥ d·rate / (uplink rate·oversubscription);  L = units·leaves per unit
    S spines carry every uplink:  L·ceil(u/S) ≤ R_s,  S ≥ min_spines,  and S divides u unless trunks may be uneven.

Source: fat-tree-sizing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.errors import Conflict, InfeasibleError
from fabric.model.request import Request
from fabric.model.shape import FatTreeShape
from fabric.topology.candidates import Pair, leaf_pairs
from fabric.topology.size import Size

ROUNDING = 1e-9
"""Tolerance when a ratio of whole numbers is compared with the oversubscription asked."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """One way to group nodes under leaves: what one leaf of the unit has to carry."""

    wiring: str
    nodes: int
    units: int
    rails_per_leaf: int
    leaves: int
    node_ports: int
    extra: int

    @property
    def down_ports(self) -> int:
        return self.node_ports + self.extra


def shapes(request: Request, size: Size, catalog: Catalog) -> tuple[FatTreeShape, ...]:
    """Every undominated shape that can serve the request.

    Raises:
        InputError: a switch that cannot take the ports asked.
        InfeasibleError: no switch pair holds the endpoints; the arithmetic of each is given.
    """
    pairs = leaf_pairs(request, size, catalog)
    found = [shape for pair in pairs for shape in _of_pair(request, size, pair)]
    if not found:
        raise InfeasibleError(
            "no fat-tree of at most two tiers holds this request",
            conflict=tuple(_conflict(request, size, pair) for pair in pairs),
        )
    return tuple(dict.fromkeys(found))


def _of_pair(request: Request, size: Size, pair: Pair) -> Iterator[FatTreeShape]:
    single = _single(request, size, pair)
    if single is not None:
        yield single
    for wiring in size.wirings:
        for unit in _units(request, size, pair, wiring):
            yield from _two_tiers(request, size, pair, unit)


def _single(request: Request, size: Size, pair: Pair) -> FatTreeShape | None:
    """One switch a plane, where it holds every endpoint."""
    ports = size.growth_nodes * size.node_ports
    free = (size.growth_nodes - size.installed_nodes) * size.node_ports
    extra = max(0, size.attached_ports - free)
    split = size.attached_most_ports > size.planes
    if ports + extra > pair.leaf_ports or split or request.fabric.parameters.get("spines"):
        return None
    return FatTreeShape(
        leaf_part=pair.leaf_key,
        spine_part=None,
        planes=size.planes,
        wiring=size.wirings[0],
        node_ports=size.node_ports,
        node_port_gbps=size.node_port_gbps,
        uplink_gbps=pair.uplink_gbps,
        unit_nodes=size.growth_nodes,
        units=1,
        rails_per_leaf=size.node_ports,
        leaves_per_unit=1,
        extra_ports=extra,
        down_ports=ports + extra,
        uplinks=0,
        last_uplinks=0,
        spines=0,
    )


def _units(request: Request, size: Size, pair: Pair, wiring: str) -> Iterator[_Unit]:
    """Groupings of the nodes, the smallest unit for every number of units."""
    most = _most_down_ports(request, size, pair)
    step = (size.system.nodes_per_rack or 1) if size.system.whole_rack else 1
    fixed = request.fabric.unit_nodes
    seen: set[tuple[int, int]] = set()
    for rails in _rails_per_leaf(request, size, wiring):
        ports = _ports_per_node(size, wiring, rails)
        largest = most // ports // step * step
        if fixed != "auto":
            candidates = [fixed] if fixed <= most // ports else []
        else:
            candidates = _balanced(size.growth_nodes, largest, step)
        for nodes in candidates:
            emptier = rails > 1 and wiring == "rail" and request.fabric.rails_per_leaf == "auto"
            alone = min(nodes, size.growth_nodes) if fixed == "auto" else nodes
            if emptier and (2 * alone > most or (fixed == "auto" and nodes < size.growth_nodes)):
                continue
            for unit in _with_attached(size, wiring, nodes, rails, ports, most):
                if (unit.units, unit.rails_per_leaf) not in seen:
                    seen.add((unit.units, unit.rails_per_leaf))
                    yield unit


def _balanced(total: int, largest: int, step: int) -> list[int]:
    """For every number of units the smallest unit (a multiple of `step`) that holds `total` nodes."""
    sizes = {
        math.ceil(math.ceil(total / units) / step) * step
        for units in range(1, math.ceil(total / step) + 1)
        if math.ceil(math.ceil(total / units) / step) * step <= largest
    }
    return sorted(sizes, reverse=True)


def _rails_per_leaf(request: Request, size: Size, wiring: str) -> tuple[int, ...]:
    """Rails that one leaf may serve."""
    if wiring != "rail":
        return (1,)
    asked = request.fabric.rails_per_leaf
    if asked != "auto":
        return (asked,) if size.node_ports % asked == 0 else ()
    return tuple(rails for rails in range(1, size.node_ports + 1) if size.node_ports % rails == 0)


def _ports_per_node(size: Size, wiring: str, rails: int) -> int:
    """Ports of one node on one of its leaves."""
    return {"rail": rails, "rack": size.node_ports, "dual_homed": max(1, size.node_ports // 2)}[wiring]


def _with_attached(size: Size, wiring: str, nodes: int, rails: int, ports: int, most: int) -> Iterator[_Unit]:
    """The unit with room for attached endpoints: on free or extra down ports, or on one more unit."""
    per_unit = size.node_ports // ports
    fewest = math.ceil(size.growth_nodes / nodes)
    for units in (fewest, fewest + 1):
        leaves = units * per_unit * size.planes
        free = (units * nodes - size.installed_nodes) * size.node_ports * size.planes
        free_leaves = (units - size.installed_nodes // nodes) * per_unit * size.planes
        extra = max(0, math.ceil((size.attached_ports - free) / leaves))
        if size.attached_most_ports > free_leaves:
            extra = max(extra, 1)
        if size.attached_most_ports <= leaves and nodes * ports + extra <= most:
            yield _Unit(wiring, nodes, units, rails, per_unit, nodes * ports, extra)
        if extra == 0:
            return


def _most_down_ports(request: Request, size: Size, pair: Pair) -> int:
    """Largest number of down ports of a leaf that leaves room for the uplinks it needs."""
    down = pair.leaf_ports
    while down > 0 and _uplinks(request, size, pair, down) > _room(pair, down):
        down -= 1
    return down


def _uplinks(request: Request, size: Size, pair: Pair, down_ports: int) -> int:
    """Fewest uplinks that keep the oversubscription asked."""
    need = down_ports * size.node_port_gbps / (pair.uplink_gbps * request.fabric.oversubscription)
    return math.ceil(need - ROUNDING)


def _two_tiers(request: Request, size: Size, pair: Pair, unit: _Unit) -> Iterator[FatTreeShape]:
    """The unit with every spine count worth a look: each next one has more spines and fewer uplinks.

    Uneven trunks are one more way beside the even ones: they save spines, and may cost longer cables.
    """
    if request.fabric.parameters.get("leaves", unit.units * unit.leaves * size.planes) == (
        unit.units * unit.leaves * size.planes
    ):
        for uneven in (False, True) if request.fabric.uneven_trunks else (False,):
            yield from _spine_counts(request, size, pair, unit, uneven=uneven)


def _spine_counts(request: Request, size: Size, pair: Pair, unit: _Unit, *, uneven: bool) -> Iterator[FatTreeShape]:
    leaves = unit.units * unit.leaves
    fewest = _uplinks(request, size, pair, unit.down_ports)
    room = _room(pair, unit.down_ports)
    fixed = request.fabric.parameters
    best = room + 1
    for spines in range(max(request.fabric.min_spines, 1), room + 1):
        trunk = fixed.get("trunk", math.ceil(fewest / spines))
        uplinks = max(fewest, spines) if uneven else spines * trunk
        per_spine = math.ceil(leaves * uplinks / spines)
        wanted = fixed.get("spines", spines * size.planes) == spines * size.planes
        if wanted and fewest <= uplinks < best and per_spine <= pair.spine_ports:
            best = uplinks
            yield _shape(request, size, pair, unit, spines=spines, uplinks=uplinks)
            if uplinks == fewest:
                return


def _shape(request: Request, size: Size, pair: Pair, unit: _Unit, *, spines: int, uplinks: int) -> FatTreeShape:
    last = uplinks
    if not request.fabric.whole_units:
        rest = size.growth_nodes - (unit.units - 1) * unit.nodes
        down = max(rest, 1) * (unit.node_ports // unit.nodes) + unit.extra
        need = max(1, _uplinks(request, size, pair, down))
        last = need if request.fabric.uneven_trunks else math.ceil(need / spines) * spines
    return FatTreeShape(
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
        uplinks=uplinks,
        last_uplinks=min(uplinks, last),
        spines=spines,
    )


def _conflict(request: Request, size: Size, pair: Pair) -> Conflict:
    """Why two tiers of this pair cannot hold the request."""
    down = _most_down_ports(request, size, pair)
    needed = size.growth_nodes * size.node_ports + math.ceil(size.attached_ports / size.planes)
    most = down * pair.spine_ports
    ports = f"{needed} endpoints a plane ({size.growth_nodes} nodes x {size.node_ports} ports"
    ports += f" and {size.attached_ports} attached)" if size.attached_ports else ")"
    if needed > most:
        arithmetic = (
            f"{ports}; at {request.fabric.oversubscription:g}:1 a leaf of {pair.leaf_ports} ports has at most {down} "
            f"down, and a spine of {pair.spine_ports} ports reaches {pair.spine_ports} leaves: "
            f"{down} x {pair.spine_ports} = {most} endpoints; "
            "allow a larger oversubscription, one more plane or a switch with more ports"
        )
    else:
        arithmetic = (
            f"{ports} in units of {request.fabric.unit_nodes} nodes, rails_per_leaf {request.fabric.rails_per_leaf}, "
            f"min_spines {request.fabric.min_spines}, parameters {dict(request.fabric.parameters)}: no whole number of "
            f"units, uplinks and spines fits leaves of {pair.leaf_ports} ports (at most {down} down) and spines of "
            f"{pair.spine_ports}"
        )
    return Conflict("fabric.switches", f"{pair.leaf_key} + {pair.spine_key}", arithmetic)


def _room(pair: Pair, down: int) -> int:
    """Uplinks that the cages left by the down ports can hold."""
    return (pair.leaf.cages.count - math.ceil(down / pair.downs_per_cage)) * pair.uplinks_per_cage
