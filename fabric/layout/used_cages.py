"""The cages that links end in, as arrays: what each must carry, and which two of them each link joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError
from fabric.layout.cage import PORTS_OF_ONE_SPLITTER, Cage, EndSpec, end_spec, lanes_of
from fabric.layout.ladder import Whole
from fabric.layout.rows import distinct_rows
from fabric.model.topology import Link, Port, Topology
from fabric.nos.port_names import cage_and_slot, nos_of


@dataclass(frozen=True, slots=True)
class UsedCages:
    """Cages by number, in order of their devices and labels: cage 2 before cage 10, OSFP2 before OSFP10.

    Attributes:
        devices: names of all devices; `device` (cages,) is that of each cage by number.
        labels: labels of cages; `label` (cages,) is that of each cage by number.
        specs: every kind of cage; `spec` (cages,) is that of each cage by number.
        ends: (links, 2) cages of each link.
        slot: (links,) place of each link's port in the switch cage below which its node hangs, from 0. It decides which
            ports can share a splitter fibre, so it is 0 wherever that is no question: between switches, and in cages of
            at most two ports.
    """

    devices: tuple[str, ...]
    labels: tuple[str, ...]
    specs: tuple[EndSpec, ...]
    device: Whole
    label: Whole
    spec: Whole
    ends: Whole
    slot: Whole

    def cage(self, number: int) -> Cage:
        """Device and label of a cage."""
        return self.devices[self.device[number]], self.labels[self.label[number]]

    def specs_of(self, link: int) -> tuple[EndSpec, EndSpec]:
        """What the two cages of a link must carry."""
        a, b = self.spec[self.ends[link]].tolist()
        return self.specs[a], self.specs[b]


@dataclass(frozen=True, slots=True)
class _Use:
    """Rate [Gb/s] and number of the links of each cage, both (cages,)."""

    rate_gbps: Whole
    links: Whole


def used_cages(topology: Topology, catalog: Catalog, link_layer: str) -> UsedCages:
    """The cages that links of `topology` end in.

    Raises:
        InfeasibleError: when a device has no such port, or when the links of one cage differ in rate.
    """
    ports = [port for link in topology.links for port in (link.a, link.b)]
    devices = tuple(sorted(topology.device))
    labels = tuple(sorted({port.cage for port in ports}, key=lambda label: (len(label), label)))
    code = _numbers([port.device for port in ports], devices)
    code *= len(labels)
    code += _numbers([port.cage for port in ports], labels)
    used, first, at, links = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
    rate_gbps = np.repeat(np.array([link.rate_gbps for link in topology.links], dtype=np.int64), 2)
    use = _Use(rate_gbps[first], links)
    _refuse_mixed(ports, rate_gbps, use.rate_gbps[at])
    device, label = np.divmod(used, max(len(labels), 1))
    owners = [topology.device[name] for name in devices]
    alike = _alike([owner.part or "" for owner in owners], labels, (device, label), use, catalog)
    specs, spec_of = [], np.zeros(int(alike.max(initial=-1)) + 1, dtype=np.int64)
    for number, cage in _first_used(alike, first):
        load = int(use.rate_gbps[cage]), int(use.links[cage])
        specs.append(end_spec(owners[device[cage]], labels[label[cage]], load, catalog, link_layer))
        spec_of[number] = specs.index(specs[-1])
    ends = at.reshape(-1, 2)
    spec = spec_of[alike]
    slot = _slots(topology.links, specs, spec[ends], link_layer)
    return UsedCages(devices, labels, tuple(specs), device, label, spec, ends, slot)


def _numbers(names: Sequence[str], every: Sequence[str]) -> Whole:
    """(names,) places among all."""
    number = {name: place for place, name in enumerate(every)}
    return np.fromiter((number[name] for name in names), dtype=np.int64, count=len(names))


def _refuse_mixed(ports: Sequence[Port], rate_gbps: Whole, first_gbps: Whole) -> None:
    """Refuse a port whose cage was used first at another rate."""
    for port in np.flatnonzero(rate_gbps != first_gbps)[:1].tolist():
        both = f"{first_gbps[port]}G and {rate_gbps[port]}G"
        raise InfeasibleError(f"{ports[port].device}:{ports[port].cage}: one cage cannot run {both} at once")


def _alike(
    parts: Sequence[str], labels: Sequence[str], cages: tuple[Whole, Whole], use: _Use, catalog: Catalog
) -> Whole:
    """(cages,) a number shared by cages that run alike on one part, from that of each device.

    A switch that allows single cages a power of their own has those by label.
    """
    device, label = cages
    every = sorted(set(parts))
    part = _numbers(parts, every)[device]
    powered = np.zeros_like(label)
    for number, key in enumerate(every):
        high = [place for place, name in enumerate(labels) if _is_powered(key, name, catalog)]
        if high:
            powered += np.where((part == number) & np.isin(label, high), label + 1, 0)
    return distinct_rows(np.stack([part, powered, use.rate_gbps, use.links]).T)[1]


def _first_used(alike: Whole, first: Whole) -> list[tuple[int, int]]:
    """Every number in `alike` (cages,) with its first cage, in the order of the links, from the first port of each."""
    order = np.argsort(first)
    numbers, place = np.unique(alike[order], return_index=True)
    return sorted(zip(numbers.tolist(), order[place].tolist(), strict=True), key=lambda each: int(first[each[1]]))


def _is_powered(part: str, label: str, catalog: Catalog) -> bool:
    """Whether a switch allows this cage a power of its own."""
    switch = catalog.switches.get(part)
    return switch is not None and label.isdigit() and int(label) in switch.cages.high_power


def _slots(links: Sequence[Link], specs: Sequence[EndSpec], ends: Whole, link_layer: str) -> Whole:
    """Slot of each link, given the kinds of its two cages (links, 2)."""
    slot = np.zeros(len(links), dtype=np.int64)
    is_node = np.array([spec.role == "node" for spec in specs], dtype=np.bool_)
    may_split = np.array(
        [spec.role == "switch" and spec.ports > PORTS_OF_ONE_SPLITTER for spec in specs], dtype=np.bool_
    )
    nos = nos_of(link_layer)
    for link in np.flatnonzero(is_node[ends[:, 0]] & may_split[ends[:, 1]]).tolist():
        switch = specs[ends[link, 1]]
        _, slot[link] = cage_and_slot(nos, links[link].b.port, switch.ports, lanes_of(switch))
    return slot
