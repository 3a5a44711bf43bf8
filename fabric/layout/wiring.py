"""A leaf-spine topology as arrays, and its leaves as groups that cost the same wherever they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fabric.layout.transport import Ints
from fabric.model.topology import Device, Topology

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Spots:
    """Places of devices: rack index and middle [U], equal lengths."""

    rack: Ints
    mid_u: Floats


@dataclass(frozen=True)
class LeafGroup:
    """Leaves that are copies of each other: same plane, same trunks, links to the same places.

    `spots` lists the places and `links` how many links end at each; `weight` is the number of links to each spine.
    """

    plane: int
    weight: int
    leaves: tuple[str, ...]
    spots: Spots
    links: Ints


@dataclass(frozen=True)
class Wiring:
    """Switch names by role and plane, and the ends of all links as device numbers.

    `node_leaf` and `leaf_spine` are (links, 2): endpoint and leaf, leaf and spine, as positions in `devices`.
    """

    devices: tuple[Device, ...]
    leaves: tuple[int, ...]
    spines: tuple[tuple[int, ...], ...]
    node_leaf: Ints
    leaf_spine: Ints


def wiring(topology: Topology) -> Wiring:
    """Number the devices and links of `topology`; planes are numbered from 0 as they stand on the switches."""
    number = {device.name: i for i, device in enumerate(topology.devices)}
    planes = sorted({device.plane or 0 for device in topology.devices if device.is_switch})

    def ends(kind: str) -> Ints:
        pairs = [(number[link.a.device], number[link.b.device]) for link in topology.of_kind(kind)]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    return Wiring(
        devices=topology.devices,
        leaves=tuple(number[device.name] for device in topology.with_role("leaf")),
        spines=tuple(
            tuple(number[d.name] for d in topology.with_role("spine") if (d.plane or 0) == plane) for plane in planes
        ),
        node_leaf=ends("node_leaf"),
        leaf_spine=ends("leaf_spine"),
    )


def trunk_weights(wires: Wiring) -> Mapping[int, int]:
    """Least number of links between each leaf and any spine of its plane, so that a bound with it always holds."""
    count = len(wires.devices)
    pair, links = np.unique(wires.leaf_spine @ np.array([count, 1]), return_counts=True)
    leaf = pair // count
    fewest = {}
    for index, plane in _planes(wires).items():
        low, high = np.searchsorted(leaf, [index, index + 1])
        complete = 0 < len(wires.spines[plane]) == high - low
        fewest[index] = int(links[low:high].min()) if complete else 0
    return fewest


def _planes(wires: Wiring) -> dict[int, int]:
    """Plane number of each leaf."""
    planes = sorted({device.plane or 0 for device in wires.devices if device.is_switch})
    return {leaf: planes.index(wires.devices[leaf].plane or 0) for leaf in wires.leaves}


def leaf_groups(wires: Wiring, at: Spots) -> tuple[LeafGroup, ...]:
    """Group the leaves, given the places of all endpoints by device number; groups in order of their first leaf."""
    spot = np.unique(np.stack([at.rack, at.mid_u]), axis=1, return_inverse=True)[1].reshape(-1)
    first = np.zeros(int(spot.max(initial=0)) + 1, dtype=np.int64)
    first[spot] = np.arange(len(spot))
    links = wires.node_leaf[np.argsort(wires.node_leaf[:, 1], kind="stable")]
    start = np.searchsorted(links[:, 1], wires.leaves, side="left")
    stop = np.searchsorted(links[:, 1], wires.leaves, side="right")
    weights, planes = trunk_weights(wires), _planes(wires)
    members: dict[tuple[int, int, bytes], list[int]] = {}
    for leaf, low, high in zip(wires.leaves, start, stop, strict=True):
        ends = np.sort(spot[links[low:high, 0]])
        members.setdefault((planes[leaf], weights[leaf], ends.tobytes()), []).append(leaf)
    groups = []
    for (plane, weight, key), leaves in members.items():
        used, counts = np.unique(np.frombuffer(key, dtype=spot.dtype), return_counts=True)
        device = first[used]
        groups.append(
            LeafGroup(
                plane=plane,
                weight=weight,
                leaves=_names(wires, leaves),
                spots=Spots(at.rack[device], at.mid_u[device]),
                links=counts.astype(np.int64),
            )
        )
    return tuple(groups)


def _names(wires: Wiring, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(wires.devices[i].name for i in numbers)


def spine_names(wires: Wiring) -> tuple[tuple[str, ...], ...]:
    """Spines of each plane, sorted by name."""
    return tuple(_names(wires, plane) for plane in wires.spines)
