"""`exports/ibnetdiscover.txt`: an InfiniBand fabric as `ibnetdiscover` would print it, for ibsim and diagnosis tools.

GUIDs are the design's placeholders; LIDs are 0 because the subnet manager gives them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabric.addressing.ordinals import natural
from fabric.addressing.port_numbers import PortNumbers
from fabric.catalog.load import Catalog
from fabric.errors import InputError
from fabric.model.design import Design
from fabric.model.topology import Device, Link, Port

SPEED_WORDS = {25: "EDR", 50: "HDR", 100: "NDR", 200: "XDR"}
"""InfiniBand's word for the rate of one lane [Gb/s]. Source: ibta-vol1."""

NO_ID = "vendid=0x0\ndevid=0x0\n"
"""A device tells its own ids when it is discovered; a plan has none."""


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a link: the record's id, its port number and its description."""

    node: str
    port: int
    words: str
    guid: int

    @property
    def is_switch(self) -> bool:
        return self.node.startswith("S-")


@dataclass(frozen=True, slots=True)
class _Wire:
    """A link as one of its ends sees it; `speed` is `4xNDR` for 400 Gb/s on lanes of 100."""

    own: _End
    far: _End
    speed: str


def is_discoverable(design: Design) -> bool:
    """Whether a design has a subnet: InfiniBand, and a GUID for every device."""
    rows = design.settings.devices if design.settings is not None else ()
    is_infiniband = design.request is not None and design.request.fabric.link_layer == "infiniband"
    return is_infiniband and bool(rows) and all(row.guid for row in rows)


def ibnetdiscover(design: Design, catalog: Catalog) -> Iterator[str]:
    """The text record by record, switches first.

    A node has one channel adapter per link, with a GUID of its own below the node's: adapters of one node share its
    system GUID.
    """
    rows = design.settings.devices if design.settings is not None else ()
    network = _Network(design, catalog, {row.device: int(row.guid or "0", 16) for row in rows})
    for number, record in enumerate(network.records()):
        yield f"\n{record}" if number else record


class _Network:
    """All ends of all links, joined to the records that they belong to."""

    def __init__(self, design: Design, catalog: Catalog, guids: Mapping[str, int]) -> None:
        self._design = design
        self._guids = guids
        self._ports = PortNumbers(design.topology, catalog)
        self._wires: dict[str, list[_Wire]] = {}
        adapters: dict[str, int] = {}
        for link in sorted(design.topology.links, key=lambda link: (natural(link.a.device), natural(link.a.port))):
            a, b = self._end(link.a, link, adapters), self._end(link.b, link, adapters)
            speed = self._speed(link)
            self._wires.setdefault(a.node, []).append(_Wire(a, b, speed))
            self._wires.setdefault(b.node, []).append(_Wire(b, a, speed))

    def records(self) -> Iterator[str]:
        """Switches, then channel adapters, each in the order of their devices."""
        for device in self._design.topology.devices:
            if device.is_switch:
                yield self._switch(device)
        for wires in self._wires.values():
            if not wires[0].own.is_switch:
                yield _adapter(wires[0])

    def _end(self, port: Port, link: Link, adapters: dict[str, int]) -> _End:
        device = self._design.topology.device[port.device]
        guid = self._guids[device.name]
        if device.is_switch:
            return _End(f"S-{guid:016x}", self._ports.of(port, link), device.name, guid)
        own = adapters[device.name] = adapters.get(device.name, 0) + 1
        return _End(f"H-{guid + own:016x}", 1, f"{device.name} {port.port}", guid + own)

    def _speed(self, link: Link) -> str:
        """Lanes and speed word of a link, after its switch end."""
        part = self._ports.part(self._design.topology.device[link.b.device])
        lane_gbps = part.port_lane_gbps(link.rate_gbps) or 0
        if lane_gbps not in SPEED_WORDS:
            raise InputError(f"{link.name}: no InfiniBand word for {link.rate_gbps} Gb/s on this switch")
        return f"{link.rate_gbps // lane_gbps}x{SPEED_WORDS[lane_gbps]}"

    def _switch(self, device: Device) -> str:
        guid = self._guids[device.name]
        lines = [
            f"{NO_ID}sysimgguid=0x{guid:x}\nswitchguid=0x{guid:x}({guid:x})\n",
            f'Switch\t{self._ports.count(device)} "S-{guid:016x}"\t\t# "{device.name}" enhanced port 0 lid 0 lmc 0\n',
        ]
        for wire in sorted(self._wires.get(f"S-{guid:016x}", []), key=lambda wire: wire.own.port):
            far = wire.far
            guid_words = "" if far.is_switch else f"({far.guid:x})"
            lines.append(
                f'[{wire.own.port}]\t"{far.node}"[{far.port}]{guid_words}\t\t# "{far.words}" lid 0 {wire.speed}\n'
            )
        return "".join(lines)


def _adapter(wire: _Wire) -> str:
    own, far = wire.own, wire.far
    return (
        f"{NO_ID}sysimgguid=0x{own.guid & ~0xFF:x}\ncaguid=0x{own.guid:x}\n"
        f'Ca\t1 "{own.node}"\t\t# "{own.words}"\n'
        f'[1]({own.guid:x}) \t"{far.node}"[{far.port}]\t\t# lid 0 lmc 0 "{far.words}" lid 0 {wire.speed}\n'
    )
