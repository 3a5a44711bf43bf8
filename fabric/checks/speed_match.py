"""Both ends of a link at its rate, on lanes of one speed."""

from __future__ import annotations

from fabric.checks._cages import place
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error
from fabric.model.topology import Link


@check("speed-match")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per cage that cannot run its links' rate or has two, and per link of two lane rates."""
    for cage, links in ctx.cages.items():
        rates = {link.rate_gbps for link in links}
        if len(rates) > 1:
            message = f"runs links of {' and '.join(f'{rate}G' for rate in sorted(rates))}; a cage has one mode"
            yield error(place(cage), message, measured=len(rates), limit=1, unit="rates")
        elif cage not in ctx.kinds and _part_is_known(ctx, cage[0]):
            message = f"{ctx.topology.device[cage[0]].part} has no {links[0].rate_gbps}G port on this link layer"
            yield error(place(cage), message, measured=links[0].rate_gbps, unit="Gb/s")
    for link in ctx.topology.links:
        a, b = (ctx.kinds.get((port.device, port.cage)) for port in (link.a, link.b))
        if a is not None and b is not None and a.lane_gbps != b.lane_gbps and not _is_glass(ctx, link):
            message = f"{a.part} runs lanes of {a.lane_gbps}G, {b.part} of {b.lane_gbps}G; the two do not link"
            yield error(link.name, message, measured=a.lane_gbps, limit=b.lane_gbps, unit="Gb/s")


def _part_is_known(ctx: CheckContext, name: str) -> bool:
    device = ctx.topology.device.get(name)
    return ctx.switch(device) is not None or ctx.system(device) is not None


def _is_glass(ctx: CheckContext, link: Link) -> bool:
    """Whether the link runs on fibre, where each pluggable turns its own lanes into light and `optics-match` judges."""
    if ctx.design.cabling is None:
        return False
    cable = ctx.cable.get(ctx.cabling.cable_of.get(link.name, ""))
    return cable is not None and ctx.is_fibre(cable)
