"""What a design draws, from its tables and the catalog alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.watts import Watts, assembly_watts, module_watts, switch_watts
from fabric.model.design import Design
from fabric.model.report import PowerSummary
from fabric.model.request import FIBRE
from fabric.units import milliwatts_to_watts

UNKNOWN = Watts(0, known=False)
"""A part that the catalog does not hold."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Maximum power in whole milliwatts: what is known, and what it comes to with planning watts for the rest."""

    known_mw: int
    planning_mw: int
    all_known: bool


def power(design: Design, catalog: Catalog) -> PowerSummary:
    """Power of switches, pluggables and the plugs of other assemblies at their maximum [W].

    What the catalog does not know is left out and counted. Where a switch's figure includes its optics, what is
    plugged into it still counts at the far end.
    """
    pieces = list(_pieces(design, catalog))
    sums: Counter[str] = Counter()
    for kind, each, count in pieces:
        sums[kind] += each.milliwatts * count if each.known else 0
    total = sum(count for _, _, count in pieces)
    known = sum(count for _, each, count in pieces if each.known)
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
    known_mw = sum(each.milliwatts * count for _, each, count in pieces if each.known)
    planning_mw = sum(each.milliwatts * count for _, each, count in pieces)
    return Draw(known_mw, planning_mw, all(each.known for _, each, _ in pieces))


def _pieces(design: Design, catalog: Catalog) -> Iterator[tuple[str, Watts, int]]:
    """Kind, power of one piece and number of pieces; fibres draw nothing and are no pieces."""
    planned_w = design.request.planning.switch_w if design.request is not None else {}
    switches = [device for device in design.topology.devices if device.is_switch]
    for part, count in Counter(device.part or "" for device in switches).items():
        switch = catalog.switches.get(part)
        yield "switches", switch_watts(switch, catalog, planned_w.get(part)) if switch else UNKNOWN, count
    inclusive = {
        device.name
        for device in switches
        if (switch := catalog.switches.get(device.part or "")) and switch.max_w_includes_optics
    }
    pluggables = design.cabling.pluggables if design.cabling is not None else ()
    for (part, included), count in Counter((each.part, each.device in inclusive) for each in pluggables).items():
        module = catalog.transceivers.get(part)
        yield "pluggables", module_watts(module, catalog, included=included) if module else UNKNOWN, count
    for (part, ends), count in _assemblies(design, inclusive).items():
        cable = catalog.cables.get(part)
        yield "cables", assembly_watts(cable, catalog, ends) if cable else UNKNOWN, count


def _assemblies(design: Design, inclusive: set[str]) -> Counter[tuple[str, tuple[bool, ...]]]:
    """Copper and active optical cables by part and by which of their plugs, the head first, a switch counts already.

    The head is in the cage that most links of the cable share, at the upper end of its first link among equals.
    """
    if design.cabling is None:
        return Counter()
    electric = {cable.name: cable.part for cable in design.cabling.cables if cable.medium not in FIBRE}
    cages_of: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for link in design.topology.links if electric else ():
        cable = design.cabling.cable_of.get(link.name, "")
        if cable in electric:
            cages_of[cable].update(((link.b.device, link.b.cage), (link.a.device, link.a.cage)))
    return Counter(
        (electric[cable], tuple(device in inclusive for (device, _), _ in cages.most_common()))
        for cable, cages in cages_of.items()
    )
