"""A place for the subnet manager of an InfiniBand fabric."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, warning


@check("subnet-manager", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one warning per InfiniBand fabric with neither a managed switch nor an attached UFM."""
    if ctx.asked_layer != "infiniband" or ctx.topology.with_role("ufm"):
        return
    for fabric in sorted({device.fabric for device in ctx.topology.devices if device.is_switch}):
        switches = [device for device in ctx.topology.devices if device.is_switch and device.fabric == fabric]
        managed = [switch.managed for device in switches if (switch := ctx.switch(device)) is not None]
        if True in managed:
            continue
        if None in managed or not managed:
            yield Gap(f"whether a switch of {fabric} can run a subnet manager is not known, and no ufm is attached")
        else:
            yield warning(switches[0].name, f"no switch of {fabric} is managed and no ufm is attached; attach one")
