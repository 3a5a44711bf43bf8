"""Ports of a switch that may be in use together."""

from __future__ import annotations

from collections import Counter

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("port-limits")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per switch over its limit on logical ports, and per group of cages over the limit they share."""
    total: Counter[str] = Counter()
    group: Counter[tuple[str, int]] = Counter()
    for (name, label), links in ctx.cages.items():
        switch = ctx.switch(ctx.topology.device.get(name))
        if switch is None:
            continue
        total[name] += len(links)
        if switch.port_group is not None and label.isdigit():
            group[name, (int(label) - 1) // switch.port_group.cages] += len(links)
    for name, count in total.items():
        switch = ctx.switch(ctx.topology.device[name])
        if switch is not None and switch.max_logical_ports is not None and count > switch.max_logical_ports:
            message = f"{count} ports are linked, the switch runs {switch.max_logical_ports} at once"
            yield error(name, message, measured=count, limit=switch.max_logical_ports, unit="ports")
    for (name, number), count in group.items():
        switch = ctx.switch(ctx.topology.device[name])
        shared = switch.port_group if switch is not None else None
        if shared is not None and count > shared.max_ports:
            first = number * shared.cages + 1
            message = f"cages {first} to {first + shared.cages - 1} share {shared.max_ports} ports, {count} are linked"
            yield error(name, message, measured=count, limit=shared.max_ports, unit="ports")
