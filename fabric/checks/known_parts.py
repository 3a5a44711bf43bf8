"""Parts that the catalog does not hold."""

from __future__ import annotations

from collections.abc import Container

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error


@check("known-parts")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per part key, of any kind, that stands in no catalog file of that kind."""
    catalog, cabling = ctx.catalog, ctx.design.cabling
    used: dict[tuple[str, str], Container[str]] = {}
    for device in ctx.topology.devices:
        if device.part is None:
            yield Gap(f"{device.name} names no part, so nothing about its ports, space and power is judged")
        elif device.is_switch:
            used["switch", device.part] = catalog.switches
        else:
            used["system", device.part] = catalog.systems
    if cabling is not None:
        used |= {("cable", cable.part): catalog.cables for cable in cabling.cables}
        used |= {("transceiver", each.part): catalog.transceivers for each in cabling.pluggables}
    for (kind, part), known in used.items():
        if part not in known:
            yield error(part, f"the catalog has no {kind} of this key; add a part file or name another part")
