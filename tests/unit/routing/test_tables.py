"""Forwarding tables: where they lead, and how evenly OpenSM's rules deal endpoints to links."""

import numpy as np
import pytest

from fabric.model.forwarding import ARRIVED, NO_WAY, Ports
from fabric.model.network import Network
from fabric.routing import dragonfly_minimal, up_down
from fabric.routing._next_hops import next_arcs
from fabric.routing._tables import local_tables, tree_tables

FAMILIES = ("two tiers", "trunks", "three tiers", "dragonfly", "torus")
TREES = ("two tiers", "trunks", "three tiers")


def way(network: Network, table, source: int, endpoint: int) -> list[int]:
    """Switches that the tables lead a packet through."""
    switches = [source]
    while (link := table[switches[-1], endpoint]) >= 0:
        here = switches[-1]
        switches.append(int(network.link_b[link] if network.link_a[link] == here else network.link_a[link]))
        assert here in (network.link_a[link], network.link_b[link])
        assert len(switches) <= network.switch_count
    return switches


def may_go(network: Network, paths, switches: list[int]) -> bool:
    """Whether some packet may go through these switches in this order."""
    states = {int(paths.start[switches[0]])}
    for following in switches[1:]:
        step = np.isin(paths.step_from, list(states)) & (network.arc_to[paths.step_arc] == following)
        states = set(paths.step_to[step].tolist())
    return bool(states)


@pytest.mark.parametrize(
    ("name", "make"), [*((name, local_tables) for name in FAMILIES), *((name, tree_tables) for name in TREES)]
)
def test_every_packet_takes_a_shortest_way_of_the_scheme(families, name, make):
    """From every leaf or router to every endpoint: the way ends there, is as short as any, and climbs the ladder."""
    network, scheme = families[name]
    routes = scheme(network)
    table = make(network, routes).link
    for leaf, arcs in next_arcs(network, routes, np.unique(network.endpoint_switch)):
        nearer = hops_to(network, arcs, leaf)
        for endpoint in np.flatnonzero(network.endpoint_switch == leaf).tolist():
            for source in range(network.edge_count):
                switches = way(network, table, source, endpoint)
                assert switches[-1] == leaf
                assert len(switches) - 1 == nearer[source]
                assert may_go(network, routes[0], switches)


def hops_to(network: Network, arcs, leaf: int) -> dict[int, int]:
    """Hops of the shortest way along some arcs to a leaf, from every switch."""
    hops, reached = {leaf: 0}, [leaf]
    for switch in reached:
        for before in network.arc_from[arcs & (network.arc_to == switch)].tolist():
            if before not in hops:
                hops[before] = hops[switch] + 1
                reached.append(before)
    return hops


def deal(network: Network, routes, ports: Ports) -> np.ndarray:
    """The local rule endpoint by endpoint and switch by switch, as a person would deal."""
    table = np.full((network.switch_count, network.endpoint_switch.size), NO_WAY)
    given = {}
    usable = dict(next_arcs(network, routes, np.unique(network.endpoint_switch)))
    size = np.bincount(network.endpoint_switch, minlength=network.edge_count)
    order = sorted(
        range(network.endpoint_switch.size),
        key=lambda e: (-size[network.endpoint_switch[e]], network.endpoint_switch[e], ports.endpoint[e]),
    )
    for endpoint in order:
        leaf = int(network.endpoint_switch[endpoint])
        for switch in range(network.switch_count):
            choice = []
            for link in range(network.link_a.size):
                for near, port, direction in (
                    (network.link_a[link], ports.a[link], 0),
                    (network.link_b[link], ports.b[link], network.pipes.gbps.size),
                ):
                    if near == switch and usable[leaf][network.pipes.of_link[link] + direction]:
                        choice.append((given.get((switch, link), 0), int(port), link))
            if choice:
                link = min(choice)[2]
                given[switch, link] = given.get((switch, link), 0) + 1
                table[switch, endpoint] = link
    table[network.endpoint_switch, np.arange(network.endpoint_switch.size)] = ARRIVED
    return table


@pytest.mark.parametrize("name", ["trunks", "three tiers", "torus"])
def test_local_rule_equals_dealing_one_by_one(families, name):
    """Tables equal a deal in plain loops, with ports in any order and some endpoints and links missing."""
    network, scheme = families[name]
    rng = np.random.default_rng(3)
    network = network.without(
        rng.random(network.endpoint_switch.size) < 0.2, np.arange(network.link_a.size) == network.link_a.size // 2
    )
    ports = Ports(*(rng.permutation(size) for size in (network.link_a.size,) * 2 + (network.endpoint_switch.size,)))
    routes = scheme(network)
    assert (local_tables(network, routes, ports).link == deal(network, routes, ports)).all()


def test_trees_send_an_endpoint_over_one_chain(pods):
    """All leaves outside its pod come to an endpoint through the same core, all others through the same spine."""
    network = pods(3, 2, 3, 2, 3)
    table = tree_tables(network, up_down.routes(network)).link
    for endpoint in range(network.endpoint_switch.size):
        ways = [way(network, table, source, endpoint) for source in range(network.edge_count)]
        assert len({tuple(switches[-3:]) for switches in ways if len(switches) == 5}) == 1
        assert len({switches[-2] for switches in ways if len(switches) > 1}) == 1


@pytest.mark.parametrize(("leaves", "uplinks", "spines"), [(4, 8, 4), (6, 4, 4), (5, 6, 3)])
def test_links_of_a_full_tree_carry_equally_many(leaf_spine, leaves, uplinks, spines):
    """As many endpoints a leaf as uplinks: each uplink of a leaf leads to one endpoint of every other leaf."""
    network = leaf_spine(leaves, uplinks, uplinks, spines)
    for make in (local_tables, tree_tables):
        table = make(network, up_down.routes(network)).link[:leaves]
        assert set(np.unique(table[table >= 0], return_counts=True)[1]) == {leaves - 1}


def test_missing_endpoints_keep_their_chains(leaf_spine):
    """A leaf that lacks its second endpoint leaves the chain of one free, so that other leaves are dealt as before."""
    whole = leaf_spine(4, 4, 4)
    gone = np.arange(16) == 1
    damaged = whole.without(gone, np.zeros(16, dtype=bool))
    before, after = (tree_tables(each, up_down.routes(each)).link for each in (whole, damaged))
    assert (before[4:, 4:] == after[4:, 3:]).all()


def test_cut_pairs_take_the_detour_and_lost_ones_nothing(routers):
    """Two groups without a link between them meet over the third; a router without links has no way."""
    network = routers([(0, 1), (2, 3), (4, 5), (1, 2), (3, 4)], [(0,), (0,), (1,), (1,), (2,), (2,), (2,)], 1)
    table = local_tables(network, dragonfly_minimal.routes(network)).link
    assert way(network, table, 0, 5) == [0, 1, 2, 3, 4, 5]
    assert (table[:6, 6] == NO_WAY).all()
    assert (table[6, :6] == NO_WAY).all()
    assert table[6, 6] == ARRIVED


def test_one_tier_has_arrived(leaf_spine):
    """A single switch needs no link."""
    network = leaf_spine(1, 4, 0)
    for make in (local_tables, tree_tables):
        assert make(network, up_down.routes(network)).link.tolist() == [[ARRIVED] * 4]
