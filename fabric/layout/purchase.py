"""Ways to buy a shape: one assembly for all its links, or fibres with a pluggable in every cage.

A way prices many components at once, from a matrix of route lengths (components, links) [m, without slack] to
ranks (components, columns), and then names the parts for the components that take it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fabric.catalog.parts import CablePart
from fabric.layout.component import Shape
from fabric.layout.fibre import CableOffers, ModuleOffers, fibre_ways
from fabric.layout.ladder import Ladder, Metres, Whole, build_ladder
from fabric.layout.menu import Menu
from fabric.layout.offer import Offer


class Way(Protocol):
    """One way to buy every link of a shape."""

    def rank(self, route_m: Metres) -> Whole:
        """Rank of each component, (components, columns)."""

    def buy(self, route_m: Metres) -> Iterator[tuple[CableOffers, ModuleOffers]]:
        """The parts of each component that this way reaches."""

    def limits_m(self) -> Metres:
        """Route lengths beyond which the price may change, ascending."""


@dataclass(frozen=True, slots=True)
class OneAssembly:
    """A single copper or active optical cable that carries all `links` of the shape."""

    ladder: Ladder
    links: int

    def rank(self, route_m: Metres) -> Whole:
        """Rank of each component: that of the cable that serves its longest route."""
        ranks: Whole = self.ladder.rank[self.ladder.rung(route_m.max(axis=1))]
        return ranks

    def buy(self, route_m: Metres) -> Iterator[tuple[CableOffers, ModuleOffers]]:
        """One cable per component."""
        links = tuple(range(self.links))
        for rung in self.ladder.rung(route_m.max(axis=1)):
            yield ((self.ladder.best[rung], links),), ()

    def limits_m(self) -> Metres:
        """The rungs."""
        return self.ladder.reach_m


def ways(shape: Shape, menu: Menu, media: Mapping[str, Sequence[str]]) -> tuple[Way, ...]:
    """Every way to buy `shape` with the `media` that each kind of its links allows."""
    allowed = frozenset.intersection(*(frozenset(media[kind]) for kind in {joint.kind for joint in shape.joints}))
    found: list[Way] = []
    offers = [offer for offer in _assemblies(shape, menu) if offer.part.medium in allowed]
    if offers:
        found.append(OneAssembly(build_ladder(offers, menu.terms), len(shape.joints)))
    found.extend(fibre_ways(shape, menu, allowed))
    return tuple(found)


def best_way(options: Sequence[Way], route_m: Metres) -> tuple[Whole, Whole]:
    """Per component: the number of its best way, and that way's rank (components, columns).

    Compared are parts not yet sold first, then the costs, then doubt about the ends, then the order of the ways.
    """
    ranks = np.stack([option.rank(route_m) for option in options])
    best = np.lexsort(np.moveaxis(ranks, 2, 0)[::-1], axis=0)[0]
    return best, ranks[best, np.arange(len(route_m))]


def _assemblies(shape: Shape, menu: Menu) -> list[Offer[CablePart]]:
    """Cables whose head is a cage that every link of the shape ends in."""
    links = len(shape.joints)
    offers: dict[str, Offer[CablePart]] = {}
    for head, end in enumerate(shape.ends):
        if len(shape.links_at[head]) == links:
            tails = [tail for cage, tail in enumerate(shape.ends) if cage != head]
            offers |= {offer.key: offer for offer in menu.assemblies(end, tails, links)}
    return list(offers.values())
