"""From a design to one device-neutral view per switch: every decision a configuration needs, and no text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import ArtifactError, Fault
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.settings import DeviceAddress, LinkAddress, LosslessPort, Settings
from fabric.model.switch_view import PeerView, PortView, PrefixView, SwitchView
from fabric.model.topology import TIERS, Device, Link, Port, Topology
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

    def ends(self, device: str) -> dict[str, _End]:
        """Ends of links on a device, by port."""
        ends: dict[str, _End] = {}
        for link in self._links.get(device, ()):
            row = self._addresses.get(link.name)
            a_ip, b_ip = (row.a_ip, row.b_ip) if row else (None, None)
            a, b = link.a, link.b
            if a.device == device:
                ends[a.port] = _End(a, b, link.rate_gbps, a_ip, b_ip)
            if b.device == device:
                ends[b.port] = _End(b, a, link.rate_gbps, b_ip, a_ip)
        return ends

    @cached_property
    def numbers(self) -> Mapping[str, DeviceAddress]:
        """Numbers by device."""
        return {row.device: row for row in self.settings.devices}

    def lossless(self, device: str) -> dict[str, LosslessPort]:
        """Lossless settings of a device by port."""
        return {row.port: row for row in self._lossless.get(device, ())}

    @cached_property
    def _links(self) -> Mapping[str, list[Link]]:
        """Links by device."""
        links: dict[str, list[Link]] = {}
        for link in self.topology.links:
            for device in {link.a.device, link.b.device}:
                links.setdefault(device, []).append(link)
        return links

    @cached_property
    def _addresses(self) -> Mapping[str, LinkAddress]:
        """Addresses by link."""
        return {row.link: row for row in self.settings.links}

    @cached_property
    def _lossless(self) -> Mapping[str, list[LosslessPort]]:
        """Lossless settings by device."""
        rows: dict[str, list[LosslessPort]] = {}
        for row in self.settings.lossless:
            rows.setdefault(row.device, []).append(row)
        return rows

    def asn(self, device: str) -> int | None:
        """Autonomous system of a device."""
        row = self.numbers.get(device)
        return row.asn if row else None


class Views:
    """One view per switch of a design, in the topology's order; each is made when it is asked for.

    Switches without a catalog part, and designs without request or settings, as a proposal may be, give none: their
    ports and priorities are not known.

    Raises:
        ArtifactError: a name that no configuration may hold, a part that the catalog or a port that the part lacks.
    """

    def __init__(self, design: Design, catalog: Catalog) -> None:
        self._catalog = catalog
        self._request = design.request
        self._index = _Index(design.topology, design.settings or Settings())
        self.of = lru_cache(maxsize=1)(self._view)
        is_known = design.request is not None and design.settings is not None
        faults = [*_unfit_names(design.topology), *_unknown_parts(design.topology, catalog)] if is_known else []
        if faults:
            raise ArtifactError(*faults)
        devices = design.topology.devices if is_known else ()
        self._names = tuple(device.name for device in devices if device.is_switch and device.part is not None)

    def __iter__(self) -> Iterator[SwitchView]:
        """All of them."""
        return map(self.of, self._names)

    def _view(self, name: str) -> SwitchView:
        device = self._index.topology.device[name]
        if self._request is None:
            raise LookupError(f"{name} has no view without a request")
        return _view(device, self._catalog.switches[device.part or ""], self._request, self._catalog, self._index)


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
    rows, ends = index.lossless(device.name), index.ends(device.name)
    chip = catalog.chips.get(part.figure("chip") or "")
    ports = tuple(
        _used_port(port, end, rows.get(port.name), index) if end else port
        for port, end in _ports(device, part, system, ends)
    )
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
        ecmp_paths=_ecmp_paths(device, [index.topology.device[end.peer.device] for end in ends.values()]),
        ports=ports,
        routes=(
            PrefixView(request.addressing.loopbacks, 32),
            PrefixView(request.addressing.hosts, 31),
        ),
        lossless=lossless_view(tuple(rows.values()), len(ports), part, chip, request.qos, system),
    )


def _ecmp_paths(device: Device, far: Sequence[Device]) -> int:
    """Most equally short paths to one far device: all links up or sideways, or the links down to one switch."""
    peers = [peer for peer in far if peer.is_switch]
    below = Counter(peer.name for peer in peers if TIERS[peer.role] < TIERS[device.role])
    return max([1, len(peers) - below.total(), *below.values()])


def _ports(
    device: Device, part: Switch, system: Nos, ends: Mapping[str, _End]
) -> Iterator[tuple[PortView, _End | None]]:
    """Every port of the faceplate with its link; a cage without one has the split of the part's fastest rate."""
    left = dict(ends)
    rates = {end.own.cage: end.rate_gbps for end in ends.values()}
    fastest_gbps = max(part.ports_by_speed_gbps)
    lanes_count = part.cages.lanes
    for cage in range(1, part.cages.count + 1):
        rate_gbps = rates.get(str(cage), fastest_gbps)
        ports_count = part.ports_per_cage(rate_gbps)
        for port in _free_ports(system.name, part.figure("chip"), cage, rate_gbps, ports_count, lanes_count):
            yield port, left.pop(port.name, None)
    if left:
        raise ArtifactError(
            *(
                Fault(f"{device.name}:{name} is no {system.name} port of {part.name} at {end.rate_gbps} Gb/s")
                for name, end in sorted(left.items())
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


def _used_port(port: PortView, end: _End, row: LosslessPort | None, index: _Index) -> PortView:
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
