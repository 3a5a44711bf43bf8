"""Cooling and feed of devices against their racks."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error


@check("cooling-feed", "floor_plan", "placement")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per device in a rack that cannot cool or feed it; racks of cooling or feed `any` take all."""
    for position in ctx.placement.positions:
        device, rack = ctx.topology.device.get(position.device), ctx.racks.get(position.rack)
        part = ctx.switch(device) or ctx.system(device)
        if device is None or rack is None or part is None:
            continue
        for field, offered in (("cooling", rack.cooling), ("feed", rack.feed)):
            wanted = part.figure(field) if offered != "any" else offered
            if wanted is None:
                yield Gap(f"the {field} of {device.part} is not known")
            elif wanted != offered:
                message = f"needs {field} {wanted}, {rack.name} has {offered}"
                yield error(device.name, message, measured=wanted, limit=offered)
