"""What holds for the load of any plane under any demand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.flow.hash_ways import Seeds, link_flows
from fabric.flow.link_load import ArcLoad, even_load
from fabric.flow.offered import Offered
from fabric.flow.table_load import table_load
from fabric.model.network import Network
from fabric.routing import up_down
from fabric.routing._tables import local_tables, tree_tables

LEAVES, SPINES = 4, 3


@st.composite
def planes(draw: st.DrawFn) -> Network:
    """A plane of one endpoint a leaf and any set of uplinks, parallel ones and none at all included."""
    links = draw(
        st.lists(
            st.tuples(st.integers(0, LEAVES - 1), st.integers(0, SPINES - 1), st.sampled_from([100.0, 400.0, 800.0])),
            max_size=20,
        )
    )
    leaf, spine, gbps = (np.array(column) for column in zip(*links, strict=True)) if links else ([], [], [])
    return network(
        np.arange(LEAVES), np.asarray(leaf, dtype=np.int64), np.asarray(spine, dtype=np.int64), np.array(gbps)
    )


def network(endpoint_leaf: np.ndarray, leaf: np.ndarray, spine: np.ndarray, gbps: np.ndarray) -> Network:
    """Leaves, and behind them spines, with one endpoint a leaf."""
    return Network(
        endpoint_switch=endpoint_leaf,
        endpoint_gbps=np.full(LEAVES, 400.0),
        link_a=leaf,
        link_b=spine + LEAVES,
        link_gbps=np.asarray(gbps, dtype=np.float64),
        tier=np.repeat([0, 1], [LEAVES, SPINES]),
        position=np.zeros((LEAVES + SPINES, 0), dtype=np.int64),
        edge_count=LEAVES,
    )


demands = st.lists(st.integers(0, 1000), min_size=LEAVES**2, max_size=LEAVES**2).map(
    lambda cells: np.array(cells, dtype=np.float64).reshape(LEAVES, LEAVES)
)


def load_of(plane: Network, demand: np.ndarray) -> ArcLoad:
    """Even load of the plane with idle endpoint arcs, which no property here looks at."""
    return even_load(plane, up_down.routes(plane), demand, np.zeros(LEAVES), np.zeros(LEAVES))


def tables_of(make):
    """Load under tables of one rule, where the single endpoint of a leaf gets all that the leaf gets."""

    def load(plane: Network, demand: np.ndarray) -> ArcLoad:
        offered = Offered(demand, np.zeros(LEAVES), np.zeros(LEAVES), demand.astype(int), endpoint_bytes=demand)
        return table_load(plane, make(plane, up_down.routes(plane)), offered)

    return load


def hashed_with(seeds: Seeds):
    """Expected load under hashing, one flow a byte."""

    def load(plane: Network, demand: np.ndarray) -> ArcLoad:
        up, down = np.split(link_flows(plane, up_down.routes(plane), demand, seeds).mean, 2)
        return replace(load_of(plane, demand), link_up_bytes=up, link_down_bytes=down)

    return load


ways = st.sampled_from([load_of, tables_of(local_tables), tables_of(tree_tables), *map(hashed_with, Seeds)])


@settings(derandomize=True, max_examples=400)
@given(planes(), demands, ways)
def test_bytes_are_conserved_at_every_switch(plane, demand, spread):
    """A leaf sends up and gets down its reachable demand; a spine passes on what it gets, however it spreads."""
    load = spread(plane, demand)
    assert {tuple(pair) for pair in load.unreachable.tolist()} == {
        tuple(pair) for pair in load_of(plane, demand).unreachable.tolist()
    }
    carried = demand.copy()
    np.fill_diagonal(carried, 0)
    carried[tuple(load.unreachable.T)] = 0
    up, down = load.link_up_bytes, load.link_down_bytes
    by_leaf = [np.bincount(plane.link_a, weights=arc, minlength=LEAVES) for arc in (up, down)]
    assert by_leaf[0] == pytest.approx(carried.sum(axis=1), abs=1e-6)
    assert by_leaf[1] == pytest.approx(carried.sum(axis=0), abs=1e-6)
    by_spine = [np.bincount((plane.link_b - LEAVES), weights=arc, minlength=SPINES) for arc in (up, down)]
    assert by_spine[0] == pytest.approx(by_spine[1], abs=1e-6)


@settings(derandomize=True, max_examples=100)
@given(planes(), demands, st.permutations(range(LEAVES)), st.permutations(range(SPINES)))
def test_names_do_not_matter(plane, demand, leaf_order, spine_order):
    """Renumbering leaves and spines leaves the load of every uplink as it was."""
    to_leaf, to_spine = np.array(leaf_order), np.array(spine_order)
    renamed = network(
        to_leaf[plane.endpoint_switch], to_leaf[plane.link_a], to_spine[plane.link_b - LEAVES], plane.link_gbps
    )
    moved = np.zeros_like(demand)
    moved[np.ix_(to_leaf, to_leaf)] = demand
    before, after = load_of(plane, demand), load_of(renamed, moved)
    assert after.link_up_bytes == pytest.approx(before.link_up_bytes)
    assert after.link_down_bytes == pytest.approx(before.link_down_bytes)
    assert len(after.unreachable) == len(before.unreachable)
