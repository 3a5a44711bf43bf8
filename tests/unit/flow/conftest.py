"""Networks that the tests of the flow room share."""

from collections.abc import Callable

import numpy as np
import pytest

from fabric.model.network import Network


@pytest.fixture
def irregular(tree: Callable[..., Network]) -> Callable[..., Network]:
    """Builder of random planes: parallel links, missing links, leaves of unequal size, two rates."""

    def build(seed: int, leaves: int = 5, spines: int = 4) -> Network:
        rng = np.random.default_rng(seed)
        uplinks = int(rng.integers(8, 24))
        below = np.sort(rng.integers(0, leaves, size=12))
        slow = rng.choice([200.0, 400.0], size=12)
        ends = rng.integers(0, leaves, size=uplinks), rng.integers(0, spines, size=uplinks)
        return tree(below, *ends, (leaves, spines), (slow, rng.choice([400.0, 800.0], size=uplinks)))

    return build
