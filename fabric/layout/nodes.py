"""Nodes and attached devices into racks, in order, so that the nodes of a unit stand side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from fabric.errors import Conflict, Fault, InfeasibleError, InputError
from fabric.floorplan.rows import walking_order
from fabric.layout.rack_space import RackSpace
from fabric.model.floorplan import FixedPlace, Rack
from fabric.model.placement import DeviceSpace, NodeHousing, Position

NODE = "node"


def empty_racks(racks: Sequence[Rack], housing: NodeHousing, heights: Mapping[str, int]) -> list[RackSpace]:
    """Racks before anything stands in them; whole-rack systems bring their own places for nodes."""
    if housing.whole_rack:
        places = tuple(FixedPlace(u=u, role=NODE) for u in housing.first_u)
        racks = [
            rack
            if rack.use == "network" or any(place.role == NODE for place in rack.place)
            else rack.model_copy(update={"place": places})
            for rack in racks
        ]
    return [RackSpace(rack, heights) for rack in racks]


def node_space(housing: NodeHousing) -> DeviceSpace:
    """Space of one node; a node of a whole rack carries its share of the rack's power."""
    if housing.whole_rack and housing.rack_power_w and housing.per_rack:
        return replace(housing.space, power_w=housing.rack_power_w / housing.per_rack)
    return housing.space


def node_capacity(space: RackSpace, housing: NodeHousing) -> int:
    """Nodes that one empty rack holds."""
    if space.rack.use == "network":
        return 0
    most = [space.fitting(NODE, node_space(housing))]
    if space.rack.nodes is not None:
        most.append(space.rack.nodes)
    if housing.per_rack is not None:
        most.append(housing.per_rack)
    count = min(most)
    return 0 if housing.whole_rack and count != housing.per_rack else count


def refuse_too_few(racks: Sequence[Rack], housing: NodeHousing, count: int) -> None:
    """Refuse racks that hold fewer than `count` nodes even when no switch stands in them, whatever the fabric.

    Raises:
        InfeasibleError: with the arithmetic.
    """
    spaces = empty_racks(racks, housing, {NODE: housing.space.units})
    if sum(node_capacity(space, housing) for space in spaces) < count:
        raise InfeasibleError(conflict=_too_few(spaces, count, housing))


def place_nodes(
    racks: Sequence[RackSpace],
    names: Sequence[str | None],
    housing: NodeHousing,
    most_per_rack: int,
    order: Sequence[int] | None = None,
) -> list[Position]:
    """Put `names` into `racks` in order, at most `most_per_rack` into each; None keeps a place for growth.

    Racks are filled from the bottom up, those of `order` one after the other, or row by row.

    Raises:
        InfeasibleError: the racks hold fewer nodes.
        InputError: the nodes of a whole-rack system fill no whole number of racks.
    """
    if housing.whole_rack and housing.per_rack and len(names) % housing.per_rack:
        raise InputError(Fault(f"{len(names)} is no whole number of racks of {housing.per_rack} nodes", key="nodes"))
    capacity = [min(node_capacity(space, housing), most_per_rack) for space in racks]
    if sum(capacity) < len(names):
        raise InfeasibleError(conflict=_too_few(racks, len(names), housing))
    space = node_space(housing)
    waiting = iter(names)
    positions = []
    for index in walking_order([rack.rack for rack in racks]) if order is None else order:
        for name in islice(waiting, capacity[index]):
            u = racks[index].put(NODE, space)
            if name is not None:
                positions.append(Position(name, racks[index].rack.name, u, space.units))
    return positions


def _too_few(racks: Sequence[RackSpace], count: int, housing: NodeHousing) -> tuple[Conflict, ...]:
    """Why the racks hold fewer than `count` nodes: one line per kind of rack."""
    space = node_space(housing)
    kinds = Counter((_kind(rack, space), node_capacity(rack, housing)) for rack in racks)
    total = sum(each * number for (_, each), number in kinds.items())
    head = Conflict(
        "nodes",
        str(count),
        f"{count} nodes of {space.units} U and {space.power_w / 1000:g} kW are needed, the floor plan holds {total}",
    )
    lines = (
        Conflict("floorplan.racks", f"{number} racks", f"{text}: {each} nodes each")
        for (text, each), number in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    )
    return (head, *lines)


def _kind(space: RackSpace, node: DeviceSpace) -> str:
    """One kind of rack in words, with what limits its nodes."""
    rack = space.rack
    if rack.use == "network":
        return "for the network"
    if not space.suits(node):
        return f"cooling {rack.cooling}, feed {rack.feed}, where a node needs {node.cooling}, {node.feed}"
    by_units = len(space.stack(NODE, node.units, from_top=False))
    limits = [f"{by_units} by units ({rack.units} U)"]
    if rack.power_kw is not None:
        usable_kw = rack.power_kw - rack.reserved_kw
        limits.append(f"{int(1000 * usable_kw // max(node.power_w, 1))} by power ({usable_kw:g} kW)")
    if rack.nodes is not None:
        limits.append(f"{rack.nodes} by the floor plan")
    return ", ".join(limits)


def place_attached(
    racks: Sequence[RackSpace], devices: Sequence[tuple[str, str]], spaces: Mapping[str, DeviceSpace]
) -> list[Position]:
    """Put attached devices, given by name and role, into network racks first, one rack after the other.

    Raises:
        InfeasibleError: a device fits no rack.
    """
    order = [
        index
        for use in ("network", "any")
        for index in walking_order([space.rack for space in racks])
        if racks[index].rack.use == use
    ]
    first = sum(racks[index].rack.use == "network" for index in order) or len(order)
    positions = []
    for number, (name, role) in enumerate(devices):
        space, turn = spaces[name], number % max(first, 1)
        for index in [*order[turn:first], *order[:turn], *order[first:]]:
            if racks[index].fitting(role, space):
                u = racks[index].put(role, space)
                positions.append(Position(name, racks[index].rack.name, u, space.units))
                break
        else:
            arithmetic = f"{space.units} U and {space.power_w / 1000:g} kW fit no rack that is not for nodes"
            raise InfeasibleError(conflict=(Conflict("attached", name, arithmetic),))
    return positions
