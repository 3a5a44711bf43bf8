"""`cabling/free_ports.csv`: which switch ports no link uses, for what comes later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fabric.addressing.ordinals import natural
from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.model.design import Design
from fabric.model.topology import Device, Link
from fabric.nos.port_names import nos_of, port_name


@dataclass(frozen=True, slots=True)
class FreePort:
    """A port of a switch without a link: at the rate of its cage, or the part's fastest where the cage is empty."""

    device: str
    role: str
    rack: str | None
    u: int | None
    cage: str
    port: str
    rate_gbps: int
    cage_is_empty: bool
    fabric: str


def free_ports(design: Design, catalog: Catalog, only: str | None = None) -> Iterator[FreePort]:
    """Those of every switch of the catalog, or of one of them, switch by switch in the order of the faceplate.

    Never more than its limit on logical ports leaves.
    """
    used: dict[str, list[Link]] = {}
    for link in design.topology.links:
        for end in (link.a, link.b):
            used.setdefault(end.device, []).append(link)
    for device in sorted(design.topology.devices, key=lambda each: natural(each.name)):
        is_asked = device.is_switch and only in (None, device.name)
        part = catalog.switches.get(device.part or "") if is_asked else None
        if part is not None:
            links = used.get(device.name, [])
            most = None if part.max_logical_ports is None else max(0, part.max_logical_ports - len(links))
            yield from islice(_of_switch(device, part, links, design), most)


def _of_switch(device: Device, part: Switch, links: list[Link], design: Design) -> Iterator[FreePort]:
    ends = [(link.a if link.a.device == device.name else link.b, link.rate_gbps) for link in links]
    taken, rates = {end.port for end, _ in ends}, {end.cage: rate_gbps for end, rate_gbps in ends}
    position = design.placement.of.get(device.name) if design.placement is not None else None
    nos, fastest_gbps = nos_of(part.link_layer), max(part.ports_by_speed_gbps)
    for cage in range(1, part.cages.count + 1):
        rate_gbps = rates.get(str(cage), fastest_gbps)
        for slot in range(part.ports_per_cage(rate_gbps)):
            port = port_name(nos, cage, slot, part.ports_per_cage(rate_gbps), part.cages.lanes)
            if port not in taken:
                yield FreePort(
                    device=device.name,
                    role=device.role,
                    rack=position.rack if position else None,
                    u=position.u if position else None,
                    cage=str(cage),
                    port=port,
                    rate_gbps=rate_gbps,
                    cage_is_empty=str(cage) not in rates,
                    fabric=device.fabric,
                )
