"""Chains of switches that endpoints of a tree come down on, dealt one after the other, and the ways up to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.model.forwarding import TableArray
from fabric.model.network import BoolArray, IntArray, Network
from fabric.routing._deck import Deck

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class _Tier:
    """Switches of one tier and their links.

    Attributes:
        rows: (n_rows,) the switches.
        link: (n_rows, width) links by port.
        far: (n_rows, width) switches at their other ends; −1 where there is no link.
        up: (n_rows, width) which links go up.
        key: (n_rows, width) endpoints sent on each link times width plus its place; the least is next.
        can: (n_rows, width) which links begin a shortest way to the leaf in hand.
    """

    rows: IntArray
    link: IntArray
    far: IntArray
    up: BoolArray
    key: IntArray
    can: BoolArray

    @property
    def width(self) -> int:
        """Most links of a switch of the tier."""
        return int(self.key.shape[1])


class Chains:
    """The state of OpenSM's engine ftree while it goes from endpoint to endpoint."""

    def __init__(self, network: Network, deck: Deck) -> None:
        """Start with no endpoint on any link."""
        self._deck = deck
        self._leaf = 0
        self._tiers = [_tier(network, deck, tier) for tier in np.unique(network.tier)[::-1].tolist()]
        self._place = {  # of each switch: its tier and its row there
            switch: (tier, row) for tier in self._tiers for row, switch in enumerate(tier.rows.tolist())
        }
        self._pipe = network.pipes.of_link
        self._down = np.zeros(network.pipes.gbps.size, dtype=np.int64)  # endpoints that come down on each pipe
        ends = np.stack([network.pipes.a, network.pipes.b])
        upper = np.where(network.tier[ends[0]] > network.tier[ends[1]], *ends)
        order = np.argsort(upper, kind="stable")
        size = np.bincount(upper, minlength=network.switch_count)
        self._pipes_below = np.split(order, np.cumsum(size)[:-1])
        self._emptiest = np.zeros(network.switch_count, dtype=np.int64)  # fewest on a pipe below each switch

    def aim(self, leaf: int, arcs: BoolArray) -> None:
        """Take a leaf in hand, with the arcs (n_arcs,) that begin shortest ways to it."""
        self._leaf = leaf
        usable = self._deck.of_arcs(arcs)
        for tier in self._tiers:
            tier.can[:] = usable[tier.rows, : tier.width]

    def deal(self, table: TableArray) -> None:
        """Deal the next chain of the leaf in hand and set the table (n_switches,) of every other switch to it."""
        leads = np.zeros(table.size + 1, dtype=np.bool_)  # the last one stands for no switch
        for switch, link in self._climb().items():
            leads[switch] = True
            if link is not None:
                table[switch] = link
        on_chain = leads.copy()
        for tier in self._tiers:
            self._follow(tier, on_chain, leads, table)

    def _climb(self) -> dict[int, int | None]:
        """Switches of the next chain, each with its link down; counted as taken."""
        chain: dict[int, int | None] = {self._leaf: None}
        switch = self._leaf
        while True:
            tier, row = self._place[switch]
            link, far = tier.link[row, tier.up[row]], tier.far[row, tier.up[row]]
            if not link.size:
                return chain
            pipe = self._pipe[link]
            best = int(np.lexsort((far, self._emptiest[far], self._down[pipe]))[0])
            switch = int(far[best])
            chain[switch] = self._take(switch, link[far == switch])
            self._down[pipe[best]] += 1
            self._emptiest[switch] = self._down[self._pipes_below[switch]].min()

    def _take(self, switch: int, links: IntArray) -> int:
        """The emptiest of some links down of a switch, counted as taken."""
        tier, row = self._place[switch]
        columns = np.flatnonzero(np.isin(tier.link[row], links))
        column = int(columns[(tier.key[row, columns] // tier.width).argmin()])
        tier.key[row, column] += tier.width
        return int(tier.link[row, column])

    @staticmethod
    def _follow(tier: _Tier, on_chain: BoolArray, leads: BoolArray, table: TableArray) -> None:
        """Set the table of the switches of a tier that are off the chain; which of them lead to it joins `leads`."""
        wanted = tier.can & leads[tier.far]
        joins: BoolArray = np.asarray(wanted.any(axis=1))
        key = np.where(np.where(joins[:, None], wanted, tier.can), tier.key, _NEVER)
        best = key.argmin(axis=1)
        row = np.flatnonzero((key[np.arange(best.size), best] < _NEVER) & ~on_chain[tier.rows])
        cell = row, best[row]
        table[tier.rows[row]] = tier.link[cell]
        goes_up = tier.up[cell]
        tier.key[row[goes_up], best[row[goes_up]]] += tier.width
        leads[tier.rows[row[goes_up & joins[row]]]] = True


def _tier(network: Network, deck: Deck, tier: int) -> _Tier:
    rows = np.flatnonzero(network.tier == tier)
    width = max(1, int((deck.far[rows] >= 0).sum(axis=1).max(initial=0)))
    far = deck.far[rows, :width]
    up = (far >= 0) & (network.tier[far] > tier)
    key = np.broadcast_to(np.arange(width), far.shape).copy()
    return _Tier(rows, deck.link[rows, :width], far, up, key, np.zeros(far.shape, dtype=np.bool_))
