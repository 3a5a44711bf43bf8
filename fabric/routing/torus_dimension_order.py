"""Torus: one dimension after the other, the shorter way round, with a dateline in every ring."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.routing._ladder import Rung, climb
from fabric.routing._protocol import scheme


@scheme("torus_dimension_order", "torus")
def routes(network: Network) -> Routes:
    """Shortest ways in dimension order, both ways round where they are equally long; else all dimensions once more.

    A packet changes to the second lane when it passes from the last switch of a ring to the first, or back, so that
    no lane goes round. Going through the dimensions again, on two lanes more, leads round any switch that is down.
    Source: dally-seitz-1987.
    """
    once = tuple(_rungs(network))
    again = (Rung(rung.arcs, rung.lane + LANES, rung.repeats) for rung in once)
    return climb(network, once), climb(network, (*once, *again))


LANES = 2
"""Lanes of one pass through the dimensions."""


_PAIR = 2
"""Switches of the smallest ring, which has no way round."""


def _rungs(network: Network) -> Iterator[Rung]:
    """Per dimension and direction: hops before the dateline, the hop over it, and those after."""
    before, after = (network.position[ends] for ends in (network.arc_from, network.arc_to))
    for axis in range(network.position.shape[1]):
        step = after[:, axis] - before[:, axis]
        size = int(network.position[:, axis].max(initial=0)) + 1
        alone = (np.delete(before, axis, axis=1) == np.delete(after, axis, axis=1)).all(axis=1)
        for sign in (1, -1):
            plain, over = alone & (step == sign), alone & (step == -sign * (size - 1)) & (size > _PAIR)
            yield Rung(plain, lane=0, repeats=True)
            yield Rung(over, lane=1)
            yield Rung(plain, lane=1, repeats=True)
