"""Where the request lets switches stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error, warning
from fabric.floorplan.rows import from_middle, row_names
from fabric.model.floorplan import Rack
from fabric.model.topology import EDGE_ROLES


@check("placement-policy", "request", "floor_plan", "placement")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per switch where `placement` does not let it stand, and per rack with too many switches.

    `row_middle` and `row_end` are wishes where racks are full, so what is nearer to the other is a warning. The racks
    of a row of one or two are its middle and its end.
    """
    switches: Counter[str] = Counter()
    for device in ctx.topology.devices:
        rack = _rack(ctx, device.name)
        if rack is not None and device.is_switch:
            switches[rack.name] += 1
    most = ctx.request.placement.max_switches_per_rack
    for name, count in sorted(switches.items()):
        if most != "auto" and count > most:
            message = f"holds {count} switches, placement.max_switches_per_rack is {most}"
            yield error(name, message, measured=count, limit=most, unit="switches")
    yield from _leaves(ctx)
    yield from _spines(ctx)


def _leaves(ctx: CheckContext) -> Iterator[Remark]:
    """Leaves and routers, which stand as leaves do."""
    policy = ctx.request.placement.leaf
    node_racks: defaultdict[str, set[str]] = defaultdict(set)
    for access in ctx.accesses:
        rack = _rack(ctx, access.device.name)
        if access.device.role == "node" and rack is not None:
            node_racks[access.leaf.name].add(rack.name)
    middle_m = dict(zip(ctx.racks, from_middle(ctx.floor_plan.all_racks), strict=True))
    near_end = _near_end(ctx, middle_m)
    for leaf in ctx.topology.with_role(*EDGE_ROLES):
        rack = _rack(ctx, leaf.name)
        if rack is None:
            continue
        if policy == "network_rack" and rack.use != "network":
            yield error(
                leaf.name, f"stands in {rack.name}, no rack for the network", measured=rack.use, limit="network"
            )
        elif policy == "own_rack" and rack.name not in node_racks[leaf.name]:
            yield error(leaf.name, f"stands in {rack.name}, where none of its nodes stands", measured=rack.name)
        elif policy in ("row_middle", "row_end") and near_end[rack.name] is (policy == "row_middle"):
            message = f"stands in {rack.name}, {middle_m[rack.name]:g} m from the middle of its row"
            yield warning(leaf.name, message, measured=middle_m[rack.name], limit=policy, unit="m")


def _near_end(ctx: CheckContext, middle_m: Mapping[str, float]) -> dict[str, bool | None]:
    """Whether each rack is nearer to the end of its row than to the middle; None where all its racks are alike."""
    of_row: defaultdict[str, set[float]] = defaultdict(set)
    rows = dict(zip(ctx.racks, row_names(ctx.floor_plan.all_racks), strict=True))
    for rack, row in rows.items():
        of_row[row].add(round(middle_m[rack], 6))
    span_m = {row: (min(found), max(found)) for row, found in of_row.items()}
    return {rack: middle_m[rack] > sum(span_m[row]) / 2 if len(of_row[row]) > 1 else None for rack, row in rows.items()}


def _spines(ctx: CheckContext) -> Iterator[Remark]:
    policy = ctx.request.placement.spine
    racks = ctx.floor_plan.all_racks
    mixed = {row for row, rack in zip(row_names(racks), racks, strict=True) if rack.use != "network"}
    row_of = dict(zip((rack.name for rack in racks), row_names(racks), strict=True))
    found = {spine.name: rack for spine in ctx.topology.with_role("spine") if (rack := _rack(ctx, spine.name))}
    for name, rack in found.items():
        if policy == "network_row" and row_of[rack.name] in mixed:
            message = f"stands in row {row_of[rack.name]}, which has racks that are not for the network"
            yield error(name, message, measured=rack.name)
    if policy == "spread" and len(found) > 1 and len({rack.name for rack in found.values()}) == 1:
        rack = next(iter(found.values()))
        yield error(rack.name, f"all {len(found)} spines stand here, placement.spine is spread", measured=1, limit=2)


def _rack(ctx: CheckContext, name: str) -> Rack | None:
    position = ctx.placement.of.get(name)
    return ctx.racks.get(position.rack) if position is not None else None
