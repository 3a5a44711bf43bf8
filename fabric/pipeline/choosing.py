"""From a request to its best shape, laid out: shapes, the search over them, and places and cables of each one tried."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, InputError, LimitReachedError
from fabric.floorplan.generate import generate, without
from fabric.floorplan.routes import Routes
from fabric.io.request_file import LoadedRequest
from fabric.layout.cable import cable
from fabric.layout.housing import device_spaces, node_housing
from fabric.layout.market import open_market
from fabric.layout.place import place
from fabric.layout.price_table import price_tables
from fabric.layout.search import WORK_LIMIT, Outcome, Rules, Value, search
from fabric.model.cabling import Cabling
from fabric.model.design import Design
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement
from fabric.model.request import Request
from fabric.model.shape import FatTreeShape
from fabric.model.topology import Topology
from fabric.pipeline.bounds import ShapeBound
from fabric.pipeline.limits import refuse_budget, refuse_switches
from fabric.pipeline.objective import Objective, Worth
from fabric.pipeline.room import open_room
from fabric.pipeline.rules import broken_limit, broken_workload
from fabric.pipeline.watch import Say, Watch
from fabric.topology import fat_tree, port_map
from fabric.topology.size import Size, resolve


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop searching: after so many shapes laid out in full, or so much time [s] (None: never)."""

    work: int = WORK_LIMIT
    time_s: float | None = None


DEFAULT_LIMITS = Limits()

OVERSUBSCRIPTIONS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Steps below the oversubscription that a request allows."""


class Stand(NamedTuple):
    """Places on a measured floor plan."""

    routes: Routes
    placement: Placement


@dataclass(frozen=True, slots=True)
class Layout:
    """One shape laid out in full."""

    topology: Topology
    floor_plan: FloorPlan
    placement: Placement
    cabling: Cabling


@dataclass(frozen=True, slots=True)
class Weighed:
    """A layout and what it is worth."""

    layout: Layout
    worth: Worth


@dataclass(frozen=True, slots=True)
class Choice:
    """The best shape found for a request with its proof, what it was compared by, and how the search ended.

    `fixed` names what the search over shapes took as given.
    """

    outcome: Outcome[FatTreeShape, Weighed]
    objective: Objective
    size: Size
    notes: tuple[str, ...]
    fixed: tuple[str, ...] = ()


class Candidates:
    """The shapes of one request, each with what rules it out, what bounds it, and what it becomes when laid out."""

    def __init__(self, loaded: LoadedRequest, catalog: Catalog) -> None:
        """The shapes that switches and ports allow.

        Raises:
            InputError: the request asks what its parts cannot do.
            InfeasibleError: ports, racks or the least switches leave no shape; with the arithmetic.
        """
        self._loaded = loaded
        self._catalog = catalog
        self._request = loaded.request
        self.size = resolve(loaded.request, catalog)
        self._room = open_room(loaded.floor_plan, loaded.request, self.size, catalog)
        self._is_timed = any(workload.limit_us.model_fields_set for workload in loaded.request.workloads)
        self.shapes = fat_tree.shapes(loaded.request, self.size, catalog)
        refuse_switches(self.shapes, loaded.request.limits, catalog)
        self.objective = Objective(loaded.request, catalog)
        self.bound = ShapeBound(loaded.request, self.size, catalog, self.objective)
        self.fixed: tuple[str, ...] = ()

    def refuse(self, shape: FatTreeShape) -> None:
        """Refuse a shape that counting rules out.

        Raises:
            InfeasibleError: with the arithmetic.
        """
        refuse_switches((shape,), self._request.limits, self._catalog)
        self._room.refuse(shape)

    def bound_of(self, shape: FatTreeShape) -> Value:
        """What a shape is worth at least; refuses it as `refuse` does, or where no part makes some link."""
        self.refuse(shape)
        return self.bound(shape)

    def realise(self, shape: FatTreeShape) -> tuple[Value, Value, Weighed]:
        """Value, bound and layout of a shape."""
        layout = lay_out(shape, self._request, self.size, self._catalog, self._loaded.floor_plan)
        worth = self.objective.of(layout.topology, layout.cabling)
        return worth.value, self.bound.with_places(shape, layout.placement), Weighed(layout, worth)

    def before(self, shape: FatTreeShape) -> str | None:
        """Why a shape is passed over before it is laid out."""
        if not self._is_timed:
            return None
        topology = port_map.build(shape, self._request, self.size, self._catalog)
        return broken_workload(topology, self._request, self._catalog)

    def instead(self) -> tuple[FatTreeShape, ...]:
        """Shapes with more uplinks than are asked, where those asked are too slow."""
        steps = ", ".join(f"{step:g}" for step in OVERSUBSCRIPTIONS)
        self.fixed = (f"oversubscription: as asked, or for the workload limits one of {steps}",)
        return with_reserve(self._request, self.size, self._catalog)

    def after(self, found: Weighed) -> str | None:
        """Why a layout is passed over."""
        design = Design(self._request, None, found.layout.topology, cabling=found.layout.cabling)
        return broken_limit(design, found.worth, self._catalog)


def choose(
    loaded: LoadedRequest,
    catalog: Catalog,
    limits: Limits = DEFAULT_LIMITS,
    say: Say = lambda _: None,
) -> Choice:
    """The best shape found for a request.

    Args:
        loaded: the request and its floor plan, if it has one.
        catalog: parts that may be used.
        limits: when to stop searching.
        say: takes progress lines.

    Raises:
        InputError: the request asks what its parts cannot do.
        InfeasibleError: no design exists, with the arithmetic.
        LimitReachedError: the limit was reached without any design.
    """
    watch = Watch(loaded.request.objective[0], say, limits.time_s)
    candidates = Candidates(loaded, catalog)

    def realise(shape: FatTreeShape) -> tuple[Value, Value, Weighed]:
        watch.say(f"laying out {shape.leaves_total} leaves + {shape.spines_total} spines")
        return candidates.realise(shape)

    rules = Rules(candidates.before, candidates.after, candidates.instead)
    outcome = search(candidates.shapes, candidates.bound_of, realise, limits.work, watch, rules)
    refuse_budget(outcome.bound[0], loaded.request, catalog)
    notes = (*candidates.size.assumptions, *watch.notes(outcome.laid_out, outcome.left_open))
    return Choice(outcome, candidates.objective, candidates.size, notes, candidates.fixed)


def possible(loaded: LoadedRequest, catalog: Catalog) -> bool:
    """Whether counting leaves the request a shape: by ports, racks and switches, before anything is laid out."""
    try:
        candidates = Candidates(loaded, catalog)
    except (InfeasibleError, InputError):
        return False
    for shape in candidates.shapes:
        with suppress(InfeasibleError):
            candidates.refuse(shape)
            return True
    return False


def with_reserve(request: Request, size: Size, catalog: Catalog) -> tuple[FatTreeShape, ...]:
    """The shapes of a request and then those with less oversubscription, which cost more and are faster.

    Raises:
        InputError: the request asks what its parts cannot do.
        InfeasibleError: the request has no shape.
    """
    asked = request.fabric.oversubscription
    found = dict.fromkeys(fat_tree.shapes(request, size, catalog))
    for step in (step for step in OVERSUBSCRIPTIONS if step < asked):
        fabric = request.fabric.model_copy(update={"oversubscription": step})
        with suppress(InfeasibleError):
            found |= dict.fromkeys(fat_tree.shapes(request.model_copy(update={"fabric": fabric}), size, catalog))
    return tuple(found)


def lay_out(
    shape: FatTreeShape, request: Request, size: Size, catalog: Catalog, floor_plan: FloorPlan | None
) -> Layout:
    """Port map, places and cables of one shape, on the plan given or a generated one."""
    topology = port_map.build(shape, request, size, catalog)
    spaces = device_spaces(topology.devices, catalog, request.planning)
    housing = node_housing(size.system_key, size.system, request.planning)

    def stand(plan: FloorPlan) -> Stand:
        routes = Routes(plan)
        tables = price_tables(open_market(topology, request, catalog, routes))
        prices = {kind: table.cost for kind, table in tables.items()}
        return Stand(routes, place(topology, request, routes, spaces, housing, prices))

    if floor_plan is not None:
        found = stand(floor_plan)
    else:
        leaves, spines = ([spaces[each.name] for each in topology.with_role(role)] for role in ("leaf", "spine"))
        others = [spaces[each.name] for each in topology.devices if not each.is_switch and each.role != "node"]
        plan = generate(size.growth_nodes, housing, leaves, spines, others, request.placement)
        found = _without_idle_racks(stand(plan), topology, stand)
    routes, placement = found
    return Layout(topology, routes.plan, placement, cable(topology, placement, routes, request, catalog))


def _without_idle_racks(found: Stand, topology: Topology, stand: Callable[[FloorPlan], Stand]) -> Stand:
    """The same on a generated plan that keeps only network racks with a switch: beside the nodes may be cheaper."""
    used = {found.placement.of[device.name].rack for device in topology.devices if device.is_switch}
    idle = {rack.name for rack in found.routes.racks if rack.use == "network"} - used
    if not idle:
        return found
    try:
        closed_up = stand(without(found.routes.plan, idle))
    except (InfeasibleError, LimitReachedError):
        return found
    return _without_idle_racks(closed_up, topology, stand)
