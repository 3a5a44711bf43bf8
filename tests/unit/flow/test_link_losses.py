"""Throughput without each link, against loading the plane without it anew."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.flow.link_load import Direction
from fabric.flow.link_losses import without_each
from fabric.flow.offered import EdgeDemand
from fabric.flow.throughput import carried, uniform_demand, uniform_throughput
from fabric.model.network import Network
from fabric.routing import dragonfly_minimal, torus_dimension_order, up_down


def dragonfly(routers, a: int, h: int) -> Network:
    """One global link between any two groups."""
    groups = a * h + 1
    local = [(g * a + i, g * a + j) for g in range(groups) for i, j in itertools.combinations(range(a), 2)]
    between = [(i * a + (j - 1) // h, j * a + i // h) for i, j in itertools.combinations(range(groups), 2)]
    return routers(local + between, [(g,) for g in range(groups) for _ in range(a)])


def torus(routers, *sizes: int, width: int = 1) -> Network:
    """Every router joined with the next one in each dimension by `width` links."""
    spots = list(itertools.product(*map(range, sizes)))
    index = {spot: number for number, spot in enumerate(spots)}
    ends = set()
    for spot, (axis, size) in itertools.product(spots, enumerate(sizes)):
        after = (*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])
        ends.add((min(index[spot], index[after]), max(index[spot], index[after])))
    return routers(sorted(ends) * width, spots)


def three_tiers(seed: int) -> Network:
    """Five leaves, four spines and two cores, joined at random with two rates."""
    rng = np.random.default_rng(seed)
    up, over = int(rng.integers(12, 20)), int(rng.integers(6, 10))
    ends_a = np.concatenate([rng.integers(0, 5, up), rng.integers(5, 9, over)])
    ends_b = np.concatenate([rng.integers(5, 9, up), rng.integers(9, 11, over)])
    return Network(
        endpoint_switch=np.sort(rng.integers(0, 5, 12)),
        endpoint_gbps=rng.choice([200.0, 400.0], 12),
        link_a=ends_a,
        link_b=ends_b,
        link_gbps=rng.choice([400.0, 800.0], up + over),
        tier=np.repeat([0, 1, 2], [5, 4, 2]),
        position=np.zeros((11, 0), dtype=np.int64),
        edge_count=5,
    )


def agree(network, scheme) -> None:
    """Every link: the same throughput, the same pairs apart, the same fullest arc."""
    whole = uniform_demand(network)
    links = range(network.link_a.size)
    for link, found in zip(links, without_each(network, scheme.routes(network), whole, links), strict=True):
        down = np.arange(network.link_a.size) == link
        left = network.without(np.zeros(network.endpoint_switch.size, dtype=bool), down)
        anew = uniform_throughput(left, scheme.routes(left))
        assert found.theta == pytest.approx(anew.theta, rel=1e-9)
        assert found.unreachable.tolist() == anew.unreachable.tolist()
        assert found.bottleneck.time_us == pytest.approx(anew.bottleneck.time_us, rel=1e-9)
        is_link = anew.bottleneck.direction in {Direction.LINK_UP, Direction.LINK_DOWN}
        index = np.flatnonzero(~down)[anew.bottleneck.index] if is_link else anew.bottleneck.index
        assert (found.bottleneck.direction, found.bottleneck.index) == (anew.bottleneck.direction, index)


@pytest.mark.parametrize("seed", range(20))
def test_irregular_leaves_and_spines(irregular, seed):
    """Trunks of several rates, missing ones, leaves of unequal size: the closed form of one row and one column."""
    agree(irregular(seed), up_down)


@pytest.mark.parametrize("seed", range(12))
def test_irregular_three_tiers(seed):
    """Random trees of three tiers: targets walked again."""
    agree(three_tiers(seed), up_down)


@pytest.mark.parametrize(("a", "h"), [(2, 1), (4, 1), (3, 2)])
def test_dragonfly(routers, a, h):
    """The only link between two groups takes all minimal ways with it: those pairs take the detour."""
    agree(dragonfly(routers, a, h), dragonfly_minimal)


@pytest.mark.parametrize(("sizes", "width"), [((5,), 1), ((4, 3), 1), ((2, 3, 2), 2)])
def test_torus(routers, sizes, width):
    """Rings of even and odd length, single and double links."""
    agree(torus(routers, *sizes, width=width), torus_dimension_order)


def test_one_uplink_of_u(tree):
    """A leaf that loses one of u uplinks of a full leaf runs at (u - 1) / u."""
    leaves, spines = 4, 8
    up = np.repeat(np.arange(leaves), spines), np.tile(np.arange(spines), leaves)
    network = tree(np.repeat(np.arange(leaves), 16), *up, (leaves, spines))
    whole = carried(network, up_down.routes(network), uniform_demand(network))
    (lost,) = without_each(network, up_down.routes(network), uniform_demand(network), [3])
    assert lost.theta / whole.theta == pytest.approx(7 / 8, rel=1e-12)


def test_nothing_offered(tree):
    """A plane that is offered nothing has no throughput to lose."""
    network = tree([0, 1], [0, 1], [0, 0], (2, 1))
    nothing = EdgeDemand(np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    assert carried(network, up_down.routes(network), nothing).theta == 0
    (lost,) = without_each(network, up_down.routes(network), nothing, [0])
    assert lost.theta == 0
