"""Longer ways: the closed forms of a dragonfly whose groups all send to the next one."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.flow.detours import detoured_load
from fabric.flow.offered import Offered
from fabric.flow.spreading import Detoured, carry
from fabric.routing import dragonfly_minimal, up_down
from fabric.units import bytes_per_us

P, A, H = 2, 4, 2
GROUPS = A * H + 1


def _next_group(network):
    """Every router sends what its endpoints can to the router of its place in the next group."""
    count = network.edge_count
    demand = np.zeros((count, count))
    routers = np.arange(count)
    demand[routers, (routers + A) % count] = P * 400.0 * bytes_per_us(1.0)
    ends = np.full(network.endpoint_switch.size, 400.0 * bytes_per_us(1.0))
    return Offered(demand, ends, ends, np.zeros((count, count), dtype=np.int64))


@pytest.mark.parametrize(
    ("minimal_share", "least", "most"),
    [(1.0, 1 / (P * A), 1 / (P * A)), (0.0, 0.40, 0.44), (None, 0.44, 0.60)],
    ids=["minimal", "valiant", "best mix"],
)
def test_adversarial_traffic(dragonfly, minimal_share, least, most):
    """Minimal 1/(a p) = 1/8; Valiant (a h - 1)/(2 a p) = 0.4375 of global links; the best mix is not worse."""
    network = dragonfly(P, A, H)
    way = Detoured(minimal_share)
    spread = carry(network, dragonfly_minimal.routes(network), _next_group(network), way)
    assert least - 1e-9 <= 1 / spread.fullest.time_us <= most + 1e-9


def test_what_is_sent_arrives(dragonfly):
    """On two legs a byte passes more links than on one, and no demand is lost."""
    network = dragonfly(P, A, H)
    routes, offered = dragonfly_minimal.routes(network), _next_group(network)
    near, far = (detoured_load(network, routes, offered, share) for share in (1.0, 0.0))
    assert far.hops > near.hops >= 1
    assert far.unreachable.size == near.unreachable.size == 0


def test_without_groups_there_is_no_longer_way(leaf_spine):
    """A tree has its shortest ways alone."""
    network = leaf_spine(2, 2, 2)
    demand = np.array([[0.0, 8.0], [8.0, 0.0]])
    ends = np.full(4, 4.0)
    offered = Offered(demand, ends, ends, np.zeros((2, 2), dtype=np.int64))
    load = detoured_load(network, up_down.routes(network), offered, 0.0)
    assert load.link_up_bytes.tolist() == [4.0] * 4
