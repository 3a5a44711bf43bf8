"""Three tiers as a picture needs them: pods of leaves and spines, and cores in blocks that join the same spines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from fabric.model.topology import Device, Topology
from fabric.render.plane_view import PlaneView, plane_view


@dataclass(frozen=True, slots=True)
class Pod:
    """Leaves and spines that share links, and the number of nodes below."""

    name: str
    leaves: tuple[Device, ...]
    spines: tuple[Device, ...]
    nodes: int


@dataclass(frozen=True, slots=True)
class PodView:
    """The lowest plane of a tree of three tiers.

    Attributes:
        pods: in order.
        blocks: cores with links to the same spines, in order.
        trunks: links of a spine to all cores of a block, by the spine's name and the block's number.
        plane: links counted by pair, and which plane this is.
    """

    pods: tuple[Pod, ...]
    blocks: tuple[tuple[Device, ...], ...]
    trunks: Mapping[tuple[str, int], int]
    plane: PlaneView


def pod_view(topology: Topology) -> PodView:
    """The view of any topology with cores."""
    plane = plane_view(topology)
    below: dict[str, Counter[str]] = {}
    for (a, b), links in plane.pairs.items():
        if topology.device[b].role == "core":
            below.setdefault(b, Counter())[a] += links
    cores = [one for found in plane.groups.values() for one in found if one.role == "core"]
    blocks: dict[frozenset[str], list[Device]] = {}
    for core in cores:
        blocks.setdefault(frozenset(below.get(core.name, ())), []).append(core)
    trunks: Counter[tuple[str, int]] = Counter()
    for number, block in enumerate(blocks.values()):
        for core in block:
            for spine, links in below.get(core.name, {}).items():
                trunks[spine, number] += links
    return PodView(_pods(plane), tuple(map(tuple, blocks.values())), trunks, plane)


def _pods(plane: PlaneView) -> tuple[Pod, ...]:
    """Groups with leaves or spines."""
    pods = []
    for group, switches in plane.groups.items():
        leaves = tuple(one for one in switches if one.is_edge)
        spines = tuple(one for one in switches if one.role == "spine")
        if leaves or spines:
            name = f"pod {group + 1}" if group >= 0 else "no pod"
            pods.append(Pod(name, leaves, spines, plane.nodes.get(group, 0)))
    return tuple(pods)
