"""The placement bench: that it measures the problem it says, on one small enough for every day."""

from __future__ import annotations

import pytest

from fabric.catalog.load import load
from fabric.layout.tree_seats import search_sites


@pytest.fixture(scope="module")
def placement(script):
    """The bench script as a module."""
    return script("placement")


@pytest.fixture(scope="module")
def small(placement):
    """Four leaves under two spines."""
    request = placement.roce(16, unit_nodes=4, wiring="rack", parameters={"spines": 2})
    return placement.Case(request, placement.open_hall(1, 12))


def test_a_case_is_measured(placement, small):
    """16 nodes of 8 ports and as many uplinks are 256 links; the gap is a share."""
    figures = placement.measure(small)
    assert figures["links"] == 256
    assert figures["groups"] == 4
    assert figures["proof_s"] > 0
    assert 0 <= figures["gap"] < 1


def test_the_search_is_put_back(placement, small):
    """Asking for a problem leaves the layout as it was."""
    placement.asked(small, load())
    assert placement.tree_seats.search_sites is search_sites


def test_copies_ask_for_every_plane(placement, small):
    """Three planes have thrice the groups, spines and slots on the same sites."""
    one, _ = placement.asked(small, load())
    three = placement.copies(one, 3)
    assert len(three.leaves) == 3 * len(one.leaves)
    assert three.spines.tolist() == 3 * one.spines.tolist()
    assert (three.capacity == 3 * one.capacity).all()
    assert three.of_plane(2).own.tolist() == one.own.tolist()


def test_shipped_halls_have_the_promised_sizes(placement):
    """8,192 and 10,368 endpoints, 32 and 128 pods of eight nodes, 100,352 endpoints."""
    nodes = [case.request["nodes"] for case in placement.CASES.values()]
    assert [8 * count for count in nodes] == [8192, 10368, 2048, 8192, 10368, 100352]
