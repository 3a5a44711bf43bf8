"""Which end of which part sits in which cage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import FACEPLATE_CONNECTORS, CableEnd, CablePart
from fabric.checks._cages import Cage, CageKind
from fabric.model.cabling import Cable
from fabric.model.request import FIBRE
from fabric.model.topology import Link

HEAD = -1
"""Number of a cable's single end; its tails count from 0."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One end of one cable in one cage: the head or a tail, with the links that it carries there."""

    cable: Cable
    end: int
    cage: Cage
    links_count: int


@dataclass(frozen=True, slots=True)
class Sitting:
    """A kind of seat: end of a cable part, kind of the cage, and the pluggable between them (None: none)."""

    part: str
    end: int
    kind: CageKind
    module: str | None


def cable_end(part: CablePart, end: int) -> CableEnd:
    """The head or a tail of a part."""
    return part.head if end == HEAD else part.tails[end]


def connector(sitting: Sitting, catalog: Catalog) -> str | None:
    """Fibre connector that a cage offers: that of its pluggable, or of optics inside the switch."""
    if sitting.kind.co_packaged:
        return FACEPLATE_CONNECTORS.get(sitting.kind.form_factor)
    module = catalog.transceivers.get(sitting.module or "")
    return module.connector if module is not None else None


class Seating:
    """Finds the seats of cables; of several ways to turn a cable, the one that fits best."""

    def __init__(self, catalog: Catalog, kinds: Mapping[Cage, CageKind], modules: Mapping[Cage, str]) -> None:
        """Seats on cages of `kinds`, with the pluggable of each cage in `modules`."""
        self._catalog = catalog
        self._kinds = kinds
        self._modules = modules
        self._scores: dict[Sitting, int] = {}
        self._even: dict[str, bool] = {}

    def seats(self, cable: Cable, links: Sequence[Link]) -> tuple[Seat, ...]:
        """Seats of a cable of a known part; none where its links have no cage or too many cages in common."""
        part = self._catalog.cables.get(cable.part)
        if part is None or not links:
            return ()
        turns = (turn for turn in _turns(cable, links) if len(turn) - 1 <= len(part.tails))
        if self._is_even(cable.part, part):
            return next(turns, ())
        return max(turns, key=self._score, default=())

    def _is_even(self, key: str, part: CablePart) -> bool:
        """Whether both ends of a part are alike, so that either way to lay it is the same."""
        if key not in self._even:
            self._even[key] = part.tails == (part.head,)
        return self._even[key]

    def sitting(self, seat: Seat) -> Sitting | None:
        """What kind of seat this is, None where the cage is not known."""
        kind = self._kinds.get(seat.cage)
        return Sitting(seat.cable.part, seat.end, kind, self._modules.get(seat.cage)) if kind is not None else None

    def _score(self, turn: tuple[Seat, ...]) -> int:
        return sum(self._fits(sitting) for seat in turn if (sitting := self.sitting(seat)) is not None)

    def _fits(self, sitting: Sitting) -> int:
        if sitting not in self._scores:
            part = self._catalog.cables[sitting.part]
            end, kind = cable_end(part, sitting.end), sitting.kind
            if part.medium in FIBRE:
                fits = end.connector == connector(sitting, self._catalog)
            else:
                fits = end.form_factor == kind.form_factor and (end.top is None or end.top == kind.top)
            self._scores[sitting] = int(fits)
        return self._scores[sitting]


def _turns(cable: Cable, links: Sequence[Link]) -> Iterator[tuple[Seat, ...]]:
    """Every way to lay a cable: its head in a cage that all its links end in, its tails in the others."""
    pairs = [((link.a.device, link.a.cage), (link.b.device, link.b.cage)) for link in links]
    for head in dict.fromkeys(pairs[0]):
        if all(head in pair for pair in pairs):
            tails: dict[Cage, int] = {}
            for a, b in pairs:
                tail = b if a == head else a
                tails[tail] = tails.get(tail, 0) + 1
            yield (
                Seat(cable, HEAD, head, len(links)),
                *(Seat(cable, number, cage, count) for number, (cage, count) in enumerate(tails.items())),
            )
