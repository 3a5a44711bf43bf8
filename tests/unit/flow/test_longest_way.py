"""The longest way against following every way of every pair."""

import itertools

import numpy as np
import pytest

from fabric.flow.longest_way import longest_way
from fabric.flow.offered import EdgeDemand
from fabric.flow.way import LinkNs, PlaneNs
from fabric.routing import up_down


def _parts(network, rng):
    def links(count):
        return LinkNs(rng.uniform(5, 200, count), np.full(count, 20.0), np.full(count, 1.0), np.full(count, 80.0))

    switches = rng.uniform(200, 900, network.switch_count)
    return PlaneNs(links(network.endpoint_switch.size), links(network.link_a.size), switches)


def _brute(network, parts, talk, owner):
    """Longest of all ways over one leaf, or leaf, spine and leaf."""
    ends, links = parts.endpoints.all, parts.links.all
    best = -np.inf
    for source, target in itertools.permutations(range(owner.size), 2):
        first, last = network.endpoint_switch[[source, target]]
        if owner[source] == owner[target] or not talk[first, last]:
            continue
        outside = ends[source] + ends[target] + parts.switch[first]
        if first == last:
            best = max(best, outside)
            continue
        for up, down in itertools.product(range(links.size), repeat=2):
            spine = network.link_b[up]
            if network.link_a[up] == first and network.link_a[down] == last and network.link_b[down] == spine:
                best = max(best, outside + links[up] + parts.switch[spine] + links[down] + parts.switch[last])
    return best


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_longest_of_all(irregular, seed):
    """Random planes with parallel and missing links, some pairs silent: the same time, over links that join."""
    network, rng = irregular(seed), np.random.default_rng(seed)
    routes, parts = up_down.routes(network), _parts(irregular(seed), rng)
    owner = rng.integers(0, 4, network.endpoint_switch.size)
    talk = rng.random((network.edge_count, network.edge_count)) < 0.5
    amount = np.ones(owner.size)
    found = longest_way(network, routes, parts, EdgeDemand(talk * 1.0, amount, amount), owner)
    best = _brute(network, parts, talk, owner)
    if found is None:
        assert best == -np.inf
        return
    assert found.total_ns == pytest.approx(best)
    assert owner[found.source] != owner[found.target]
    assert network.endpoint_switch[[found.source, found.target]].tolist() == [found.switches[0], found.switches[-1]]
    for link, pair in zip(found.links, itertools.pairwise(found.switches), strict=True):
        assert {network.link_a[link], network.link_b[link]} == set(pair)
    on_way = sum(parts.links.all[link] for link in found.links) + sum(parts.switch[each] for each in found.switches)
    assert found.total_ns == pytest.approx(on_way + parts.endpoints.all[[found.source, found.target]].sum())


def test_nobody_talks(leaf_spine):
    """No demand, no way."""
    network = leaf_spine(2, 2, 2)
    nothing = EdgeDemand(np.zeros((2, 2)), np.zeros(4), np.zeros(4))
    parts = _parts(network, np.random.default_rng(1))
    assert longest_way(network, up_down.routes(network), parts, nothing, np.arange(4)) is None
