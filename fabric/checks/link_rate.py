"""Rates of links against the request."""

from __future__ import annotations

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("link-rate", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link that does not run the rate that the request gives for its kind."""
    fabric = ctx.request.fabric
    system = ctx.catalog.systems.get(ctx.request.accelerator)
    default_gbps = system.default_port_gbps.get(ctx.asked_layer) if system is not None else None
    node_gbps = fabric.node_port_gbps or default_gbps
    rates = [(each.link, node_gbps) for each in ctx.accesses if each.device.role == "node"]
    rates += [(each.link, fabric.uplink_port_gbps) for each in ctx.switch_links]
    for link, rate_gbps in rates:
        if rate_gbps is not None and link.rate_gbps != rate_gbps:
            message = f"runs {link.rate_gbps}G where the request asks {rate_gbps}G"
            yield error(link.name, message, measured=link.rate_gbps, limit=rate_gbps, unit="Gb/s")
