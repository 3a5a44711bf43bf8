"""What a rack may hold: nodes, network, and how many nodes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from fabric.catalog.parts import System
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.model.placement import Position


@check("rack-use", "floor_plan", "placement")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per device in a rack that is for others, and per rack with the wrong number of nodes."""
    nodes: defaultdict[str, list[Position]] = defaultdict(list)
    switches: Counter[str] = Counter()
    for position in ctx.placement.positions:
        device, rack = ctx.topology.device.get(position.device), ctx.racks.get(position.rack)
        if device is None or rack is None:
            continue
        if device.is_switch:
            switches[rack.name] += 1
        if device.role == "node":
            nodes[rack.name].append(position)
        if (rack.use == "node" and device.is_switch) or (rack.use == "network" and device.role == "node"):
            message = f"is a {device.role} in {rack.name}, whose use is {rack.use}"
            yield error(device.name, message, measured=device.role, limit=rack.use)
    for name, positions in sorted(nodes.items()):
        system = ctx.system(ctx.topology.device[positions[0].device])
        most = [limit for limit in (ctx.racks[name].nodes, _most(ctx, system)) if limit is not None]
        if most and len(positions) > min(most):
            message = f"holds {len(positions)} nodes, at most {min(most)} are allowed"
            yield error(name, message, measured=len(positions), limit=min(most), unit="nodes")
        if system is not None and system.whole_rack:
            yield from _whole_rack(name, positions, system, switches[name])


def _most(ctx: CheckContext, system: System | None) -> int | None:
    """Most nodes of one rack, by the request or the system."""
    planned = ctx.design.request.planning.nodes_per_rack if ctx.design.request is not None else None
    return planned or (system.figure("nodes_per_rack") if system is not None else None)


def _whole_rack(name: str, positions: list[Position], system: System, switches: int) -> Iterator[Remark]:
    """A rack that comes as a whole: all of its nodes in their own places, and no switch of the fabric."""
    whole = system.figure("nodes_per_rack")
    if whole is not None and len(positions) < whole:
        message = f"holds {len(positions)} nodes of a system that comes in racks of {whole}"
        yield error(name, message, measured=len(positions), limit=whole, unit="nodes")
    if switches:
        yield error(name, "holds a switch inside a rack that is delivered whole", measured=switches, limit=0)
    for each in positions:
        if system.rack_first_u and each.u not in system.rack_first_u:
            message = f"stands on U{each.u} of {name}; the system's racks have nodes on other units"
            yield error(each.device, message, measured=each.u, limit=", ".join(map(str, system.rack_first_u)))
