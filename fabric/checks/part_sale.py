"""Parts that cannot be ordered, or not yet."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from fabric.catalog.record import Part
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error, warning


@check("part-sale")
def judge(ctx: CheckContext) -> Verdict:
    """Yield an error per part that is no longer sold, and a warning per part that is not in active sale."""
    for key, part in sorted(_used(ctx), key=itemgetter(0)):
        if part.status == "no_longer_sold":
            yield error(key, "is no longer sold", measured=part.status, limit="active", source=part.sources[0])
        elif part.status in ("planned", "prototype"):
            message = f"is a {part.status} part; ask the maker for a date before you order"
            yield warning(key, message, measured=part.status, limit="active", source=part.sources[0])
        elif not part.allowed_for_design:
            why = "; ".join(part.notes) or "its file does not say why"
            yield warning(key, f"is in the catalog for reading only: {why}", source=part.sources[0])


def _used(ctx: CheckContext) -> Iterator[tuple[str, Part]]:
    """Parts of the design that the catalog knows, each once; nodes are not ours to buy."""
    catalog, cabling = ctx.catalog, ctx.design.cabling
    for key in {device.part or "" for device in ctx.topology.devices if device.is_switch} & catalog.switches.keys():
        yield key, catalog.switches[key]
    for key in {cable.part for cable in cabling.cables} & catalog.cables.keys() if cabling else ():
        yield key, catalog.cables[key]
    for key in {each.part for each in cabling.pluggables} & catalog.transceivers.keys() if cabling else ():
        yield key, catalog.transceivers[key]
