"""Which parts may join two kinds of cage: the rules of fit, and the offers that pass them.

A rule answers with the reason why a part is out, so that an empty menu can be explained. Sources of the rules:
finned and flat tops are not interchangeable (nvidia-xdr-list), single-port optics stay out of twin-port switch
cages (nvidia-mms4x00-ns400), lanes never downshift (nvidia-xdr-list), the fibre and the module share one
connector and one kind of fibre (nvidia-structured-cabling).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CableEnd, CablePart, Transceiver
from fabric.catalog.price import price
from fabric.layout.cage import EndSpec

P = TypeVar("P", CablePart, Transceiver)

FIBRE = ("mmf", "smf")
_CO_PACKAGED_CONNECTOR = {"mpo-12": "mpo-12-apc", "mmc-12": "mmc-12"}


@dataclass(frozen=True, slots=True)
class Terms:
    """What binds every purchase of one fabric.

    `spare_m` gives the slack of both ends together [m] that a floor plan asks of a medium.
    """

    catalog: Catalog
    link_layer: str
    spare_m: Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Offer(Generic[P]):
    """One part that fits, with what ranks it against others.

    A part that is not in active sale is a last resort whatever its price. `unqualified` counts the ends whose
    device the part's vendor does not name; it decides between equal prices only.
    """

    key: str
    part: P
    cents: int
    last_resort: int
    unqualified: int

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Sort key, best first."""
        return self.last_resort, self.cents, self.unqualified, self.key


class Light(NamedTuple):
    """What two modules must share to understand each other over one fibre: `optics` of one port (400G-DR4)."""

    medium: str
    optics: str


def light_of(module: Transceiver) -> Light:
    """The light of one port; without named optics, modules of equal rate and connector are taken to agree."""
    return Light(module.medium, module.optics or f"{module.rate_gbps}G {module.connector}")


def carries(module: Transceiver, fibre: CablePart) -> bool:
    """Whether the module reaches along the fibre as sold, and not too short for its receiver."""
    reach_m = module.reach_m.get(fibre.fibre_grade, 0.0) if fibre.fibre_grade else 0.0
    return module.min_reach_m <= fibre.length_m <= reach_m


def _first(*rules: tuple[bool, str]) -> str | None:
    return next((reason for broken, reason in rules if broken), None)


def _sale(part: CablePart | Transceiver, link_layer: str) -> str | None:
    return _first(
        (not part.allowed_for_design, "not released for designs"),
        (part.status == "no_longer_sold", "no longer sold"),
        (link_layer not in part.link_layers, f"not for {link_layer}"),
    )


def _hole(form_factor: str | None, top: str | None, power_w: float | None, end: EndSpec) -> str | None:
    return _first(
        (form_factor != end.form_factor, f"form factor is not {end.form_factor}"),
        (top is not None and end.top is not None and top != end.top, f"top is not {end.top}"),
        (
            power_w is not None and end.max_power_w is not None and power_w > end.max_power_w,
            f"more than the cage's {end.max_power_w} W",
        ),
    )


def _plug(plug: CableEnd, end: EndSpec) -> str | None:
    misfit = _hole(plug.form_factor, plug.top, plug.power_w, end)
    return misfit or _first((plug.ports != end.ports, f"its end has {plug.ports} ports, the cage {end.ports}"))


def cable_misfit(part: CablePart, head: EndSpec, tails: Sequence[EndSpec], link_layer: str) -> str | None:
    """Why a copper or active optical cable cannot run from `head` to `tails` (one per leg); None when it can."""
    between = "switch-switch" if {head.role, *(tail.role for tail in tails)} == {"switch"} else "switch-node"
    ends = (head, *tails)
    rules = _first(
        (between not in part.between, f"not for {between}"),
        (any(part.rate_gbps != end.rate_gbps for end in ends), f"not {head.rate_gbps}G a port"),
        (any(part.lane_gbps != end.lane_gbps for end in ends), f"not {head.lane_gbps}G a lane"),
        (len(tails) > len(part.tails), f"{len(part.tails)} legs for {len(tails)} cages"),
    )
    plugs = (_plug(plug, end) for plug in part.tails for end in tails)
    return (
        _sale(part, link_layer) or rules or _plug(part.head, head) or next((misfit for misfit in plugs if misfit), None)
    )


def module_misfit(part: Transceiver, end: EndSpec, link_layer: str) -> str | None:
    """Why a transceiver cannot serve the cage `end`; None when it can."""
    rules = _first(
        (end.co_packaged, "the optics are inside the switch"),
        (end.role not in part.fits, f"not for a {end.role} cage"),
        (part.rate_gbps != end.rate_gbps, f"not {end.rate_gbps}G a port"),
        (part.lane_gbps != end.lane_gbps, f"not {end.lane_gbps}G a lane"),
        (part.ports != end.ports, f"{part.ports} ports, the cage {end.ports}"),
    )
    return _sale(part, link_layer) or rules or _hole(part.form_factor, part.top, part.figure("max_w"), end)


class Menu:
    """Everything on offer under `terms`; what one kind of cage accepts is worked out once."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._modules: dict[EndSpec, tuple[Offer[Transceiver], ...]] = {}

    @cached_property
    def _fibres(self) -> tuple[tuple[str, CablePart], ...]:
        return tuple(
            (key, part)
            for key, part in sorted(self.terms.catalog.cables.items())
            if part.medium in FIBRE and len(part.tails) == 1 and not _sale(part, self.terms.link_layer)
        )

    @cached_property
    def _assemblies(self) -> tuple[tuple[str, CablePart], ...]:
        parts = sorted(self.terms.catalog.cables.items())
        return tuple((key, part) for key, part in parts if part.medium not in FIBRE)

    def _offer(self, key: str, part: P, ends: Sequence[EndSpec]) -> Offer[P]:
        unqualified = sum(not set(end.keys) & set(part.qualified_with) for end in ends)
        cents = price(part, self.terms.catalog).cents
        return Offer(key, part, cents, int(part.status != "active"), unqualified)

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

    def lit(self, end: EndSpec, light: Light) -> tuple[Offer[Transceiver], ...]:
        """Transceivers of one light, best first; none for a co-packaged end, which needs none."""
        return tuple(offer for offer in self.modules(end) if light_of(offer.part) == light)

    def fibres(self, a: EndSpec, b: EndSpec, light: Light) -> tuple[Offer[CablePart], ...]:
        """Fibres of one link that some module at either end reaches along."""
        return tuple(
            self._offer(key, part, ())
            for key, part in self._fibres
            if part.medium == light.medium and self._mates(part, a, b, light)
        )

    def _mates(self, fibre: CablePart, a: EndSpec, b: EndSpec, light: Light) -> bool:
        there, back = (self._connectors(end, light, fibre) for end in (a, b))
        head, tail = fibre.head.connector, fibre.tails[0].connector
        return (head in there and tail in back) or (head in back and tail in there)

    def _connectors(self, end: EndSpec, light: Light, fibre: CablePart) -> set[str]:
        """Connectors that meet the fibre at `end`, of the modules that carry it."""
        if end.co_packaged:
            return {_CO_PACKAGED_CONNECTOR[end.form_factor]}
        return {offer.part.connector for offer in self.lit(end, light) if carries(offer.part, fibre)}

    def refusals(self, a: EndSpec, b: EndSpec, media: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Per medium: what keeps its parts out of a link between two kinds of cage, most frequent reason first."""
        for medium in media:
            reasons = Counter(self._fibre_misfits(a, b, medium) if medium in FIBRE else self._misfits(a, b, medium))
            frequent = [f"{reason} ({count} parts)" for reason, count in reasons.most_common(3)]
            yield medium, ", ".join(frequent) or "parts fit, but not one piece for all these links"

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
