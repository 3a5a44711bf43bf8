"""The section of the report about layers of links: on what they run, how far, and which groups stay in one rack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fabric.model.cabling import Cabling
from fabric.model.design import Design
from fabric.model.request import COPPER, MEDIA
from fabric.model.topology import Topology
from fabric.render.section import Section, counted, percent, table

GROUPED = frozenset({"dragonfly", "dragonfly_plus"})
"""Families whose groups are meant to be close together."""


def layers(design: Design) -> Section:
    """Links of every kind by medium, with the longest route."""
    if design.cabling is None:
        return Section("Layers of links", ("No cables are known.",))
    topology, cabling = design.topology, design.cabling
    used = [medium for medium in MEDIA if any(cable.medium == medium for cable in cabling.cables)]
    rows = [_layer(topology, cabling, kind, used) for kind in dict.fromkeys(link.kind for link in topology.links)]
    heading = ("layer", "links", *(medium.upper() for medium in used), "on copper", "longest route [m]")
    return Section("Layers of links", tuple(_together(design)), table(heading, rows))


def _layer(topology: Topology, cabling: Cabling, kind: str, used: Sequence[str]) -> tuple[object, ...]:
    """One kind of links: how many, how many on each medium, the share on copper, the longest route."""
    cables = {cable.name: cable for cable in cabling.cables}
    names = [link.name for link in topology.of_kind(kind)]
    ends = (cables.get(cabling.cable_of.get(name, "")) for name in names)
    found = [cable for cable in ends if cable is not None]
    media = Counter(cable.medium for cable in found)
    copper = sum(media[medium] for medium in COPPER) / len(names)
    longest_m = max((cable.route_m for cable in found), default=None)
    return (kind.replace("_", "-"), len(names), *(media[medium] for medium in used), percent(copper), longest_m)


def _together(design: Design) -> Iterator[str]:
    """How many groups have all their switches in one rack, where a family has groups and places are known."""
    if design.topology.family not in GROUPED or design.placement is None:
        return
    racks: dict[int, set[str]] = {}
    for device in design.topology.devices:
        if device.is_switch and device.group is not None and device.name in design.placement.of:
            racks.setdefault(device.group, set()).add(design.placement.of[device.name].rack)
    if racks:
        whole = sum(len(each) == 1 for each in racks.values())
        most = max(len(each) for each in racks.values())
        yield (
            f"Of {counted(len(racks), 'group')} {whole} have all their switches in one rack, the others in up to "
            f"{counted(most, 'rack')}: places are chosen for what the cables cost, not for whole groups."
            if whole < len(racks)
            else f"All {counted(len(racks), 'group')} have their switches in one rack each."
        )
