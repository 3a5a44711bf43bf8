"""How nodes are grouped under leaves: units of equal size, with room for attached endpoints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, count
from typing import TypedDict

from fabric.model.request import Request
from fabric.topology.candidates import Pair
from fabric.topology.size import Size


@dataclass(frozen=True, slots=True)
class Unit:
    """One way to group nodes under leaves; counts are of one plane.

    `leaves` serve a unit of `nodes`, each of which has `ports` ports on every one of them; `extra` ports of every leaf
    are kept for attached endpoints that find no free node position.
    """

    wiring: str
    nodes: int
    units: int
    rails_per_leaf: int
    leaves: int
    ports: int
    extra: int

    @property
    def down_ports(self) -> int:
        """Down ports of a leaf."""
        return self.nodes * self.ports + self.extra


@dataclass(frozen=True, slots=True)
class Sharing:
    """How nodes share leaves; counts are of one plane.

    A unit has `leaves`, and each of its nodes has `ports` ports on every one of them.
    """

    wiring: str
    rails_per_leaf: int
    leaves: int
    ports: int


class Below(TypedDict):
    """What every shape says of its leaves or routers and what hangs below them, as `EdgeShape` explains it."""

    planes: int
    wiring: str
    node_ports: int
    node_port_gbps: int
    uplink_gbps: int
    unit_nodes: int
    units: int
    rails_per_leaf: int
    leaves_per_unit: int
    extra_ports: int
    down_ports: int


def below(size: Size, unit: Unit, uplink_gbps: int) -> Below:
    """The part of a shape that its unit and the request decide."""
    return Below(
        planes=size.planes,
        wiring=unit.wiring,
        node_ports=size.node_ports,
        node_port_gbps=size.node_port_gbps,
        uplink_gbps=uplink_gbps,
        unit_nodes=unit.nodes,
        units=unit.units,
        rails_per_leaf=unit.rails_per_leaf,
        leaves_per_unit=unit.leaves,
        extra_ports=unit.extra,
        down_ports=unit.down_ports,
    )


def whole(request: Request, size: Size, pair: Pair) -> Unit | None:
    """All nodes and attached endpoints on one switch a plane, if it has the ports."""
    fixed = request.fabric.parameters
    if fixed.get("spines") or "trunk" in fixed or fixed.get("leaves", size.planes) != size.planes:
        return None
    ports = size.node_ports
    alone = Unit(size.wirings[0], size.growth_nodes, 1, ports, leaves=1, ports=ports, extra=0)
    return with_attached(request, size, alone, pair.leaf_ports)


def sharings(request: Request, size: Size) -> Iterator[Sharing]:
    """Every wiring and number of rails per leaf that the request allows."""
    for wiring in size.wirings:
        for rails in _rails_per_leaf(request, size, wiring):
            ports = {"rail": rails, "rack": size.node_ports, "dual_homed": max(1, size.node_ports // 2)}[wiring]
            yield Sharing(wiring, rails, size.node_ports // ports, ports)


def by_number(request: Request, size: Size, pair: Pair, sharing: Sharing) -> Iterator[Unit]:
    """For every number of units the one with the fewest down ports, by growing number; of equals the largest.

    Where the last unit may stay incomplete, a larger unit can save uplinks there, so every size is given. Sizes come
    largest first and need ever more units, so what waits for a smaller number than the next size needs is settled.
    """
    most, waiting = pair.most_down_ports, dict[int, list[Unit]]()
    for nodes in _unit_sizes(request, size, most // sharing.ports, pair.spine_ports // sharing.leaves):
        if sharing.rails_per_leaf > 1 and not _half_empty(request, size, nodes, most):
            continue
        for number in sorted(number for number in waiting if number < _fewest_units(size, nodes)):
            yield from waiting.pop(number)
        for unit in _numbers_of_units(request, size, sharing, nodes, most):
            others = waiting.setdefault(unit.units, [])
            if not request.fabric.whole_units or not others:
                others.append(unit)
            elif unit.down_ports < others[0].down_ports:
                others[0] = unit
    for number in sorted(waiting):
        yield from waiting[number]


def of_edges(request: Request, size: Size, most: int, down_ports: int | None = None) -> Iterator[Unit]:
    """For every wiring and number of units the smallest unit below leaves or routers of `most` down ports.

    Given `down_ports`, the unit that fills so many. Unlike `by_number` it knows no spine that every leaf has to reach;
    several rails share a leaf only where asked.
    """
    asked, step = request.fabric.unit_nodes, _step(size)
    for sharing in sharings(request, size):
        if sharing.rails_per_leaf > 1 and request.fabric.rails_per_leaf == "auto":
            continue
        largest = min(most // sharing.ports, step * math.ceil(size.growth_nodes / step))
        least: dict[int, Unit] = {}
        sizes = range(step, largest + 1, step) if down_ports is None else (down_ports // sharing.ports,)
        for nodes in sizes if asked == "auto" else (asked,):
            for sized in _numbers_of_units(request, size, sharing, nodes, most):
                least.setdefault(sized.units, sized)
        yield from least.values()


def group_sizes(unit: Unit, switches: int | None = None) -> list[int]:
    """Units of a group worth a look, ascending: the fewest for every number of groups from two up.

    Given the leaves or routers of a group, only as many units as have so many, whether or not others divide better.
    """
    if switches is not None:
        whole = switches % unit.leaves == 0 and switches // unit.leaves < unit.units
        return [switches // unit.leaves] if whole else []
    return sorted({math.ceil(unit.units / groups) for groups in range(2, unit.units + 1)})


def enlarged(request: Request, size: Size, pair: Pair, unit: Unit, uplinks: int) -> Unit:
    """The largest unit that costs the same: as many units, leaves and uplinks.

    Preloaded optics fill every down port, so there a larger unit must not have more of them. Where rails share a leaf
    each begins in a cage of its own, if those of the smaller unit do.
    """
    if request.fabric.unit_nodes != "auto" or not request.fabric.whole_units:
        return unit
    best, most, needed = unit, pair.most_down_ports, _fewest_units(size, unit.nodes)
    for nodes in count(unit.nodes + _step(size), _step(size)):
        if _fewest_units(size, nodes) < needed or pair.uplinks(nodes * unit.ports) > uplinks:
            return best
        larger = with_attached(request, size, replace(unit, nodes=nodes), most)
        if larger is None or pair.uplinks(larger.down_ports) > uplinks or pair.room(larger.down_ports) < uplinks:
            return best
        is_filled = larger.down_ports == unit.down_ports or not request.fabric.preload_optics
        if is_filled and _splits_cages(pair, larger) <= _splits_cages(pair, unit):
            best = larger
    return best


def _splits_cages(pair: Pair, unit: Unit) -> bool:
    """Whether some rail of a leaf begins within a cage."""
    return unit.rails_per_leaf > 1 and unit.nodes % pair.downs_per_cage > 0


def _step(size: Size) -> int:
    """Nodes that come together: the trays of a whole rack, else one."""
    return (size.system.nodes_per_rack or 1) if size.system.whole_rack else 1


def _unit_sizes(request: Request, size: Size, largest: int, most_units: int) -> Iterator[int]:
    """Nodes of a unit worth a look, largest first: the smallest for every number of units that spines can reach."""
    fixed = request.fabric.unit_nodes
    if fixed != "auto":
        if fixed <= largest:
            yield fixed
        return
    step = _step(size)
    racks = math.ceil(size.growth_nodes / step)
    each = min(largest // step, racks)
    while each and (units := math.ceil(racks / each)) <= most_units:
        each = math.ceil(racks / units) if request.fabric.whole_units else each
        yield step * each
        each -= 1


def _rails_per_leaf(request: Request, size: Size, wiring: str) -> list[int]:
    """Rails that one leaf may serve."""
    if wiring != "rail":
        return [1]
    asked = request.fabric.rails_per_leaf
    choices = range(1, size.node_ports + 1) if asked == "auto" else (asked,)
    return [rails for rails in choices if size.node_ports % rails == 0]


def _half_empty(request: Request, size: Size, nodes: int, most: int) -> bool:
    """Whether several rails may share a leaf: asked, or a unit alone would leave half of a leaf's down ports empty."""
    if request.fabric.rails_per_leaf != "auto":
        return True
    if request.fabric.unit_nodes != "auto":
        return 2 * nodes <= most
    return nodes >= size.growth_nodes and 2 * size.growth_nodes <= most


def _fewest_units(size: Size, nodes: int) -> int:
    """Units of so many nodes that hold them all."""
    return math.ceil(size.growth_nodes / nodes)


def _numbers_of_units(request: Request, size: Size, sharing: Sharing, nodes: int, most: int) -> Iterator[Unit]:
    """The unit as often as nodes need it, and once more as long as attached endpoints would otherwise take a port."""
    fewest, rails = _fewest_units(size, nodes), sharing.rails_per_leaf
    for units in range(fewest, fewest + size.attached_ports + 1):
        unit = Unit(sharing.wiring, nodes, units, rails, sharing.leaves, sharing.ports, extra=0)
        sized = with_attached(request, size, unit, most)
        if sized is not None:
            yield sized
            if sized.extra == 0:
                return


def with_attached(request: Request, size: Size, unit: Unit, most: int) -> Unit | None:
    """The unit with the fewest extra ports that seat all attached endpoints, None when a leaf has not so many."""
    if not request.attached:
        return unit if unit.nodes * unit.ports <= most else None
    wanted = sorted((item.ports for item in request.attached for _ in range(item.count)), reverse=True)
    leaves = unit.leaves * size.planes
    free = (unit.units * unit.nodes - size.installed_nodes) * unit.ports * leaves
    fewest = max(0, math.ceil((size.attached_ports - free) / (leaves * unit.units)))
    for extra in range(fewest, most - unit.nodes * unit.ports + 1):
        if _seated(wanted, _free_ports(size, unit, extra)):
            return replace(unit, extra=extra)
    return None


def _free_ports(size: Size, unit: Unit, extra: int) -> list[tuple[int, int]]:
    """Free down ports of a leaf and how many leaves have so many: under full units, the last used one, empty ones."""
    full, rest = divmod(size.installed_nodes, unit.nodes)
    leaves = unit.leaves * size.planes
    used, partly = (rest, 1) if rest else (0, 0)
    return [
        (extra, full * leaves),
        (extra + (unit.nodes - used) * unit.ports, partly * leaves),
        (extra + unit.nodes * unit.ports, (unit.units - full - partly) * leaves),
    ]


def _seated(wanted: list[int], free: list[tuple[int, int]]) -> bool:
    """Whether every device finds its ports on different leaves (Gale and Ryser's condition).

    Source: gale-ryser-1957.
    """
    return all(
        taken <= sum(min(ports, devices) * leaves for ports, leaves in free)
        for devices, taken in enumerate(accumulate(wanted), start=1)
    )
