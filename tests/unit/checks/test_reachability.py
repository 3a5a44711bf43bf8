"""Common spines against valley-free paths found one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.checks._context import CheckContext
from fabric.checks.reachability import judge
from fabric.model.design import Design
from fabric.model.topology import Device, Link, Port, Topology


def fabric(trunks):
    """A plane of leaves with one node each and the given links (leaves, spines)."""
    leaves, spines = trunks.shape
    devices = [Device(f"leaf-{row}", "leaf", None) for row in range(leaves)]
    devices += [Device(f"spine-{column}", "spine", None) for column in range(spines)]
    devices += [Device(f"node-{row}", "node", None) for row in range(leaves)]
    links = [
        Link(f"node-{row}", "node_leaf", Port(f"node-{row}", "1", "rail0"), Port(f"leaf-{row}", "0", "down"), 400)
        for row in range(leaves)
    ]
    links += [
        Link(f"{row}-{column}", "leaf_spine", Port(f"leaf-{row}", "1", "up"), Port(f"spine-{column}", "1", "x"), 400)
        for row, column in itertools.product(range(leaves), range(spines))
        if trunks[row, column]
    ]
    return Topology("fat_tree", {}, tuple(devices), tuple(links))


def reached(trunks, down=None):
    """Whether every pair of leaves has a spine other than `down` in common, pair by pair."""
    up = [{column for column in np.flatnonzero(row) if column != down} for row in trunks]
    return all(one & two for one, two in itertools.combinations(up, 2))


@pytest.mark.parametrize("seed", range(40))
def test_same_verdict_as_pair_by_pair(seed):
    """Cut-off leaves are found exactly when some pair has no path, with all spines up or any one down."""
    rng = np.random.default_rng(seed)
    trunks = rng.random((rng.integers(2, 6), rng.integers(1, 5))) < rng.choice([0.6, 0.8, 0.95])
    remarks = list(judge(CheckContext(Design(None, None, fabric(trunks)), None)))
    assert any(each.measured == 0 for each in remarks) == (not reached(trunks))
    apart_after_loss = not all(reached(trunks, down) for down in range(trunks.shape[1]))
    assert bool(remarks) == apart_after_loss


def test_leaf_that_lost_its_spines_is_named_alone():
    """One leaf cut off among many is one finding, not one per neighbour."""
    trunks = np.ones((8, 4), dtype=bool)
    trunks[3] = False
    remarks = list(judge(CheckContext(Design(None, None, fabric(trunks)), None)))
    assert [(each.where, each.measured) for each in remarks] == [("leaf-3", 0)]
    assert "6 more leaves" in remarks[0].message
