"""Names of leaves and spines where some trunks are mixed otherwise than others."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fabric.layout.assignment import Assignment, SiteProblem
from fabric.layout.lots import Lots
from fabric.layout.naming import Named, name_switches
from fabric.layout.site_costs import MixCosts
from fabric.layout.wiring import LeafGroup, trunks, wiring

NEAR, FAR = 10, 100
"""Costs of a lone link within a rack and between racks; two links in one cable cost NEAR_PAIR within a rack."""

NEAR_PAIR = 4


def free(route_m):
    """No cost, for prices stand in the mixes here."""
    return np.zeros(route_m.shape[:-1], dtype=np.int64)


def hall(bench, leaves, spines, capacity, rng=None, step=1):
    """Trunks of two links: one cable where leaf and spine are both odd or both even; sites are racks.

    Numbers rise by `step`. Gives the wires, the trunks, the groups, what they and each mix cost, and the problem.
    """
    leaf_numbers, spine_numbers = range(0, step * leaves, step), range(0, step * spines, step)
    names = [f"l{leaf}" for leaf in leaf_numbers]
    pairs = list(itertools.product(leaf_numbers, spine_numbers))
    topology = bench.topology(*(f"l{leaf}:1 s{spine}:1" for leaf, spine in pairs for _ in range(2)))
    numbers = np.arange(2 * len(pairs)).reshape(-1, 2)
    alike = np.array([(leaf + spine) % 2 == 0 for leaf, spine in pairs])
    links = (numbers[alike], numbers[~alike].reshape(-1, 1))
    wires = wiring(topology)
    found = trunks(wires, [Lots("leaf_spine", each, free) for each in links])
    sites = len(capacity)
    inside = np.eye(sites, dtype=bool)
    cost_of = {(1, 0): np.where(inside, NEAR_PAIR, 2 * FAR), (0, 2): np.where(inside, 2 * NEAR, 2 * FAR)}
    mix_cost = np.stack([cost_of[tuple(mix)] for mix in found.mixes.tolist()])
    mix = MixCosts(mix_cost.reshape(len(mix_cost), -1), np.arange(sites**2, dtype=np.uint16).reshape(sites, sites))
    own = np.zeros((1, sites), dtype=np.int64) if rng is None else rng.integers(0, 30, (1, sites))
    problem = SiteProblem(
        own=own,
        spine_own=np.zeros(sites, dtype=np.int64),
        trunk=mix_cost.min(axis=0),
        weight=np.ones(1, dtype=np.int64),
        leaves=np.array([leaves]),
        plane=np.zeros(1, dtype=np.int64),
        spines=np.array([spines]),
        rack=np.arange(sites),
        capacity=np.array(capacity),
        leaf_allowed=np.ones((1, sites), dtype=bool),
        spine_allowed=np.ones(sites, dtype=bool),
    )
    mixes = np.zeros(len(found.mixes), dtype=np.int64)
    return wires, found, (LeafGroup(0, 1, mixes, tuple(names), ()),), (own, mix), problem


def cents(named, problem):
    """Cost of a naming, pair by pair from its definition."""
    at = {name: site for each in named for name, site in sited(each)}
    total = sum(int(problem.own[0, site]) for name, site in at.items() if name[0] == "l")
    for leaf, spine in itertools.product([n for n in at if n[0] == "l"], [n for n in at if n[0] == "s"]):
        near = 2 * NEAR if (int(leaf[1:]) + int(spine[1:])) % 2 else NEAR_PAIR
        total += near if at[leaf] == at[spine] else 2 * FAR
    return total


def sited(named):
    """Name and site of each switch."""
    return zip(named.names, np.repeat(np.arange(len(named.counts)), named.counts), strict=True)


def counts(problem, leaves, spines):
    """An assignment with these counts by site."""
    return Assignment(np.array([leaves]), np.array([spines]), 0)


def test_switches_that_share_a_cable_share_a_rack(bench):
    """Four leaves and four spines in two racks: all odd ones in one, all even ones in the other."""
    *case, problem = hall(bench, 4, 4, (4, 4))
    named = name_switches(*case, problem, counts(problem, (2, 2), (2, 2)))
    racks = {name: site for each in named for name, site in sited(each)}
    assert len({racks[name] for name in ("l0", "l2", "s0", "s2")}) == 1
    assert len({racks[name] for name in ("l1", "l3", "s1", "s3")}) == 1
    assert cents(named, problem) == 8 * NEAR_PAIR + 8 * 2 * FAR


def test_alike_trunks_keep_the_places_found_in_order_of_name(bench):
    """Where all are even names ascend from site to site as the search counted them."""
    *case, problem = hall(bench, 3, 2, (3, 2), step=2)
    named = name_switches(*case, problem, counts(problem, (1, 2), (2, 0)))
    racks = {name: site for each in named for name, site in sited(each)}
    assert racks == {"s0": 0, "s2": 0, "l0": 0, "l2": 1, "l4": 1}


@pytest.mark.parametrize("seed", range(30))
def test_naming_is_never_dearer_than_names_in_order(bench, seed):
    """Every switch once, no site too full, no dearer than names in order, at most 10 % above the best of all."""
    rng = np.random.default_rng(seed)
    *case, problem = hall(bench, 4, 2, (4, 3, 3), rng)
    start = counts(problem, (1, 1, 2), (1, 0, 1))
    named = name_switches(*case, problem, start)
    names = sorted(name for each in named for name, _ in sited(each))
    assert names == ["l0", "l1", "l2", "l3", "s0", "s1"]
    assert (sum(each.counts for each in named) <= problem.capacity).all()
    in_order = [0, 1, 2, 2, 0, 2]
    assert cents(named, problem) <= placed_cents(names, in_order, problem)
    best = min(
        placed_cents(names, sites, problem)
        for sites in itertools.product(range(3), repeat=6)
        if (np.bincount(sites, minlength=3) <= problem.capacity).all()
    )
    assert best <= cents(named, problem) <= 1.1 * best


def placed_cents(names, sites, problem):
    """Cost of switches at sites."""
    roles = {"l": "leaf", "s": "spine"}
    each = zip(names, sites, strict=True)
    return cents([Named(roles[name[0]], (name,), np.eye(3, dtype=np.int64)[site]) for name, site in each], problem)
