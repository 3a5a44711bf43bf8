"""Ladders: which ways they allow, and on which lanes."""

import numpy as np
import pytest

from fabric.model.network import Network
from fabric.routing._ladder import Rung, climb


def chain(count: int) -> Network:
    """Switches in a row, one endpoint each."""
    ends = np.arange(count - 1)
    return Network(
        endpoint_switch=np.arange(count),
        endpoint_gbps=np.full(count, 400.0),
        link_a=ends,
        link_b=ends + 1,
        link_gbps=np.full(count - 1, 400.0),
        tier=np.zeros(count, dtype=np.int64),
        position=np.zeros((count, 0), dtype=np.int64),
        edge_count=count,
    )


def walks(paths, network, source: int, most: int):
    """Switches of every walk from a source that takes at most so many steps, with the lanes."""
    origin, target = network.arc_from, network.arc_to
    found = [((source,), (), int(paths.start[source]))]
    for switches, lanes, state in found:
        for step in np.flatnonzero(paths.step_from == state) if len(lanes) < most else ():
            arc, after = paths.step_arc[step], int(paths.step_to[step])
            assert origin[arc] == switches[-1]
            assert paths.state_switch[after] == target[arc]
            found.append(((*switches, int(target[arc])), (*lanes, int(paths.step_lane[step])), after))
    return {(switches, lanes) for switches, lanes, _ in found}


def test_a_rung_is_taken_once():
    """Two rungs of all arcs on lanes 0 and 1 allow walks of at most two hops, on lanes that rise."""
    network = chain(4)
    every = np.ones(6, dtype=bool)
    paths = climb(network, (Rung(every, 0), Rung(every, 1)))
    found = walks(paths, network, 1, most=5)
    assert ((1, 2, 3), (0, 1)) in found
    assert {lanes for _, lanes in found} == {(), (0,), (0, 1)}
    assert max(len(switches) for switches, _ in found) == 3


def test_a_repeating_rung_is_taken_again():
    """One rung that repeats leads along the whole chain, and only in its direction."""
    network = chain(5)
    forward = np.arange(8) < 4
    found = walks(climb(network, (Rung(forward, 0, repeats=True),)), network, 0, most=9)
    assert found == {(tuple(range(end)), (0,) * (end - 1)) for end in range(1, 6)}


def test_the_lowest_rung_wins():
    """An arc on two rungs is taken on the lower one, and on the upper one by packets that are past it."""
    network = chain(3)
    forward, backward = np.arange(4) < 2, np.arange(4) >= 2
    paths = climb(network, (Rung(forward, 0), Rung(backward, 0), Rung(forward, 2)))
    assert walks(paths, network, 1, most=3) == {
        ((1,), ()), ((1, 2), (0,)), ((1, 0), (0,)), ((1, 2, 1), (0, 0)), ((1, 0, 1), (0, 2)), ((1, 2, 1, 2), (0, 0, 2)),
    }  # fmt: skip


@pytest.mark.parametrize("rungs", [(), (Rung(np.zeros(4, dtype=bool), 0),)])
def test_a_ladder_without_arcs_leads_nowhere(rungs):
    """Packets stay where they start."""
    paths = climb(chain(3), rungs)
    assert paths.state_switch.tolist() == [0, 1, 2]
    assert paths.step_arc.size == 0
