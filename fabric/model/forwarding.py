"""Forwarding tables of one plane: the one link that every switch takes towards every endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fabric.model.network import BoolArray, IntArray

TableArray: TypeAlias = NDArray[np.int32]

NO_WAY = -1
"""Entry of a switch that has no way to an endpoint."""

ARRIVED = -2
"""Entry of the switch that an endpoint hangs on."""


@dataclass(frozen=True, slots=True, eq=False)
class Ports:
    """Numbers of the ports of a plane's switches, as the switches count them.

    Attributes:
        a: (n_links,) port of each link at its end a.
        b: (n_links,) port at its end b.
        endpoint: (n_endpoints,) port of its switch that each endpoint hangs on.
    """

    a: IntArray
    b: IntArray
    endpoint: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Forwarding:
    """What a subnet manager writes into the switches of a plane.

    Attributes:
        link: (n_switches, n_endpoints) link that each switch takes towards each endpoint, `NO_WAY` or `ARRIVED`.
    """

    link: TableArray

    def without(self, endpoints: BoolArray, links: BoolArray) -> Forwarding:
        """The tables without the endpoints (n_endpoints,) and links (n_links,) where the masks are true.

        Nothing is routed anew: entries that lead over a link that is gone lead nowhere.
        """
        number = np.where(links, NO_WAY, np.cumsum(~links) - 1)
        kept = self.link[:, ~endpoints]
        moved = np.where(kept >= 0, number[np.maximum(kept, 0)], kept) if links.size else kept
        return Forwarding(moved.astype(np.int32))
