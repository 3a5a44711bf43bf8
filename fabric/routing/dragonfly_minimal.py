"""Dragonfly: at most one hop in the first group, one between groups, one in the last; a detour where that is cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.routing._ladder import Rung, climb
from fabric.routing._protocol import scheme

MINIMAL = "lgl"
"""Local and global hops of a minimal way, each of which may be left out."""

DETOUR = "lglgl"
"""Hops of a way through one more group, or through one more router of its own."""


@scheme("dragonfly_minimal", "dragonfly")
def routes(network: Network) -> Routes:
    """Minimal ways, and the way through one more group for pairs that have none left.

    Source: kim-dragonfly-2008.
    """
    return tuple(climb(network, tuple(_rungs(network, hops))) for hops in (MINIMAL, DETOUR))


def _rungs(network: Network, hops: str) -> Iterator[Rung]:
    """A rung for each hop; the lane rises with every local hop after a global one, so that nothing waits downwards."""
    group = network.position[:, 0]
    within: np.ndarray[tuple[int], np.dtype[np.bool_]] = group[network.arc_from] == group[network.arc_to]
    for index, hop in enumerate(hops):
        yield Rung(within if hop == "l" else ~within, lane=index // len("lg"))
