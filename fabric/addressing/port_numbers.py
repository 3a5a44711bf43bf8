"""Numbers of switch ports as InfiniBand counts them, from 1 over all cages as split on a switch."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.errors import InputError
from fabric.model.topology import Device, Link, Port, Topology
from fabric.nos.port_names import cage_and_slot, nos_of


class PortNumbers:
    """Numbers of the ports of all switches of an InfiniBand fabric.

    A switch counts as if all its cages were split like those that are split the most.
    """

    def __init__(self, topology: Topology, catalog: Catalog) -> None:
        """Raises `InputError` where the catalog lacks a switch."""
        self._topology = topology
        self._catalog = catalog
        self._split: dict[str, int] = {}
        for link in topology.links:
            for device in (topology.device[end.device] for end in (link.a, link.b)):
                if device.is_switch:
                    own = self.part(device).ports_per_cage(link.rate_gbps)
                    self._split[device.name] = max(own, self._split.get(device.name, 1))

    def of(self, port: Port, link: Link) -> int:
        """Number of a switch port with a link."""
        part = self.part(self._topology.device[port.device])
        split, own = self._split[port.device], part.ports_per_cage(link.rate_gbps)
        cage, slot = cage_and_slot(nos_of("infiniband"), port.port, own, part.cages.lanes)
        return (cage - 1) * split + slot * split // own + 1

    def count(self, device: Device) -> int:
        """Ports of a switch."""
        return self.part(device).cages.count * self._split.get(device.name, 1)

    def part(self, device: Device) -> Switch:
        """The catalog's record of a switch."""
        part = self._catalog.switches.get(device.part or "")
        if part is None:
            raise InputError(f"{device.name}: the catalog has no switch {device.part!r}, so its ports have no numbers")
        return part
