"""InfiniBand parts in InfiniBand fabrics, Ethernet parts in Ethernet fabrics."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.checks._context import CheckContext
from fabric.checks._protocol import Verdict, check, error


@check("link-layer", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per switch of the other link layer, and per cable or pluggable part not made for this one."""
    for device in ctx.topology.devices:
        switch = ctx.switch(device)
        if switch is not None and switch.link_layer != ctx.link_layer:
            message = f"{device.part} is an {switch.link_layer} switch in a fabric of {ctx.link_layer}"
            yield error(
                device.name, message, measured=switch.link_layer, limit=ctx.link_layer, source=switch.sources[0]
            )
    for key, layers, source in _parts(ctx):
        if ctx.link_layer not in layers:
            message = f"is not made for {ctx.link_layer}"
            yield error(key, message, measured=", ".join(layers), limit=ctx.link_layer, source=source)


def _parts(ctx: CheckContext) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Key, link layers and source of every cable and pluggable part in the design."""
    if ctx.design.cabling is None:
        return
    catalog = ctx.catalog
    for key in sorted({cable.part for cable in ctx.cabling.cables} & catalog.cables.keys()):
        yield key, catalog.cables[key].link_layers, catalog.cables[key].sources[0]
    for key in sorted({each.part for each in ctx.cabling.pluggables} & catalog.transceivers.keys()):
        yield key, catalog.transceivers[key].link_layers, catalog.transceivers[key].sources[0]
