"""`cabling/labels.csv`: what is printed on each end of every cable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fabric.model.design import Design
from fabric.model.placement import Position
from fabric.model.topology import Link, Port
from fabric.render.cage_place import CagePlaces
from fabric.render.connection import CableEnd, CableSheet


@dataclass(frozen=True, slots=True)
class Label:
    """One label: the end it goes to, and its text (near end, then far end).

    Cages and sockets are those of the faceplates. Where an end takes several they are joined by "+", in the order of
    the text; a socket is None where the map of a part is not known.
    """

    label: str
    cable: str
    end: str
    rack: str | None
    u: int | None
    device: str
    near_cage: str
    near_socket: str | None
    far_cage: str
    far_socket: str | None
    part: str
    length_m: float
    bundle: str | None
    run: int | None
    fabric: str


def labels(design: Design, sheet: CableSheet) -> Iterator[Label]:
    """Labels cable by cable in the order of the cabling sheet."""
    at = design.placement.of if design.placement is not None else {}
    return (_label(end, at.get(end.near[0].device), sheet.in_cage) for end in sheet.ends())


def _label(end: CableEnd, place: Position | None, in_cage: CagePlaces) -> Label:
    return Label(
        label=end.label,
        cable=end.cable.name,
        end=end.end,
        rack=place.rack if place else None,
        u=place.u if place else None,
        device=end.near[0].device,
        near_cage=_cages(end.near),
        near_socket=_sockets(end.links, end.near, in_cage),
        far_cage=_cages(end.far),
        far_socket=_sockets(end.links, end.far, in_cage),
        part=end.cable.part,
        length_m=end.cable.length_m,
        bundle=end.cable.bundle,
        run=end.cable.run,
        fabric=end.cable.fabric,
    )


def _cages(ports: Sequence[Port]) -> str:
    """Every cage once; equal labels on two devices are two cages."""
    return "+".join(cage for _, cage in dict.fromkeys((port.device, port.cage) for port in ports))


def _sockets(links: Sequence[Link], ports: Sequence[Port], in_cage: CagePlaces) -> str | None:
    """The socket of every port of some links, None as soon as one is not known."""
    numbers = [in_cage(link, port) for link, port in zip(links, ports, strict=True)]
    return None if None in numbers else "+".join(map(str, numbers))
