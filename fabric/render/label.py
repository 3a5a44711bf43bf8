"""`cabling/labels.csv`: what is printed on each end of every cable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabric.model.design import Design
from fabric.render.connection import CableEnd, cable_ends


@dataclass(frozen=True, slots=True)
class Label:
    """One label: the end it goes to, and its text (near end, then far end)."""

    label: str
    cable: str
    end: str
    rack: str | None
    u: int | None
    device: str
    cage: str
    part: str
    length_m: float
    bundle: str | None
    run: int | None
    fabric: str


def labels(design: Design) -> tuple[Label, ...]:
    """Labels cable by cable in the order of the cabling sheet."""
    return tuple(_labels(cable_ends(design), design))


def _labels(ends: Iterable[CableEnd], design: Design) -> Iterable[Label]:
    at = design.placement.of if design.placement is not None else {}
    for end in ends:
        place = at.get(end.device)
        yield Label(
            label=end.label,
            cable=end.cable.name,
            end=end.end,
            rack=place.rack if place else None,
            u=place.u if place else None,
            device=end.device,
            cage=end.cage,
            part=end.cable.part,
            length_m=end.cable.length_m,
            bundle=end.cable.bundle,
            run=end.cable.run,
            fabric=end.cable.fabric,
        )
