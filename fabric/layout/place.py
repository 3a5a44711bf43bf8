"""Placement: every device to a rack and a unit, so that the cables between them cost least.

Nodes go first and in order. Leaves and spines then take slots from the top of the racks that policy, cooling, feed,
units and power allow. The search sees sites of a few units and, for each pair of them, the least length between
them, so that its bound holds for the units taken in the end; the objective is counted from those units.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.floorplan.routes import Routes
from fabric.layout.assignment import SiteProblem, any_assignment, best_assignment
from fabric.layout.housing import Needs
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots
from fabric.layout.naming import Named, name_switches
from fabric.layout.nodes import empty_racks, node_capacity, place_attached, place_nodes
from fabric.layout.place_faults import no_reach, no_room, refuse_no_room
from fabric.layout.policy import seats
from fabric.layout.rack_space import RackSpace
from fabric.layout.site_bound import WORK_LIMIT
from fabric.layout.site_costs import lot_costs, mix_costs, own_costs, rest_costs, stands, unit_costs
from fabric.layout.site_search import search_sites
from fabric.layout.sites import BAND_UNITS, Site, SlotRules, sites
from fabric.layout.transport import Ints
from fabric.layout.wiring import LeafGroup, Spots, Trunks, Wiring, leaf_groups, trunks, wiring
from fabric.model.placement import DeviceSpace, NodeHousing, Placement, Position
from fabric.model.request import Request
from fabric.model.termination import Termination
from fabric.model.topology import Topology

METHOD = (
    "min-cost flows of leaves and of spines in turn from several starts; bounds by branch and bound on the concave "
    "envelope, over racks and then ever finer parts of them; planes that share racks pay rent for them"
)
FIXED = (
    "nodes: in order of their units along the rows, from the bottom of the racks",
    "switches: in slots from the topmost free unit down, sized for the larger of leaf and spine, kept places first",
)


@dataclass(frozen=True)
class _Hall:
    """Racks with nodes and attached devices in them, and the slots that are left for switches."""

    racks: tuple[RackSpace, ...]
    positions: tuple[Position, ...]
    sites: tuple[Site, ...]


@dataclass(frozen=True)
class _Choice:
    """What the search chooses from: a hall, groups of leaves, and what is paid at its sites.

    `costs` are those of one leaf of each group without trunks (groups, sites), and of one trunk of each mix
    (mixes, sites, sites).
    """

    hall: _Hall
    groups: tuple[LeafGroup, ...]
    costs: tuple[Ints, Ints]
    problem: SiteProblem


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

    def switch_spaces(self) -> dict[str, DeviceSpace]:
        """Space of one switch of each role; the switches of a role are of one model."""
        return {
            role: self.spaces[switches[0].name]
            for role in ("leaf", "spine")
            if (switches := self.topology.with_role(role))
        }


@dataclass(frozen=True)
class Furnished:
    """A hall with everything in it but switches, and what the search for their places chooses from."""

    task: _Task
    choice: _Choice

    @property
    def wanted_racks(self) -> frozenset[str]:
        """Racks in which switches would stand by the best of a few starts."""
        problem = self.choice.problem
        found = best_assignment(problem)
        if found is None:
            raise ArithmeticError("a feasible problem lost its assignment")
        used = np.flatnonzero(found.leaves.sum(axis=0) + found.spines.sum(axis=0))
        return frozenset(self.task.routes.racks[rack].name for rack in problem.rack[used])


def furnish(topology: Topology, request: Request, routes: Routes, needs: Needs, lots: Sequence[Lots]) -> Furnished:
    """Nodes and attached devices of a one- or two-tier topology in place, with slots for its switches.

    Args:
        topology: nodes, attached devices, leaves and spines with their links.
        request: its placement policy and growth.
        routes: the floor plan, measured.
        needs: what the devices need of racks.
        lots: every link in one of them, with what they cost.

    Raises:
        InfeasibleError: nodes, attached devices or switches cannot fit; with the arithmetic.
        InputError: nodes of a whole-rack system that fill no whole number of racks.
        LimitReachedError: switches fit beside no arrangement of nodes that was tried; this proves nothing.
    """
    wires = wiring(topology)
    task = _Task(topology, wires, lots, trunks(wires, lots), request, routes, *needs)
    return Furnished(task, _furnish(task, BAND_UNITS))


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
        method=METHOD,
        scope=("places",),
        fixed=FIXED,
    )
    return Placement(tuple(sorted(found.positions, key=lambda position: position.device)), termination)


def _stand(task: _Task, choice: _Choice, work_limit: int) -> _Found:
    """The best places found for the switches."""
    problem = choice.problem
    best, bound_cost = search_sites(problem, work_limit)
    named = name_switches(task.wires, task.trunks, choice.groups, choice.costs, problem, best)
    positions = _positions(task, choice.hall, named)
    too_long: Counter[str] = Counter()
    objective_cost = 0
    for each, cost in lot_costs(task.lots, task.wires, _spots(task, positions), task.routes):
        objective_cost += int(cost.sum())
        too_long[each.kind] += int((cost >= UNREACHABLE_COST).sum()) * each.links.shape[1]
    return _Found(
        positions=positions,
        objective_cost=objective_cost,
        bound_cost=bound_cost,
        too_long=+too_long,
        is_proof=bound_cost > problem.dearest_within_reach and _is_settled(task, choice),
    )


def _is_settled(task: _Task, choice: _Choice) -> bool:
    """Whether neither other places of nodes and attached devices nor another spread of spines could change reach."""
    apart = {task.routes.racks[site.rack].use for site in choice.hall.sites} == {"network"}
    reached = bool((choice.problem.own < UNREACHABLE_COST).all())
    return apart and reached and not task.request.attached and task.request.placement.spine != "spread"


def _furnish(task: _Task, band: int) -> _Choice:
    """Nodes and attached devices in place, as densely as leaves the switches room; with places for growth if any.

    Slots are cut into sites of `band` units; small sites tell lengths in a rack apart, and take longer.
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
            hall = _hall(task, [space.copy() for space in empty], wanted, (most, band))
            if sum(len(site.top_u) for site in hall.sites) < sum(_switch_counts(task).values()):
                continue
            groups = leaf_groups(task.wires, task.lots, task.trunks, _spots(task, hall.positions))
            at = stands(hall.sites, task.switch_spaces())
            costs = own_costs(groups, at, task.routes), mix_costs(task.trunks, at, task.routes)
            problem = _problem(task, hall.sites, groups, costs)
            if any_assignment(problem) is not None:
                return _Choice(hall, groups, costs, problem)
    place_nodes([space.copy() for space in empty], names, task.housing, max(capacity, default=0))
    spaces, counts = task.switch_spaces(), _switch_counts(task)
    refuse_no_room(empty, task.request.placement, spaces, counts)
    raise no_room(spaces, counts)


def _switch_counts(task: _Task) -> dict[str, int]:
    return {role: len(task.topology.with_role(role)) for role in ("leaf", "spine")}


def _hall(task: _Task, racks: list[RackSpace], names: Sequence[str | None], limits: tuple[int, int]) -> _Hall:
    """Put nodes and attached devices into `racks` and cut what is left into sites.

    `limits` are the most nodes of a rack and the units of a site.
    """
    most_per_rack, band = limits
    nodes = place_nodes(racks, names, task.housing, most_per_rack) if names else []
    attached = [
        (device.name, device.role) for device in task.topology.devices if not device.is_switch and device.role != "node"
    ]
    others = place_attached(racks, attached, task.spaces)
    closed = {position.rack for position in nodes} if task.housing.whole_rack else set()
    return _Hall(tuple(racks), (*nodes, *others), sites(racks, _rules(task, racks, closed), band))


def _rules(task: _Task, racks: Sequence[RackSpace], closed: set[str]) -> SlotRules:
    """Where the policy lets switches stand, given what already stands in the racks."""
    policy, counts, spaces = task.request.placement, _switch_counts(task), task.switch_spaces()
    plan = task.routes.racks
    most = sum(counts.values()) if policy.max_switches_per_rack == "auto" else policy.max_switches_per_rack
    free = np.array([rack.name not in closed for rack in plan])
    slots = {role: np.zeros(len(plan), dtype=np.int64) for role in counts} | {
        role: np.array([min(most, space.fitting(role, device)) for space in racks]) * free
        for role, device in spaces.items()
    }
    found = seats(plan, policy, slots, counts)
    allowed = {"leaf": found.leaf & free, "spine": found.spine}
    return SlotRules(spaces, allowed, most, found.spines_per_rack_count)


def _spots(task: _Task, positions: Sequence[Position]) -> Spots:
    """Places by device number; devices without a place stand nowhere (rack −1)."""
    of = {position.device: position for position in positions}
    rack = [task.routes.index[of[d.name].rack] if d.name in of else -1 for d in task.wires.devices]
    mid_u = [of[d.name].mid_u if d.name in of else 0.0 for d in task.wires.devices]
    return Spots(np.array(rack, dtype=np.int64), np.array(mid_u, dtype=np.float64))


def _problem(task: _Task, sites: Sequence[Site], groups: Sequence[LeafGroup], costs: tuple[Ints, Ints]) -> SiteProblem:
    """Leaves and spines that wait for sites, with what leaves cost by themselves and what each mix of trunk does."""
    own, mix_cost = costs
    rack = np.array([site.rack for site in sites], dtype=np.int64)
    spine_allowed = np.array(["spine" in site.roles for site in sites], dtype=np.bool_)
    allowed = np.array([["leaf" in site.roles for site in sites]] * len(groups), dtype=np.bool_)
    if task.request.placement.leaf == "own_rack":
        for k, group in enumerate(groups):
            racks = [below.spots.rack.ravel() for below in group.hangings]
            allowed[k] &= np.isin(rack, np.concatenate(racks)) if racks else True
    return SiteProblem(
        own=own + rest_costs(groups, task.trunks, mix_cost, spine_allowed),
        spine_own=np.zeros(len(sites), dtype=np.int64),
        trunk=unit_costs(task.trunks, mix_cost),
        weight=np.array([group.weight for group in groups], dtype=np.int64),
        leaves=np.array([len(group.leaves) for group in groups], dtype=np.int64),
        plane=np.array([group.plane for group in groups], dtype=np.int64),
        spines=np.array([len(plane) for plane in task.wires.spines], dtype=np.int64),
        rack=rack,
        capacity=np.array([len(site.top_u) for site in sites], dtype=np.int64),
        leaf_allowed=allowed & (own < UNREACHABLE_COST),
        spine_allowed=spine_allowed,
    )


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
