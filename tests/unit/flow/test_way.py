"""Mean ways of small messages: closed forms on a leaf-spine plane."""

import numpy as np
import pytest

from fabric.flow.link_load import ArcLoad
from fabric.flow.way import LinkNs, MeanWay, PlaneNs, mean_way
from fabric.model.network import Network


def _plane(end_gbps=400.0, up_gbps=400.0):
    """Two leaves of one endpoint each below one spine."""
    return Network(
        endpoint_switch=np.array([0, 1]),
        endpoint_gbps=np.full(2, end_gbps),
        link_a=np.array([0, 1]),
        link_b=np.array([2, 2]),
        link_gbps=np.full(2, up_gbps),
        tier=np.array([0, 0, 1]),
        position=np.zeros((3, 0), dtype=np.int64),
        edge_count=2,
    )


def _links(cable, fec=20.0, first=1.0, packet=80.0):
    return LinkNs(np.array(cable), np.full(2, fec), np.full(2, first), np.full(2, packet))


def _load(up, down, link_up, link_down):
    arrays = (np.array(each, dtype=float) for each in (up, down, link_up, link_down))
    return ArcLoad(*arrays, 0.0, np.zeros((0, 2), dtype=np.int64))


PARTS = PlaneNs(_links([10.0, 30.0]), _links([50.0, 70.0]), np.array([300.0, 300.0, 500.0]))


def test_one_way_is_the_sum_of_its_parts():
    """Endpoint 0 to 1: cables 10 + 50 + 70 + 30, leaves 300 each, the spine 500, four links of 20 and 1."""
    found = mean_way(_plane(), PARTS, _load([9, 0], [0, 9], [9, 0], [0, 9]))
    assert found == MeanWay(3.0, 1100.0, 80.0, 4.0, 0.0, 160.0)
    assert found.total_ns == 1344


def test_bytes_weigh_ways():
    """Two thirds of the bytes turn back in their leaf: 1 switch and 2 links instead of 3 and 4."""
    found = mean_way(_plane(), PARTS, _load([3, 0], [2, 1], [1, 0], [0, 1]))
    assert found.switches == pytest.approx(5 / 3)
    assert found.switch_ns == pytest.approx((2 * 300 + 1100) / 3)
    assert found.cables_ns == pytest.approx((2 * (10 + 10) + 160) / 3)


@pytest.mark.parametrize(
    ("end_gbps", "up_gbps", "stored_ns"), [(400, 400, 0), (400, 800, 80), (800, 400, 80), (800, 800, 0)]
)
def test_a_packet_waits_where_the_way_out_is_faster(end_gbps, up_gbps, stored_ns):
    """Into faster uplinks at the first leaf, or into the faster port of the receiver at the last one: one packet."""
    ends, ups = (_links([10.0, 30.0], packet=32_000 / gbps) for gbps in (end_gbps, up_gbps))
    parts = PlaneNs(ends, ups, PARTS.switch)
    found = mean_way(_plane(end_gbps, up_gbps), parts, _load([9, 0], [0, 9], [9, 0], [0, 9]))
    assert found.stored_ns == stored_ns


def test_nothing_sent_takes_nothing():
    """No bytes, no way."""
    nothing = [0, 0]
    assert mean_way(_plane(), PARTS, _load(nothing, nothing, nothing, nothing)).total_ns == 0
