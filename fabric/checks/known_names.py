"""Names that one table uses and another lacks, and names that stand twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error


@check("known-names")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per name that stands twice, and per use of a name that stands nowhere."""
    topology, cabling = ctx.topology, ctx.design.cabling
    yield from _twice("device", (device.name for device in topology.devices))
    yield from _twice("link", (link.name for link in topology.links))
    for link in topology.links:
        for port in (link.a, link.b):
            if port.device not in topology.device:
                yield error(link.name, f"ends at {port.device}, which is no device of the design")
    if cabling is not None:
        yield from _twice("cable", (cable.name for cable in cabling.cables))
        for name, cable in sorted(cabling.cable_of.items()):
            if cable not in ctx.cable:
                yield error(name, f"is carried by {cable}, which is no cable of the design")
        yield from _homeless("a pluggable", (each.device for each in cabling.pluggables), ctx)
    if ctx.design.placement is not None:
        yield from _homeless("a place in a rack", (each.device for each in ctx.placement.positions), ctx)
    if ctx.design.settings is not None:
        yield from _homeless("a lossless row", (row.device for row in ctx.settings.lossless), ctx)


def _twice(kind: str, names: Iterable[str]) -> Iterator[Remark]:
    for name, count in Counter(names).items():
        if count > 1:
            yield error(name, f"{count} rows have this {kind} name", measured=count, limit=1, unit="rows")


def _homeless(what: str, devices: Iterable[str], ctx: CheckContext) -> Iterator[Remark]:
    for name in dict.fromkeys(devices):
        if name not in ctx.topology.device:
            yield error(name, f"has {what} and is no device of the design")
