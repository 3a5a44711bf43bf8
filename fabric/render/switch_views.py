"""From a design to one device-neutral view per switch: every decision a configuration needs, and no text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import ArtifactError, Fault
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.settings import DeviceAddress, LosslessPort, Settings
from fabric.model.switch_view import PeerView, PortView, PrefixView, SwitchView
from fabric.model.topology import TIERS, Device, Port, Topology
from fabric.nos.port_names import nos_of, port_alias, port_name
from fabric.nos.spec import Nos, load
from fabric.render.lossless_view import lossless_view, port_profiles
from fabric.units import gbps_to_mbps

_DEVICE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PORT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,127}")


@dataclass(frozen=True, slots=True)
class _End:
    """One link as a switch sees it: its own port, the far one, rate [Gb/s] and both addresses."""

    own: Port
    peer: Port
    rate_gbps: int
    ip: str | None
    peer_ip: str | None


@dataclass(frozen=True)
class _Index:
    """What the views look up, built once per design."""

    topology: Topology
    settings: Settings

    @cached_property
    def ends(self) -> Mapping[str, dict[str, _End]]:
        """Ends of links by device and port."""
        rows = {row.link: row for row in self.settings.links}
        ends: dict[str, dict[str, _End]] = {}
        for link in self.topology.links:
            row = rows.get(link.name)
            a_ip, b_ip = (row.a_ip, row.b_ip) if row else (None, None)
            a, b = link.a, link.b
            ends.setdefault(a.device, {})[a.port] = _End(a, b, link.rate_gbps, a_ip, b_ip)
            ends.setdefault(b.device, {})[b.port] = _End(b, a, link.rate_gbps, b_ip, a_ip)
        return ends

    @cached_property
    def numbers(self) -> Mapping[str, DeviceAddress]:
        """Numbers by device."""
        return {row.device: row for row in self.settings.devices}

    @cached_property
    def lossless(self) -> Mapping[str, dict[str, LosslessPort]]:
        """Lossless settings by device and port."""
        rows: dict[str, dict[str, LosslessPort]] = {}
        for row in self.settings.lossless:
            rows.setdefault(row.device, {})[row.port] = row
        return rows

    def asn(self, device: str) -> int | None:
        """Autonomous system of a device."""
        row = self.numbers.get(device)
        return row.asn if row else None


def views(design: Design, catalog: Catalog) -> tuple[SwitchView, ...]:
    """One view per switch of a design, in the topology's order.

    Switches without a catalog part, and designs without request or settings, as a proposal may be, give none: their
    ports and priorities are not known.

    Raises:
        ArtifactError: a name that no configuration may hold, a part that the catalog or a port that the part lacks.
    """
    request, settings = design.request, design.settings
    if request is None or settings is None:
        return ()
    faults = [*_unfit_names(design.topology), *_unknown_parts(design.topology, catalog)]
    if faults:
        raise ArtifactError(*faults)
    index = _Index(design.topology, settings)
    return tuple(
        _view(device, catalog.switches[device.part], request, catalog, index)
        for device in design.topology.devices
        if device.is_switch and device.part is not None
    )


def _unfit_names(topology: Topology) -> Iterator[Fault]:
    """Names that could break out of a path or a configuration line."""
    for device in topology.devices:
        if not _DEVICE_NAME.fullmatch(device.name):
            message = f"{device.name!r} cannot stand in a configuration: letters, digits, . _ - only"
            yield Fault(message, "devices.csv", key="name")
    for link in topology.links:
        for key, end in (("a_port", link.a), ("b_port", link.b)):
            if not _PORT_NAME.fullmatch(end.port):
                message = f"{end.port!r} cannot stand in a configuration: letters, digits, . _ / - only"
                yield Fault(message, "links.csv", key=key)


def _unknown_parts(topology: Topology, catalog: Catalog) -> Iterator[Fault]:
    """Switches whose part the catalog does not have."""
    for device in topology.devices:
        if device.is_switch and device.part is not None and device.part not in catalog.switches:
            message = f"{device.name} is a {device.part!r}; the catalog has no such switch"
            yield Fault(message, "devices.csv", key="part")


def _view(device: Device, part: Switch, request: Request, catalog: Catalog, index: _Index) -> SwitchView:
    system = load(nos_of(part.link_layer))
    number = index.numbers.get(device.name)
    rows = tuple(index.lossless.get(device.name, {}).values())
    chip = catalog.chips.get(part.figure("chip") or "")
    ports = tuple(_ports(device, part, system, index))
    return SwitchView(
        name=device.name,
        role=device.role,
        part=device.part or part.name,
        nos=system.name,
        type=system.words.get(device.role, ""),
        fec=system.words.get("fec", ""),
        mtu_bytes=request.qos.mtu,
        asn=number.asn if number else None,
        loopback=number.loopback if number else None,
        ecmp_paths=_ecmp_paths(device, index),
        ports=ports,
        routes=(
            PrefixView(request.addressing.loopbacks, 32),
            PrefixView(request.addressing.hosts, 31),
        ),
        lossless=lossless_view(rows, len(ports), part, chip, request.qos, system),
    )


def _ecmp_paths(device: Device, index: _Index) -> int:
    """Most equally short paths to one far device: all links up or sideways, or the links down to one switch."""
    switches = (index.topology.device[end.peer.device] for end in index.ends.get(device.name, {}).values())
    peers = [peer for peer in switches if peer.is_switch]
    below = Counter(peer.name for peer in peers if TIERS[peer.role] < TIERS[device.role])
    return max([1, len(peers) - below.total(), *below.values()])


def _ports(device: Device, part: Switch, system: Nos, index: _Index) -> Iterator[PortView]:
    """Every port of the faceplate; a cage without a link has the split of the part's fastest rate."""
    ends = dict(index.ends.get(device.name, {}))
    rates = {end.own.cage: end.rate_gbps for end in ends.values()}
    fastest_gbps = max(part.ports_by_speed_gbps)
    lanes_count = part.cages.lanes
    for cage in range(1, part.cages.count + 1):
        rate_gbps = rates.get(str(cage), fastest_gbps)
        ports_count = part.ports_per_cage(rate_gbps)
        for port in _free_ports(system.name, part.figure("chip"), cage, rate_gbps, ports_count, lanes_count):
            end = ends.pop(port.name, None)
            yield _used_port(port, end, index) if end else port
    if ends:
        raise ArtifactError(
            *(
                Fault(f"{device.name}:{name} is no {system.name} port of {part.name} at {end.rate_gbps} Gb/s")
                for name, end in sorted(ends.items())
            )
        )


@cache
def _free_ports(
    nos: str, chip: str | None, cage: int, rate_gbps: int, ports_count: int, lanes_count: int
) -> tuple[PortView, ...]:
    """Ports of one cage without links; switches of one part share them."""
    first_lane = load(nos).platform(chip).first_lane
    width = lanes_count // max(1, ports_count)
    ports = []
    for slot in range(ports_count):
        first = first_lane + (cage - 1) * lanes_count + slot * lanes_count // ports_count
        ports.append(
            PortView(
                name=port_name(nos, cage, slot, ports_count, lanes_count),
                alias=port_alias(nos, cage, slot, ports_count, lanes_count),
                index=cage,
                subport=slot + 1 if ports_count > 1 else 0,
                lanes=",".join(str(lane) for lane in range(first, first + width)),
                speed_mbps=gbps_to_mbps(rate_gbps),
            )
        )
    return tuple(ports)


def _used_port(port: PortView, end: _End, index: _Index) -> PortView:
    row = index.lossless.get(end.own.device, {}).get(end.own.port)
    profiles = port_profiles(row) if row else None
    peer_ip = end.peer_ip.partition("/")[0] if end.peer_ip else None
    return replace(
        port,
        peer=PeerView(end.peer.device, end.peer.port, peer_ip, index.asn(end.peer.device)),
        ip=end.ip,
        cable_m=profiles.cable_m if profiles else None,
        headroom_profile=profiles.headroom if profiles else None,
        ecn_profile=profiles.ecn if profiles else None,
    )
