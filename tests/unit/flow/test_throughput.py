"""Uniform throughput of irregular, partial and broken planes."""

import numpy as np
import pytest

from fabric.flow.link_load import Direction
from fabric.flow.throughput import uniform_throughput
from fabric.model.network import Network
from fabric.routing import up_down


def throughput(plane: Network, participates=None):
    """Uniform throughput under up/down routing."""
    return uniform_throughput(plane, up_down.routes(plane), participates)


def without(plane: Network, links) -> Network:
    """The plane with links down."""
    return plane.without(np.zeros(plane.endpoint_switch.size, dtype=bool), links)


def test_one_tier_runs_at_line_rate(leaf_spine):
    """A single switch never limits its endpoints."""
    found = throughput(leaf_spine(1, 8, 0))
    assert found.theta == pytest.approx(1)
    assert found.bottleneck.direction is Direction.ENDPOINT_UP


def test_one_of_u_uplinks_costs_its_share(leaf_spine):
    """A plane that is just non-blocking loses (u-1)/u of its throughput towards and from that leaf."""
    plane = leaf_spine(16, 16, 16)
    intact = throughput(plane).theta
    broken = throughput(without(plane, np.arange(256) == 0))
    full_load = 16 * 16 * 15 / (16 * 255)  # endpoints of a leaf x remote peers over uplinks x peers
    assert intact == pytest.approx(1)
    assert broken.theta == pytest.approx(15 / 16 / full_load)
    assert broken.bottleneck.direction is Direction.LINK_UP
    assert broken.bottleneck.index < 15


def test_cut_leaves_have_no_uniform_throughput(leaf_spine):
    """Two leaves on different spines: theta is 0 and both directions are named."""
    plane = leaf_spine(2, 2, 2)
    found = throughput(without(plane, np.array([False, True, True, False])))
    assert found.theta == 0
    assert found.unreachable.tolist() == [[0, 1], [1, 0]]


def test_only_participants_count(leaf_spine):
    """Participants below one leaf run at line rate though the plane is oversubscribed 4 to 1."""
    plane = leaf_spine(4, 8, 2)
    assert throughput(plane).theta < 0.5
    assert throughput(plane, plane.endpoint_switch == 2).theta == pytest.approx(1)


def test_ten_thousand_endpoints(leaf_spine):
    """10,368 endpoints on 144 leaves and 72 spines are non-blocking."""
    assert throughput(leaf_spine(144, 72, 72)).theta == pytest.approx(1)
