"""Switches and groups against the family's parameters and the size that the fabric is built for."""

from __future__ import annotations

import math

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.checks._wiring import wiring
from fabric.model.topology import EDGE_ROLES


@check("unit-leaves")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per count that the parameters tell otherwise, and when leaves are too few for whole units.

    Routers are judged as leaves are.
    """
    for key, (count, unit) in _counts(ctx).items():
        told = ctx.topology.parameters.get(key)
        if told is not None and told != count:
            message = f"{count} {key} in the tables, {told} in the parameters of the design"
            yield error(key, message, measured=count, limit=told, unit=unit)
    leaves, needed = len(ctx.topology.with_role(*EDGE_ROLES)), _leaves_needed(ctx)
    if needed is not None and leaves < needed:
        what = ctx.planes[0].what
        message = f"{leaves} {what}; whole units for the nodes with their growth need {needed}"
        yield error(what, message, measured=leaves, limit=needed, unit="switches")


def _counts(ctx: CheckContext) -> dict[str, tuple[int, str]]:
    """What parameters may count, as it is in the tables, with its unit: switches of all planes, groups of one.

    A dragonfly+ tells leaves and spines of a full group. Groups are not counted where switches stand in none.
    """
    leaves = [sum(leaf.role == "leaf" for leaf in block.leaves) for block in ctx.blocks]
    spines = [len(block.spines) for block in ctx.blocks]
    groups = len({each.group for each in ctx.topology.devices if each.is_switch} - {None})
    found = {
        "leaves": (sum(leaves) if ctx.is_tree else max(leaves, default=0), "switches"),
        "spines": (sum(spines) if ctx.is_tree else max(spines, default=0), "switches"),
        "cores": (len(ctx.topology.with_role("core")), "switches"),
        "routers": (len(ctx.topology.with_role("router")), "switches"),
    }
    return found if ctx.homeless_routers else found | {"groups": (groups, "groups"), "pods": (groups, "groups")}


def _leaves_needed(ctx: CheckContext) -> int | None:
    """Fewest leaves for the size asked: units, times leaves of one unit, times planes; None when not told."""
    numbers = {key: value for key, value in ctx.topology.parameters.items() if isinstance(value, int)}
    if (
        not ctx.planes
        or "unit_nodes" not in numbers
        or any(len(plane.leaves) == 1 and not plane.spines for plane in ctx.planes)
    ):
        return None
    installed = len(ctx.topology.with_role("node"))
    growth = (ctx.design.request.growth_nodes if ctx.design.request is not None else None) or installed
    links = len({(each.device.name, each.port.port) for each in ctx.accesses if each.device.role == "node"})
    planes = len(ctx.planes)
    ports = links // max(installed, 1) // planes
    per_unit = {"rail": math.ceil(ports / numbers.get("rails_per_leaf", 1)), "dual_homed": 2}.get(wiring(ctx), 1)
    return math.ceil(growth / numbers["unit_nodes"]) * per_unit * planes
