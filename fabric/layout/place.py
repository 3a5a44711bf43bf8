"""Placement: every device to a rack and a unit, so that the cables between them cost least.

Nodes go first and in order. Leaves and spines then take slots from the top of the racks that policy, cooling, feed,
units and power allow. The search sees sites of a few units and, for each pair of them, the least length between
them, so that its bound holds for the units taken in the end; the objective is counted from those units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.floorplan.routes import Routes
from fabric.layout.housing import Needs
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots
from fabric.layout.mesh_seats import mesh_seats
from fabric.layout.naming import Named
from fabric.layout.node_racks import node_racks
from fabric.layout.nodes import empty_racks, node_capacity, place_attached, place_nodes
from fabric.layout.place_faults import no_reach, no_room, refuse_no_room
from fabric.layout.policy import RULE_OF, seats
from fabric.layout.rack_space import RackSpace
from fabric.layout.seating import Ground, Seating
from fabric.layout.site_bound import WORK_LIMIT
from fabric.layout.site_costs import lot_costs
from fabric.layout.sites import BAND_UNITS, Site, SlotRules, sites
from fabric.layout.transport import Ints
from fabric.layout.tree_seats import tree_seats
from fabric.layout.wiring import Spots, Trunks, Wiring, trunks, wiring
from fabric.model.placement import DeviceSpace, NodeHousing, Placement, Position
from fabric.model.request import Request
from fabric.model.termination import Termination
from fabric.model.topology import NODE_KINDS, Topology

TREE_KINDS = frozenset({*NODE_KINDS, "leaf_spine"})
"""Kinds of links of a fabric of one or two tiers."""

WINDOW_WORK = 30_000
"""Work by which each window of racks for nodes is judged: enough to leave a poor start, a twentieth of a search."""

NODES_FIXED = (
    "nodes: in order of their units along the rows, from the bottom of the racks, in the window of racks that"
    " costs least of a few"
)


@dataclass(frozen=True)
class _Hall:
    """Racks with nodes and attached devices in them, and the slots that are left for switches."""

    racks: tuple[RackSpace, ...]
    positions: tuple[Position, ...]
    sites: tuple[Site, ...]


@dataclass(frozen=True)
class _Choice:
    """What the search chooses from: a hall, and the switches that wait for its sites."""

    hall: _Hall
    seating: Seating


@dataclass(frozen=True)
class _Found:
    """Places, what they cost, what bounds that, and how many links of which kind nothing reaches.

    `is_proof` says that some trunk is too long wherever nodes and switches stand.
    """

    positions: tuple[Position, ...]
    objective_cost: int
    bound_cost: int
    too_long: Mapping[str, int]
    is_proof: bool


@dataclass(frozen=True)
class _Task:
    """What `place` was asked, with the topology as arrays."""

    topology: Topology
    wires: Wiring
    lots: Sequence[Lots]
    trunks: Trunks
    request: Request
    routes: Routes
    spaces: Mapping[str, DeviceSpace]
    housing: NodeHousing
    start: Placement | None

    def switch_spaces(self) -> dict[str, DeviceSpace]:
        """Space of one switch of each role; the switches of a role are of one model."""
        return {role: self.spaces[switches[0].name] for role in RULE_OF if (switches := self.topology.with_role(role))}

    @property
    def is_tree(self) -> bool:
        """Whether all switches are leaves and spines, all of a plane joined with each other."""
        return {each.kind for each in self.lots} <= TREE_KINDS

    def switch_counts(self) -> dict[str, int]:
        """Switches of each role that there are."""
        return {role: len(switches) for role in RULE_OF if (switches := self.topology.with_role(role))}


@dataclass(frozen=True)
class Furnished:
    """A hall with everything in it but switches, and what the search for their places chooses from."""

    task: _Task
    choice: _Choice

    @property
    def wanted_racks(self) -> frozenset[str]:
        """Racks in which switches would stand by the best of a few starts."""
        used = np.flatnonzero(self.choice.seating.first_look())
        racks = self.task.routes.racks
        return frozenset(racks[self.choice.hall.sites[site].rack].name for site in used)


def furnish(
    topology: Topology,
    request: Request,
    routes: Routes,
    needs: Needs,
    lots: Sequence[Lots],
    start: Placement | None = None,
) -> Furnished:
    """Nodes and attached devices of a topology in place, with slots for its switches.

    Args:
        topology: nodes, attached devices and switches with their links.
        request: its placement policy and growth.
        routes: the floor plan, measured.
        needs: what the devices need of racks.
        lots: every link in one of them, with what they cost.
        start: places of the switches in this hall from which on better ones are looked for, if they are known.

    Raises:
        InfeasibleError: nodes, attached devices or switches cannot fit; with the arithmetic.
        InputError: nodes of a whole-rack system that fill no whole number of racks.
        LimitReachedError: switches fit beside no arrangement of nodes that was tried; this proves nothing.
    """
    wires = wiring(topology)
    task = _Task(topology, wires, lots, trunks(wires, lots), request, routes, *needs, start)
    return Furnished(task, _furnish(task, BAND_UNITS if task.is_tree else 1))


def place(furnished: Furnished, work_limit: int = WORK_LIMIT) -> Placement:
    """Place the switches too, with so much work for improving and proving (`site_bound`).

    Raises:
        InfeasibleError: some link is too long for every part, wherever nodes and switches stand.
        LimitReachedError: some link is too long in the best places found.
    """
    task = furnished.task
    found = _stand(task, furnished.choice, work_limit)
    if found.objective_cost >= UNREACHABLE_COST and not found.is_proof:
        found = _stand(task, _furnish(task, band=1), work_limit)
    if found.objective_cost >= UNREACHABLE_COST:
        raise no_reach(found.too_long, task.request, proved=found.is_proof)
    termination = Termination(
        status="optimal" if found.objective_cost == found.bound_cost else "feasible",
        objective=found.objective_cost,
        bound=found.bound_cost,
        method=furnished.choice.seating.method,
        scope=("places",),
        fixed=(NODES_FIXED, furnished.choice.seating.fixed),
        first_work=furnished.choice.seating.first_work,
    )
    return Placement(tuple(sorted(found.positions, key=lambda position: position.device)), termination)


def cost_at(topology: Topology, lots: Sequence[Lots], placement: Placement, routes: Routes) -> int:
    """What the lots of a topology cost with its devices where they are."""
    wires = wiring(topology)
    spots = _spots(wires, placement.positions, routes)
    return sum(int(cost.sum()) for _, cost in lot_costs(lots, wires, spots, routes))


def _stand(task: _Task, choice: _Choice, work_limit: int) -> _Found:
    """The best places found for the switches."""
    named, bound_cost = choice.seating.search(work_limit)
    positions = _positions(task, choice.hall, named)
    too_long: Counter[str] = Counter()
    objective_cost = 0
    for each, cost in lot_costs(task.lots, task.wires, _spots(task.wires, positions, task.routes), task.routes):
        objective_cost += int(cost.sum())
        too_long[each.kind] += int((cost >= UNREACHABLE_COST).sum()) * each.links.shape[1]
    return _Found(
        positions=positions,
        objective_cost=objective_cost,
        bound_cost=bound_cost,
        too_long=+too_long,
        is_proof=bound_cost > choice.seating.dearest_within_reach and _is_settled(task, choice),
    )


def _is_settled(task: _Task, choice: _Choice) -> bool:
    """Whether neither other places of nodes and attached devices nor another spread of spines could change reach."""
    apart = {task.routes.racks[site.rack].use for site in choice.hall.sites} == {"network"}
    return (
        apart and choice.seating.is_reached and not task.request.attached and task.request.placement.spine != "spread"
    )


def _furnish(task: _Task, band: int) -> _Choice:
    """Nodes and attached devices in place, as densely as leaves the switches room; with places for growth if any.

    Slots are cut into sites of `band` units; small sites tell lengths in a rack apart, and make proofs take longer.
    """
    nodes = sorted(task.topology.with_role("node"), key=lambda device: (device.su or 0, device.name))
    names: list[str | None] = [device.name for device in nodes]
    reserve: list[str | None] = [None] * max(0, (task.request.growth_nodes or 0) - len(names))
    heights = {role: space.units for role, space in task.switch_spaces().items()}
    heights["node"] = task.housing.space.units
    empty = empty_racks(task.routes.racks, task.housing, heights)
    capacity = [node_capacity(space, task.housing) for space in empty]
    for wanted in ([*names, *reserve], names) if reserve else (names,):
        for most in range(max(capacity, default=0), 0, -1):
            if names and sum(min(count, most) for count in capacity) < len(wanted):
                break
            room = [min(count, most) for count in capacity]
            choices = list(_choices(task, empty, (wanted, room), (most, band)))
            if len(choices) > 1:
                return min(choices, key=lambda choice: _stand(task, choice, WINDOW_WORK).objective_cost)
            if choices:
                return choices[0]
    place_nodes([space.copy() for space in empty], names, task.housing, max(capacity, default=0))
    spaces, counts = task.switch_spaces(), task.switch_counts()
    refuse_no_room(empty, task.request.placement, spaces, counts)
    raise no_room(spaces, counts)


def _choices(
    task: _Task, empty: Sequence[RackSpace], nodes: tuple[Sequence[str | None], Sequence[int]], limits: tuple[int, int]
) -> Iterator[_Choice]:
    """Halls with room for all switches, by windows of racks for the nodes: `nodes` are names and room in each rack."""
    wanted, room = nodes
    for order in node_racks(task.routes.racks, room, len(wanted), _switch_racks_count(task, empty, room)):
        hall = _hall(task, [space.copy() for space in empty], (wanted, order), limits)
        if sum(len(site.top_u) for site in hall.sites) < sum(task.switch_counts().values()):
            continue
        seating = _seating(task, hall)
        if seating.fits:
            yield _Choice(hall, seating)


def _switch_racks_count(task: _Task, empty: Sequence[RackSpace], room: Sequence[int]) -> int:
    """Racks without nodes that hold all switches; 0 where leaves keep to the racks of nodes."""
    if task.request.placement.leaf == "own_rack":
        return 0
    roomy = [space for space, count in zip(empty, room, strict=True) if count]
    spaces = task.switch_spaces()
    most = {role: max((space.fitting(role, spaces[role]) for space in roomy), default=0) for role in spaces}
    return sum(-(-count // most[role]) for role, count in task.switch_counts().items() if most[role])


def _seating(task: _Task, hall: _Hall) -> Seating:
    """The switches that wait for the sites of a hall."""
    ground = Ground(
        task.wires,
        task.lots,
        task.trunks,
        hall.sites,
        task.switch_spaces(),
        _spots(task.wires, hall.positions, task.routes),
        task.routes,
        own_rack=task.request.placement.leaf == "own_rack",
        start=_start(task, hall.sites),
    )
    return tree_seats(ground) if task.is_tree else mesh_seats(ground)


def _start(task: _Task, sites: Sequence[Site]) -> Ints | None:
    """(devices,) site of each switch at the start, -1 for other devices; None where that is not known of all."""
    if task.start is None:
        return None
    racks = task.routes.racks
    site_of = {(racks[site.rack].name, top): number for number, site in enumerate(sites) for top in site.top_u}
    at = [task.start.of[device.name] if device.is_switch else None for device in task.wires.devices]
    found = [-1 if place is None else site_of.get((place.rack, place.top_u)) for place in at]
    known = [number for number in found if number is not None]
    return np.array(known, dtype=np.int64) if len(known) == len(found) else None


def _hall(
    task: _Task, racks: list[RackSpace], named: tuple[Sequence[str | None], Sequence[int]], limits: tuple[int, int]
) -> _Hall:
    """Put nodes and attached devices into `racks` and cut what is left into sites.

    `named` are the nodes and the racks that they take; `limits` are the most nodes of a rack and the units of a site.
    """
    (names, order), (most_per_rack, band) = named, limits
    nodes = place_nodes(racks, names, task.housing, most_per_rack, order) if names else []
    attached = [
        (device.name, device.role) for device in task.topology.devices if not device.is_switch and device.role != "node"
    ]
    others = place_attached(racks, attached, task.spaces)
    closed = {position.rack for position in nodes} if task.housing.whole_rack else set()
    return _Hall(tuple(racks), (*nodes, *others), sites(racks, _rules(task, racks, closed), band))


def _rules(task: _Task, racks: Sequence[RackSpace], closed: set[str]) -> SlotRules:
    """Where the policy lets switches stand, given what already stands in the racks."""
    policy, counts, spaces = task.request.placement, task.switch_counts(), task.switch_spaces()
    plan = task.routes.racks
    most = sum(counts.values()) if policy.max_switches_per_rack == "auto" else policy.max_switches_per_rack
    free = np.array([rack.name not in closed for rack in plan])
    slots = {
        role: np.array([min(most, space.fitting(role, device)) for space in racks]) * free
        for role, device in spaces.items()
    }
    found = seats(plan, policy, slots, counts)
    allowed = {role: found.may_hold(role) & free for role in spaces}
    return SlotRules(spaces, allowed, most, found.spines_per_rack_count)


def _spots(wires: Wiring, positions: Sequence[Position], routes: Routes) -> Spots:
    """Places by device number; devices without a place stand nowhere (rack −1)."""
    of = {position.device: position for position in positions}
    rack = [routes.index[of[d.name].rack] if d.name in of else -1 for d in wires.devices]
    mid_u = [of[d.name].mid_u if d.name in of else 0.0 for d in wires.devices]
    return Spots(np.array(rack, dtype=np.int64), np.array(mid_u, dtype=np.float64))


def _positions(task: _Task, hall: _Hall, named: Sequence[Named]) -> tuple[Position, ...]:
    """Names to slots: in each site spines above leaves, alike ones in order of name."""
    spaces, racks = task.switch_spaces(), task.routes.racks
    tops = [list(site.top_u) for site in hall.sites]
    positions = list(hall.positions)
    for alike in named:
        waiting = iter(alike.names)
        units = spaces[alike.role].units
        for index, count in enumerate(alike.counts):
            for _ in range(count):
                u = tops[index].pop(0) - units + 1
                positions.append(Position(next(waiting), racks[hall.sites[index].rack].name, u, units))
    return tuple(positions)
