"""One question for every way to spread: the load, the fullest arc and its times."""

from dataclasses import replace

import numpy as np
import pytest

from fabric.flow.hash_ways import Seeds
from fabric.flow.hashing import hashed_load
from fabric.flow.link_load import Bottleneck, Direction, bottleneck, even_load
from fabric.flow.offered import Offered
from fabric.flow.spreading import Detoured, Even, Hashed, Tables, bytes_on, carry
from fabric.flow.table_load import table_load
from fabric.model.network import Network
from fabric.routing._tables import local_tables

FAMILIES = ("two tiers", "trunks", "three tiers", "dragonfly", "torus")
HASHED = Hashed(samples=200, seed=1)


def all_to_all(network: Network, pair_bytes: float = 1e6, queue_pairs: int = 1) -> Offered:
    """Each endpoint sends as much to every other."""
    count = network.endpoint_switch.size
    below = np.bincount(network.endpoint_switch, minlength=network.edge_count)
    pairs = np.outer(below, below) - np.diag(below)
    each = np.full(count, (count - 1) * pair_bytes)
    return Offered(pairs * pair_bytes, each, each, pairs * queue_pairs)


@pytest.mark.parametrize("name", FAMILIES)
def test_even_spread_is_one_time(families, name):
    """The load of `even_load` and the time of its fullest arc."""
    network, scheme = families[name]
    traffic = all_to_all(network)
    found = carry(network, scheme(network), traffic, Even())
    load = even_load(network, scheme(network), traffic.pair_bytes, traffic.sent_bytes, traffic.received_bytes)
    assert found.load.link_up_bytes == pytest.approx(load.link_up_bytes)
    assert found.fullest == bottleneck(network, load)
    assert found.fullest_us.tolist() == [found.fullest.time_us]
    assert found.quantile_us(0.999) == found.fullest.time_us


@pytest.mark.parametrize("name", FAMILIES)
def test_tables_are_one_time(families, name):
    """The load of `table_load` and the time of its fullest arc, never below that of an even spread of these ways."""
    network, scheme = families[name]
    tables, traffic = local_tables(network, scheme(network)), all_to_all(network)
    found = carry(network, scheme(network), traffic, Tables(tables))
    assert found.load.link_down_bytes == pytest.approx(table_load(network, tables, traffic).link_down_bytes)
    assert found.fullest_us.tolist() == [bottleneck(network, found.load).time_us]


def test_hashed_links_take_their_even_time_times_the_slowdown(leaf_spine, families):
    """Half the uplinks that a full tree has: links are the fullest, each draw by its slowdown."""
    network, (_, scheme) = leaf_spine(4, 8, 4), families["two tiers"]
    traffic, routes = all_to_all(network), scheme(network)
    found = carry(network, routes, traffic, HASHED)
    even = carry(network, routes, traffic, Even())
    slowdown = hashed_load(network, routes, traffic.flows, HASHED.samples, HASHED.seed).slowdown
    assert found.fullest_us == pytest.approx(even.fullest.time_us * slowdown)
    assert found.fullest.direction in {Direction.LINK_UP, Direction.LINK_DOWN}
    assert found.load.link_up_bytes == pytest.approx(even.load.link_up_bytes)


def test_endpoints_can_be_fuller_than_hashed_links(leaf_spine, families):
    """Uplinks in plenty: no draw is below the time of an endpoint, which is named when links rarely exceed it."""
    network, (_, scheme) = leaf_spine(4, 4, 64), families["two tiers"]
    traffic = all_to_all(network, queue_pairs=64)
    found = carry(network, scheme(network), traffic, HASHED)
    endpoint_us = traffic.sent_bytes[0] / 50e3
    assert found.fullest_us.min() == pytest.approx(endpoint_us)
    assert found.fullest.direction is Direction.ENDPOINT_UP
    assert found.quantile_us(0.5) == pytest.approx(endpoint_us)


def test_links_that_hashing_fills_past_endpoints_count(leaf_spine, families):
    """A full tree: under even spread an endpoint is the fullest, under hashing some link."""
    network, (_, scheme) = leaf_spine(4, 8, 8), families["two tiers"]
    routes, traffic = scheme(network), all_to_all(network)
    assert carry(network, routes, traffic, Even()).fullest.direction is Direction.ENDPOINT_UP
    found = carry(network, routes, traffic, HASHED)
    assert found.fullest.direction in {Direction.LINK_UP, Direction.LINK_DOWN}
    assert found.quantile_us(0.5) > 1.05 * traffic.sent_bytes[0] / 50e3


def test_one_seed_for_all_loads_what_it_reaches(pods, families):
    """Polarised: expected bytes gather on one core link of each spine, and the times with them."""
    network, (_, scheme) = pods(2, 4, 4, 4, 4), families["three tiers"]
    routes, traffic = scheme(network), all_to_all(network, queue_pairs=64)
    apart, alike = (carry(network, routes, traffic, replace(HASHED, seeds=seeds)) for seeds in Seeds)
    to_core = network.tier[network.link_a] == 1
    assert (alike.load.link_up_bytes[to_core] > 0).sum() == to_core.sum() / 4
    assert alike.load.link_up_bytes.sum() == pytest.approx(apart.load.link_up_bytes.sum())
    assert alike.quantile_us(0.5) > 1.5 * apart.quantile_us(0.5)
    assert network.tier[network.link_a[alike.fullest.index]] == 1


@pytest.mark.parametrize("way", [Even(), HASHED, replace(HASHED, seeds=Seeds.SHARED)])
def test_pairs_without_a_way_are_told(routers, families, way):
    """A router without links is unreachable however packets are spread."""
    network = routers([(0, 1)], [(0,), (0,), (0,)], 1)
    _, scheme = families["dragonfly"]
    routes, traffic = scheme(network), all_to_all(network)
    cut = [[0, 2], [1, 2], [2, 0], [2, 1]]
    assert carry(network, routes, traffic, way).load.unreachable.tolist() == cut
    assert carry(network, routes, traffic, Tables(local_tables(network, routes))).load.unreachable.tolist() == cut


WAYS = {
    "even": Even(),
    "hashed": HASHED,
    "one seed": replace(HASHED, seeds=Seeds.SHARED),
    "valiant": Detoured(0.0),
    "half": Detoured(0.5),
    "ugal": Detoured(None),
    "tables": None,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FAMILIES)
def test_bytes_of_all_pairs_are_the_load_of_a_link(families, name, way):
    """Whatever the way: what every pair puts on a link adds up to what the link carries, up and down."""
    network, scheme = families[name]
    routes, rng = scheme(network), np.random.default_rng(4)
    between = rng.integers(0, 5, (network.edge_count, network.endpoint_switch.size)) * 1e3
    pairs = np.zeros((network.edge_count,) * 2)
    np.add.at(pairs.T, network.endpoint_switch, between.T)
    received = between.sum(axis=0)
    traffic = Offered(pairs, np.zeros(received.size), received, np.ones(pairs.shape, dtype=int), between)
    here = Tables(local_tables(network, routes)) if WAYS[way] is None else WAYS[way]
    load = carry(network, routes, traffic, here).load
    for direction, carried in ((Direction.LINK_UP, load.link_up_bytes), (Direction.LINK_DOWN, load.link_down_bytes)):
        for link in range(0, network.link_a.size, 7):
            found = bytes_on(network, routes, traffic, here, Bottleneck(direction, link, 1.0))
            assert found.sum() == pytest.approx(carried[link])
            assert not np.diag(found).any()
            assert (found <= pairs + 1e-6).all()


def test_bytes_on_a_link_of_a_valiant_dragonfly(dragonfly, families):
    """One router that sends to another group alone: what goes over any link on longer ways is all its own."""
    network, (_, scheme) = dragonfly(1, 2, 1), families["dragonfly"]
    pairs = np.zeros((network.edge_count,) * 2)
    pairs[0, 5] = 6e3
    sent, received = (np.bincount([where], [6e3], network.edge_count) for where in (0, 5))
    traffic = Offered(pairs, sent, received, np.ones(pairs.shape, dtype=int))
    found = carry(network, scheme(network), traffic, Detoured(0.0))
    for link, carried in enumerate(found.load.link_up_bytes.tolist()):
        arc = Bottleneck(Direction.LINK_UP, link, 1.0)
        assert bytes_on(network, scheme(network), traffic, Detoured(0.0), arc)[0, 5] == pytest.approx(carried)
