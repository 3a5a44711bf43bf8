"""Cages that links end in, and the components that links tie them to."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from fabric.errors import InfeasibleError
from fabric.layout.component import cage_graph
from fabric.layout.used_cages import used_cages


def used_by(bench, *ends):
    """Cages used by links of a made-up topology."""
    return used_cages(bench.topology(*ends), bench.catalog, "infiniband")


def test_cages_come_by_device_and_number(bench):
    """Cage 2 stands before cage 10, and every link knows its two cages."""
    bench.switches["twin"] = bench.switches["twin"].model_copy(
        update={
            "cages": bench.switches["twin"].cages.model_copy(update={"count": 16}),
            "ports_by_speed_gbps": {400: 32},
        }
    )
    used = used_by(bench, "n1:A l1:10", "n2:A l1:2", "n3:B l1:2")
    cages = [used.cage(number) for number in range(len(used.spec))]
    assert cages == [("l1", "2"), ("l1", "10"), ("n1", "A"), ("n2", "A"), ("n3", "B")]
    assert [[used.cage(end) for end in ends] for ends in used.ends.tolist()] == [
        [("n1", "A"), ("l1", "10")],
        [("n2", "A"), ("l1", "2")],
        [("n3", "B"), ("l1", "2")],
    ]
    node, switch = used.specs_of(0)
    assert (node.role, switch.role, switch.ports) == ("node", "switch", 2)


def test_cages_with_more_power_are_of_a_kind_of_their_own(bench):
    """One cage of the switch may take modules of 25 W."""
    twin = bench.switches["twin"]
    cages = twin.cages.model_copy(update={"max_power_w": 17.0, "high_power": {3: 25.0}})
    bench.switches["twin"] = twin.model_copy(update={"cages": cages})
    used = used_by(bench, *(f"n{number}:A l1:{number}" for number in range(1, 5)))
    assert [used.specs_of(link)[1].max_power_w for link in range(4)] == [17.0, 17.0, 25.0, 17.0]


def test_the_first_link_that_fits_no_cage_is_named(bench):
    """Two nodes ask two ports of a cage of one; links come by name."""
    with pytest.raises(InfeasibleError, match="n2:A: hgx runs no 2 x 400G in one cage"):
        used_by(bench, "n2:A l1:1", "n2:A l1:1", "n1:A l1:2", "n1:B l1:2", "n3:A l1:3", "n3:A l1:3")


def test_slots_count_where_a_splitter_may_share_a_cage(bench):
    """Nodes below a switch cage of four ports stand at their slots, links between switches at none."""
    used = used_cages(bench.topology("n1:A l1:1.2", "n2:A l1:1.3", rate_gbps=200), bench.catalog, "infiniband")
    assert used.slot.tolist() == [2, 3]
    assert used_by(bench, "l1:1 s1:1", "l1:1 s1:1").slot.tolist() == [0, 0]


@pytest.mark.parametrize("seed", range(20))
def test_components_are_those_of_the_graph_of_cages(bench, seed):
    """Links dealt at random: each component once, in the group of its shape, groups by their first link."""
    rng = np.random.default_rng(seed)
    ports = [f"s{device}:{cage}" for device, cage, _ in itertools.product((1, 2), range(1, 7), range(2))]
    far = rng.permutation(ports)[:10]
    near = [f"l{device}:{cage}" for device, cage in itertools.product((1, 2), range(1, 6))]
    topology = bench.topology(*(f"{a} {b}" for a, b in zip(near, far, strict=True)))
    used = used_cages(topology, bench.catalog, "infiniband")
    graph = cage_graph(topology.links, used)
    expected = nx.Graph(used.ends.tolist())
    found = [
        (set(cages), set(links))
        for group in graph.groups
        for cages, links in zip(group.cages.tolist(), group.links.tolist(), strict=True)
    ]
    assert sorted(sorted(cages) for cages, _ in found) == sorted(map(sorted, nx.connected_components(expected)))
    assert sorted(link for _, links in found for link in links) == list(range(len(topology.links)))
    assert len({group.shape for group in graph.groups}) == len(graph.groups)
    firsts = [int(group.links[0, 0]) for group in graph.groups]
    assert firsts == sorted(firsts)
    for group in graph.groups:
        for cages, links in zip(group.cages, group.links, strict=True):
            assert tuple(used.specs[each] for each in used.spec[cages]) == group.shape.ends
            joined = [(cages[joint.a], cages[joint.b]) for joint in group.shape.joints]
            assert joined == list(map(tuple, used.ends[links].tolist()))
