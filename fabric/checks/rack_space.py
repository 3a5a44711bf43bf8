"""Devices in racks: every one somewhere, none in another's place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Remark, Verdict, check, error
from fabric.model.floorplan import Rack
from fabric.model.placement import Position
from fabric.model.topology import Device


@check("rack-space", "floor_plan", "placement")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per device without a place, over the top, in blocked units, lower than its part or on another."""
    in_rack: defaultdict[str, list[Position]] = defaultdict(list)
    for device in ctx.topology.devices:
        position = ctx.placement.of.get(device.name)
        if position is None:
            yield error(device.name, "stands in no rack")
        elif position.rack not in ctx.racks:
            yield error(device.name, f"stands in {position.rack}, which is no rack of the floor plan")
        else:
            in_rack[position.rack].append(position)
            yield from _height(ctx, device, position)
    for name, positions in in_rack.items():
        yield from _rack(ctx.racks[name], positions, ctx)


def _height(ctx: CheckContext, device: Device, position: Position) -> Iterator[Remark | Gap]:
    """Units in the table against those of the part."""
    part = ctx.switch(device) or ctx.system(device)
    if part is None:
        return
    planned = ctx.design.request.planning.node_units if ctx.design.request is not None else None
    units = (planned if device.role == "node" else None) or part.figure("rack_units")
    if units is None:
        yield Gap(f"the height of {device.part} is not known")
    elif position.units < units:
        message = f"takes {position.units} U by the table, {device.part} is {units} U high"
        yield error(device.name, message, measured=position.units, limit=units, unit="U")


def _rack(rack: Rack, positions: Sequence[Position], ctx: CheckContext) -> Iterator[Remark]:
    """What is wrong in one rack, from the bottom up."""
    blocked = {u for low, high in rack.blocked_u for u in range(low, high + 1)}
    kept = {place.u: place.role for place in rack.place}
    owner: dict[int, str] = {}
    for each in sorted(positions, key=lambda each: (each.u, each.device)):
        units = range(each.u, each.u + each.units)
        if units.stop - 1 > rack.units:
            message = f"reaches U{units.stop - 1} of {rack.name}, which ends at U{rack.units}"
            yield error(each.device, message, measured=units.stop - 1, limit=rack.units, unit="U")
        taken = next((u for u in units if u in owner), None)
        if taken is not None:
            message = f"stands on U{taken} of {rack.name}, where {owner[taken]} stands"
            yield error(each.device, message, measured=taken, unit="U")
        if not blocked.isdisjoint(units):
            yield error(each.device, f"stands on U{min(blocked & set(units))} of {rack.name}, which is blocked")
        role = ctx.topology.device[each.device].role
        other = next((u for u in units if kept.get(u, role) != role), None)
        if other is not None:
            yield error(each.device, f"stands on U{other} of {rack.name}, which is kept for a {kept[other]}")
        owner |= dict.fromkeys(units, each.device)
