"""Forwarding tables as OpenSM sets them: one link per switch and endpoint, dealt out so that links carry equally many.

Source: opensm-source.
"""

from __future__ import annotations

import numpy as np

from fabric.model.forwarding import ARRIVED, NO_WAY, Forwarding, Ports, TableArray
from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.routing._chains import Chains
from fabric.routing._deck import Deck
from fabric.routing._next_hops import next_arcs

_NEVER = np.iinfo(np.int64).max


def local_tables(network: Network, routes: Routes, ports: Ports | None = None) -> Forwarding:
    """Tables by OpenSM's local rule, that of its engines minhop and updn, on the ways of any routing scheme.

    Every switch goes through the endpoints by their leaves, those with most endpoints first, and there by port. For
    each it takes, of the links that begin a shortest way, the one that fewest endpoints have been given to, the lowest
    port among equals. No switch looks at what another one chose. Leaves with equally many endpoints come in the order
    of the plane; in OpenSM in that of their GUIDs, read from the last byte. Source: opensm-source,
    osm_switch_recommend_path.

    Args:
        network: the plane.
        routes: how it is routed; see `next_arcs` for what a table makes of states.
        ports: numbers of the ports; by default links and endpoints count in their order.
    """
    deck, table = Deck.of(network, ports), _empty(network)
    every, column = np.arange(network.switch_count), np.arange(deck.width)
    given = np.zeros(deck.link.shape, dtype=np.int64)
    usable = dict(next_arcs(network, routes, np.unique(network.endpoint_switch)))
    for leaf in sorted(usable, key=lambda leaf: -len(deck.below(leaf))):
        key = np.where(deck.of_arcs(usable[leaf]), given * deck.width + column, _NEVER)
        for endpoint in deck.below(leaf):
            best = key.argmin(axis=1)
            taken = np.flatnonzero(key[every, best] < _NEVER)
            cell = taken, best[taken]
            table[taken, endpoint] = deck.link[cell]
            key[cell] += deck.width
            given[cell] += 1
    return Forwarding(table)


def tree_tables(network: Network, routes: Routes, ports: Ports | None = None) -> Forwarding:
    """Tables of a tree by OpenSM's rule for fat-trees, that of its engine ftree.

    Every endpoint, leaf by leaf and port by port, gets one chain of switches up to the top: in each the switch above
    that fewest endpoints come down from, then the one whose emptiest way down is emptiest, then the first; and of the
    links there the one with fewest. A leaf with fewer endpoints than the fullest is dealt chains for the missing
    ones too, so that ranks of equal number keep to the same chain. All switches send an endpoint's packets to its
    chain where a shortest way leads there, over the link that fewest endpoints go up on. Source: opensm-source,
    osm_ucast_ftree.c.

    Where no shortest way leads to the chain, as on a damaged tree, OpenSM's order of exploring decides; here such a
    switch takes the emptiest of its shortest ways.

    Args:
        network: a plane of leaves, spines and cores.
        routes: how it is routed, up and then down.
        ports: numbers of the ports; by default links and endpoints count in their order.
    """
    deck, table = Deck.of(network, ports), _empty(network)
    chains, most = Chains(network, deck), deck.most_below()
    for leaf, arcs in next_arcs(network, routes, np.unique(network.endpoint_switch)):
        chains.aim(leaf, arcs)
        here = deck.below(leaf)
        for endpoint in here:
            chains.deal(table[:, endpoint])
        for _ in range(most - len(here)):
            chains.deal(np.full(network.switch_count, NO_WAY, dtype=np.int32))
    return Forwarding(table)


def _empty(network: Network) -> TableArray:
    """Tables in which endpoints are known to their own switch alone."""
    table = np.full((network.switch_count, network.endpoint_switch.size), NO_WAY, dtype=np.int32)
    table[network.endpoint_switch, np.arange(network.endpoint_switch.size)] = ARRIVED
    return table
