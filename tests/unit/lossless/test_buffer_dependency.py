"""Cyclic buffer waits: the bounce table, hand-made cycles, a brute-force cross-check, size."""

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from fabric.lossless.buffer_dependency import Hop, judge
from fabric.model.network import Network
from fabric.routing import up_down
from fabric.routing._ladder import Rung, climb


def bouncing(network: Network, bounces_count: int, lanes_count: int):
    """Up and down, and so often again after going down, on a lane more each time as far as there are lanes."""
    rise = network.tier[network.arc_to] - network.tier[network.arc_from]
    turns = range(bounces_count + 1)
    lanes = [min(turn, lanes_count - 1) for turn in turns]
    return (climb(network, [Rung(way, lane) for lane in lanes for way in (rise > 0, rise < 0)]),)


@pytest.mark.parametrize(
    ("bounces_count", "lanes_count", "free"),
    [(0, 1, True), (1, 1, False), (1, 2, True), (2, 2, False), (2, 3, True)],
)
def test_k_bounces_need_k_plus_one_lanes(leaf_spine, bounces_count, lanes_count, free):
    """3 x 3 leaf-spine. Source: rule of Tagger (Hu et al., CoNEXT 2017), checked by enumeration."""
    network = leaf_spine(3, 1, 3)
    verdict = judge(network, bouncing(network, bounces_count, lanes_count))
    assert verdict.free is free
    assert (verdict.cycle is None) is free
    enough = judge(network, bouncing(network, bounces_count, bounces_count + 1))
    assert enough.lanes_needed == bounces_count + 1
    assert judge(network, bouncing(network, bounces_count, bounces_count + 1), lanes_count).free is free


def test_cycle_is_closed_and_named_hop_by_hop(leaf_spine):
    """Each hop starts where the last one ended, and the last ends where the first started."""
    network = leaf_spine(3, 1, 3)
    cycle = judge(network, bouncing(network, 1, 1)).cycle
    assert all(hop.target == after.source for hop, after in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    joined = set(zip(network.arc_from.tolist(), network.arc_to.tolist(), strict=True))
    assert {(hop.source, hop.target) for hop in cycle} <= joined


def test_two_ways_round_a_triangle_make_a_cycle(tree):
    """Three routers where everybody may pass through the next one, one way round: 0 > 1 > 2 > 0 on one lane."""
    ring = replace(
        tree([0, 1, 2], [0, 1, 2], [0, 1, 2], (3, 0)), link_b=np.array([1, 2, 0]), tier=np.zeros(3, dtype=np.int64)
    )
    forward = np.array([ring.arc_to[arc] == (ring.arc_from[arc] + 1) % 3 for arc in range(6)])
    verdict = judge(ring, (climb(ring, (Rung(forward, 0, repeats=True),)),))
    assert not verdict.free
    assert set(verdict.cycle) == {Hop(0, 1, 0), Hop(1, 2, 0), Hop(2, 0, 0)}
    assert judge(ring, (climb(ring, (Rung(forward, 0), Rung(forward, 1))),)).free


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_the_graph_of_channels(seed):
    """The states between channels say the same as one edge for each two channels that some walk takes in turn."""
    draw = np.random.default_rng(seed)
    links = [pair for pair in itertools.combinations(range(6), 2) if draw.random() < 0.6]
    a, b = (np.array(column, dtype=np.int64) for column in zip(*links, strict=True))
    one, none = np.full(6, 400.0), np.zeros((6, 0), dtype=np.int64)
    network = Network(np.arange(6), one, a, b, np.full(a.size, 400.0), np.zeros(6, dtype=np.int64), none, 6)
    rungs = [
        Rung(draw.random(2 * a.size) < 0.5, int(draw.integers(0, 2)), bool(draw.integers(0, 2)))
        for _ in range(int(draw.integers(1, 5)))
    ]
    paths = climb(network, rungs)
    graph = nx.DiGraph()
    channel = list(zip(paths.step_arc.tolist(), paths.step_lane.tolist(), strict=True))
    for before, after in itertools.product(range(len(channel)), repeat=2):
        back = (channel[before][0] + a.size) % (2 * a.size) == channel[after][0]
        if paths.step_to[before] == paths.step_from[after] and not back:
            graph.add_edge(channel[before], channel[after])
    assert judge(network, (paths,)).free is nx.is_directed_acyclic_graph(graph)


def test_parallel_links_count_once(leaf_spine):
    """A trunk of several links is one buffer chain."""
    single, fourfold = leaf_spine(3, 1, 3), leaf_spine(3, 1, 12, 3)
    assert judge(single, bouncing(single, 1, 1)) == judge(fourfold, bouncing(fourfold, 1, 1))


def test_fabric_without_trunks_is_free(leaf_spine):
    """One switch alone has nothing to wait for."""
    assert judge(leaf_spine(1, 4, 0), up_down.routes(leaf_spine(1, 4, 0))).free


def test_three_tiers_need_one_lane():
    """Two pods of two leaves and two spines below two cores: up and down closes no circle."""
    ends = [*itertools.product((0, 1), (4, 5)), *itertools.product((2, 3), (6, 7)),
            (4, 8), (6, 8), (5, 9), (7, 9)]  # fmt: skip
    a, b = (np.array(column, dtype=np.int64) for column in zip(*ends, strict=True))
    tier, none = np.repeat([0, 1, 2], [4, 4, 2]), np.zeros((10, 0), dtype=np.int64)
    network = Network(np.arange(4), np.full(4, 400.0), a, b, np.full(a.size, 400.0), tier, none, 4)
    verdict = judge(network, up_down.routes(network))
    assert (verdict.free, verdict.lanes_needed) == (True, 1)


def test_ten_thousand_endpoints(leaf_spine):
    """320 leaves and 160 spines (10,240 endpoints at 32 a leaf): 51,200 trunks need no per-route work."""
    network = leaf_spine(320, 32, 160)
    verdict = judge(network, up_down.routes(network))
    assert verdict.free
    assert verdict.lanes_needed == 1
