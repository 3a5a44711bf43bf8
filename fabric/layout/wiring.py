"""A topology as arrays, and its leaves or routers as groups that cost the same wherever they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fabric.layout.lots import Lots
from fabric.layout.rows import distinct_rows
from fabric.layout.transport import Ints
from fabric.model.topology import NODE_KINDS, Device, Topology

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Spots:
    """Places of devices: rack index and middle [U], equal shapes."""

    rack: Ints
    mid_u: Floats


@dataclass(frozen=True)
class Hangings:
    """Lots below one leaf that cost alike.

    `spots` are the places of their links' endpoints (kinds, links), `counts` (kinds,) how many lots have these.
    """

    lots: Lots
    spots: Spots
    counts: Ints


@dataclass(frozen=True)
class LeafGroup:
    """Leaves that are copies of each other: same plane, same trunks, the same lots to the same places.

    `mixes` (mixes,) is the number of its trunks of each mix, `weight` the least units that one of them has (`Trunks`).
    """

    plane: int
    weight: int
    mixes: Ints
    leaves: tuple[str, ...]
    hangings: tuple[Hangings, ...]


@dataclass(frozen=True)
class Wiring:
    """Switches by role and plane, and the ends of every link, all as positions in `devices`.

    Routers count as leaves. `ends` is (links, 2), the end nearer to the nodes first; `planes` (leaves,) numbers the
    plane of each leaf.
    """

    devices: tuple[Device, ...]
    leaves: tuple[int, ...]
    planes: tuple[int, ...]
    spines: tuple[tuple[int, ...], ...]
    ends: Ints


@dataclass(frozen=True)
class Trunks:
    """What lies between a leaf and a spine.

    Attributes:
        lots: those of trunk links.
        mixes: (mixes, lots) how many lots of each make up a trunk; every mix that occurs.
        mix: (leaves, spines) the mix between them, −1 for none; both in the order of `Wiring`, spines plane by plane.
        unit_links: links of a unit; each trunk is a whole number of units.
        weights: per leaf the units to whichever spine of its plane it has the fewest to.
    """

    lots: tuple[Lots, ...]
    mixes: Ints
    mix: Ints
    unit_links: int
    weights: Mapping[int, int]

    @property
    def mix_units(self) -> Ints:
        """(mixes,) units of a trunk of each mix."""
        links = np.array([each.links.shape[1] for each in self.lots], dtype=np.int64)
        units: Ints = self.mixes @ links // self.unit_links
        return units


def wiring(topology: Topology) -> Wiring:
    """Number the devices and links of `topology`; planes are numbered from 0 as they stand on the switches."""
    number = {device.name: i for i, device in enumerate(topology.devices)}
    planes = sorted({device.plane or 0 for device in topology.devices if device.is_switch})
    leaves = topology.with_role("leaf", "router")
    ends = (number[port.device] for link in topology.links for port in (link.a, link.b))
    return Wiring(
        devices=topology.devices,
        leaves=tuple(number[leaf.name] for leaf in leaves),
        planes=tuple(planes.index(leaf.plane or 0) for leaf in leaves),
        spines=tuple(
            tuple(number[d.name] for d in topology.with_role("spine") if (d.plane or 0) == plane) for plane in planes
        ),
        ends=np.fromiter(ends, dtype=np.int64).reshape(-1, 2),
    )


def trunks(wires: Wiring, lots: Sequence[Lots]) -> Trunks:
    """Take the trunks of a topology apart into lots."""
    sold = tuple(each for each in lots if each.kind == "leaf_spine")
    count = len(wires.devices)
    pair_of = [wires.ends[each.links[:, 0]] @ np.array([count, 1]) for each in sold]
    pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *pair_of]))
    held = np.zeros((len(pairs), len(sold)), dtype=np.int64)
    for column, pair in enumerate(pair_of):
        held[:, column] = np.bincount(np.searchsorted(pairs, pair), minlength=len(pairs))
    links = held @ np.array([each.links.shape[1] for each in sold], dtype=np.int64)
    unit_links = int(np.gcd.reduce(links)) or 1
    fewest = {}
    for leaf, plane in zip(wires.leaves, wires.planes, strict=True):
        low, high = np.searchsorted(pairs // count, [leaf, leaf + 1])
        complete = 0 < len(wires.spines[plane]) == high - low
        fewest[leaf] = int(links[low:high].min()) // unit_links if complete else 0
    first, number = distinct_rows(held)
    spines = [spine for plane in wires.spines for spine in plane]
    leaf_at, spine_at = _places(count, wires.leaves), _places(count, spines)
    mix = np.full((len(wires.leaves), len(spines)), -1, dtype=np.int64)
    mix[leaf_at[pairs // count], spine_at[pairs % count]] = number
    return Trunks(sold, held[first], mix, unit_links, fewest)


def _places(count: int, devices: Sequence[int]) -> Ints:
    """(count,) place of each device within `devices`; any number for others."""
    place = np.zeros(count, dtype=np.int64)
    place[list(devices)] = np.arange(len(devices))
    return place


def leaf_groups(wires: Wiring, lots: Sequence[Lots], trunks: Trunks, at: Spots) -> tuple[LeafGroup, ...]:
    """Group the leaves, given the places of all endpoints by device number; groups in order of their first leaf."""
    kinds, leaf, kind = _kinds(wires, lots, at)
    order = np.lexsort((kind, leaf))
    start, stop = (np.searchsorted(leaf[order], wires.leaves, side=side) for side in ("left", "right"))
    mixes = (trunks.mix[:, :, None] == np.arange(len(trunks.mixes))).sum(axis=1)
    members: dict[tuple[int, int, bytes, bytes], list[int]] = {}
    for row, (number, low, high) in enumerate(zip(wires.leaves, start, stop, strict=True)):
        below = kind[order[low:high]].tobytes()
        key = (wires.planes[row], trunks.weights[number], mixes[row].tobytes(), below)
        members.setdefault(key, []).append(number)
    return tuple(
        LeafGroup(
            plane,
            weight,
            np.frombuffer(mixed, dtype=np.int64),
            _names(wires, leaves),
            _hangings(kinds, np.frombuffer(below, dtype=np.int64), at),
        )
        for (plane, weight, mixed, below), leaves in members.items()
    )


def _kinds(wires: Wiring, lots: Sequence[Lots], at: Spots) -> tuple[list[tuple[Lots, Ints]], Ints, Ints]:
    """Kinds of lots below leaves, then leaf and kind of each lot.

    Kinds are numbered through the list, where each entry has the endpoints (kinds, links) of one kind a row.
    """
    spot = np.unique(np.stack([at.rack, at.mid_u]), axis=1, return_inverse=True)[1].reshape(-1)
    kinds: list[tuple[Lots, Ints]] = []
    leaf, kind = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for each in (each for each in lots if each.kind in NODE_KINDS):
        endpoints = wires.ends[each.links, 0]
        first, number = distinct_rows(spot[endpoints])
        leaf.append(wires.ends[each.links[:, 0], 1])
        kind.append(number + sum(len(rows) for _, rows in kinds))
        kinds.append((each, endpoints[first]))
    return kinds, np.concatenate(leaf), np.concatenate(kind)


def _hangings(kinds: Sequence[tuple[Lots, Ints]], below: Ints, at: Spots) -> tuple[Hangings, ...]:
    """What hangs below a leaf, given the kinds of its lots by number."""
    counts = np.bincount(below, minlength=sum(len(rows) for _, rows in kinds))
    found, low = [], 0
    for lots, rows in kinds:
        here = counts[low : low + len(rows)]
        endpoints = rows[here > 0]
        if len(endpoints):
            found.append(Hangings(lots, Spots(at.rack[endpoints], at.mid_u[endpoints]), here[here > 0]))
        low += len(rows)
    return tuple(found)


def _names(wires: Wiring, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(wires.devices[i].name for i in numbers)
