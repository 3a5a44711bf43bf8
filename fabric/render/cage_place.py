"""Which port of its cage a link plugs into: a twin-port module has two sockets, and the sheet must say which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabric.catalog.load import Catalog
from fabric.errors import InputError
from fabric.model.design import Design
from fabric.model.topology import Port
from fabric.nos.port_names import cage_and_slot, nos_of
from fabric.render.hca_mapping import hca_mapping


def port_in_cage(design: Design, catalog: Catalog) -> Mapping[tuple[str, str], int]:
    """Number of each port in its cage, from 1, by device and port; ports of parts without a map are left out."""
    nodes = {(row.node, row.port): row.port_in_cage for row in hca_mapping(design, catalog)}
    return nodes | dict(_switch_ports(design, catalog))


def _switch_ports(design: Design, catalog: Catalog) -> Iterator[tuple[tuple[str, str], int]]:
    for link in design.topology.links:
        for port in (link.a, link.b):
            place = _slot(port, link.rate_gbps, design, catalog)
            if place is not None:
                yield (port.device, port.port), place


def _slot(port: Port, rate_gbps: int, design: Design, catalog: Catalog) -> int | None:
    """Place from 1; None where the port is none of a switch of the catalog, which the judge reports."""
    switch = catalog.switches.get(design.topology.device[port.device].part or "")
    if switch is None:
        return None
    ports = switch.ports_per_cage(rate_gbps)
    try:
        return cage_and_slot(nos_of(switch.link_layer), port.port, ports, switch.cages.lanes)[1] + 1
    except InputError:
        return None
