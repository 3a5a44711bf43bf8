"""Throughput of a dragonfly between what a linear program routes at best and what capacity over hops allows.

Published for p=2, a=4, h=2 with global links in the relative order: uniform bound 1.0823, linear program 1.0718; for
the matching of the farthest routers 0.8333 (namyar-tub-2021) and 0.625.
"""

import itertools

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog
from scipy.sparse import block_diag, coo_matrix, csr_matrix, hstack

from fabric.flow.link_load import even_load
from fabric.flow.permutation import _theta
from fabric.model.network import Network
from fabric.routing import dragonfly_minimal

P, A, H = 2, 4, 2
GROUPS = A * H + 1
GBPS = 400.0


@pytest.fixture(scope="module")
def network():
    """36 routers: global port k of group i leads to the group k + 1 before, whose port a h - 1 - k ends it."""
    ends = [(g * A + i, g * A + j) for g in range(GROUPS) for i, j in itertools.combinations(range(A), 2)]
    for group, port in itertools.product(range(GROUPS), range(A * H)):
        other = (group - port - 1) % GROUPS
        if group < other:
            ends.append((group * A + port // H, other * A + (A * H - 1 - port) // H))
    a, b = (np.array(column, dtype=np.int64) for column in zip(*ends, strict=True))
    routers = GROUPS * A
    return Network(
        endpoint_switch=np.repeat(np.arange(routers), P),
        endpoint_gbps=np.full(P * routers, GBPS),
        link_a=a,
        link_b=b,
        link_gbps=np.full(a.size, GBPS),
        tier=np.zeros(routers, dtype=np.int64),
        position=np.repeat(np.arange(GROUPS), A)[:, None],
        edge_count=routers,
    )


@pytest.fixture(scope="module")
def hops(network):
    """(n_switches, n_switches) links on the shortest way, by networkx."""
    graph = nx.Graph(zip(network.link_a.tolist(), network.link_b.tolist(), strict=True))
    found = dict(nx.all_pairs_shortest_path_length(graph))
    count = network.switch_count
    return np.array([[found[a][b] for b in range(count)] for a in range(count)])


def hop_bound(network: Network, hops, demand) -> float:
    """Capacity of all arcs over what a demand takes of them on shortest ways, in link rates."""
    return 2 * network.link_a.size / (demand * hops).sum()


def best_routed(network: Network, demand) -> float:
    """Largest share of a demand (n_switches, n_switches) [link rates] that any routing carries.

    max t  s.t.  every source sends t times its demand, flows are conserved, no arc carries more than 1; the flows of
    one source are one commodity.
    """
    count = network.switch_count
    start = np.concatenate([network.link_a, network.link_b])
    end = np.concatenate([network.link_b, network.link_a])
    arcs = start.size
    signs = np.repeat([1.0, -1.0], arcs)
    into = coo_matrix((signs, (np.concatenate([end, start]), np.tile(np.arange(arcs), 2))), shape=(count, arcs)).tocsr()
    others = [np.delete(np.arange(count), source) for source in range(count)]
    wanted = np.concatenate([demand[source, kept] for source, kept in enumerate(others)])
    conserved = hstack([block_diag([into[kept] for kept in others]), csr_matrix(-wanted[:, None])])
    within = hstack([csr_matrix(np.tile(np.eye(arcs), count)), csr_matrix((arcs, 1))])
    cost = np.zeros(count * arcs + 1)
    cost[-1] = -1.0
    found = linprog(
        cost, A_ub=within, b_ub=np.ones(arcs), A_eq=conserved, b_eq=np.zeros(wanted.size), method="highs-ipm"
    )
    assert found.status == 0
    return float(found.x[-1])


def test_uniform_traffic_lies_below_both(network, hops):
    """Minimal single ways 1.0442, any routing 1.0718, capacity over hops 1.0823."""
    routers = network.switch_count
    demand = np.full((routers, routers), P * P / (P * routers - 1))
    np.fill_diagonal(demand, 0.0)
    sent = np.full(P * routers, 1.0)
    load = even_load(network, dragonfly_minimal.routes(network), demand, sent, sent)
    ours = 1 / max(load.link_up_bytes.max(), load.link_down_bytes.max())
    assert ours == pytest.approx(1.0442, abs=1e-4)
    best, bound = best_routed(network, demand), hop_bound(network, hops, demand)
    assert (best, bound) == (pytest.approx(1.0718, abs=5e-5), pytest.approx(1.0823, abs=5e-5))
    assert ours < best < bound


def test_farthest_matching_lies_below_both(network, hops):
    """Three hops for every router: capacity leaves 0.8333, any routing 0.625, adaptive routing of two ways less."""
    senders, receivers = linear_sum_assignment(-hops)
    demand = np.zeros(hops.shape)
    demand[senders, receivers] = P
    best, bound = best_routed(network, demand), hop_bound(network, hops, demand)
    assert (best, bound) == (pytest.approx(0.625, abs=1e-6), pytest.approx(5 / 6, rel=1e-9))
    target = receivers[np.argsort(senders)]
    routes = dragonfly_minimal.routes(network)
    minimal, _ = _theta(network, routes, target, is_adaptive=False)
    adaptive, _ = _theta(network, routes, target, is_adaptive=True)
    assert minimal < adaptive < best
