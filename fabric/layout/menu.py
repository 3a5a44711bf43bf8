"""The menu: every part on offer for a use, and why others are not on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fabric.catalog.parts import FACEPLATE_CONNECTORS, CablePart, Transceiver
from fabric.layout.assembly import Light, cable_misfit, carries, light_of, module_misfit, sale_misfit
from fabric.layout.cage import EndSpec
from fabric.layout.ladder import Ladder, build_ladder
from fabric.layout.offer import NOT_YET_SOLD, Offer, P, Terms, doubt_about
from fabric.model.request import FIBRE


@dataclass(frozen=True, slots=True)
class Tip:
    """What a fibre meets at a cage: the connector of a pluggable, or that of co-packaged optics (no offer)."""

    medium: str
    connector: str
    offer: Offer[Transceiver] | None

    def takes(self, fibre: CablePart, connector: str | None) -> bool:
        """Whether the end of `fibre` that has this `connector` mates, and the light reaches along it."""
        return (
            fibre.medium == self.medium
            and connector == self.connector
            and (self.offer is None or carries(self.offer.part, fibre))
        )


class Menu:
    """Everything on offer under `terms`; what one kind of cage accepts is worked out once.

    A pluggable is left out where a better one does the same at its kind of cage; or at all of `cages`, where one that
    serves several kinds may save an orderable number.
    """

    def __init__(self, terms: Terms, cages: frozenset[EndSpec] = frozenset()) -> None:
        self.terms = terms
        self._cages = cages
        self._modules: dict[EndSpec, tuple[Offer[Transceiver], ...]] = {}
        self._tips: dict[tuple[EndSpec, Light], tuple[Tip, ...]] = {}
        self._ladders: dict[tuple[Tip | int, ...], Ladder] = {}

    @cached_property
    def _fibres(self) -> tuple[tuple[str, CablePart], ...]:
        return tuple(
            (key, part)
            for key, part in sorted(self.terms.catalog.cables.items())
            if part.medium in FIBRE and not sale_misfit(part, self.terms.link_layer)
        )

    @property
    def legs(self) -> tuple[int, ...]:
        """Numbers of legs that fibres have; 1 is a straight one."""
        return tuple(sorted({1, *(len(part.tails) for _, part in self._fibres)}))

    @cached_property
    def _assemblies(self) -> tuple[tuple[str, CablePart], ...]:
        parts = sorted(self.terms.catalog.cables.items())
        return tuple((key, part) for key, part in parts if part.medium not in FIBRE)

    def _offer(self, key: str, part: P, ends: Sequence[EndSpec]) -> Offer[P]:
        included = [end.power_included for end in ends]
        costs = tuple(
            scale.module(part, included=all(included))
            if isinstance(part, Transceiver)
            else scale.assembly(part, included)
            for scale in self.terms.scales
        )
        return Offer(key, part, costs, int(part.status in NOT_YET_SOLD), doubt_about(part, ends))

    def assemblies(self, head: EndSpec, tails: Sequence[EndSpec], links: int) -> tuple[Offer[CablePart], ...]:
        """Cables that make all `links` between the cage `head` and the cages `tails` in one piece.

        A straight cable must have every port linked; a leg of a splitter may wait for its node.
        """
        return tuple(
            self._offer(key, part, (head, *tails))
            for key, part in self._assemblies
            if (len(part.tails) > 1 or part.ports == links)
            and not cable_misfit(part, head, tails, self.terms.link_layer)
        )

    def modules(self, end: EndSpec) -> tuple[Offer[Transceiver], ...]:
        """Transceivers for one kind of cage, best first."""
        if end not in self._modules:
            offers = [
                self._offer(key, part, (end,))
                for key, part in self.terms.catalog.transceivers.items()
                if not module_misfit(part, end, self.terms.link_layer)
            ]
            self._modules[end] = tuple(sorted(offers, key=lambda offer: offer.rank))
        return self._modules[end]

    def lights(self, end: EndSpec) -> frozenset[Light]:
        """Kinds of light that the cage can send; co-packaged optics are parallel single mode (DR)."""
        if end.co_packaged:
            return frozenset({Light("smf", f"{end.rate_gbps}G-DR{end.rate_gbps // end.lane_gbps}")})
        return frozenset(light_of(offer.part) for offer in self.modules(end))

    def tips(self, end: EndSpec, light: Light) -> tuple[Tip, ...]:
        """What may send `light` from one kind of cage, best first, without what a better one can do as well."""
        if end.co_packaged:
            return (Tip(light.medium, FACEPLATE_CONNECTORS[end.form_factor], None),)
        if (end, light) not in self._tips:
            self._tips[end, light] = self._best_tips(end, light)
        return self._tips[end, light]

    def _best_tips(self, end: EndSpec, light: Light) -> tuple[Tip, ...]:
        found: dict[Tip, frozenset[str]] = {}
        for offer in self.modules(end):
            if light_of(offer.part) == light:
                tip = Tip(light.medium, offer.part.connector, offer)
                taken = frozenset(key for key, part in self._fibres if self._either_end(tip, part))
                if not any(taken <= more and self._replaces(better.offer, offer) for better, more in found.items()):
                    found[tip] = taken
        return tuple(found)

    def _replaces(self, better: Offer[Transceiver] | None, offer: Offer[Transceiver]) -> bool:
        """Whether one pluggable comes before another at all `cages` that the other fits."""
        at_cages = [[each.key for each in self.modules(cage)] for cage in self._cages]
        return better is not None and all(
            better.key in keys[: keys.index(offer.key)] for keys in at_cages if offer.key in keys
        )

    @staticmethod
    def _either_end(tip: Tip, fibre: CablePart) -> bool:
        return any(tip.takes(fibre, end.connector) for end in (fibre.head, *fibre.tails))

    def ladder(self, head: Tip, tails: Sequence[Tip], legs: int) -> Ladder:
        """Fibres with so many legs from `head` to `tails`; a straight one lies either way."""
        run: tuple[Tip | int, ...] = (head, *dict.fromkeys(tails), legs)
        if run not in self._ladders:
            fits = [(key, part) for key, part in self._fibres if len(part.tails) == legs]
            offers = [
                self._offer(key, part, ())
                for key, part in fits
                if _lies(part, head, tails) or (legs == 1 and _lies(part, tails[0], [head]))
            ]
            self._ladders[run] = build_ladder(offers, self.terms)
        return self._ladders[run]

    def refusals(self, a: EndSpec, b: EndSpec, media: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Per medium: what keeps its parts out of a link between two kinds of cage, most frequent reason first."""
        for medium in media:
            reasons = Counter(self._fibre_misfits(a, b, medium) if medium in FIBRE else self._misfits(a, b, medium))
            frequent = [f"{reason} ({count} parts)" for reason, count in reasons.most_common(3)]
            fallback = (
                "modules fit, but no fibre mates with both" if medium in FIBRE else "parts fit, but no single one"
            )
            yield medium, ", ".join(frequent) or f"{fallback} serves all these links"

    def _fibre_misfits(self, a: EndSpec, b: EndSpec, medium: str) -> Iterator[str]:
        """Reasons at an end that no transceiver fits; else that the two ends have no light in common."""
        lights = [{light for light in self.lights(end) if light.medium == medium} for end in (a, b)]
        for end, found in zip((a, b), lights, strict=True):
            for part in self.terms.catalog.transceivers.values() if not found else ():
                if part.medium == medium and (misfit := module_misfit(part, end, self.terms.link_layer)):
                    yield f"{end.role} end {misfit}"
        if all(lights) and not set.intersection(*lights):
            yield "the two ends have no kind of optics in common"

    def _misfits(self, a: EndSpec, b: EndSpec, medium: str) -> Iterator[str]:
        for _, part in self._assemblies:
            if part.medium == medium:
                pairs = ((a, b), (b, a))
                misfits = [cable_misfit(part, head, (tail,), self.terms.link_layer) for head, tail in pairs]
                if all(misfits):
                    yield str(misfits[0])


def _lies(fibre: CablePart, head: Tip, tails: Sequence[Tip]) -> bool:
    """Whether the fibre's head mates with `head` and each of its legs with any of `tails`."""
    return head.takes(fibre, fibre.head.connector) and all(
        tail.takes(fibre, leg.connector) for leg in fibre.tails for tail in tails
    )
