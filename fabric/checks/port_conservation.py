"""Every port once, and where the device's faceplate has it."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Remark, Verdict, check, error
from fabric.model.topology import Port
from fabric.nos.port_names import port_name
from fabric.nos.spec import known, load


@check("port-conservation")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error per port that two links use, or that its device has not at that rate in that cage."""
    used: dict[tuple[str, str], list[str]] = {}
    faceplates = _Faceplates(ctx.catalog)
    for link in ctx.topology.links:
        for port in (link.a, link.b):
            used.setdefault((port.device, port.port), []).append(link.name)
            device = ctx.topology.device.get(port.device)
            if device is not None and device.part is not None:
                yield from faceplates.misplaced(device.part, port, link.rate_gbps)
    for (name, label), links in used.items():
        if len(links) > 1:
            message = f"carries {len(links)} links: {', '.join(links[:4])}"
            yield error(f"{name}:{label}", message, measured=len(links), limit=1, unit="links")


class _Faceplates:
    """What each part's faceplate shows, read once per part and rate."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._of_switch: dict[tuple[str, int], dict[str, str]] = {}

    def misplaced(self, part: str, port: Port, rate_gbps: int) -> Iterator[Remark]:
        """What is wrong with the place of one port."""
        where = f"{port.device}:{port.port}"
        if part in self._catalog.systems:
            cages = {host.cage for host in self._catalog.systems[part].host_ports}
            if port.cage not in cages:
                allowed = ", ".join(sorted(cages))
                yield error(where, f"is in cage {port.cage}, which {part} has not", measured=port.cage, limit=allowed)
            return
        cage_of = self._switch(part, rate_gbps)
        cage = cage_of.get(port.port)
        if cage_of and cage is None:
            yield error(where, f"{part} has no port of this name at {rate_gbps}G", measured=port.port)
        elif cage is not None and cage != port.cage:
            message = f"is in cage {port.cage} by the table, in cage {cage} by its name"
            yield error(where, message, measured=port.cage, limit=cage)

    def _switch(self, part: str, rate_gbps: int) -> dict[str, str]:
        """Cage of every port of a switch; empty where the part or its rate is not known, which is another rule's."""
        key = (part, rate_gbps)
        if key not in self._of_switch:
            switch = self._catalog.switches.get(part)
            self._of_switch[key] = port_cages(switch, rate_gbps) if switch is not None else {}
        return self._of_switch[key]


def port_cages(switch: Switch, rate_gbps: int) -> dict[str, str]:
    """Cage label of every port that the switch has at a rate, by each name that a system of its link layer gives it."""
    per_cage, lanes = switch.ports_per_cage(rate_gbps), switch.cages.lanes
    return {
        port_name(system, cage, slot, per_cage, lanes): str(cage)
        for system in known()
        if load(system).link_layer == switch.link_layer
        for cage in range(1, switch.cages.count + 1)
        for slot in range(per_cage)
    }
