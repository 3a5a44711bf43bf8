"""Shares of pairs on one arc: added up over demands they are the load of the arc."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.flow.contributions import shares_on
from fabric.flow.link_load import even_load
from fabric.routing import up_down


@pytest.mark.parametrize("seed", range(6))
def test_shares_times_demand_are_the_load(leaf_spine, seed):
    """On a leaf-spine with links missing, for every arc: the sum over pairs of share times bytes is what it carries."""
    rng = np.random.default_rng(seed)
    whole = leaf_spine(4, 3, 5)
    plane = whole.without(np.zeros(whole.endpoint_switch.size, bool), rng.random(whole.link_a.size) < 0.2)
    routes = up_down.routes(plane)
    demand = rng.random((4, 4))
    np.fill_diagonal(demand, 0)
    idle = np.zeros(plane.endpoint_switch.size)
    load = even_load(plane, routes, demand, idle, idle)
    pipes = plane.pipes
    carried = np.concatenate(
        [
            np.bincount(pipes.of_link, weights=each, minlength=pipes.gbps.size)
            for each in (load.link_up_bytes, load.link_down_bytes)
        ]
    )
    for arc in range(carried.size):
        assert (shares_on(plane, routes, arc) * demand).sum() == pytest.approx(carried[arc], abs=1e-12)
