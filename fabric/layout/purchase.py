"""Ways to buy a shape: one assembly for all its links, or fibres with a pluggable in every cage.

A way prices many components at once, from a matrix of route lengths (components, links) [m, without slack] to
ranks (components, 3), and then names the parts for the components that take it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from fabric.catalog.parts import CablePart, Transceiver
from fabric.layout.assembly import Light, Menu, Offer, carries
from fabric.layout.cage import EndSpec
from fabric.layout.component import Shape
from fabric.layout.ladder import CENTS, LAST_RESORT, UNQUALIFIED, Ladder, Metres, Whole, build_ladder, rank_table

Table = npt.NDArray[np.bool_]

CableOffers = tuple[tuple[Offer[CablePart], tuple[int, ...]], ...]
"""Cables of one component, each with the links that it carries."""

ModuleOffers = tuple[tuple[int, Offer[Transceiver]], ...]
"""Pluggables of one component: cage and offer."""


class Way(Protocol):
    """One way to buy every link of a shape."""

    def rank(self, route_m: Metres) -> Whole:
        """Rank of each component, (components, 3)."""

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


@dataclass(frozen=True, slots=True)
class Socket:
    """One cage that takes a pluggable: offers best first, and which fibres of its links each carries.

    `offer_rank` is (offers + 1, 3); `reaches` holds per link of the cage its number and a table (rungs + 1, offers).
    """

    offers: tuple[Offer[Transceiver], ...]
    offer_rank: Whole
    reaches: tuple[tuple[int, Table], ...]

    def choose(self, rungs: Sequence[Whole]) -> Whole:
        """Best offer that carries every link's fibre, (components,); len(offers) where none does."""
        able = np.ones((len(rungs[0]), len(self.offers) + 1), dtype=np.bool_)
        for link, table in self.reaches:
            able[:, :-1] &= table[rungs[link]]
        first: Whole = able.argmax(axis=1).astype(np.int64)
        return first


@dataclass(frozen=True, slots=True)
class Fibres:
    """A fibre per link and a pluggable per cage, all of one light; co-packaged cages have no socket.

    Each link takes the cheapest fibre that some module at either end reaches along; then each cage takes the cheapest
    module that reaches along all its fibres. That is the cheapest purchase as long as no fibre is cheaper than a
    shorter one of its medium: then the fibre chosen is also the one that asks least of the modules.
    """

    ladders: tuple[Ladder, ...]
    sockets: Mapping[int, Socket]

    def _rungs(self, route_m: Metres) -> list[Whole]:
        return [ladder.rung(route_m[:, link]) for link, ladder in enumerate(self.ladders)]

    def rank(self, route_m: Metres) -> Whole:
        """Sum over the fibres and pluggables of each component."""
        rungs = self._rungs(route_m)
        total = np.zeros((len(route_m), 3), dtype=np.int64)
        for ladder, rung in zip(self.ladders, rungs, strict=True):
            total += ladder.rank[rung]
        for socket in self.sockets.values():
            total += socket.offer_rank[socket.choose(rungs)]
        return total

    def buy(self, route_m: Metres) -> Iterator[tuple[CableOffers, ModuleOffers]]:
        """One fibre per link and one pluggable per socket."""
        rungs = self._rungs(route_m)
        chosen = {cage: socket.choose(rungs) for cage, socket in self.sockets.items()}
        for row in range(len(route_m)):
            yield (
                tuple((ladder.best[rungs[link][row]], (link,)) for link, ladder in enumerate(self.ladders)),
                tuple((cage, socket.offers[chosen[cage][row]]) for cage, socket in self.sockets.items()),
            )

    def limits_m(self) -> Metres:
        """The rungs of every link."""
        return np.unique(np.concatenate([ladder.reach_m for ladder in self.ladders]))


def ways(shape: Shape, menu: Menu, media: Mapping[str, Sequence[str]]) -> tuple[Way, ...]:
    """Every way to buy `shape` with the `media` that each kind of its links allows."""
    allowed = frozenset.intersection(*(frozenset(media[kind]) for kind in {kind for *_, kind in shape.joints}))
    found: list[Way] = []
    offers = [offer for offer in _assemblies(shape, menu) if offer.part.medium in allowed]
    if offers:
        found.append(OneAssembly(build_ladder(offers, menu.terms), len(shape.joints)))
    lights = frozenset.intersection(*(menu.lights(end) for end in shape.ends))
    lit = (_fibres(shape, menu, light) for light in sorted(lights) if light.medium in allowed)
    found.extend(way for way in lit if all(ladder.best for ladder in way.ladders))
    return tuple(found)


def best_way(options: Sequence[Way], route_m: Metres) -> tuple[Whole, Whole]:
    """Per component: the number of its best way, and that way's rank (components, 3).

    Compared are parts not in active sale first, then price, then ends not qualified, then the order of the ways.
    """
    ranks = np.stack([option.rank(route_m) for option in options])
    keys = (ranks[:, :, UNQUALIFIED], ranks[:, :, CENTS], ranks[:, :, LAST_RESORT])
    best = np.lexsort(keys, axis=0)[0]
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


def _fibres(shape: Shape, menu: Menu, light: Light) -> Fibres:
    ladder_of: dict[tuple[EndSpec, EndSpec], Ladder] = {}
    table_of: dict[tuple[EndSpec, tuple[EndSpec, EndSpec]], Table] = {}
    pairs = [(shape.ends[a], shape.ends[b]) for a, b, _ in shape.joints]
    for pair in dict.fromkeys(pairs):
        ladder_of[pair] = build_ladder(menu.fibres(*pair, light), menu.terms)
        table_of |= {(end, pair): _reaches(ladder_of[pair], menu.lit(end, light)) for end in pair}
    sockets = {}
    for cage, end in enumerate(shape.ends):
        if not end.co_packaged:
            offers = menu.lit(end, light)
            tables = tuple((link, table_of[end, pairs[link]]) for link in shape.links_at[cage])
            sockets[cage] = Socket(offers, rank_table(offers), tables)
    return Fibres(tuple(ladder_of[pair] for pair in pairs), sockets)


def _reaches(ladder: Ladder, offers: tuple[Offer[Transceiver], ...]) -> Table:
    """Whether each offer carries the fibre of each rung; nothing carries what no rung reaches."""
    rows = [[carries(offer.part, rung.part) for offer in offers] for rung in ladder.best]
    return np.array([*rows, [False] * len(offers)], dtype=np.bool_)
