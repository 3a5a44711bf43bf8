"""`cabling/hca_mapping.csv`: which accelerator and network adapter stand behind every node port."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabric.addressing.ordinals import natural
from fabric.catalog.load import Catalog
from fabric.catalog.parts import HostPort
from fabric.model.design import Design
from fabric.model.topology import NODE_KINDS, Link

CONFIRM = "confirm on site"
"""Stands where nobody published the map: a blank would look like "none", a guess like a fact."""


@dataclass(frozen=True, slots=True)
class HcaPort:
    """One node port: its cage, what stands behind it, the leaf or router port it is cabled to, its address, if any."""

    node: str
    port: str
    cage: str
    port_in_cage: int
    nic: str
    rdma_device: str
    accelerator: str
    rail: int | None
    plane: int | None
    leaf: str
    leaf_port: str
    ip: str | None
    link: str
    fabric: str


def hca_mapping(design: Design, catalog: Catalog) -> Iterator[HcaPort]:
    """Every link of a node, node by node, in the order of its ports."""
    host_ports = {
        device.name: catalog.systems[device.part].host_ports
        for device in design.topology.with_role("node")
        if device.part is not None and device.part in catalog.systems
    }
    links = [link for link in design.topology.of_kind(*NODE_KINDS) if link.a.device in host_ports]
    links.sort(key=lambda link: (natural(link.a.device), natural(link.a.port)))
    address = {row.link: row.a_ip for row in design.settings.links} if design.settings is not None else {}
    return (_row(link, host_port(link, host_ports[link.a.device]), address.get(link.name)) for link in links)


def socket(link: Link, host: HostPort | None) -> int:
    """Number of the port of a link in its node's cage, from 1.

    Planes of one rail share the cage of its single host port: each is a port of its own there.
    """
    return (host.port_in_cage if host else 1) + (link.plane or 0)


def host_port(link: Link, host_ports: Sequence[HostPort]) -> HostPort | None:
    """The host port of a link: the one in its cage, by rail where a cage has several."""
    in_cage = [port for port in host_ports if port.cage == link.a.cage]
    of_rail = [port for port in in_cage if port.rail == link.rail]
    found = of_rail or in_cage
    return found[0] if len(found) == 1 else None


def _row(link: Link, host: HostPort | None, ip: str | None) -> HcaPort:
    return HcaPort(
        node=link.a.device,
        port=link.a.port,
        cage=link.a.cage,
        port_in_cage=socket(link, host),
        nic=_known(host.nic if host else None),
        rdma_device=_known(host.rdma_device if host else None),
        accelerator=_known(host.accelerator if host else None),
        rail=link.rail,
        plane=link.plane,
        leaf=link.b.device,
        leaf_port=link.b.port,
        ip=ip,
        link=link.name,
        fabric=link.fabric,
    )


def _known(value: str | int | None) -> str:
    return CONFIRM if value is None else str(value)
