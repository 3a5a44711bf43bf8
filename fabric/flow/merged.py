"""A plane with interchangeable switches taken as one, so that a regular tree costs no more than a star."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabric.model.network import Network


def merged(network: Network) -> Network:
    """The same plane, each set of switches above the edge with the same rates to the same others as one switch.

    What flows through one of them may as well flow through all in equal parts, so throughput, cuts and distances
    between leaves or routers stay as they are, under free routing and under an even spread. Leaves and routers keep
    their numbers, links theirs.

    Args:
        network: the plane.
    """
    order = np.lexsort((network.arc_to, network.arc_from))
    gbps = np.tile(network.pipes.gbps, 2)[order]
    far = network.arc_to[order]
    start = np.searchsorted(network.arc_from[order], np.arange(network.switch_count + 1))
    first: dict[tuple[bytes, bytes], int] = {}
    kept, number = list(range(network.edge_count)), np.arange(network.switch_count)
    for switch in range(network.edge_count, network.switch_count):
        here = slice(start[switch], start[switch + 1])
        place = first.setdefault((far[here].tobytes(), gbps[here].tobytes()), len(kept))
        if place == len(kept):
            kept.append(switch)
        number[switch] = place
    return replace(
        network,
        link_a=number[network.link_a],
        link_b=number[network.link_b],
        tier=network.tier[kept],
        position=network.position[kept],
    )
