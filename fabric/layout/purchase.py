"""Ways to buy a shape: one assembly for all its links, or fibres with a pluggable in every cage.

A way prices many components at once, from a matrix of route lengths (components, links) [m, without slack] to
ranks (components, columns), and then names the parts for the components that take it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabric.catalog.parts import CablePart
from fabric.layout.component import Shape
from fabric.layout.fibre import ModuleOffers, fibre_ways
from fabric.layout.ladder import Ladder, Metres, Whole, build_ladder
from fabric.layout.menu import Menu
from fabric.layout.offer import Offer

CableOffers = tuple[tuple[Offer[CablePart], tuple[int, ...]], ...]
"""Cables of one component, each with the links that it carries."""


@dataclass(frozen=True, eq=False)
class Way:
    """One way to buy every link of a shape: a cable for each of `leads`, and the pluggables between them.

    A lead is the links that its cable carries, by number within the shape; its ladder holds what may be bought for it.
    Copper and active optics are one cable that carries all links, and no pluggable.
    """

    leads: tuple[tuple[int, ...], ...]
    ladders: tuple[Ladder, ...]
    modules: ModuleOffers = ()

    @cached_property
    def module_rank(self) -> Whole:
        """Sum of the ranks of the pluggables, (columns,)."""
        ranks = np.array([offer.columns for _, offer in self.modules], dtype=np.int64)
        total: Whole = ranks.reshape(-1, self.ladders[0].rank.shape[1]).sum(axis=0)
        return total

    def rungs(self, route_m: Metres) -> Whole:
        """The lowest rung that serves each lead of each component, (components, leads)."""
        pairs = zip(self.ladders, self.leads, strict=True)
        return np.stack([ladder.rung(route_m[:, lead].max(axis=1)) for ladder, lead in pairs], axis=1)

    def rank(self, route_m: Metres) -> Whole:
        """Rank of each component, (components, columns): the sum over its cables and pluggables."""
        total = np.tile(self.module_rank, (len(route_m), 1))
        for ladder, rung in zip(self.ladders, self.rungs(route_m).T, strict=True):
            total += ladder.rank[rung]
        return total

    @property
    def distinct_ladders(self) -> tuple[Ladder, ...]:
        """The ladders of all leads, each once."""
        return tuple({id(ladder): ladder for ladder in self.ladders}.values())

    def even_rank(self, route_m: Metres) -> Whole:
        """Rank of components all of whose links are as long, (components, columns), from one length of each."""
        leads = Counter(map(id, self.ladders))
        ranks = (leads[id(ladder)] * ladder.rank[ladder.rung(route_m)] for ladder in self.distinct_ladders)
        return sum(ranks, start=np.tile(self.module_rank, (len(route_m), 1)))

    def best(self, route_m: Metres) -> Whole:
        """Rungs of the best cables of each component that this way reaches, (components, leads)."""
        return np.stack(
            [ladder.best[rung] for ladder, rung in zip(self.ladders, self.rungs(route_m).T, strict=True)], axis=1
        )

    def limits_m(self) -> Metres:
        """Route lengths beyond which the price may change, ascending."""
        return np.unique(np.concatenate([ladder.reach_m for ladder in self.ladders]))


@dataclass(frozen=True, slots=True)
class Bought:
    """Components of one shape that are bought one way: their rows, and the rungs of their cables (rows, leads)."""

    way: Way
    rows: Whole
    rungs: Whole

    def parts(self) -> Iterator[tuple[int, CableOffers, ModuleOffers]]:
        """Row, cables and pluggables of each component."""
        for row, rungs in zip(self.rows.tolist(), self.rungs.tolist(), strict=True):
            pieces = zip(self.way.ladders, rungs, self.way.leads, strict=True)
            yield row, tuple((ladder.offers[rung], lead) for ladder, rung, lead in pieces), self.way.modules


def ways(shape: Shape, menu: Menu, media: Mapping[str, Sequence[str]]) -> tuple[Way, ...]:
    """Every way to buy `shape` with the `media` that each kind of its links allows."""
    allowed = frozenset.intersection(*(frozenset(media[kind]) for kind in {joint.kind for joint in shape.joints}))
    found: list[Way] = []
    offers = [offer for offer in _assemblies(shape, menu) if offer.part.medium in allowed]
    if offers:
        found.append(Way((tuple(range(len(shape.joints))),), (build_ladder(offers, menu.terms),)))
    found.extend(Way(*fibres) for fibres in fibre_ways(shape, menu, allowed))
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
