"""Switch models against the request, and against the tier they are made for."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.model.request import SwitchChoice
from fabric.model.topology import SWITCH_ROLES


@check("switches-allowed")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per switch whose model the request does not allow in its tier, or that is no single switch.

    Routers are chosen from the models for leaves, cores from those for spines.
    """
    choice = ctx.design.request.fabric.switches if ctx.design.request is not None else SwitchChoice()
    for device in ctx.topology.with_role(*SWITCH_ROLES):
        allowed = choice.leaf if device.is_edge else choice.spine
        if allowed is not None and device.part not in allowed:
            message = f"{device.part} is not among the {device.role} models that the request allows"
            yield error(device.name, message, measured=device.part, limit=", ".join(allowed))
        switch = ctx.switch(device)
        if switch is None:
            continue
        if switch.tier_only not in (None, device.role):
            message = f"{device.part} is made for the {switch.tier_only} tier alone"
            yield error(device.name, message, measured=device.role, limit=switch.tier_only, source=switch.sources[0])
        halves = switch.isolated_halves
        if halves > 1:
            message = f"{device.part} is {halves} switches in one chassis that do not forward to each other"
            yield error(device.name, message, measured=halves, limit=1, unit="switches", source=switch.sources[0])
