"""The cabling sheet's rows: every link end to end, in the order in which a technician pulls cables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from fabric.addressing.ordinals import natural
from fabric.catalog.load import Catalog
from fabric.model.cabling import Cable
from fabric.model.design import Design
from fabric.model.placement import Position
from fabric.model.topology import Link, Port
from fabric.render.cage_place import CagePlaces


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


@dataclass(frozen=True, slots=True)
class CableSheet:
    """What all papers on cables are printed from: a design's tables joined once, rows made as they are printed.

    Attributes:
        links: every link, by bundle, then rack, unit and cage of its `a` end.
        at: places by device.
        cable: cables by link.
        carried: links of the cables that carry several, by cable.
        module: transceivers by device and cage.
        in_cage: number of a port of a link in its cage, from 1.
    """

    links: tuple[Link, ...]
    at: Mapping[str, Position]
    cable: Mapping[str, Cable]
    carried: Mapping[str, tuple[Link, ...]]
    module: Mapping[tuple[str, str], str]
    in_cage: CagePlaces

    def rows(self) -> Iterator[Connection]:
        """Every link, in order."""
        return (_row(link, self) for link in self.links)

    def ends(self) -> Iterator[CableEnd]:
        """Every end of every cable, in the order of the rows; a splitter has one end per leg."""
        for link in self.links:
            cable = self.cable.get(link.name)
            if cable is not None and self._beside(link)[0] is link:
                yield from _ends(cable, self._beside(link), self.at)

    def labels(self, link: Link) -> Mapping[str, str]:
        """Labels of both ends of the cable of a link, at the legs that carry it where it has several."""
        if len(self._beside(link)) > 1:
            ends = _ends(self.cable[link.name], self._beside(link), self.at)
            return {end.end: end.label for end in ends if link in end.links}
        a, b = (_place(port, self.at.get(port.device)) for port in (link.a, link.b))
        return {"A": f"{a}/{b}", "B": f"{b}/{a}"}

    def _beside(self, link: Link) -> tuple[Link, ...]:
        """The links of the cable that carries a link, in order; itself where there is none."""
        cable = self.cable.get(link.name)
        return (link,) if cable is None else self.carried.get(cable.name, (link,))


def cable_sheet(design: Design, catalog: Catalog) -> CableSheet:
    """The cabling sheet of a design."""
    at = design.placement.of if design.placement is not None else {}
    cable: dict[str, Cable] = {}
    module: dict[tuple[str, str], str] = {}
    if design.cabling is not None:
        by_name = {cable.name: cable for cable in design.cabling.cables}
        cable = {link: by_name[name] for link, name in design.cabling.cable_of.items() if name in by_name}
        module = {(one.device, one.cage): one.part for one in design.cabling.pluggables}
    links = _walked(design.topology.links, at, cable)
    return CableSheet(links, at, cable, _carried(links, cable), module, CagePlaces(design, catalog))


def _walked(links: Iterable[Link], at: Mapping[str, Position], cable: Mapping[str, Cable]) -> tuple[Link, ...]:
    """Links by bundle, then rack, unit, device, cage and port of their `a` end, then by name."""
    named = sorted(links, key=lambda link: link.name)
    places = [at.get(link.a.device) for link in named]
    bundles = ((found.bundle if (found := cable.get(link.name)) else None) or "" for link in named)
    order = np.lexsort(
        (
            _ranks(link.a.port for link in named),
            _ranks(link.a.cage for link in named),
            _ranks(link.a.device for link in named),
            np.array([place.u if place else 0 for place in places]),
            _ranks(place.rack if place else "" for place in places),
            _ranks(bundles),
        )
    )
    return tuple(named[index] for index in order)


def _ranks(names: Iterable[str]) -> npt.NDArray[np.int64]:
    """(names,) places of names in their natural order; names that this does not tell apart share one."""
    number: dict[str, int] = {}
    places = np.fromiter((number.setdefault(name, len(number)) for name in names), dtype=np.int64)
    rank = np.empty(len(number), dtype=np.int64)
    for place, (_, alike) in enumerate(groupby(sorted(number, key=natural), key=natural)):
        rank[[number[name] for name in alike]] = place
    return rank[places]


def _carried(links: Iterable[Link], cable: Mapping[str, Cable]) -> dict[str, tuple[Link, ...]]:
    """Links of the cables that carry several, in order."""
    counts = Counter(found.name for found in cable.values())
    carried: dict[str, list[Link]] = {}
    for link in links:
        if link.name in cable and counts[cable[link.name].name] > 1:
            carried.setdefault(cable[link.name].name, []).append(link)
    return {name: tuple(some) for name, some in carried.items()}


def _row(link: Link, sheet: CableSheet) -> Connection:
    a, b = sheet.at.get(link.a.device), sheet.at.get(link.b.device)
    cable, labels = sheet.cable.get(link.name), sheet.labels(link)
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
        a_port_in_cage=sheet.in_cage(link, link.a),
        a_port=link.a.port,
        a_pluggable=sheet.module.get((link.a.device, link.a.cage)),
        a_label=labels["A"],
        b_rack=b.rack if b else None,
        b_u=b.u if b else None,
        b_device=link.b.device,
        b_cage=link.b.cage,
        b_port_in_cage=sheet.in_cage(link, link.b),
        b_port=link.b.port,
        b_pluggable=sheet.module.get((link.b.device, link.b.cage)),
        b_label=labels["B"],
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
