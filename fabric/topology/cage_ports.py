"""Ports of a switch whose cages all run one rate."""

from __future__ import annotations

from sys import intern

from fabric.catalog.parts import Switch
from fabric.model.topology import Port
from fabric.nos.port_names import nos_of, port_name


class CagePorts:
    """Ports numbered from 0 through the cages of a model.

    Labels of cages and names of ports are one text each for all switches: texts of their own would outweigh the links.
    """

    def __init__(self, switch: Switch, rate_gbps: int) -> None:
        self.per_cage = switch.ports_per_cage(rate_gbps)
        self._nos, self._lanes = nos_of(switch.link_layer), switch.cages.lanes

    def at(self, device: str, index: int) -> Port:
        """Port `index` of a device."""
        cage, slot = divmod(index, self.per_cage)
        return Port(device, intern(str(cage + 1)), port_name(self._nos, cage + 1, slot, self.per_cage, self._lanes))
