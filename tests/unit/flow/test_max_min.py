"""Max-min fair rates by hand, in closed form, and against water filling flow by flow."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from fabric.flow.link_load import even_load
from fabric.flow.max_min import FairRates, fair_rates
from fabric.flow.throughput import uniform_throughput
from fabric.model.network import Network
from fabric.model.paths import Paths, Routes
from fabric.routing import dragonfly_minimal, up_down


def all_to_all(group: np.ndarray) -> np.ndarray:
    """Flows from every endpoint to every other, by groups."""
    size = np.bincount(group)
    return np.outer(size, size).astype(float) - np.diag(size)


def spread(plane: Network, flows: np.ndarray | None = None) -> FairRates:
    """Fair rates of a tree whose leaves are groups; by default of all-to-all."""
    group = plane.endpoint_switch
    return fair_rates(plane, up_down.routes(plane), group, all_to_all(group) if flows is None else flows)


SHAPES = [(4, 8, 8, 8), (4, 8, 4, 2), (6, 4, 6, 3), (8, 16, 4, 4)]


@pytest.mark.parametrize(("leaves", "d", "uplinks", "spines"), SHAPES)
def test_symmetric_closed_form(leaf_spine, leaves, d, uplinks, spines):
    """The least of a host's rate over its N - 1 flows and a leaf's uplinks over its d (N - d) flows out."""
    plane = leaf_spine(leaves, d, uplinks, spines)
    n = leaves * d
    found = spread(plane)
    across = min(400 / (n - 1), uplinks * 400 / (d * (n - d)))
    apart = ~np.eye(leaves, dtype=bool)
    assert found.gbps[apart] == pytest.approx(across)
    inside = (400 - (n - d) * across) / (d - 1)
    assert found.gbps[~apart] == pytest.approx(inside)
    assert found.rounds == (1 if inside == pytest.approx(across) else 2)


def test_least_rate_is_uniform_throughput(irregular):
    """The slowest flows of all-to-all run at theta times an equal part of the line rate, where all hosts are alike."""
    for seed in range(20):
        plane = irregular(seed)
        plane = Network(**{**vars_of(plane), "endpoint_gbps": np.full(plane.endpoint_switch.size, 400.0)})
        theta = uniform_throughput(plane, up_down.routes(plane))
        if theta.unreachable.size:
            continue
        group = np.unique(plane.endpoint_switch, return_inverse=True)[1]
        flows = all_to_all(group)
        found = fair_rates(plane, up_down.routes(plane), group, flows)
        assert found.gbps[flows > 0].min() == pytest.approx(theta.theta * 400 / (plane.endpoint_switch.size - 1))


def vars_of(plane: Network) -> dict[str, object]:
    """Fields of a plane, without what it has worked out."""
    return {name: getattr(plane, name) for name in plane.__dataclass_fields__}


def test_two_rooms_for_three_flows(tree):
    """Flows 0 to 2 and 1 to 2 share the way down to leaf 2; flow 0 to 1 gets what is left of leaf 0's uplink."""
    plane = tree([0, 0, 1, 2, 2, 2], [0, 1, 2], [0, 0, 0], (3, 1), (400.0, [500.0, 500.0, 600.0]))
    flows = np.zeros((3, 3))
    flows[0, 2], flows[1, 2], flows[0, 1] = 2, 1, 1
    found = spread(plane, flows)
    # Uplink 0 has three flows: 500/3 = 166.7, full first; the host of leaf 1 sends the rest of what leaf 2 takes.
    assert found.gbps[0, 2] == pytest.approx(500 / 3)
    assert found.gbps[0, 1] == pytest.approx(500 / 3)
    assert found.gbps[1, 2] == pytest.approx(600 - 2 * 500 / 3)
    assert found.rounds == 2


def test_a_slow_host_holds_up_its_own_flows_only(tree):
    """Of two hosts below leaf 0 one has a quarter of the rate: it is a group of its own."""
    plane = tree([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], (2, 2), ([400.0, 100.0, 400.0, 400.0], 400.0))
    flows = np.array([[0, 0, 2.0], [0, 0, 2.0], [0, 0, 0]])
    found = fair_rates(plane, up_down.routes(plane), np.array([0, 1, 2, 2]), flows)
    assert found.gbps[:, 2] == pytest.approx([200, 50, 0])


def test_flows_without_a_way_get_nothing(leaf_spine):
    """Two leaves on different spines: their flows are listed, those inside a leaf run at line rate."""
    plane = leaf_spine(2, 2, 2)
    plane = plane.without(np.zeros(4, dtype=bool), np.array([False, True, True, False]))
    found = spread(plane)
    assert found.unreachable.tolist() == [[0, 1], [1, 0]]
    assert found.gbps == pytest.approx(np.diag([400.0, 400.0]))


def test_groups_have_one_switch_and_one_rate(tree):
    """Endpoints of two leaves, or of two rates, are no group."""
    plane = tree([0, 0, 1], [0, 1], [0, 0], (2, 1), ([400.0, 100.0, 400.0], 400.0))
    for group in ([0, 0, 1], [0, 1, 0]):
        with pytest.raises(ValueError, match="one switch at one rate"):
            fair_rates(plane, up_down.routes(plane), np.array(group), np.ones((2, 2)))


def shares(plane: Network, paths: Paths, source: int, target: int) -> dict[int, float] | None:
    """Share of a flow on every arc, by walking all shortest ways of the graph of states; None without any."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(paths.state_switch.size))
    graph.add_edges_from(zip(paths.step_from.tolist(), paths.step_to.tolist(), paths.step_arc.tolist(), strict=True))
    ends = [state for state in graph if paths.state_switch[state] == target]
    left = nx.multi_source_dijkstra_path_length(graph.reverse(), ends, weight=lambda *_: 1)
    if paths.start[source] not in left:
        return None
    gbps, found = np.tile(plane.pipes.gbps, 2), {}

    def walk(state: int, part: float) -> None:
        steps = [(to, arc) for _, to, arc in graph.out_edges(state, keys=True) if left.get(to) == left[state] - 1]
        total = sum(gbps[arc] for _, arc in steps)
        for to, arc in steps:
            found[arc] = found.get(arc, 0.0) + part * gbps[arc] / total
            if left[to]:
                walk(to, part * gbps[arc] / total)

    walk(int(paths.start[source]), 1.0)
    return found


def flow_by_flow(plane: Network, routes: Routes, pairs: list[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Water filling over single flows between endpoints, in plain Python; flows without a way are left out."""
    use, room = {}, {("arc", arc): gbps for arc, gbps in enumerate(np.tile(plane.pipes.gbps, 2).tolist())}
    for number, gbps in enumerate(plane.endpoint_gbps.tolist()):
        room["up", number] = room["down", number] = gbps
    for source, target in pairs:
        a, b = plane.endpoint_switch[[source, target]].tolist()
        parts = {} if a == b else next((got for got in (shares(plane, each, a, b) for each in routes) if got), None)
        if parts is not None:
            use[source, target] = {("arc", arc): part for arc, part in parts.items()}
            use[source, target] |= {("up", source): 1.0, ("down", target): 1.0}
    rate, rising = dict.fromkeys(use, 0.0), set(use)
    while rising:
        load = {spot: sum(use[flow].get(spot, 0.0) for flow in rising) for spot in room}
        step = min(room[spot] / load[spot] for spot in room if load[spot] > 0)
        full = {spot for spot in room if load[spot] > 0 and room[spot] - step * load[spot] < 1e-7}
        room = {spot: room[spot] - step * load[spot] for spot in room}
        for flow in rising:
            rate[flow] += step
        rising -= {flow for flow in rising if full & use[flow].keys()}
    return rate


def agree(plane: Network, routes: Routes, members: int) -> None:
    """Every endpoint a group, and all-to-all among the first `members` of them."""
    pairs = list(itertools.permutations(range(members), 2))
    flows = np.zeros((plane.endpoint_switch.size,) * 2)
    flows[tuple(np.array(pairs).T)] = 1
    found = fair_rates(plane, routes, np.arange(plane.endpoint_switch.size), flows)
    expected = np.zeros(flows.shape)
    for flow, gbps in flow_by_flow(plane, routes, pairs).items():
        expected[flow] = gbps
    assert found.gbps == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_irregular_trees_against_flow_by_flow(irregular, seed):
    """Parallel and missing links, leaves of unequal size, hosts of two rates."""
    plane = irregular(seed)
    agree(plane, up_down.routes(plane), 12)


@pytest.mark.parametrize("seed", range(6))
def test_damaged_dragonflies_against_flow_by_flow(seed):
    """Four groups of two routers with random rates, some links down: detours included."""
    rng = np.random.default_rng(seed)
    ends = [(2 * g, 2 * g + 1) for g in range(4)]
    between = itertools.combinations(range(4), 2)
    ends += [(2 * i + int(rng.integers(2)), 2 * j + int(rng.integers(2))) for i, j in between]
    ends = [each for each in ends if rng.random() < 0.9]
    a, b = np.array(ends, dtype=np.int64).T
    plane = Network(
        endpoint_switch=np.arange(8),
        endpoint_gbps=rng.choice([200.0, 400.0], 8),
        link_a=a,
        link_b=b,
        link_gbps=rng.choice([100.0, 200.0], a.size),
        tier=np.zeros(8, dtype=np.int64),
        position=np.repeat(np.arange(4), 2)[:, None],
        edge_count=8,
    )
    agree(plane, dragonfly_minimal.routes(plane), 8)


def test_classes_load_as_their_flows_do(leaf_spine):
    """Rates times flows put no more on any link than it has, and fill one for each class."""
    plane = leaf_spine(6, 8, 4, 4)
    plane = plane.without(np.zeros(48, dtype=bool), np.arange(24) < 2)
    found = spread(plane)
    group = plane.endpoint_switch
    idle = np.zeros(48)
    load = even_load(plane, up_down.routes(plane), found.gbps * all_to_all(group), idle, idle)
    assert (load.link_up_bytes <= plane.link_gbps * (1 + 1e-9)).all()
    assert load.link_up_bytes.max() == pytest.approx(400)
    assert 1 < found.rounds < 12
