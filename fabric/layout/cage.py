"""Cages as the cable sees them: what fits into the hole at each end of a link, and what it must carry there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch, System
from fabric.errors import InfeasibleError
from fabric.model.topology import Device, Port
from fabric.nos.port_names import nos_of, port_name

Cage = tuple[str, str]
"""A device's name and the label of one of its cages."""

PORTS_OF_ONE_SPLITTER = 2
"""Ports that share a splitter fibre in a cage of no more, whatever their slots."""


@dataclass(frozen=True, slots=True)
class EndSpec:
    """One kind of cage in one use: everything that decides which parts fit into it.

    `ports` is the number of ports that the cage runs at `rate_gbps`, used or not. `keys` are the catalog keys by
    which a part may name this end as qualified: the device's own and that of its adapter. A co-packaged end has a
    fibre connector in place of a cage. `power_included` says that the power of what is plugged stands in the switch's.
    """

    role: Literal["switch", "node"]
    form_factor: str
    top: str | None
    ports: int
    rate_gbps: int
    lane_gbps: int
    max_power_w: float | None = None
    co_packaged: bool = False
    power_included: bool = False
    keys: tuple[str, ...] = ()

    def behind(self, legs: int) -> EndSpec | None:
        """The cage as modules see it that run `legs` times its rate because a splitter fibre shares each port out.

        At the switch one port of the module is `legs` ports of the cage; at the node a module of that rate falls
        back to the lanes that reach it. None where the cage's ports do not group so.
        """
        if legs == 1:
            return self
        if self.co_packaged or (self.role == "switch" and self.ports % legs):
            return None
        ports = self.ports // legs if self.role == "switch" else self.ports
        return replace(self, ports=ports, rate_gbps=self.rate_gbps * legs)

    def __str__(self) -> str:
        words = (f"{self.rate_gbps}G x {self.ports}", self.form_factor, self.top, self.role)
        return " ".join(word for word in words if word)


def port_in(cage: Cage, slot: int, spec: EndSpec, link_layer: str) -> Port:
    """The port of a switch's cage at `slot`, from 0."""
    device, label = cage
    return Port(device, label, port_name(nos_of(link_layer), int(label), slot, spec.ports, lanes_of(spec)))


def lanes_of(spec: EndSpec) -> int:
    """Electrical lanes of a cage."""
    return spec.ports * spec.rate_gbps // spec.lane_gbps


def end_spec(device: Device, label: str, load: tuple[int, int], catalog: Catalog, link_layer: str) -> EndSpec:
    """The spec of one cage under a load of (rate [Gb/s], links).

    Raises:
        InfeasibleError: when the device has no such ports.
    """
    rate_gbps, links = load
    part = device.part or ""
    spec = None
    if part in catalog.switches:
        spec = switch_end(part, catalog.switches[part], label, rate_gbps)
    elif part in catalog.systems:
        spec = node_end(part, catalog.systems[part], load, link_layer)
    if spec is None or spec.ports < links:
        raise InfeasibleError(
            f"{device.name}:{label}: {part or 'a device without a part'} runs no {links} x {rate_gbps}G in one cage"
        )
    return spec


def switch_end(key: str, switch: Switch, label: str, rate_gbps: int) -> EndSpec | None:
    """The spec of a switch's cage at a rate, None where it has no such port."""
    lane_gbps = switch.port_lane_gbps(rate_gbps)
    if lane_gbps is None:
        return None
    cages = switch.cages
    high_w = cages.high_power.get(int(label)) if label.isdigit() else None
    return EndSpec(
        role="switch",
        form_factor=cages.form_factor,
        top=cages.top,
        ports=switch.ports_per_cage(rate_gbps),
        rate_gbps=rate_gbps,
        lane_gbps=lane_gbps,
        max_power_w=cages.max_power_w if high_w is None else high_w,
        co_packaged=switch.co_packaged,
        power_included=switch.counts_optics,
        keys=(key,),
    )


def node_end(key: str, system: System, load: tuple[int, int], link_layer: str) -> EndSpec | None:
    """The cage in the mode with the fewest ports that holds the load."""
    rate_gbps, links = load
    modes = [
        mode
        for mode in system.cage_modes
        if mode.rate_gbps == rate_gbps and mode.ports >= links and link_layer in mode.link_layers
    ]
    if not modes:
        return None
    mode = min(modes, key=lambda mode: mode.ports)
    return EndSpec(
        role="node",
        form_factor=system.cage_form_factor,
        top=system.figure("cage_top"),
        ports=mode.ports,
        rate_gbps=rate_gbps,
        lane_gbps=mode.lane_gbps,
        keys=(key, system.nic) if system.nic else (key,),
    )
