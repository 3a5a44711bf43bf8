"""The flow model against a packet simulator with the same parameters, within 10 % of when the last flow ends.

Source: htsim-runs, 64 hosts on 8 leaves and 8 spines, all links 400G, 500 ns a link and 600 ns a switch. RoCE hashes
flows and is paused, NDP and EQDS spray packets; EQDS asks for credit first, a round trip.
"""

from __future__ import annotations

import numpy as np
import pytest

from fabric.flow.offered import Offered
from fabric.flow.spreading import Even, Hashed, carry
from fabric.flow.wire import wire_factor
from fabric.routing.up_down import routes
from fabric.traffic.demand import Exchange, Ports, Transfers
from fabric.traffic.fold import Carriers, fold
from fabric.traffic.planes import Balancing, Dealing
from fabric.traffic.ranks import seat

HOSTS, PER_LEAF = 64, 8
ONE_WAY_US = (4 * 500 + 3 * 600) / 1000
KIB, MIB = 1024, 1024 * 1024


def _last_us(leaf_spine, demand_of, way, round_trips=0):
    """When the last flow ends [us]: the median fullest link with headers, one way, and round trips before."""
    plane = leaf_spine(HOSTS // PER_LEAF, PER_LEAF, PER_LEAF)
    ranks = seat(HOSTS, 1, np.arange(HOSTS), 1)
    ports = Ports(np.arange(HOSTS), np.arange(HOSTS), np.ones(HOSTS))
    carriers = Carriers.of(ranks, [ports], [plane.endpoint_switch], [plane.edge_count])
    (folded,) = fold(demand_of(ranks), ranks, carriers, Dealing(Balancing.HARDWARE, 1), flows=True)
    flows = np.rint(folded.flows.pairs).astype(np.int64)
    offered = Offered(folded.pair_bytes, folded.sent_bytes, folded.received_bytes, flows)
    spread = carry(plane, routes(plane), offered, way)
    return spread.quantile_us(0.5) * wire_factor("roce") + ONE_WAY_US * (1 + 2 * round_trips)


def _all_to_all(ranks):
    return Exchange(ranks.job, np.full(HOSTS, 64.0 * KIB), np.ones(HOSTS))


def _incast(_):
    senders = np.arange(1, HOSTS)
    return Transfers(senders, np.zeros(HOSTS - 1, dtype=np.int64), np.full(HOSTS - 1, float(MIB)))


@pytest.mark.parametrize(
    ("name", "demand_of", "way", "round_trips", "measured_us"),
    [
        ("all-to-all, RoCE", _all_to_all, Hashed(samples=1000, seed=1), 0, 113.5),
        ("all-to-all, NDP", _all_to_all, Even(), 0, 95.6),
        ("all-to-all, EQDS", _all_to_all, Even(), 1, 99.7),
        ("incast, RoCE", _incast, Hashed(samples=1000, seed=1), 0, 1348),
        ("incast, NDP", _incast, Even(), 0, 1366),
        ("incast, EQDS", _incast, Even(), 1, 1375),
    ],
)
def test_the_last_flow_ends_when_the_simulator_says(leaf_spine, name, demand_of, way, round_trips, measured_us):
    """64 KiB from every host to every other, and 1 MiB from 63 hosts to one."""
    assert _last_us(leaf_spine, demand_of, way, round_trips) == pytest.approx(measured_us, rel=0.10), name
