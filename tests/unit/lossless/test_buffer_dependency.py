"""Cyclic buffer waits: the bounce table, hand-made cycles, a brute-force cross-check, size."""

import itertools

import networkx as nx
import numpy as np
import pytest

from fabric.errors import InputError
from fabric.lossless.buffer_dependency import Hop, judge


def links(leaves_count, spines_count):
    """Every leaf joined to every spine: leaves from 0, spines behind them."""
    pairs = itertools.product(range(leaves_count), range(leaves_count, leaves_count + spines_count))
    leaf, spine = zip(*pairs, strict=True)
    return np.array(leaf), np.array(spine)


def routes_with_bounces(leaves_count, spines_count, bounces_count):
    """Every route of that many bounces (down, then up again) that never turns back on its last link."""
    tiers = [range(leaves_count), range(leaves_count, leaves_count + spines_count)]
    walk = itertools.product(*(tiers[step % 2] for step in range(3 + 2 * bounces_count)))
    return [route for route in walk if all(a != b for a, b in zip(route, route[2:], strict=False))]


@pytest.mark.parametrize(
    ("bounces_count", "lanes_count", "free"),
    [(0, 1, True), (1, 1, False), (1, 2, True), (2, 2, False), (2, 3, True)],
)
def test_k_bounces_need_k_plus_one_lanes(bounces_count, lanes_count, free):
    """3 x 3 leaf-spine. Source: rule of Tagger (Hu et al., CoNEXT 2017), checked by enumeration."""
    verdict = judge(*links(3, 3), lanes_count=lanes_count, extra_routes=routes_with_bounces(3, 3, bounces_count))
    assert verdict.free is free
    assert (verdict.cycle is None) is free
    assert verdict.lanes_needed == bounces_count + 1


def test_cycle_is_closed_and_named_hop_by_hop():
    """Each hop starts where the last one ended, and the last ends where the first started."""
    cycle = judge(*links(3, 3), extra_routes=routes_with_bounces(3, 3, 1)).cycle
    assert all(hop.target == after.source for hop, after in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    assert len(cycle) == 4


def test_single_stale_route_alone_makes_no_cycle():
    """One bounce at leaf 1 only: what waits for it never leads back, as no other route goes up again."""
    assert judge(*links(3, 2), extra_routes=[(0, 3, 1, 4, 2)]).free


def test_two_opposite_bounces_make_a_cycle():
    """Bounces at leaves 1 and 0 close the ring 3 > 1 > 4 > 0 > 3."""
    verdict = judge(*links(3, 2), extra_routes=[(2, 3, 1, 4, 2), (2, 4, 0, 3, 2)])
    assert not verdict.free
    assert verdict.lanes_needed == 2
    assert set(verdict.cycle) == {Hop(3, 1, 0), Hop(1, 4, 0), Hop(4, 0, 0), Hop(0, 3, 0)}


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_the_quadratic_graph(seed):
    """The chains of helpers say the same as one edge for each pair of arcs at a spine."""
    draw = np.random.default_rng(seed)
    leaf, spine = links(4, 3)
    kept = [index for index in range(len(leaf)) if draw.random() < 0.8]
    leaf, spine = leaf[kept], spine[kept]
    joined = {frozenset(pair) for pair in zip(leaf.tolist(), spine.tolist(), strict=True)}
    usable = [
        route
        for route in routes_with_bounces(4, 3, 1)
        if all(frozenset(hop) in joined for hop in itertools.pairwise(route))
    ]
    extra = [tuple(route) for route in draw.permutation(np.array(usable).reshape(-1, 5))[:3].tolist()]
    graph = nx.DiGraph()
    for a, b in itertools.product(zip(leaf.tolist(), spine.tolist(), strict=True), repeat=2):
        if a[1] == b[1] and a[0] != b[0]:
            graph.add_edge(a, b[::-1])
    for route in extra:
        graph.add_edges_from(itertools.pairwise(itertools.pairwise(route)))
    assert judge(leaf, spine, extra_routes=extra).free is nx.is_directed_acyclic_graph(graph)


def test_parallel_links_count_once():
    """A trunk of several links is one buffer chain."""
    leaf, spine = links(3, 3)
    assert judge(np.repeat(leaf, 4), np.repeat(spine, 4)) == judge(leaf, spine)


def test_fabric_without_trunks_is_free():
    """One switch alone has nothing to wait for."""
    none = np.array([], dtype=np.int64)
    assert judge(none, none).free


def test_route_over_a_missing_link():
    """A route names its first hop that does not exist."""
    with pytest.raises(InputError, match="a route goes from switch 0 to switch 1, which no link joins"):
        judge(*links(3, 2), extra_routes=[(0, 1)])


def test_route_within_one_switch():
    """A route that visits one switch alone uses no link between switches."""
    assert judge(*links(3, 2), extra_routes=[(0,), ()]).free


def test_switch_on_both_tiers():
    """A third tier is refused, not judged as if it were absent."""
    with pytest.raises(InputError, match="switch 1 is both leaf and spine"):
        judge(np.array([0, 1]), np.array([1, 2]))


def test_ten_thousand_endpoints():
    """320 leaves and 160 spines (10,240 endpoints at 32 a leaf): 51,200 trunks need no per-route work."""
    verdict = judge(*links(320, 160))
    assert verdict.free
    assert verdict.lanes_needed == 1
