"""Load under forwarding tables, against walking every pair of endpoints."""

import numpy as np
import pytest

from fabric.flow.link_load import even_load
from fabric.flow.offered import Offered
from fabric.flow.table_load import astray, circle, table_load
from fabric.model.forwarding import NO_WAY, Forwarding
from fabric.model.network import Network
from fabric.routing._tables import local_tables, tree_tables

TREES = ("two tiers", "trunks", "three tiers")
FAMILIES = (*TREES, "dragonfly", "torus")


def offered(network: Network, pair_bytes: np.ndarray) -> Offered:
    """A demand (n_endpoints, n_endpoints) folded as tables need it."""
    member = np.eye(network.edge_count)[network.endpoint_switch]
    to_endpoint = member.T @ pair_bytes
    edges = to_endpoint @ member
    return Offered(edges, pair_bytes.sum(axis=1), pair_bytes.sum(axis=0), edges.astype(int), to_endpoint)


def walk_every_pair(network: Network, table, pair_bytes: np.ndarray):
    """Up and down load of each link and the hops of all bytes, packet by packet; pairs that never arrive."""
    load, lost, hops = np.zeros((2, network.link_a.size)), set(), 0.0
    for source, target in zip(*np.nonzero(pair_bytes), strict=True):
        here, taken = int(network.endpoint_switch[source]), []
        while (link := table[here, target]) >= 0 and len(taken) <= network.switch_count:
            falls = int(network.link_a[link] != here)
            taken.append((falls, link))
            here = int((network.link_b, network.link_a)[falls][link])
        if here != network.endpoint_switch[target] or len(taken) > network.switch_count:
            lost.add((int(network.endpoint_switch[source]), int(network.endpoint_switch[target])))
            continue
        hops += len(taken) * pair_bytes[source, target]
        for cell in taken:
            load[cell] += pair_bytes[source, target]
    return load, lost, hops


def check(network: Network, forwarding: Forwarding, pair_bytes: np.ndarray) -> None:
    """Every figure of the load equals that of the walk."""
    found = table_load(network, forwarding, offered(network, pair_bytes))
    load, lost, hops = walk_every_pair(network, forwarding.link, pair_bytes)
    assert found.link_up_bytes == pytest.approx(load[0])
    assert found.link_down_bytes == pytest.approx(load[1])
    assert {tuple(pair) for pair in found.unreachable.tolist()} == lost
    here = network.endpoint_switch
    kept = sum(b for (s, t), b in np.ndenumerate(pair_bytes) if (int(here[s]), int(here[t])) not in lost)
    assert found.hops == pytest.approx(hops / kept)


@pytest.mark.parametrize(
    ("name", "make"), [*((name, local_tables) for name in FAMILIES), *((name, tree_tables) for name in TREES)]
)
def test_equals_walking_every_pair(families, name, make):
    """Random demands on every family, with a link and some endpoints missing."""
    network, scheme = families[name]
    rng = np.random.default_rng(5)
    network = network.without(rng.random(network.endpoint_switch.size) < 0.1, np.arange(network.link_a.size) == 1)
    size = network.endpoint_switch.size
    demand = rng.integers(0, 9, (size, size)) * rng.integers(0, 2, (size, size)) * 1.0
    check(network, make(network, scheme(network)), demand)


def test_dead_ends_and_circles_are_unreachable(families):
    """Tables that stop half way, send down again what came up, or come back to it: as a file may hold them."""
    network, scheme = families["two tiers"]
    link = local_tables(network, scheme(network)).link.copy()
    link[6, 4] = NO_WAY
    link[6, 8] = np.flatnonzero((network.link_a == 5) & (network.link_b == 6))[0]
    link[7, 8] = np.flatnonzero((network.link_a == 5) & (network.link_b == 7))[0]
    link[5, 8] = np.flatnonzero((network.link_a == 5) & (network.link_b == 7))[0]
    demand = np.ones((24, 24)) - np.eye(24)
    found = table_load(network, Forwarding(link), offered(network, demand))
    assert found.unreachable.size
    pairs = np.ones((24, 24)) * (np.arange(24) == 8)
    check(network, Forwarding(link), pairs)


@pytest.mark.parametrize(
    ("uplinks", "make", "fullest"),
    [(4, local_tables, 1.0), (4, tree_tables, 1.0), (8, tree_tables, 1.0), (8, local_tables, 2.0)],
)
def test_uniform_traffic_on_a_full_tree(families, leaf_spine, uplinks, make, fullest):
    """As many uplinks as endpoints: every arc is as full as under an even spread, but for spines that deal blindly.

    Of two links to each spine, dealt in turn, the local rule leaves one empty downwards: a spine deals all endpoints
    in turn, and those that come to it are every second one. The rule for trees counts what does come.
    """
    network, (_, scheme) = leaf_spine(5, uplinks, uplinks, 4), families["two tiers"]
    demand = offered(network, np.ones((5 * uplinks, 5 * uplinks)) - np.eye(5 * uplinks))
    even = even_load(network, scheme(network), demand.pair_bytes, demand.sent_bytes, demand.received_bytes)
    found = table_load(network, make(network, scheme(network)), demand)
    assert found.link_up_bytes == pytest.approx(even.link_up_bytes)
    assert found.link_down_bytes.max() == pytest.approx(fullest * even.link_down_bytes.max())
    assert found.hops == pytest.approx(even.hops)


def test_leaves_share_what_they_get_where_nothing_else_is_said(families):
    """Without a demand per endpoint the endpoints of a leaf take their shares of what the leaf receives."""
    network, scheme = families["trunks"]
    weight = np.arange(network.endpoint_switch.size) % 5 * 1.0
    pair_bytes = np.outer(np.ones(weight.size), weight)
    exact = offered(network, pair_bytes)
    folded = Offered(exact.pair_bytes, exact.sent_bytes, exact.received_bytes, exact.flows)
    tables = tree_tables(network, scheme(network))
    found, expected = (table_load(network, tables, each) for each in (folded, exact))
    assert found.link_down_bytes == pytest.approx(expected.link_down_bytes)
    assert found.link_up_bytes == pytest.approx(expected.link_up_bytes)


def test_one_tier_has_no_links(families, leaf_spine):
    """Everything turns in the single switch."""
    network = leaf_spine(1, 4, 0)
    _, scheme = families["two tiers"]
    found = table_load(network, local_tables(network, scheme(network)), offered(network, np.ones((4, 4))))
    assert found.hops == 0
    assert not found.unreachable.size


def test_packets_that_go_astray(leaf_spine, families):
    """A switch without an entry, a circle of three, and ways that lead there; all others arrive."""
    network, (_, scheme) = leaf_spine(3, 2, 2), families["two tiers"]
    tables = local_tables(network, scheme(network)).link.copy()
    found = astray(network, Forwarding(tables))
    assert not found.switch.size
    ends = network.link_a, network.link_b
    up = [
        [int(np.flatnonzero((ends[0] == leaf) & (ends[1] == 3 + spine))[0]) for spine in range(2)] for leaf in range(3)
    ]
    tables[1, 0], tables[2, 0], tables[3, 0], tables[4, 0] = up[1][0], up[2][1], up[2][0], up[1][1]
    tables[0, 5] = NO_WAY
    lost = Forwarding(tables)
    found = astray(network, lost)
    at_0 = found.endpoint == 0
    assert found.circle[at_0].all()
    assert set(found.switch[at_0].tolist()) <= {1, 2, 3, 4}
    assert circle(network, lost, 1, 0) == [1, 3, 2, 4]
    assert (found.switch[~at_0].tolist(), found.endpoint[~at_0].tolist()) == ([0], [5])
    assert not found.circle[~at_0].any()


def test_tables_without_what_is_down(leaf_spine, families):
    """Columns of endpoints go, links count anew, and entries over links that are down lead nowhere."""
    network, (_, scheme) = leaf_spine(3, 2, 2), families["two tiers"]
    tables = local_tables(network, scheme(network))
    endpoints, links = np.arange(6) == 1, np.isin(np.arange(6), [0, 3])
    left = tables.without(endpoints, links)
    assert left.link.shape == (5, 5)
    kept = np.flatnonzero(~links)
    for old, new in zip(tables.link[:, ~endpoints].ravel().tolist(), left.link.ravel().tolist(), strict=True):
        assert new == (old if old < 0 else NO_WAY if links[old] else kept.tolist().index(old))
