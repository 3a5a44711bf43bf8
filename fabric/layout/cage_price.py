"""What the node links of a leaf's cage cost together, for every way to fill the cage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabric.layout.cage import PORTS_OF_ONE_SPLITTER, EndSpec
from fabric.layout.cage_fill import EMPTY, Slots, arrangements
from fabric.layout.component import Joint, Shape
from fabric.layout.down_cages import KIND
from fabric.layout.ladder import Metres, Whole, rank_table
from fabric.layout.market import Shop
from fabric.layout.purchase import best_way


def cage_shape(head: EndSpec, far: Sequence[EndSpec | None]) -> Shape:
    """The component of one cage of a leaf: what its ports lead to, in their order; None is an empty port.

    Slots are numbered as `cage.slots` does.
    """
    used = [(slot, end) for slot, end in enumerate(far) if end is not None]
    slotted = head.ports > PORTS_OF_ONE_SPLITTER
    joints = tuple(Joint(number, 0, KIND, slot * slotted) for number, (slot, _) in enumerate(used, start=1))
    return Shape((head, *(end for _, end in used)), joints)


class CagePrices:
    """Prices of filled cages for links that end in far cages of their own.

    `class_of` numbers the class of each link from 1, (links,). Links of one class have equal far cages, and routes
    between which no price changes. So a filling is told by classes, and few fillings tell all.
    """

    def __init__(
        self, shop: Shop, media: tuple[str, ...], heads: Sequence[EndSpec], far: Sequence[EndSpec], route_m: Metres
    ) -> None:
        """Sort the links into classes.

        Args:
            shop: what is on offer.
            media: what the links may be made of.
            heads: every kind of cage of the leaves.
            far: kind of the far cage of each link, (links,).
            route_m: route of each link [m, without slack], (links,).
        """
        self._shop = shop
        self._media = {KIND: media}
        self._ends: tuple[EndSpec | None, ...] = (None, *dict.fromkeys(far))
        number = {end: index for index, end in enumerate(self._ends)}
        routes, at = np.unique(route_m, return_inverse=True)
        links = np.stack([[number[end] for end in far], self._levels(heads, routes)[at.reshape(-1)]])
        found, first, label = np.unique(links, axis=1, return_index=True, return_inverse=True)
        self.class_of: Whole = label.reshape(-1).astype(np.int64) + 1
        self._end_of = np.concatenate([[EMPTY], found[0]])
        self._route_m = np.concatenate([[0.0], route_m[first]])

    def _levels(self, heads: Sequence[EndSpec], routes: Metres) -> Whole:
        """Levels of ascending `routes`: on one level every filling costs the same, if its links are all that long.

        So it does with links of any lengths of that level, because no rank falls with a length.
        """
        changes = np.zeros(len(routes), dtype=np.bool_)
        for head in heads:
            for filling in arrangements(range(1, len(self._ends)), head.ports):
                shape = cage_shape(head, [self._ends[end] for end in filling])
                for way in self._shop.ways(shape, self._media):
                    rank = way.rank(np.repeat(routes[:, None], len(shape.joints), axis=1))
                    changes[1:] |= (np.diff(rank, axis=0) != 0).any(axis=1)
        return np.cumsum(changes, dtype=np.int64)

    def rank(self, head: EndSpec, fillings: Sequence[Slots]) -> Whole:
        """Least rank of each filling of a kind of cage, (fillings, columns); columns as in `offer.Offer.columns`."""
        ranks = np.repeat(rank_table((), len(self._shop.menu.terms.scales)), len(fillings), axis=0)
        classes = np.array(fillings, dtype=np.int64).reshape(len(fillings), head.ports)
        patterns, of = np.unique(self._end_of[classes], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            options = self._shop.ways(cage_shape(head, [self._ends[end] for end in pattern]), self._media)
            if options:
                rows = np.flatnonzero(of.reshape(-1) == number)
                _, ranks[rows] = best_way(options, self._route_m[classes[rows]][:, pattern != EMPTY])
        return ranks
