"""Dragonfly+: up to a spine, over to the target's group, down; a way through one more group where that is cut."""

from __future__ import annotations

from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.routing._ladder import Rung, climb
from fabric.routing._protocol import scheme


@scheme("dragonfly_plus_minimal", "dragonfly_plus")
def routes(network: Network) -> Routes:
    """Ways with one global hop at most, on one lane; else with two, the second one on a lane of its own.

    Source: shpiner-dragonfly-plus-2017.
    """
    rise = network.tier[network.arc_to] - network.tier[network.arc_from]
    up, down, across = rise > 0, rise < 0, rise == 0
    minimal = (Rung(up, 0), Rung(across, 0), Rung(down, 0))
    detour = (*minimal, Rung(up, 1), Rung(across, 1), Rung(down, 1))
    return climb(network, minimal), climb(network, detour)
