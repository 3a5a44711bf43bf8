"""Which port of its cage a link plugs into: a twin-port module has two sockets, and the sheet must say which."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.errors import InputError
from fabric.model.design import Design
from fabric.model.topology import NODE_KINDS, Link, Port
from fabric.nos.port_names import cage_and_slot, nos_of
from fabric.render.hca_mapping import host_port, socket


class CagePlaces:
    """Numbers of ports in their cages, from 1."""

    def __init__(self, design: Design, catalog: Catalog) -> None:
        self._device = design.topology.device
        self._catalog = catalog

    def __call__(self, link: Link, port: Port) -> int | None:
        """That of the port at one end of a link; None where the part has no map, or the port is none of it."""
        device = self._device[port.device]
        switch = self._catalog.switches.get(device.part or "")
        if switch is None:
            system = self._catalog.systems.get(device.part or "") if device.role == "node" else None
            is_host = system is not None and port is link.a and link.kind in NODE_KINDS
            return socket(link, host_port(link, system.host_ports)) if system is not None and is_host else None
        ports = switch.ports_per_cage(link.rate_gbps)
        try:
            return cage_and_slot(nos_of(switch.link_layer), port.port, ports, switch.cages.lanes)[1] + 1
        except InputError:
            return None
