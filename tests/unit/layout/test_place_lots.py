"""Lots: the links that placement prices together, and what it makes of them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from fabric.catalog import load as catalog_file
from fabric.floorplan.routes import Routes
from fabric.io.request_file import load
from fabric.layout import site_costs
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots, lots_of
from fabric.layout.market import open_market
from fabric.layout.rows import distinct_rows
from fabric.layout.site_costs import MixCosts, Stands, mix_costs, own_costs, rest_costs, unit_costs
from fabric.layout.wiring import Spots, leaf_groups, trunks, wiring
from fabric.model.floorplan import FloorPlan, Rack
from fabric.pipeline.candidates import Candidates

HALL = Routes(FloorPlan(racks=tuple(Rack(name=f"R{i}", x_m=10.0 * i, y_m=0.0, units=50) for i in range(3))))

EXAMPLES = Path(__file__).parents[3] / "designs"


def lots(bench, *ends, media=None):
    """The lots of a topology on the made-up catalog, without slack."""
    topology = bench.topology(*ends)
    _, routes = bench.hall(topology)
    return topology, lots_of(open_market(topology, bench.request(media), bench.catalog, routes))


def test_a_component_of_one_leaf_is_one_lot_at_its_exact_price(bench):
    """Two nodes on a splitter: both within 1 m cost 140, one at 3 m makes it 180, and past that both take optics."""
    _, [lot] = lots(bench, "n1:A l1:1", "n2:A l1:1")
    assert lot.links.tolist() == [[0, 1]]
    found = lot.cost(np.array([[1.0, 1.0], [0.0, 3.0], [3.1, 0.0], [501.0, 0.0]]))
    assert found.tolist() == [14_000, 18_000, 100 * (700 + 2 * 400 + 60 + 30), UNREACHABLE_COST]


def test_a_trunk_of_whole_cages_is_one_lot(bench):
    """Two links between one leaf cage and one spine cage are one DAC of 1 m."""
    _, [lot] = lots(bench, "l1:1 s1:1", "l1:1 s1:1")
    assert (lot.kind, lot.links.tolist(), lot.cost(np.zeros((1, 2))).tolist()) == ("leaf_spine", [[0, 1]], [10_000])


def test_links_that_tie_switches_together_are_lots_by_themselves(bench):
    """A node's twin cage with links to two leaves: each link bears half of one module and a fibre with a leaf's."""
    _, found = lots(bench, "d1:A l1:1", "d1:A l2:1", media=["mmf"])
    assert [each.links.tolist() for each in found] == [[[0], [1]]]
    assert found[0].cost(np.array([[2.0], [20.0]])).tolist() == [
        100 * (750 + 2 * 700 + 2 * 30) // 2,
        100 * (750 + 2 * 700 + 2 * 60) // 2,
    ]


def test_parts_not_yet_sold_keep_a_lot_from_falling(bench):
    """A longer route that only a planned and cheaper cable reaches: its price then counts for shorter ones too."""
    bench.cables = {key: bench.cables[key] for key in ("split-1", "split-3")}
    bench.cables["split-3"] = bench.cables["split-3"].model_copy(update={"status": "planned", "price_usd": 50.0})
    _, found = lots(bench, "n1:A l1:1", "n2:A l1:1")
    assert [each.links.shape[1] for each in found] == [1]
    assert found[0].cost(np.array([[0.5], [2.0]])).tolist() == [2_500, 2_500]


def test_rows_are_told_apart_as_numpy_does():
    """First rows and numbers agree with `np.unique` over rows up to the order of the distinct."""
    rows = np.random.default_rng(1).integers(0, 4, (200, 3))
    first, number = distinct_rows(rows)
    assert (rows[first][number] == rows).all()
    assert len(first) == len(np.unique(rows, axis=0))


def priced(kind, links, step=1):
    """Lots that cost `step` cents a metre of their longest route."""
    return Lots(kind, np.array(links), lambda route_m: (step * route_m.max(axis=-1)).astype(np.int64))


def test_leaves_tied_to_the_same_places_in_other_ways_are_no_copies(bench):
    """Four nodes in two racks: a leaf whose cages pair nodes of a rack costs less than one that mixes the racks."""
    ends = [f"n{n}:{leaf} l{leaf}:{cage}" for leaf, cages in ((1, (1, 1, 2, 2)), (2, (1, 2, 1, 2)), (3, (1, 1, 2, 2)))
            for n, cage in enumerate(cages, start=1)]  # fmt: skip
    topology, sold = lots(bench, *ends)
    wires = wiring(topology)
    rack = [0 if device.name in ("n1", "n2") else 2 for device in wires.devices]
    at = Spots(np.array(rack), np.ones(len(rack)))
    groups = leaf_groups(wires, sold, trunks(wires, sold), at)
    assert [group.leaves for group in groups] == [("l1", "l3"), ("l2",)]
    low_high = (np.ones(3), np.ones(3))
    own = own_costs(groups, Stands(np.arange(3), {"leaf": low_high}), HALL)
    assert (own[0, [0, 2]] < own[1, [0, 2]]).all()


def test_a_unit_of_trunk_is_a_trunk_where_all_are_mixed_alike(bench):
    """Each pair has two links that are bought together and one alone: a unit of three links, priced exactly."""
    ends = [f"l{leaf}:{s} s{s}:{leaf}" for leaf in (1, 2) for s in (1, 2) for _ in range(3)]
    wires = wiring(bench.topology(*ends))
    numbers = np.arange(12).reshape(4, 3)
    sold = (priced("leaf_spine", numbers[:, :2], 100), priced("leaf_spine", numbers[:, 2:], 7))
    found = trunks(wires, sold)
    assert (found.unit_links, found.mixes.tolist(), set(found.weights.values())) == (3, [[1, 1]], {1})
    spots = (np.ones(3), np.ones(3))
    cost = unit_costs(found, mix_costs(found, Stands(np.arange(3), {"leaf": spots, "spine": spots}), HALL))
    route_m = HALL.lengths_m(0, 1.0, 2, 1.0)
    assert cost[0, 2] == int(100 * route_m) + int(7 * route_m)


def test_no_mix_of_trunks_costs_less_than_its_units(bench):
    """One pair with two links together and two alone, one with four alone: each is dearer than its units."""
    ends = [f"l{leaf}:1 s1:{leaf}" for leaf in (1, 2) for _ in range(4)]
    wires = wiring(bench.topology(*ends))
    sold = (priced("leaf_spine", [[0, 1]], 10), priced("leaf_spine", [[2], [3], [4], [5], [6], [7]], 7))
    found = trunks(wires, sold)
    spots = (np.ones(3), np.ones(3))
    mix_cost = mix_costs(found, Stands(np.arange(3), {"leaf": spots, "spine": spots}), HALL)
    unit = unit_costs(found, mix_cost)[0, 2]
    length_m = float(HALL.lengths_m(0, 1.0, 2, 1.0))
    mixed, alone = int(10 * length_m) + 2 * int(7 * length_m), 4 * int(7 * length_m)
    assert found.unit_links == 4
    assert set(found.weights.values()) == {1}
    assert sorted(mix_cost.between([0], [2]).ravel()) == sorted((mixed, alone))
    assert unit == min(mixed, alone) < max(mixed, alone)


@pytest.mark.parametrize("entries", [1, 8])
def test_tables_of_pairs_are_the_same_a_few_rows_at_a_time(bench, monkeypatch, entries):
    """Sites in and across racks, at ranges of heights, with two mixes of trunks and one site that takes no spine."""
    ends = [f"l{leaf}:1 s1:{leaf}" for leaf in (1, 2) for _ in range(4)]
    wires = wiring(bench.topology(*ends))
    sold = (priced("leaf_spine", [[0, 1]], 10), priced("leaf_spine", [[2], [3], [4], [5], [6], [7]], 7))
    found = trunks(wires, sold)
    spots = Spots(np.zeros(len(wires.devices), dtype=np.int64), np.zeros(len(wires.devices)))
    groups = leaf_groups(wires, sold, found, spots)
    low_u = np.array([40.0, 1.0, 30.0, 2.0, 20.0])
    at = Stands(np.array([0, 0, 1, 1, 2]), {"leaf": (low_u, low_u + 3), "spine": (low_u + 1, low_u + 4)})

    def tables():
        mix_cost = mix_costs(found, at, HALL)
        return mix_cost.between(slice(None), slice(None)), rest_costs(
            groups, found, mix_cost, np.array([True, True, False, True, True])
        )

    whole = tables()
    monkeypatch.setattr(site_costs, "ENTRIES_AT_ONCE", entries)
    assert all((part == all_at_once).all() for part, all_at_once in zip(tables(), whole, strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_what_a_leaf_pays_beyond_its_units_is_a_bound(bench, seed):
    """Trunks of one to three links, dealt and priced at random: some places cost units and rest, none less."""
    rng = np.random.default_rng(seed)
    ends = [
        f"l{leaf}:{spine} s{spine}:{leaf}" for leaf in (1, 2) for spine in (1, 2, 3) for _ in range(rng.integers(1, 4))
    ]
    wires = wiring(bench.topology(*ends))
    sold = [priced("leaf_spine", part[:, None]) for part in np.array_split(rng.permutation(len(ends)), 2)]
    found = trunks(wires, sold)
    mix_cost = rng.integers(0, 50, (len(found.mixes), 3, 3)) * found.mix_units[:, None, None]
    spots = Spots(np.zeros(len(wires.devices), dtype=np.int64), np.zeros(len(wires.devices)))
    groups = leaf_groups(wires, sold, found, spots)
    mix = MixCosts(mix_cost.reshape(len(mix_cost), -1), np.arange(9, dtype=np.uint8).reshape(3, 3))
    rest = rest_costs(groups, found, mix, np.array([True, True, False]))
    unit = unit_costs(found, mix)
    for k, group in enumerate(groups):
        for leaf in (row for row, name in enumerate(("l1", "l2")) if name in group.leaves):
            over = [
                sum(int(mix_cost[found.mix[leaf, s], r, q] - group.weight * unit[r, q]) for s, q in enumerate(at))
                - rest[k, r]
                for r in range(3)
                for at in itertools.product((0, 1), repeat=3)
            ]
            assert min(over) == 0


@pytest.mark.parametrize(
    ("name", "is_tied"),
    [("blackwell-ndr-2x400g", False), ("hopper-ndr-quantum2", False), ("blackwell-xdr-q3400", True)],
)
def test_places_are_weighed_at_what_cabling_pays(name, is_tied):
    """The objective of the places and the switches are the value of the design, to the cent.

    Trunks of nine links tie switches together; they are all fibre, so only rounding down is left of each link.
    """
    catalog = catalog_file.load()
    candidates = Candidates(load(EXAMPLES / name, catalog), catalog)
    shape = min(candidates.shapes, key=candidates.bound_of)
    value, _, weighed = candidates.realise(shape)
    proof = weighed.layout.placement.termination
    assert proof is not None
    rest = value[0] - candidates.bound.switches(shape)[0] - proof.objective
    assert 0 <= rest <= is_tied * len(weighed.layout.topology.links)
