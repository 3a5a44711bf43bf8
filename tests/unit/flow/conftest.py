"""Port maps that the tests of the flow room share."""

from collections.abc import Callable

import numpy as np
import pytest

from fabric.flow.port_map import PortMap


def _leaf_spine(leaves: int, endpoints_per_leaf: int, uplinks: int, spines: int | None = None) -> PortMap:
    """A regular plane of 400 Gb/s links, each leaf's uplinks dealt to the spines in turn."""
    spines = spines or uplinks
    return PortMap(
        endpoint_leaf=np.repeat(np.arange(leaves), endpoints_per_leaf),
        endpoint_gbps=np.full(leaves * endpoints_per_leaf, 400.0),
        uplink_leaf=np.repeat(np.arange(leaves), uplinks),
        uplink_spine=np.tile(np.arange(uplinks) % spines, leaves),
        uplink_gbps=np.full(leaves * uplinks, 400.0),
        leaf_count=leaves,
        spine_count=spines,
    )


def _irregular(seed: int, leaves: int = 5, spines: int = 4) -> PortMap:
    """A plane of random links and rates: parallel links, missing links, leaves of unequal size."""
    rng = np.random.default_rng(seed)
    uplinks = int(rng.integers(8, 24))
    return PortMap(
        endpoint_leaf=np.sort(rng.integers(0, leaves, size=12)),
        endpoint_gbps=rng.choice([200.0, 400.0], size=12),
        uplink_leaf=rng.integers(0, leaves, size=uplinks),
        uplink_spine=rng.integers(0, spines, size=uplinks),
        uplink_gbps=rng.choice([400.0, 800.0], size=uplinks),
        leaf_count=leaves,
        spine_count=spines,
    )


@pytest.fixture
def leaf_spine() -> Callable[..., PortMap]:
    """Builder of regular planes."""
    return _leaf_spine


@pytest.fixture
def irregular() -> Callable[..., PortMap]:
    """Builder of random planes."""
    return _irregular
