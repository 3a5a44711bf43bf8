"""Trees: up to a switch above both ends, then down, on one lane."""

from __future__ import annotations

from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.routing._ladder import Rung, climb
from fabric.routing._protocol import scheme


@scheme("up_down", "fat_tree")
def routes(network: Network) -> Routes:
    """Every way that goes up any number of tiers and then down, never up again.

    Source: opensm-manual, UPDN.
    """
    rise = network.tier[network.arc_to] - network.tier[network.arc_from]
    return (climb(network, (Rung(rise > 0, 0, repeats=True), Rung(rise < 0, 0, repeats=True))),)
