"""What a cage in use carries, from the catalog alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CageMode, Switch, System
from fabric.model.topology import Device, Link, Topology

Cage = tuple[str, str]
"""A device's name and the label of one of its cages."""


@dataclass(frozen=True, slots=True)
class CageKind:
    """Everything about a cage in use that decides what fits; `ports` is what it can run at `rate_gbps`.

    `keys` are the catalog keys by which a part may name this end as qualified: the device's and its adapter's.
    """

    side: Literal["switch", "node"]
    part: str
    form_factor: str
    top: str | None
    rate_gbps: int
    lane_gbps: int
    ports: int
    max_power_w: float | None = None
    co_packaged: bool = False
    keys: tuple[str, ...] = ()


def place(cage: Cage) -> str:
    """A cage as findings name it."""
    return f"{cage[0]}:{cage[1]}"


def links_by_cage(topology: Topology) -> dict[Cage, tuple[Link, ...]]:
    """Links that end in each cage."""
    found: dict[Cage, list[Link]] = {}
    for link in topology.links:
        for port in (link.a, link.b):
            found.setdefault((port.device, port.cage), []).append(link)
    return {cage: tuple(links) for cage, links in found.items()}


def modes(system: System, rate_gbps: int, link_layer: str | None) -> Iterator[CageMode]:
    """Ways in which a system's cage runs ports of a rate on a link layer (None: on any)."""
    for mode in system.cage_modes:
        if mode.rate_gbps == rate_gbps and (link_layer is None or link_layer in mode.link_layers):
            yield mode


def cage_kinds(
    topology: Topology, cages: Mapping[Cage, tuple[Link, ...]], catalog: Catalog, link_layer: str | None
) -> dict[Cage, CageKind]:
    """Kind of every cage in use whose device's part is known and runs its rate; equal cages share one record."""
    known: dict[tuple[str, str, int, int], CageKind | None] = {}
    kinds: dict[Cage, CageKind] = {}
    for cage, links in cages.items():
        device = topology.device.get(cage[0])
        if device is None or device.part is None:
            continue
        key = (device.part, _label_that_matters(device, cage[1], catalog), links[0].rate_gbps, len(links))
        if key not in known:
            known[key] = _kind(device.part, cage[1], key[2:], catalog, link_layer)
        kind = known[key]
        if kind is not None:
            kinds[cage] = kind
    return kinds


def _label_that_matters(device: Device, label: str, catalog: Catalog) -> str:
    """The label where the switch allows this cage a power of its own, else nothing."""
    switch = catalog.switches.get(device.part or "")
    return label if switch is not None and label.isdigit() and int(label) in switch.cages.high_power else ""


def _kind(part: str, label: str, load: tuple[int, int], catalog: Catalog, link_layer: str | None) -> CageKind | None:
    """Kind of one cage under a load of (rate [Gb/s], links)."""
    if part in catalog.switches:
        return _switch_kind(part, catalog.switches[part], label, load[0])
    return _node_kind(part, catalog.systems[part], load, link_layer) if part in catalog.systems else None


def _switch_kind(part: str, switch: Switch, label: str, rate_gbps: int) -> CageKind | None:
    lane_gbps = switch.port_lane_gbps(rate_gbps)
    if lane_gbps is None:
        return None
    cages = switch.cages
    top = cages.top or (str(switch.planning["cages.top"].value) if "cages.top" in switch.planning else None)
    high_w = cages.high_power.get(int(label)) if label.isdigit() else None
    return CageKind(
        side="switch",
        part=part,
        form_factor=cages.form_factor,
        top=top,
        rate_gbps=rate_gbps,
        lane_gbps=lane_gbps,
        ports=switch.ports_per_cage(rate_gbps),
        max_power_w=cages.max_power_w if high_w is None else high_w,
        co_packaged=switch.co_packaged,
        keys=(part,),
    )


def _node_kind(part: str, system: System, load: tuple[int, int], link_layer: str | None) -> CageKind | None:
    """The cage in the mode with the fewest ports that holds the load, else in the one with the most."""
    rate_gbps, links = load
    options = sorted(modes(system, rate_gbps, link_layer), key=lambda mode: mode.ports)
    if not options:
        return None
    mode = next((mode for mode in options if mode.ports >= links), options[-1])
    return CageKind(
        side="node",
        part=part,
        form_factor=system.cage_form_factor,
        top=system.figure("cage_top"),
        rate_gbps=rate_gbps,
        lane_gbps=mode.lane_gbps,
        ports=mode.ports,
        keys=(part, system.nic) if system.nic else (part,),
    )
