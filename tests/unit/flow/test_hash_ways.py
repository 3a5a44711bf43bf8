"""Flows by mean and variance, and the fullest of their links, against hashing every flow hop by hop."""

import numpy as np
import pytest
from scipy.stats import binom

from fabric.flow.fullest import fullest_per_gbps
from fabric.flow.hash_ways import LinkFlows, Seeds, link_flows
from fabric.flow.hashing import hashed_load
from fabric.flow.link_load import even_load
from fabric.model.network import Network
from fabric.routing import up_down

FAR = 10**6
"""Steps of a state without a way."""

FAMILIES = ("two tiers", "trunks", "three tiers", "dragonfly", "torus")


def group_of(network: Network, paths, left: dict[int, int], state: int) -> list[tuple[int, int]]:
    """Arcs of links that begin a shortest way from a state, in the order of links, each with the state it leads to."""
    pipes, links = network.pipes.gbps.size, network.link_a.size
    found = []
    for step in np.flatnonzero(paths.step_from == state):
        after, (falls, pipe) = int(paths.step_to[step]), divmod(int(paths.step_arc[step]), pipes)
        if left[after] == left[state] - 1:
            found += [(link, falls, after) for link in np.flatnonzero(network.pipes.of_link == pipe).tolist()]
    return [(link + falls * links, after) for link, falls, after in sorted(found)]


def chances(network: Network, paths, source: int, target: int, seeds: Seeds) -> np.ndarray:
    """(2 n_links,) chance that a flow takes each arc: by following every way, or every value of a shared hash."""
    left = steps_to(paths, target)
    start = int(paths.start[source])
    found = np.zeros(2 * network.link_a.size)

    def go(state: int, chance: float) -> None:
        group = group_of(network, paths, left, state) if left[state] else []
        for arc, after in group:
            found[arc] += chance / len(group)
            go(after, chance / len(group))

    if seeds is Seeds.PER_SWITCH:
        go(start, 1.0)
        return found
    for value in range(VALUES):
        state = start
        while left[state]:
            group = group_of(network, paths, left, state)
            arc, state = group[value % len(group)]
            found[arc] += 1 / VALUES
    return found


VALUES = 24
"""Divided by every size of a group in the planes below."""


def steps_to(paths, target: int) -> dict[int, int]:
    """Fewest steps to a target from every state; as good as infinite where there is no way."""
    left = dict.fromkeys(range(paths.state_switch.size), FAR)
    reached = [state for state, switch in enumerate(paths.state_switch.tolist()) if switch == target]
    left.update(dict.fromkeys(reached, 0))
    for state in reached:
        for before in paths.step_from[paths.step_to == state].tolist():
            if left[before] > left[state] + 1:
                left[before] = left[state] + 1
                reached.append(before)
    return left


@pytest.mark.parametrize("name", FAMILIES)
def test_hashing_apart_expects_the_even_load(families, name):
    """Means equal the even spread of as many bytes on every arc, with a link missing."""
    network, scheme = families[name]
    network = network.without(np.zeros(network.endpoint_switch.size, dtype=bool), np.arange(network.link_a.size) == 2)
    flows = np.random.default_rng(1).integers(0, 30, (network.edge_count,) * 2)
    np.fill_diagonal(flows, 0)
    idle = np.zeros(network.endpoint_switch.size)
    even = even_load(network, scheme(network), flows * 1.0, idle, idle)
    found = link_flows(network, scheme(network), flows, Seeds.PER_SWITCH)
    assert found.mean == pytest.approx(np.concatenate([even.link_up_bytes, even.link_down_bytes]))
    assert (found.variance >= 0).all()
    assert (found.variance <= found.mean + 1e-9).all()


@pytest.mark.parametrize("seeds", Seeds)
@pytest.mark.parametrize("name", ["trunks", "three tiers", "torus"])
def test_means_and_variances_are_those_of_every_way(families, name, seeds):
    """Sums of F p and F p (1 - p) over all pairs, with p from following every way of each."""
    network, scheme = families[name]
    routes = scheme(network)
    flows = np.random.default_rng(2).integers(0, 9, (network.edge_count,) * 2)
    np.fill_diagonal(flows, 0)
    p = {pair: chances(network, routes[0], *pair, seeds) for pair in zip(*np.nonzero(flows), strict=True)}
    found = link_flows(network, routes, flows, seeds)
    assert found.mean == pytest.approx(sum(flows[pair] * each for pair, each in p.items()))
    assert found.variance == pytest.approx(sum(flows[pair] * each * (1 - each) for pair, each in p.items()), abs=1e-9)


def hash_every_flow(network: Network, paths, flows: np.ndarray, seeds: Seeds, rng) -> np.ndarray:
    """(2 n_links,) flows on every arc when each one is hashed by itself."""
    load = np.zeros(2 * network.link_a.size)
    for target in range(network.edge_count):
        left = steps_to(paths, target)
        groups = {state: group_of(network, paths, left, state) for state in left if 0 < left[state] < FAR}
        for source in np.flatnonzero(flows[:, target]).tolist():
            for value in rng.integers(2**40, size=0 if source == target else flows[source, target]).tolist():
                state, drawn = int(paths.start[source]), value
                while left[state]:
                    arc, state = groups[state][drawn % len(groups[state])]
                    load[arc] += 1
                    drawn = value if seeds is Seeds.SHARED else int(rng.integers(2**40))
    return load


@pytest.mark.parametrize("seeds", Seeds)
def test_fullest_of_three_tiers_is_that_of_hashing_every_flow(pods, seeds):
    """Median of the fullest link of 60 hashed placements within 5 %."""
    network = pods(2, 2, 4, 4, 4)
    routes = up_down.routes(network)
    flows = np.full((4, 4), 12)
    rng = np.random.default_rng(4)
    drawn = [hash_every_flow(network, routes[0], flows, seeds, rng).max() for _ in range(60)]
    idle = np.zeros(16)
    even = even_load(network, routes, flows * 1.0, idle, idle)
    ideal = max(even.link_up_bytes.max(), even.link_down_bytes.max())
    found = hashed_load(network, routes, flows, 1000, 1, seeds=seeds).quantile(0.5)
    assert found * ideal == pytest.approx(np.median(drawn), rel=0.05)


def test_one_seed_for_all_reaches_one_core_link_of_each_spine(pods):
    """Equal groups one above the other: the second hash repeats the first, and one link of four takes all."""
    network = pods(2, 2, 4, 4, 4)
    flows = np.full((4, 4), 100)
    apart, alike = (link_flows(network, up_down.routes(network), flows, seeds) for seeds in Seeds)
    to_core = network.tier[network.link_a] == 1
    up_apart, up_alike = (each.mean[: to_core.size][to_core].reshape(-1, 4) for each in (apart, alike))
    assert (np.sort(up_alike) == pytest.approx(np.repeat([[0, 0, 0, 100]], 8, axis=0))) is True
    assert up_apart == pytest.approx(np.full((8, 4), 25.0))


@pytest.mark.parametrize(("spines", "cores", "reached"), [(4, 2, 1), (2, 4, 2), (3, 4, 4), (6, 4, 2)])
def test_one_seed_reaches_what_the_greatest_common_divisor_leaves(pods, spines, cores, reached):
    """Of n links behind one of m alike, n / gcd(m, n) are reached."""
    network = pods(2, 1, spines, cores, 1)
    found = link_flows(network, up_down.routes(network), np.full((2, 2), 60), Seeds.SHARED).mean[: network.link_a.size]
    used = (found[network.tier[network.link_a] == 1] > 0).reshape(-1, cores).sum(axis=1)
    assert set(used.tolist()) == {reached}


def test_faster_links_take_more_of_a_shared_hash(tree):
    """A group of links of 400 and 800 Gb/s is hashed 1 : 2, whatever the seeds."""
    network = tree([0, 1], [0, 0, 1, 1], [0, 1, 0, 1], (2, 2), (400.0, [400.0, 800.0, 400.0, 800.0]))
    for seeds in Seeds:
        found = link_flows(network, up_down.routes(network), np.array([[0, 30], [0, 0]]), seeds)
        assert found.mean[:2] == pytest.approx([10, 20])
        assert found.variance[:2] == pytest.approx([30 * 2 / 9, 30 * 2 / 9])


def test_many_sizes_of_groups_are_sampled_evenly(tree):
    """Leaves of 61, 62 and 63 links have no small common multiple; each still spreads evenly within 3 %."""
    sizes = (61, 62, 63)
    leaf = np.repeat(np.arange(3), sizes)
    spine = np.concatenate([np.arange(size) for size in sizes])
    network = tree(np.arange(3), leaf, spine, (3, 63))
    found = link_flows(network, up_down.routes(network), np.full((3, 3), 1000), Seeds.SHARED)
    per_link = np.array([found.mean[: leaf.size][leaf == each].sum() for each in range(3)])
    assert per_link == pytest.approx([2000] * 3)
    assert found.mean[: leaf.size].max() < 2000 / 61 * 1.1


def test_fullest_of_one_link_is_its_own_distribution():
    """100 flows of which each takes the link with 0.3: quantiles of the binomial, over the rate."""
    flows = LinkFlows(np.array([30.0, 0.0]), np.array([21.0, 0.0]))
    drawn = fullest_per_gbps(flows, np.array([400.0]), 4000, 1) * 400
    assert (np.diff(drawn) >= 0).all()
    for probability in (0.1, 0.5, 0.9):
        assert np.quantile(drawn, probability) == pytest.approx(binom.ppf(probability, 100, 0.3), abs=1)


def test_fullest_without_chance_is_the_mean():
    """Every flow of the link takes it for certain; without flows nothing is full."""
    sure = LinkFlows(np.array([30.0, 10.0]), np.zeros(2))
    assert set(fullest_per_gbps(sure, np.array([400.0]), 5, 1).tolist()) == {30 / 400}
    assert fullest_per_gbps(LinkFlows(np.zeros(2), np.zeros(2)), np.array([400.0]), 3, 1).tolist() == [0, 0, 0]


def test_leaf_by_leaf_and_by_variance_agree(leaf_spine):
    """EP64 on 8 leaves and 32 spines: medians of the exact draws and of the general ones within one flow."""
    network = leaf_spine(8, 8, 32)
    flows = np.full((8, 8), 64)
    routes = up_down.routes(network)
    exact = hashed_load(network, routes, flows, 1000, 1)
    general = hashed_load(network, routes, flows, 1000, 1, seeds=Seeds.SHARED)
    for probability in (0.5, 0.99):
        assert general.quantile(probability) == pytest.approx(exact.quantile(probability), abs=1.01 / 14)
