"""Common spines against valley-free paths found one by one, routers against every loss tried in turn."""

from __future__ import annotations

import itertools

import networkx as nx
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


def network(family, role, joined, used):
    """Switches 0, 1, … of a role by number, links between some, and one node on each of those used."""
    names = {number: f"{role(number)}-{number}" for pair in joined for number in pair} | {
        number: f"{role(number)}-{number}" for number in used
    }
    devices = [Device(name, role(number), None) for number, name in sorted(names.items())]
    devices += [Device(f"node-{number}", "node", None) for number in used]
    links = [
        Link(f"n{number}", "node", Port(f"node-{number}", "1", "rail0"), Port(names[number], "0", "down"), 400)
        for number in used
    ]
    links += [Link(f"{a}-{b}", "x", Port(names[a], "1", "up"), Port(names[b], "1", "x"), 400) for a, b in joined]
    return Topology(family, {}, tuple(devices), tuple(links)), names


@pytest.mark.parametrize("seed", range(60))
def test_routers_against_every_loss_tried_in_turn(seed):
    """Routers apart, and routers whose loss parts others, are those that networkx finds by taking each away."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    joined = [pair for pair in itertools.combinations(range(count), 2) if rng.random() < rng.choice([0.2, 0.4, 0.7])]
    used = {number for number in range(count) if rng.random() < 0.7} or {0}
    graph = nx.Graph(joined)
    graph.add_nodes_from(range(count))
    topology, names = network("dragonfly", lambda _: "router", joined, used)
    remarks = list(judge(CheckContext(Design(None, None, topology), None)))

    def parts(without):
        """Parts with nodes of the part of the whole that a router belongs to, once it is gone."""
        whole = nx.node_connected_component(graph, without) - {without}
        return sum(bool(part & used) for part in nx.connected_components(graph.subgraph(whole)))

    apart = sum(bool(part & used) for part in nx.connected_components(graph)) - 1
    assert len([each for each in remarks if each.severity == "error"]) == apart
    cut = {names[router] for router in graph if parts(router) > 1}
    assert {each.where for each in remarks if each.severity == "warning"} == cut


@pytest.mark.parametrize("seed", range(60))
def test_three_tiers_against_every_loss_tried_in_turn(seed):
    """Leaves that no way up and down joins, with everything up or any one spine or core down."""
    rng = np.random.default_rng(seed)
    leaves, spines, cores = (int(each) for each in rng.integers(2, 5, 3))
    tiers = [range(leaves), range(leaves, leaves + spines), range(leaves + spines, leaves + spines + cores)]
    share = rng.choice([0.5, 0.8, 0.95])
    joined = [
        pair for low, high in itertools.pairwise(tiers) for pair in itertools.product(low, high) if rng.random() < share
    ]
    joined.append((tiers[1][0], tiers[2][0]))

    def role(number):
        """Leaf, spine or core by number."""
        return next(name for name, tier in zip(("leaf", "spine", "core"), tiers, strict=True) if number in tier)

    topology, _ = network("fat_tree", role, sorted(set(joined)), set(tiers[0]))
    remarks = list(judge(CheckContext(Design(None, None, topology), None)))

    def meets(lost):
        """Whether every two leaves have a spine or core above both."""
        kept = [pair for pair in joined if lost not in pair]
        above = nx.DiGraph(kept)
        above.add_nodes_from(tiers[0])
        over = [nx.descendants(above, leaf) for leaf in tiers[0]]
        return all(one & two for one, two in itertools.combinations(over, 2))

    assert any(each.measured == 0 for each in remarks) == (not meets(None))
    assert bool(remarks) == (not all(meets(lost) for lost in (*tiers[1], *tiers[2])))
