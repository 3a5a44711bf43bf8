"""What a design draws, from its tables and the catalog alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.catalog.watts import Watts, assembly_watts, module_watts, switch_watts
from fabric.model.design import Design
from fabric.model.report import PowerSummary
from fabric.model.request import FIBRE
from fabric.units import milliwatts_to_watts

UNKNOWN = Watts(0, known=False)
"""A part that the catalog does not hold."""


OUTSIDE = (False, False)
"""Of what is plugged where no figure of a switch has it in."""


ENDS_COUNT = 2
"""Cages of a cable that does not split."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Maximum power in whole milliwatts: what is known, and what it comes to with planning watts for the rest."""

    known_mw: int
    planning_mw: int
    all_known: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    """Pieces of one kind and part: what each adds to what is known (None: not known) and to the planning sum [mW]."""

    kind: str
    known_mw: int | None
    planning_mw: int
    count: int


def power(design: Design, catalog: Catalog) -> PowerSummary:
    """Power of switches, pluggables and the plugs of other assemblies at their maximum [W].

    What the catalog does not know is left out and counted. Where a switch's known figure includes its optics, what is
    plugged into it still counts at the far end.
    """
    pieces = list(_pieces(design, catalog))
    sums: Counter[str] = Counter()
    for each in pieces:
        sums[each.kind] += (each.known_mw or 0) * each.count
    total = sum(each.count for each in pieces)
    known = sum(each.count for each in pieces if each.known_mw is not None)
    return PowerSummary(
        switches=milliwatts_to_watts(sums["switches"]),
        pluggables=milliwatts_to_watts(sums["pluggables"]),
        cables=milliwatts_to_watts(sums["cables"]),
        total=milliwatts_to_watts(sums.total()),
        known_share=known / total if total else 1.0,
    )


def draw(design: Design, catalog: Catalog) -> Draw:
    """The sum that designs are compared by, beside the one that is known."""
    pieces = list(_pieces(design, catalog))
    known_mw = sum((each.known_mw or 0) * each.count for each in pieces)
    planning_mw = sum(each.planning_mw * each.count for each in pieces)
    return Draw(known_mw, planning_mw, all(each.known_mw is not None for each in pieces))


def _pieces(design: Design, catalog: Catalog) -> Iterator[_Piece]:
    """Everything that draws power; fibres do not and are no pieces.

    What is plugged counts once: not beside the figure of a switch that has it in. Where that figure is a planning one,
    which no known sum holds, it is still known what is plugged.
    """
    planned_w = design.request.planning.switch_w if design.request is not None else {}
    switches = [device for device in design.topology.devices if device.is_switch]
    inside = {device.name: _inside(catalog.switches.get(device.part or "")) for device in switches}
    for part, count in Counter(device.part or "" for device in switches).items():
        switch = catalog.switches.get(part)
        found = switch_watts(switch, catalog, planned_w.get(part)) if switch else UNKNOWN
        yield _piece("switches", found, found, count)
    pluggables = design.cabling.pluggables if design.cabling is not None else ()
    for (part, place), count in Counter((each.part, inside.get(each.device, OUTSIDE)) for each in pluggables).items():
        module = catalog.transceivers.get(part)
        known, planning = (module_watts(module, catalog, included=each) if module else UNKNOWN for each in place)
        yield _piece("pluggables", known, planning, count)
    for (part, ends), count in _assemblies(design, inside).items():
        cable = catalog.cables.get(part)
        known, planning = (
            assembly_watts(cable, catalog, each) if cable else UNKNOWN for each in zip(*ends, strict=True)
        )
        yield _piece("cables", known, planning, count)


def _inside(switch: Switch | None) -> tuple[bool, bool]:
    """Whether the known figure of a switch, and whether any figure of it, has in it what is plugged."""
    if switch is None or not switch.counts_optics:
        return OUTSIDE
    return switch.max_w is not None, True


def _piece(kind: str, known: Watts, planning: Watts, count: int) -> _Piece:
    return _Piece(kind, known.milliwatts if known.known else None, planning.milliwatts, count)


def _assemblies(
    design: Design, inside: Mapping[str, tuple[bool, bool]]
) -> Counter[tuple[str, tuple[tuple[bool, bool], ...]]]:
    """Copper and active optical cables by part and by where each of their plugs is, the head first (`_inside`).

    The head is in the cage that most links of the cable share, at the upper end of its first link among equals.
    """
    if design.cabling is None:
        return Counter()
    electric = {cable.name: cable.part for cable in design.cabling.cables if cable.medium not in FIBRE}
    cages_of: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for link in design.topology.links if electric else ():
        cable = design.cabling.cable_of.get(link.name, "")
        if cable in electric:
            cages_of[cable] += (link.b.device, link.b.cage), (link.a.device, link.a.cage)
    return Counter(
        (electric[cable], tuple(inside.get(device, OUTSIDE) for device, _ in _most_shared_first(cages)))
        for cable, cages in cages_of.items()
    )


def _most_shared_first(cages: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """The cages of all ends of a cable's links, each once; where there are two, every link has an end in both."""
    once = tuple(dict.fromkeys(cages))
    return once if len(once) == ENDS_COUNT else [cage for cage, _ in Counter(cages).most_common()]
