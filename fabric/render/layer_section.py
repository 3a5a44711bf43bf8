"""The section of the report about layers of links: on what they run, how far, and which groups stay in one rack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fabric.model.cabling import Cable
from fabric.model.design import Design
from fabric.model.request import COPPER, MEDIA
from fabric.render.section import Section, counted, percent, table

GROUPED = frozenset({"dragonfly", "dragonfly_plus"})
"""Families whose groups are meant to be close together."""


def layers(design: Design) -> Section:
    """Links of every kind by medium, with the longest route."""
    if design.cabling is None:
        return Section("Layers of links", ("No cables are known.",))
    cables = {cable.name: cable for cable in design.cabling.cables}
    media = {cable.medium for cable in cables.values()}
    used = [medium for medium in MEDIA if medium in media]
    names: dict[str, list[str]] = {}
    for link in design.topology.links:
        names.setdefault(link.kind, []).append(link.name)
    of = design.cabling.cable_of
    rows = [
        _layer(kind, len(here), [cables[of[name]] for name in here if of.get(name) in cables], used)
        for kind, here in names.items()
    ]
    heading = ("layer", "links", *(medium.upper() for medium in used), "on copper", "longest route [m]")
    return Section("Layers of links", tuple(_together(design)), table(heading, rows))


def _layer(kind: str, links_count: int, cables: Sequence[Cable], used: Sequence[str]) -> tuple[object, ...]:
    """One kind of links: how many, how many on each medium, the share on copper, the longest route."""
    media = Counter(cable.medium for cable in cables)
    copper = sum(media[medium] for medium in COPPER) / links_count
    longest_m = max((cable.route_m for cable in cables), default=None)
    return (kind.replace("_", "-"), links_count, *(media[medium] for medium in used), percent(copper), longest_m)


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
