"""One cable to a link, and links only where the cable has ends."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.parts import CablePart
from fabric.checks._cages import Cage
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error, warning
from fabric.checks._seats import cable_end
from fabric.model.topology import Link


@check("cable-conservation", "cabling")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per link without cable, cable without link, and cable whose links do not meet its ends."""
    for link in ctx.topology.links:
        if link.name not in ctx.cabling.cable_of:
            yield error(link.name, "no cable makes this link")
    for cable in ctx.cabling.cables:
        links, part = ctx.carried.get(cable.name, ()), ctx.catalog.cables.get(cable.part)
        if not links:
            yield error(cable.name, "makes no link")
        elif part is not None:
            remarks = list(_misled(cable.name, part, links, ctx))
            yield from remarks
            if not remarks and len(links) < part.ports:
                message = f"makes {len(links)} of the {part.ports} links that {cable.part} can carry"
                yield warning(cable.name, message, measured=len(links), limit=part.ports, unit="links")


def _misled(name: str, part: CablePart, links: tuple[Link, ...], ctx: CheckContext) -> Iterator[Remark]:
    """Links beyond the cable's ports, cages beyond its ends, links beyond the ports of one end."""
    if len(links) > part.ports:
        message = f"makes {len(links)} links, its part carries {part.ports}"
        yield error(name, message, measured=len(links), limit=part.ports, unit="links")
        return
    cages: dict[Cage, None] = {}
    for link in links:
        cages |= {(link.a.device, link.a.cage): None, (link.b.device, link.b.cage): None}
    seats = ctx.seats.get(name, ())
    if not seats:
        message = f"joins {len(cages)} cages, its part has one head and {len(part.tails)} far ends"
        yield error(name, message, measured=len(cages), limit=1 + len(part.tails), unit="cages")
    for seat in seats:
        ports = cable_end(part, seat.end).ports
        if seat.links_count > ports:
            message = (
                f"makes {seat.links_count} links in {seat.cage[0]}:{seat.cage[1]}, where its end has {ports} ports"
            )
            yield error(name, message, measured=seat.links_count, limit=ports, unit="links")
