"""Interchangeable switches as one."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.flow.bisection import bisection
from fabric.flow.merged import merged
from fabric.flow.throughput import uniform_throughput
from fabric.flow.walk import distances, fewest_hops
from fabric.routing import up_down


def test_spines_of_a_regular_tree_are_one(leaf_spine):
    """All uplinks of a leaf become one pipe to one spine, at the rate of all."""
    plane = merged(leaf_spine(4, 8, 6))
    assert plane.switch_count == 5
    assert plane.pipes.gbps.tolist() == [2400.0] * 4
    assert plane.tier.tolist() == [0, 0, 0, 0, 1]


def test_only_equals_are_merged(leaf_spine):
    """Without one link its spine stands alone; leaves stay as they are, also without endpoints."""
    plane = leaf_spine(4, 8, 6)
    hurt = plane.without(plane.endpoint_switch == 3, np.arange(24) == 1)
    assert merged(hurt).switch_count == 6


@pytest.mark.parametrize("seed", range(10))
def test_nothing_that_flows_changes(irregular, seed):
    """Throughput, cuts and distances are those of the plane as it was."""
    plane = irregular(seed, spines=6)
    smaller = merged(plane)
    routes, fewer = up_down.routes(plane), up_down.routes(smaller)
    assert uniform_throughput(smaller, fewer).theta == pytest.approx(uniform_throughput(plane, routes).theta)
    assert bisection(smaller) == pytest.approx(bisection(plane))
    assert (distances(smaller, fewer) == distances(plane, routes)).all()
    used = np.unique(plane.endpoint_switch)
    assert fewest_hops(plane).shape == (used.size, used.size)
    assert (fewest_hops(plane) <= np.where(distances(plane, routes) < 0, 99, distances(plane, routes))).all()
