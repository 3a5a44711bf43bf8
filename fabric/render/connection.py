"""The cabling sheet's rows: every link end to end, in the order in which a technician pulls cables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fabric.addressing.ordinals import natural
from fabric.catalog.load import Catalog
from fabric.model.cabling import Cable
from fabric.model.design import Design
from fabric.model.placement import Position
from fabric.model.topology import Link, Port
from fabric.render.cage_place import port_in_cage


@dataclass(frozen=True, slots=True)
class Connection:
    """One link with the cable that makes it, and both its ends as a technician finds them.

    `a` is the end nearer to the nodes. A cable that carries several links stands in as many rows, all with the same
    cable name and labels. `a_port_in_cage` and `b_port_in_cage` count the sockets of a cage from 1, None where the map
    is not known. `a_pluggable` and `b_pluggable` are the transceivers, None where the cable brings its own.
    """

    bundle: str | None
    run: int | None
    cable: str | None
    part: str | None
    medium: str | None
    length_m: float | None
    a_rack: str | None
    a_u: int | None
    a_device: str
    a_cage: str
    a_port_in_cage: int | None
    a_port: str
    a_pluggable: str | None
    a_label: str
    b_rack: str | None
    b_u: int | None
    b_device: str
    b_cage: str
    b_port_in_cage: int | None
    b_port: str
    b_pluggable: str | None
    b_label: str
    route_m: float | None
    route: str | None
    family: str | None
    kind: str
    rate_gbps: int
    rail: int | None
    plane: int | None
    link: str
    fabric: str


@dataclass(frozen=True, slots=True)
class CableEnd:
    """One end of a cable: the links that end in one cage, their ports there and at the far end.

    `label` is near end, then far end, after ANSI/TIA-606-B: `A01-05:rail0/B02-40:1/1`. Source: tia-606-b-label-example.
    """

    cable: Cable
    end: str
    links: tuple[Link, ...]
    near: tuple[Port, ...]
    far: tuple[Port, ...]
    label: str


@dataclass(frozen=True)
class _Index:
    """A design's tables joined once: links in walking order, and what stands at each."""

    links: tuple[Link, ...]
    at: Mapping[str, Position]
    cable: Mapping[str, Cable]
    module: Mapping[tuple[str, str], str]
    in_cage: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class CableSheet:
    """What all papers on cables are printed from, joined once.

    Attributes:
        rows: every link, by bundle, then rack, unit and cage of its `a` end.
        ends: every end of every cable, in the order of the rows; a splitter has one end per leg.
        in_cage: number of each port in its cage, from 1, by device and port.
    """

    rows: tuple[Connection, ...]
    ends: tuple[CableEnd, ...]
    in_cage: Mapping[tuple[str, str], int]


def cable_sheet(design: Design, catalog: Catalog) -> CableSheet:
    """The cabling sheet of a design."""
    index = _index(design, port_in_cage(design, catalog))
    ends = _cable_ends(index)
    labels = {(link.name, end.end): end.label for end in ends for link in end.links}
    return CableSheet(tuple(_row(link, index, labels) for link in index.links), ends, index.in_cage)


def _index(design: Design, in_cage: Mapping[tuple[str, str], int]) -> _Index:
    at = design.placement.of if design.placement is not None else {}
    cable: dict[str, Cable] = {}
    module: dict[tuple[str, str], str] = {}
    if design.cabling is not None:
        by_name = {cable.name: cable for cable in design.cabling.cables}
        cable = {link: by_name[name] for link, name in design.cabling.cable_of.items() if name in by_name}
        module = {(one.device, one.cage): one.part for one in design.cabling.pluggables}

    def walk(link: Link) -> tuple[object, ...]:
        place, found = at.get(link.a.device), cable.get(link.name)
        return (
            natural((found.bundle if found else None) or ""),
            natural(place.rack if place else ""),
            place.u if place else 0,
            natural(link.a.device),
            natural(link.a.cage),
            natural(link.a.port),
            link.name,
        )

    return _Index(tuple(sorted(design.topology.links, key=walk)), at, cable, module, in_cage)


def _cable_ends(index: _Index) -> tuple[CableEnd, ...]:
    carried: dict[str, list[Link]] = {}
    for link in index.links:
        if link.name in index.cable:
            carried.setdefault(index.cable[link.name].name, []).append(link)
    return tuple(end for links in carried.values() for end in _ends(index.cable[links[0].name], links, index.at))


def _row(link: Link, index: _Index, labels: Mapping[tuple[str, str], str]) -> Connection:
    a, b = index.at.get(link.a.device), index.at.get(link.b.device)
    cable = index.cable.get(link.name)
    return Connection(
        bundle=cable.bundle if cable else None,
        run=cable.run if cable else None,
        cable=cable.name if cable else None,
        part=cable.part if cable else None,
        medium=cable.medium if cable else None,
        length_m=cable.length_m if cable else None,
        a_rack=a.rack if a else None,
        a_u=a.u if a else None,
        a_device=link.a.device,
        a_cage=link.a.cage,
        a_port_in_cage=index.in_cage.get((link.a.device, link.a.port)),
        a_port=link.a.port,
        a_pluggable=index.module.get((link.a.device, link.a.cage)),
        a_label=labels.get((link.name, "A")) or f"{_place(link.a, a)}/{_place(link.b, b)}",
        b_rack=b.rack if b else None,
        b_u=b.u if b else None,
        b_device=link.b.device,
        b_cage=link.b.cage,
        b_port_in_cage=index.in_cage.get((link.b.device, link.b.port)),
        b_port=link.b.port,
        b_pluggable=index.module.get((link.b.device, link.b.cage)),
        b_label=labels.get((link.name, "B")) or f"{_place(link.b, b)}/{_place(link.a, a)}",
        route_m=cable.route_m if cable else None,
        route=cable.route if cable else None,
        family=cable.family if cable else None,
        kind=link.kind,
        rate_gbps=link.rate_gbps,
        rail=link.rail,
        plane=link.plane,
        link=link.name,
        fabric=link.fabric,
    )


def _ends(cable: Cable, links: Sequence[Link], at: Mapping[str, Position]) -> Iterable[CableEnd]:
    """The ends of one cable: one per cage it plugs into."""
    for end in ("A", "B"):
        by_cage: dict[tuple[str, str], list[Link]] = {}
        for link in links:
            port = link.a if end == "A" else link.b
            by_cage.setdefault((port.device, port.cage), []).append(link)
        for here in by_cage.values():
            near, far = tuple(link.a for link in here), tuple(link.b for link in here)
            if end == "B":
                near, far = far, near
            yield CableEnd(cable, end, tuple(here), near, far, f"{_places(near, at)}/{_places(far, at)}")


def _places(ports: Sequence[Port], at: Mapping[str, Position]) -> str:
    """Where some ports of one or more devices are: ports of the same device joined by "+"."""
    by_device: dict[str, list[Port]] = {}
    for port in ports:
        by_device.setdefault(port.device, []).append(port)
    return "+".join(
        _place(some[0], at.get(device)) + "".join(f"+{port.port}" for port in some[1:])
        for device, some in by_device.items()
    )


def _place(port: Port, place: Position | None) -> str:
    """`{rack}-{unit}:{port}`, or `{device}:{port}` while the device has no place."""
    where = f"{place.rack}-{place.u:02d}" if place is not None else port.device
    return f"{where}:{port.port}"
