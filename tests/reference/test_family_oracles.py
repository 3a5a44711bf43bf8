"""Throughput, distances and lanes of dragonflies and tori against closed forms and independent programs.

Closed forms: uniform, adversarial and torus loads at host rate 1 and link rate 1, verified elsewhere by enumerating
every pair in exact fractions. Networks are built here by hand, one global link between any two groups.
"""

import itertools
from fractions import Fraction
from operator import attrgetter

import networkx as nx
import numpy as np
import pytest

from fabric.flow.detours import over_others
from fabric.flow.link_load import bottleneck, even_load
from fabric.flow.permutation import _times, permutations
from fabric.flow.throughput import uniform_throughput
from fabric.flow.walk import distances
from fabric.lossless.buffer_dependency import judge
from fabric.model.network import Network
from fabric.routing import dragonfly_minimal, torus_dimension_order, up_down
from fabric.units import bytes_per_us

GBPS = 400.0


def routers(ends: list[tuple[int, int]], position: list[tuple[int, ...]], endpoints: int) -> Network:
    """Routers with so many endpoints each, joined by links of one rate."""
    a, b = (np.array(column, dtype=np.int64) for column in zip(*ends, strict=True))
    count = len(position)
    return Network(
        endpoint_switch=np.repeat(np.arange(count), endpoints),
        endpoint_gbps=np.full(count * endpoints, GBPS),
        link_a=a,
        link_b=b,
        link_gbps=np.full(a.size, GBPS),
        tier=np.zeros(count, dtype=np.int64),
        position=np.array(position, dtype=np.int64),
        edge_count=count,
    )


def dragonfly(p: int, a: int, h: int) -> Network:
    """The canonical one of a h + 1 groups: global port k of group i leads to group k or, from i on, k + 1."""
    groups = a * h + 1
    local = [(g * a + i, g * a + j) for g in range(groups) for i, j in itertools.combinations(range(a), 2)]
    between = [(i * a + (j - 1) // h, j * a + i // h) for i, j in itertools.combinations(range(groups), 2)]
    return routers(local + between, [(g,) for g in range(groups) for _ in range(a)], p)


def torus(*sizes: int) -> Network:
    """Every switch with one endpoint and one link to the next in each dimension."""
    spots = list(itertools.product(*map(range, sizes)))
    index = {spot: number for number, spot in enumerate(spots)}
    ends = set()
    for spot, (axis, size) in itertools.product(spots, enumerate(sizes)):
        after = (*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])
        ends.add((min(index[spot], index[after]), max(index[spot], index[after])))
    return routers(sorted(ends), spots, 1)


@pytest.mark.parametrize(("p", "a", "h"), [(2, 4, 2), (4, 8, 4), (2, 4, 1), (3, 6, 3), (1, 2, 1)])
def test_uniform_theta_of_a_dragonfly(p, a, h):
    """Global links carry (a p)² / (N - 1), local ones p² (1 + 2 a h) / (N - 1) at unit injection."""
    network = dragonfly(p, a, h)
    endpoints = p * a * (a * h + 1)
    load = max(Fraction((a * p) ** 2, endpoints - 1), Fraction(p * p * (1 + 2 * a * h), endpoints - 1))
    found = uniform_throughput(network, dragonfly_minimal.routes(network)).theta
    assert found == pytest.approx(min(1.0, float(1 / load)), rel=1e-9)


def test_published_dragonfly_of_72():
    """p=2, a=4, h=2: minimal single paths carry 1.0442 of uniform traffic where hosts would allow it."""
    network = dragonfly(2, 4, 2)
    hosts = np.full(72, 1.0)
    load = even_load(network, dragonfly_minimal.routes(network), np.full((36, 36), 4.0), hosts, hosts)
    fullest = max(load.link_up_bytes.max(), load.link_down_bytes.max()) / 71
    assert 1 / fullest == pytest.approx(1.0442, abs=1e-4)


@pytest.mark.parametrize(("p", "a", "h", "theta"), [(2, 4, 2, 1 / 8), (4, 8, 4, 1 / 32)])
def test_adversarial_theta_of_a_dragonfly(p, a, h, theta):
    """All of a group sends to the next one: a p endpoints share one global link."""
    network = dragonfly(p, a, h)
    groups = a * h + 1
    group = np.repeat(np.arange(groups), a)
    toward = (group[:, None] + 1) % groups == group[None, :]
    sent = np.full(p * a * groups, GBPS * bytes_per_us(1.0))
    load = even_load(network, dragonfly_minimal.routes(network), toward * (p * sent[0] / a), sent, sent)
    assert 1 / bottleneck(network, load).time_us == pytest.approx(theta, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "theta"), [((8, 8, 8), 0.998), ((8, 8), 0.984), ((4, 4, 4), 1.969), ((5, 5), 1.6), ((4, 4), None)]
)
def test_uniform_theta_of_a_torus(sizes, theta):
    """K even: k/8 N/(N-1) per link; k odd: (k² - 1)/(8k) N/(N-1)."""
    network = torus(*sizes)
    size, count = sizes[0], int(np.prod(sizes))
    per_link = Fraction(size, 8) if size % 2 == 0 else Fraction(size * size - 1, 8 * size)
    ones = np.ones(count)
    pairs = np.ones((count, count)) - np.eye(count)
    load = even_load(network, torus_dimension_order.routes(network), pairs, ones, ones)
    fullest = max(load.link_up_bytes.max(), load.link_down_bytes.max()) / (count - 1)
    assert fullest == pytest.approx(float(per_link * Fraction(count, count - 1)), rel=1e-9)
    assert theta is None or 1 / fullest == pytest.approx(theta, abs=5e-4)


@pytest.mark.parametrize(
    "network", [dragonfly(1, 4, 2), torus(4, 3), torus(2, 5, 2)], ids=["dragonfly", "4x3", "2x5x2"]
)
def test_distances_agree_with_networkx_where_ways_are_shortest(network):
    """Hops of a torus are those of the graph; of a dragonfly at most those of local, global, local."""
    is_torus = network.position.shape[1] > 1
    scheme = torus_dimension_order if is_torus else dragonfly_minimal
    graph = nx.Graph(zip(network.link_a.tolist(), network.link_b.tolist(), strict=True))
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    found = distances(network, scheme.routes(network))
    expected = np.array([[hops[i][j] for j in range(network.edge_count)] for i in range(network.edge_count)])
    assert (found >= expected).all()
    assert found.max() == expected.max()
    if is_torus:
        assert (found == expected).all()


@pytest.mark.parametrize(
    ("network", "routes", "lanes"),
    [
        (dragonfly(2, 4, 2), lambda network: dragonfly_minimal.routes(network)[:1], 2),
        (dragonfly(2, 4, 2), dragonfly_minimal.routes, 3),
        (torus(5, 5), lambda network: torus_dimension_order.routes(network)[:1], 2),
        (torus(4, 4, 4), lambda network: torus_dimension_order.routes(network)[:1], 2),
        (torus(4, 4, 4), torus_dimension_order.routes, 4),
        (torus(2, 2), lambda network: torus_dimension_order.routes(network)[:1], 1),
    ],
    ids=["minimal", "with detours", "5x5", "4x4x4", "4x4x4 twice", "2x2"],
)
def test_lanes_needed(network, routes, lanes):
    """Minimal dragonfly routing needs two lanes, with a detour three; a torus two, but for rings of two."""
    verdict = judge(network, routes(network))
    assert (verdict.free, verdict.lanes_needed) == (True, lanes)
    if lanes > 1:
        short = judge(network, routes(network), lanes - 1)
        assert not short.free
        assert len(short.cycle) >= 3


def test_detour_carries_what_a_lost_global_link_did():
    """Without the only link between two groups their traffic goes through a third, and nobody is cut off."""
    network = dragonfly(2, 4, 2)
    lost = np.arange(network.link_a.size) == network.link_a.size - 1
    hurt = network.without(np.zeros(72, dtype=bool), lost)
    routes = dragonfly_minimal.routes(hurt)
    alone = uniform_throughput(hurt, routes[:1])
    assert len(alone.unreachable) == 2 * 16
    whole = uniform_throughput(hurt, routes)
    assert not whole.unreachable.size
    assert whole.theta < uniform_throughput(network, dragonfly_minimal.routes(network)).theta + 1e-12


def group_shift(network: Network, p: int, a: int) -> np.ndarray:
    """Router j of every group sends all of its bytes to router j of the next one [byte in 1 us of line rate]."""
    count = network.edge_count
    demand = np.zeros((count, count))
    demand[np.arange(count), (np.arange(count) + a) % count] = p * GBPS * bytes_per_us(1.0)
    return demand


@pytest.mark.parametrize(("p", "a", "h", "theta"), [(2, 4, 2, 0.4375), (3, 6, 3, 0.4722), (4, 8, 4, 0.4844)])
def test_valiant_theta_of_a_dragonfly(p, a, h, theta):
    """Over the other groups (a h - 1)/(2 a p) of the adversarial shift gets through."""
    network = dragonfly(p, a, h)
    routes = dragonfly_minimal.routes(network)
    times = _times(network, routes, *over_others(network, group_shift(network, p, a)))
    assert 1 / times.max() == pytest.approx((a * h - 1) / (2 * a * p), rel=1e-9)
    assert 1 / times.max() == pytest.approx(theta, abs=5e-5)


def test_valiant_legs_against_listing_every_way():
    """Each byte goes to every switch of every third group with the same share, and from there to its target."""
    network = dragonfly(1, 2, 2)
    rng = np.random.default_rng(3)
    demand = rng.integers(0, 9, size=(10, 10)).astype(float)
    group = network.position[:, 0]
    out, back = np.zeros((10, 10)), np.zeros((10, 10))
    for source, target in itertools.product(range(10), repeat=2):
        if group[source] == group[target]:
            out[source, target] += demand[source, target]
            continue
        others = [switch for switch in range(10) if group[switch] not in (group[source], group[target])]
        for switch in others:
            out[source, switch] += demand[source, target] / len(others)
            back[switch, target] += demand[source, target] / len(others)
    first, second = over_others(network, demand)
    assert first == pytest.approx(out)
    assert second == pytest.approx(back)


@pytest.mark.parametrize(("p", "a", "h"), [(2, 4, 2), (4, 8, 4)])
def test_adaptive_routing_is_better_than_either_way(p, a, h):
    """Minimal ways leave 1/(a p) of the shift to the next group; a mix leaves more than Valiant, less than 0.8334."""
    network = dragonfly(p, a, h)
    routes = dragonfly_minimal.routes(network)
    minimal = min(permutations(network, routes, is_adaptive=False), key=attrgetter("theta"))
    assert (minimal.name, minimal.theta) == ("next group", pytest.approx(1 / (a * p), rel=1e-9))
    mixed = min(permutations(network, routes, is_adaptive=True), key=attrgetter("theta"))
    assert (a * h - 1) / (2 * a * p) < mixed.theta < 0.8334
    assert 0 < mixed.minimal_share < 1


def test_tornado_on_a_torus():
    """Everybody three of eight steps on in a ring of both dimensions: three bytes on every link forward."""
    network = torus(8, 8)
    found = min(
        permutations(network, torus_dimension_order.routes(network), is_adaptive=False), key=attrgetter("theta")
    )
    assert (found.name, found.theta) == ("tornado", pytest.approx(1 / 3, rel=1e-9))


@pytest.mark.parametrize(("uplinks", "theta"), [(16, 1.0), (8, 0.5), (4, 0.25)])
def test_worst_permutation_of_a_tree(leaf_spine, uplinks, theta):
    """Whole leaves change places: the uplinks over the endpoints of a leaf."""
    plane = leaf_spine(6, 16, uplinks)
    found = min(permutations(plane, up_down.routes(plane), is_adaptive=True), key=attrgetter("theta"))
    assert (found.name, found.theta) == ("farthest matching", pytest.approx(theta, rel=1e-9))


def test_a_torus_goes_round_any_switch_that_is_down():
    """Without one switch of 5 x 4 the others all reach each other, some only through the dimensions once more."""
    network = torus(5, 4)
    for lost in range(20):
        links = (network.link_a == lost) | (network.link_b == lost)
        hurt = network.without(network.endpoint_switch == lost, links)
        routes = torus_dimension_order.routes(hurt)
        assert uniform_throughput(hurt, routes[:1]).unreachable.size
        assert not uniform_throughput(hurt, routes).unreachable.size


@pytest.mark.parametrize("adaptive", [False, True])
def test_two_groups_have_no_third_to_go_through(adaptive):
    """Two groups of two routers with four endpoints each, one link between groups: 1/8 of the shift gets through."""
    network = routers([(0, 1), (2, 3), (0, 2)], [(0,), (0,), (1,), (1,)], 4)
    found = min(permutations(network, dragonfly_minimal.routes(network), is_adaptive=adaptive), key=attrgetter("theta"))
    assert found.theta == pytest.approx(1 / 8, rel=1e-9)
