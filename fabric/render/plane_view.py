"""One plane of grouped switches as a picture needs it: groups, what hangs below each switch, links counted by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabric.model.topology import Device, Topology

Pair = tuple[int, int]
"""Two groups, the lower first."""


@dataclass(frozen=True, slots=True)
class PlaneView:
    """The lowest plane of a fabric.

    Attributes:
        words: which plane is drawn and whether the others are like it, nothing for a single one.
        groups: switches by group, ascending; those without a group under -1.
        pairs: links between two switches by their names, the lower tier or the lower group first as the link says.
        bundles: links between two groups.
        endpoints: links of nodes at a switch.
        attached: links of other endpoints at a switch.
        nodes: nodes with a link to a switch of a group.
    """

    words: str
    groups: Mapping[int, tuple[Device, ...]]
    pairs: Mapping[tuple[str, str], int]
    bundles: Mapping[Pair, int]
    endpoints: Mapping[str, int]
    attached: Mapping[str, int]
    nodes: Mapping[int, int]

    def within(self, group: int) -> Iterator[tuple[str, str, int]]:
        """Every two switches of a group that share links, and how many."""
        names = {switch.name for switch in self.groups[group]}
        return ((a, b, links) for (a, b), links in self.pairs.items() if a in names and b in names)


def plane_view(topology: Topology) -> PlaneView:
    """The view of any topology whose switches have groups."""
    planes = sorted({_plane(one) for one in topology.devices if one.is_switch})
    bundles = {plane: _bundles(topology, plane) for plane in planes}
    first = planes[0] if planes else 0
    device = topology.device
    endpoints, attached, pairs = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    below: dict[int, set[str]] = {}
    for link in topology.links:
        a, b = device[link.a.device], device[link.b.device]
        if not b.is_switch or any(_plane(end) != first for end in (a, b) if end.is_switch):
            continue
        if a.is_switch:
            pairs[a.name, b.name] += 1
        elif a.role == "node":
            endpoints[b.name] += 1
            below.setdefault(_group(b), set()).add(a.name)
        else:
            attached[b.name] += 1
    return PlaneView(
        words=_in_words(planes, [bundles[plane] == bundles[first] for plane in planes]),
        groups=_groups(topology, first),
        pairs=pairs,
        bundles={pair: links for pair, links in sorted(bundles.get(first, {}).items()) if pair[0] != pair[1]},
        endpoints=endpoints,
        attached=attached,
        nodes={group: len(names) for group, names in below.items()},
    )


def _plane(device: Device) -> int:
    return device.plane or 0


def _group(device: Device) -> int:
    return -1 if device.group is None else device.group


def _groups(topology: Topology, plane: int) -> dict[int, tuple[Device, ...]]:
    found: dict[int, list[Device]] = {}
    for one in topology.devices:
        if one.is_switch and _plane(one) == plane:
            found.setdefault(_group(one), []).append(one)
    return {group: tuple(found[group]) for group in sorted(found)}


def _bundles(topology: Topology, plane: int) -> Counter[Pair]:
    """Links between switches of a plane by their groups, those within a group too."""
    found: Counter[Pair] = Counter()
    for link in topology.links:
        a, b = topology.device[link.a.device], topology.device[link.b.device]
        if a.is_switch and b.is_switch and _plane(a) == _plane(b) == plane:
            low, high = sorted((_group(a), _group(b)))
            found[low, high] += 1
    return found


def _in_words(planes: list[int], alike: list[bool]) -> str:
    if len(planes) < 2:  # noqa: PLR2004 -- a single plane needs no word
        return ""
    others = "the others are alike" if all(alike) else "others differ from it"
    return f"{len(planes)} planes, of which plane {planes[0]} is drawn; {others}"
