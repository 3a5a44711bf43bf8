"""Free ports: which links share a cage of their leaf, so that what is bought for them costs least.

Links of one cage share a module or a splitter, and that saves only where they end close together. Nodes and leaves
have their places already, so every way to fill a cage has its price, and each leaf is matched on its own: with cages
of two ports its links with each other and with empty ports, with larger ones as a set partition.

Links whose far cages hold further links keep their ports: such cages tie leaves together. Between switches nothing is
matched. There the prices of fibres and modules add up link by link and cage by cage, so ports can save only where both
links of a twin cable find whole cages, and free ports are dealt that way (`topology.port_map`).
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

import numpy as np

from fabric.catalog.load import Catalog
from fabric.floorplan.routes import Routes
from fabric.layout.cable import measure
from fabric.layout.cage import EndSpec, port_in
from fabric.layout.cage_fill import EMPTY, Choices, Slots, arrangement_count, arrangements, cheapest_fill, in_order
from fabric.layout.cage_price import CagePrices
from fabric.layout.down_cages import KIND, Leaf, leaves_apart
from fabric.layout.ladder import COST, UNREACHABLE_COST, Metres
from fabric.layout.market import Shop, media_rule
from fabric.layout.used_cages import used_cages
from fabric.model.placement import Placement
from fabric.model.request import Request
from fabric.model.topology import Port, Topology

MOST_ARRANGEMENTS = 5_000
"""Ways to fill one cage beyond which a leaf keeps its ports."""

TIED = "cages of their nodes hold several links"
TOO_MANY = "their cages can be filled in too many ways"
NOT_PROVED = "no filling of their cages was proved the cheapest within the work for one leaf"
PRELOADED = "ports: as many cages of a leaf in use as with regular ports, because optics are preloaded"
TRUNKS = "ports of trunks: whole cages first, then in the order of the spines"

Filling = tuple[tuple[int, Slots], ...]
"""What stands in each used cage of a leaf, sorted: the number of its kind, and a class of links per port."""

Stock = tuple[tuple[EndSpec, int], ...]
"""How many down cages of each kind a leaf has."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A topology with its ports matched, and what the matching took as given (`Termination.fixed`)."""

    topology: Topology
    fixed: tuple[str, ...]


def match_ports(
    topology: Topology, placement: Placement, routes: Routes, request: Request, catalog: Catalog
) -> Matched:
    """The topology with the node links of every leaf on those of its down ports where they cost least.

    Exact for each leaf, but for what `fixed` names. A leaf that gains nothing keeps its ports.
    """
    apart, tied_count = leaves_apart(topology, catalog)
    kept = Counter({TIED: tied_count})
    ports: dict[int, Port] = {}
    if apart:
        route_m = measure(topology, placement, routes).route_m
        matching = _Matching(topology, apart, route_m, request, Shop(request, catalog, routes))
        for leaf in apart:
            found = matching.ports(leaf)
            if isinstance(found, str):
                kept[found] += 1
            else:
                ports |= found
    fixed = [f"ports: regular on {count} leaves, because {why}" for why, count in sorted(kept.items()) if count]
    fixed += [PRELOADED] * request.fabric.preload_optics + [TRUNKS] * bool(topology.with_role("spine"))
    moved = tuple(replace(link, b=ports.get(number, link.b)) for number, link in enumerate(topology.links))
    return Matched(replace(topology, links=moved), tuple(fixed))


class _Matching:
    """The links of some leaves in classes that no price tells apart; leaves alike are matched once."""

    def __init__(
        self, topology: Topology, leaves: Sequence[Leaf], route_m: Metres, request: Request, shop: Shop
    ) -> None:
        """Sort the links of `leaves` into classes, given the route of every link of `topology` [m, without slack]."""
        used = used_cages(topology, shop.menu.terms.catalog, shop.layer)
        numbers = [number for leaf in leaves for number in leaf.links]
        far = [used.specs_of(number)[0] for number in numbers]
        heads = tuple(dict.fromkeys(end for leaf in leaves for end in leaf.cages))
        self._prices = CagePrices(shop, media_rule(request, KIND)[1], heads, far, route_m[numbers])
        self._class_of = dict(zip(numbers, self._prices.class_of.tolist(), strict=True))
        self._links = topology.links
        self._slots = used.slot.tolist()
        self._layer = shop.layer
        self._preloads = request.fabric.preload_optics
        self._known: dict[tuple[Stock, Filling], Filling | str] = {}

    def ports(self, leaf: Leaf) -> dict[int, Port] | str:
        """The port of every link that moves, by number; or why no filling is known to be the cheapest."""
        stock = tuple((end, len(labels)) for end, labels in leaf.cages.items())
        regular = self._regular(leaf)
        if (stock, regular) not in self._known:
            self._known[stock, regular] = self._cheapest(stock, regular)
        filling = self._known[stock, regular]
        if isinstance(filling, str):
            return filling
        return dict(self._dealt(leaf, filling)) if filling != regular else {}

    def _regular(self, leaf: Leaf) -> Filling:
        """How the cages of a leaf are filled as the topology was dealt."""
        kind_of = {label: (kind, end) for kind, (end, labels) in enumerate(leaf.cages.items()) for label in labels}
        standing: defaultdict[str, list[int]] = defaultdict(list)
        for number in sorted(leaf.links, key=lambda number: self._slots[number]):
            cage = standing[self._links[number].b.cage]
            cage += [EMPTY] * (self._slots[number] - len(cage)) + [self._class_of[number]]
        return tuple(
            sorted(
                (kind, in_order([*cage, *[EMPTY] * (end.ports - len(cage))]))
                for label, cage in standing.items()
                for kind, end in (kind_of[label],)
            )
        )

    def _cheapest(self, stock: Stock, regular: Filling) -> Filling | str:
        """The cheapest filling of so many cages of each kind, `regular` itself if it is as cheap as any.

        Why there is none known, TOO_MANY or NOT_PROVED, where the ways or the work for a proof pass their limit.
        """
        links = Counter(each for _, cage in regular for each in cage if each != EMPTY)
        if sum(arrangement_count(len(links), end.ports) for end, _ in stock) > MOST_ARRANGEMENTS:
            return TOO_MANY
        choices = self._choices(stock, links)
        cages_used = len(regular) if self._preloads else None
        times = cheapest_fill(links, [count for _, count in stock], choices, cages_used=cages_used)
        if times is None:
            return NOT_PROVED
        cages = list(zip(choices.kind, choices.slots, strict=True))
        row = {cage: number for number, cage in enumerate(cages)}
        if set(regular) <= row.keys():
            as_dealt = choices.rank[[row[cage] for cage in regular]].sum(axis=0)
            if np.array_equal(as_dealt, np.array(times) @ choices.rank):
                return regular
        return tuple(sorted(chain.from_iterable(map(repeat, cages, times))))

    def _choices(self, stock: Stock, links: Mapping[int, int]) -> Choices:
        """Every way to fill a cage of each kind with some of `links` that some purchase reaches."""
        kinds, found, ranks = [], [], []
        for kind, (end, _) in enumerate(stock):
            cages = [
                cage
                for cage in arrangements(list(links), end.ports)
                if all(cage.count(each) <= links[each] for each in {*cage} - {EMPTY})
            ]
            rank = self._prices.rank(end, cages)
            within = np.flatnonzero(rank[:, COST] < UNREACHABLE_COST)
            kinds += [kind] * len(within)
            found += [cages[number] for number in within]
            ranks.append(rank[within])
        return Choices(tuple(found), np.concatenate(ranks), tuple(kinds))

    def _dealt(self, leaf: Leaf, filling: Filling) -> Iterator[tuple[int, Port]]:
        """The port of every link by number: cages in the order of their first links, links of a cage in their order."""
        waiting: defaultdict[int, deque[int]] = defaultdict(deque)
        for number in leaf.links:
            waiting[self._class_of[number]].append(len(self._links) - number)
        cages = [
            (kind, in_order([waiting[each].popleft() if each != EMPTY else EMPTY for each in cage]))
            for kind, cage in filling
        ]
        labels = [(end, iter(labels)) for end, labels in leaf.cages.items()]
        for kind, cage in sorted(cages, key=lambda cage: cage[1], reverse=True):
            end, free = labels[kind]
            label = next(free)
            for slot, place in enumerate(cage):
                if place != EMPTY:
                    yield len(self._links) - place, port_in((leaf.name, label), slot, end, self._layer)
