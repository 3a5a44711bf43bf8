"""From a request to a design: shapes, the search over them, and for each one places, cables and settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fabric import __version__
from fabric.addressing.pools import read_pools
from fabric.catalog.load import Catalog
from fabric.errors import FabricError
from fabric.floorplan.generate import generate
from fabric.floorplan.routes import Routes
from fabric.io.request_file import LoadedRequest
from fabric.layout.cable import cable
from fabric.layout.housing import device_spaces, node_housing
from fabric.layout.market import open_market
from fabric.layout.place import place
from fabric.layout.price_table import price_tables
from fabric.layout.search import WORK_LIMIT, Candidate, Outcome, Value, search
from fabric.model.cabling import Cabling
from fabric.model.design import Alternative, Design, LaterGoal, Optimality, Provenance
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import DeviceSpace, Placement
from fabric.model.request import Request
from fabric.model.shape import FatTreeShape
from fabric.model.topology import Topology
from fabric.pipeline.bounds import ShapeBound
from fabric.pipeline.limits import refuse_budget, refuse_switches
from fabric.pipeline.objective import Objective, Worth
from fabric.pipeline.room import open_room
from fabric.pipeline.settings import settings
from fabric.pipeline.watch import Say, Watch
from fabric.topology import fat_tree, port_map
from fabric.topology.size import Size, resolve

METHOD = (
    "shapes enumerated and realised best first; places by min-cost flow with a concave-envelope bound; "
    "per cage group the best assembly"
)

TIES = "equals by {first} are told apart by {later}: exactly per cage group, then between shapes laid out"
"""How goals after the first enter."""

ALTERNATIVES = 12
"""Runners-up that a design remembers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop searching: after so many shapes laid out in full, or so much time [s] (None: never)."""

    work: int = WORK_LIMIT
    time_s: float | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """One shape laid out in full."""

    topology: Topology
    floor_plan: FloorPlan
    placement: Placement
    cabling: Cabling


def design(loaded: LoadedRequest, catalog: Catalog, *, limits: Limits = Limits(), say: Say = lambda _: None) -> Design:
    """The best design found for a request, with what was proved about it.

    Args:
        loaded: the request, its floor plan if it has one, and where both were read.
        catalog: parts that may be used.
        limits: when to stop searching and take the best design so far.
        say: takes progress lines.

    Raises:
        InputError: the request or floor plan asks what its parts cannot do.
        InfeasibleError: no design exists, with the arithmetic.
        LimitReachedError: the limit was reached without any design.
    """
    try:
        return _design(loaded, catalog, limits, say)
    except FabricError as error:
        raise loaded.placed(error) from None


def _design(loaded: LoadedRequest, catalog: Catalog, limits: Limits, say: Say) -> Design:
    request = loaded.request
    watch = Watch(request.objective[0], say, limits.time_s)
    read_pools(request.addressing)
    size = resolve(request, catalog)
    room = open_room(loaded.floor_plan, request, size, catalog)
    shapes = fat_tree.shapes(request, size, catalog)
    refuse_switches(shapes, request.limits, catalog)
    objective = Objective(request, catalog)
    bound = ShapeBound(request, size, catalog, objective)

    def bound_of(shape: FatTreeShape) -> Value:
        refuse_switches((shape,), request.limits, catalog)
        room.refuse(shape)
        return bound(shape)

    def realise(shape: FatTreeShape) -> tuple[Value, Value, Layout]:
        watch.say(f"laying out {shape.leaves_total} leaves + {shape.spines_total} spines")
        layout = lay_out(shape, request, size, catalog, loaded.floor_plan)
        return objective.of(layout.topology, layout.cabling).value, bound.with_places(shape, layout.placement), layout

    outcome = search(shapes, bound_of, realise, limits.work, watch)
    refuse_budget(outcome.bound[0], request, catalog)
    layout = outcome.result
    say("setting addresses and thresholds")
    return Design(
        request=request,
        floor_plan=layout.floor_plan,
        topology=layout.topology,
        placement=layout.placement,
        cabling=layout.cabling,
        settings=settings(layout.topology, layout.cabling, request, catalog),
        provenance=_provenance(
            outcome, loaded, objective, [*size.assumptions, *watch.notes(outcome.laid_out, outcome.left_open)]
        ),
        name=request.name,
    )


def lay_out(
    shape: FatTreeShape, request: Request, size: Size, catalog: Catalog, floor_plan: FloorPlan | None
) -> Layout:
    """Port map, places and cables of one shape, on the plan given or a generated one."""
    topology = port_map.build(shape, request, size, catalog)
    spaces = device_spaces(topology.devices, catalog, request.planning)
    housing = node_housing(size.system_key, size.system, request.planning)
    if floor_plan is None:
        switches = _same_height([spaces[device.name] for device in topology.devices if device.is_switch])
        others = [spaces[device.name] for device in topology.devices if not device.is_switch and device.role != "node"]
        floor_plan = generate(size.growth_nodes, housing, switches, others, request.placement)
    routes = Routes(floor_plan)
    tables = price_tables(open_market(topology, request, catalog, routes))
    prices = {kind: table.cost for kind, table in tables.items()}
    placement = place(topology, request, routes, spaces, housing, prices)
    return Layout(topology, floor_plan, placement, cable(topology, placement, routes, request, catalog))


def _same_height(switches: list[DeviceSpace]) -> list[DeviceSpace]:
    """The switches, each as high as the highest: leaves and spines may then take each other's places."""
    units = max((space.units for space in switches), default=0)
    return [replace(space, units=units) for space in switches]


def _provenance(
    outcome: Outcome[FatTreeShape, Layout], loaded: LoadedRequest, objective: Objective, notes: list[str]
) -> Provenance:
    worth = objective.of(outcome.result.topology, outcome.result.cabling)
    if loaded.request.fabric.uplink_port_gbps is None and outcome.shape.spine_part is not None:
        rate = outcome.shape.uplink_gbps
        notes.append(f"fabric.uplink_port_gbps: {rate}, the fastest rate of both switches at which two tiers suffice")
    if loaded.floor_plan is None:
        notes.append("floorplan: generated, because the request brings none")
    return Provenance(
        tool="fabricwright",
        version=__version__,
        catalog_digest=objective.catalog.digest,
        seed=loaded.request.seed,
        optimality=_optimality(outcome, objective, worth),
        alternatives=tuple(_alternative(other) for other in outcome.others[:ALTERNATIVES]),
        assumptions=(*notes, *objective.notes(worth)),
    )


def _optimality(outcome: Outcome[FatTreeShape, Layout], objective: Objective, worth: Worth) -> Optimality:
    """What was proved: `optimal` where value and bound agree by every goal asked."""
    asked = objective.asked_count
    first, *later = objective.goals
    proof = outcome.result.placement.termination
    fixed = list(proof.fixed) if proof is not None else []
    method = METHOD
    if later:
        method += "; " + TIES.format(first=first, later=" then ".join(later))
        fixed.append(f"places: best by {first} alone")
    return Optimality(
        status="optimal" if outcome.bound[:asked] == outcome.value[:asked] else "feasible",
        objective=outcome.value[0],
        bound=outcome.bound[0],
        unit=objective.unit(first, worth),
        scope=("switches", "places", "cables"),
        fixed=tuple(fixed),
        method=method,
        later=tuple(_later_goals(outcome, objective, worth)),
    )


def _later_goals(outcome: Outcome[FatTreeShape, Layout], objective: Objective, worth: Worth) -> Iterator[LaterGoal]:
    """Goals asked after the first; a bound on one means something among equals by the goals before it alone."""
    for number in range(1, objective.asked_count):
        equal = outcome.bound[:number] == outcome.value[:number]
        yield LaterGoal(
            goal=objective.goals[number],
            objective=outcome.value[number],
            bound=outcome.bound[number] if equal else None,
            unit=objective.unit(objective.goals[number], worth),
        )


def _alternative(other: Candidate[FatTreeShape]) -> Alternative:
    shape = other.shape
    switches: dict[str, str | int] = {"leaf_part": shape.leaf_part, "leaf": shape.leaves_total}
    if shape.spine_part is not None:
        switches |= {"spine_part": shape.spine_part, "spine": shape.spines_total}
    switches |= {"unit_nodes": shape.unit_nodes, "uplinks": shape.uplinks}
    value = other.value[0] if other.value is not None else None
    return Alternative("fat_tree", switches, value, other.bound[0] if other.bound else 0, other.why_not)
