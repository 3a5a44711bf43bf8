"""Shapes: the contract's examples, the rules that bend them, a solver's second opinion, and refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import yaml
from ortools.sat.python import cp_model

from fabric.errors import InfeasibleError
from fabric.model.request import Request
from fabric.resources import data_dir

EXAMPLES = {
    "rubin-xdr-q3400": (16, 8),
    "blackwell-xdr-q3400": (16, 8),
    "hopper-ndr-quantum2": (16, 8),
    "blackwell-ndr-2x400g": (8, 4),
    "hopper-ndr-1x400g": (3, 2),
    "rubin-roce-1600g": None,
    "blackwell-roce-800g": (16, 8),
    "rubin-roce-800g": (32, 16),
    "superpod-h100": (32, 16),
}
"""Leaves and spines of the shipped examples as their readers expect them; one is whatever is proved best."""


def cheapest(shapes, *, spine: float = 1, link: float = 0):
    """The shape with the least of leaves, weighted spines and weighted links; the earliest of equals."""
    return min(shapes, key=lambda each: each.leaves_total + spine * each.spines_total + link * each.uplinks_total)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(shapes_of, built, name):
    """The example's switches are the fewest on offer, and its port map has as many."""
    document = yaml.safe_load((data_dir("designs") / name / "request.yaml").read_text(encoding="utf-8"))
    request = Request.model_validate_json(json.dumps(document))
    assert request.name == name
    shape, topology, size = built(request)
    assert shape in shapes_of(request)
    expected = EXAMPLES[name] or (shape.leaves_total, shape.spines_total)
    assert tuple(len(topology.with_role(role)) for role in ("leaf", "spine")) == expected
    node_links = size.endpoints * size.planes + size.attached_ports
    assert len(topology.of_kind("node_leaf")) == node_links
    assert len(topology.of_kind("leaf_spine")) == shape.uplinks_total


def test_every_shipped_example_is_expected_here():
    """An example without a line above would go unchecked."""
    others = ("dragonfly", "torus", "three-tier")
    names = {path.name for path in Path(data_dir("designs")).iterdir() if path.is_dir()}
    assert {name for name in names if not name.startswith(others)} == set(EXAMPLES)


def test_uplinks_spread_equally_over_spines(ask, shapes_of):
    """24 leaves x 32 uplinks fit 12 spines of 64 ports, but 12 does not divide 32: 16 (DGX SuperPOD H100, 3 SU)."""
    assert cheapest(shapes_of(ask("dgx-h100", "nvidia-qm9700", nodes=96))).spines == 16


def test_uneven_trunks_save_spines(ask, shapes_of):
    """The same fabric with uneven trunks needs 12."""
    assert cheapest(shapes_of(ask("dgx-h100", "nvidia-qm9700", {"uneven_trunks": True}, nodes=96))).spines == 12


def test_min_spines(ask, shapes_of):
    """At least three spines where two would carry the links: 8 uplinks become 9, or four spines take 8."""
    fabric = {"node_ports": 1, "uplink_port_gbps": 400}
    two = cheapest(shapes_of(ask("hgx-h100", "twin-9", fabric, nodes=32)))
    assert (two.leaves, two.spines, two.uplinks) == (4, 2, 8)
    offered = shapes_of(ask("hgx-h100", "twin-9", {**fabric, "min_spines": 3}, nodes=32))
    assert {(each.spines, each.uplinks) for each in offered if each.leaves == 4} == {(3, 9), (4, 8)}


@pytest.mark.parametrize(("oversubscription", "uplinks"), [(1.0, 32), (2.0, 16), (3.0, 11), (0.8, 40)])
def test_oversubscription_bounds_the_uplinks(ask, shapes_of, oversubscription, uplinks):
    """32 down ports of a unit keep the ratio; below 1 the uplinks exceed the down ports."""
    fabric = {"unit_nodes": 32, "oversubscription": oversubscription, "uplink_port_gbps": 400}
    offered = shapes_of(ask("hgx-h100", "chaoqing-n9500-64oc", fabric, nodes=64))
    assert min(each.uplinks for each in offered) == uplinks
    assert all(each.down_ports <= each.uplinks * oversubscription for each in offered)


def test_of_equal_cost_the_largest_unit(ask, shapes_of):
    """100 nodes in four units: 25 down ports want 26 uplinks for 13 spines, and 26 uplinks serve a unit of 26."""
    shape = cheapest(shapes_of(ask("hgx-h100", "nvidia-qm9700", nodes=100)))
    assert (shape.units, shape.unit_nodes, shape.uplinks, shape.spines) == (4, 26, 26, 13)


def test_preloaded_optics_keep_the_smaller_unit(ask, shapes_of):
    """A larger unit would fill more cages, so it would cost more."""
    shape = cheapest(shapes_of(ask("hgx-h100", "nvidia-qm9700", {"preload_optics": True}, nodes=100)))
    assert (shape.unit_nodes, shape.uplinks) == (25, 26)


def test_units_of_rack_systems_are_whole_racks(ask, shapes_of):
    """Every unit of GB200 trays is a multiple of 18."""
    offered = shapes_of(ask("gb200-nvl72", "nvidia-qm9700", nodes=144))
    assert {each.unit_nodes % 18 for each in offered} == {0}


def test_small_units_share_leaves_between_rails(ask, shapes_of):
    """32 nodes leave half of 64 down ports empty: four leaves of two rails a plane (HGX B300 Enterprise RA)."""
    fabric = {"planes": 2, "uplink_port_gbps": 400}
    shape = cheapest(shapes_of(ask("hgx-b300", "nvidia-sn5610", fabric, nodes=32)))
    assert (shape.rails_per_leaf, shape.leaves, shape.leaves_total) == (2, 4, 8)


def test_large_units_keep_rails_apart(ask, shapes_of):
    """33 nodes leave less than half empty: rails do not share a leaf unless asked."""
    fabric = {"planes": 2, "uplink_port_gbps": 400}
    offered = shapes_of(ask("hgx-b300", "nvidia-sn5610", fabric, nodes=33))
    assert {each.rails_per_leaf for each in offered} == {1}


def test_one_switch_where_it_holds_every_endpoint(ask, shapes_of):
    """8 nodes x 8 ports fill 64 ports; with a ninth node two tiers are needed."""
    single = cheapest(shapes_of(ask("hgx-h100", "nvidia-qm9700", nodes=8)))
    assert (single.leaves, single.spines, single.uplinks_total) == (1, 0, 0)
    assert all(each.spines for each in shapes_of(ask("hgx-h100", "nvidia-qm9700", nodes=9)))


def test_one_switch_cannot_seat_two_ports_on_different_leaves(ask, shapes_of):
    """A UFM with two ports wants two leaves."""
    attached = [{"role": "ufm", "count": 1, "ports": 2, "gbps": 400}]
    assert all(each.spines for each in shapes_of(ask("hgx-h100", "nvidia-qm9700", nodes=4, attached=attached)))


def test_attached_endpoints_count_before_sizing(ask, shapes_of):
    """256 nodes fill two tiers of 64 ports; one more endpoint does not fit."""
    attached = [{"role": "login", "count": 1, "gbps": 400}]
    assert shapes_of(ask("hgx-h100", "nvidia-qm9700", nodes=256))
    with pytest.raises(InfeasibleError) as refused:
        shapes_of(ask("hgx-h100", "nvidia-qm9700", nodes=256, attached=attached))
    assert "2049 endpoints" in refused.value.conflict[0].arithmetic


def test_parameters_fix_what_the_search_would_choose(ask, shapes_of):
    """Leaves, spines and trunk as asked; spines 0 is one switch."""
    fixed = {"leaves": 16, "spines": 16, "trunk": 2}
    (shape,) = shapes_of(ask("hgx-h100", "nvidia-qm9700", {"parameters": fixed}, nodes=64))
    assert (shape.leaves, shape.spines, shape.uplinks) == (16, 16, 32)
    shape = cheapest(shapes_of(ask("hgx-h100", "nvidia-qm9700", {"parameters": {"leaves": 8}}, nodes=8)))
    assert (shape.leaves, shape.spines) == (8, 2)


def test_incomplete_last_unit_has_fewer_uplinks(ask, shapes_of):
    """40 nodes in units of 32: the last eight nodes need eight uplinks a leaf, not 32."""
    request = ask("hgx-h100", "nvidia-qm9700", {"unit_nodes": 32, "whole_units": False}, nodes=40)
    shape = cheapest(shapes_of(request), link=0.001)
    assert (shape.units, shape.uplinks, shape.last_uplinks) == (2, 32, 8)
    assert shape.uplinks_total == 8 * 32 + 8 * 8


@pytest.mark.parametrize(("cages", "most"), [(20, 800), (16, 512), (10, 200)])
def test_two_tiers_end_at_half_the_square_of_the_ports(ask, shapes_of, cages, most):
    """With k ports k²/2 endpoints. Source: al-fares-2008; 800 for 40 ports."""
    fabric = {"node_ports": 1, "uplink_port_gbps": 400, "wiring": "rack"}
    assert shapes_of(ask("hgx-h100", f"twin-{cages}", fabric, nodes=most))
    with pytest.raises(InfeasibleError) as refused:
        shapes_of(ask("hgx-h100", f"twin-{cages}", fabric, nodes=most + 1))
    assert f"{cages} x {2 * cages} = {most} endpoints" in refused.value.conflict[0].arithmetic


def test_refusal_by_whole_numbers_says_so(ask, shapes_of):
    """The endpoints would fit, the unit asked does not."""
    with pytest.raises(InfeasibleError) as refused:
        shapes_of(ask("hgx-h100", "nvidia-qm9700", {"unit_nodes": 40}, nodes=64))
    assert "unit_nodes 40" in refused.value.conflict[0].arithmetic


def solved(nodes: int, ports: int, cages: int, cost: tuple[int, int, int], oversubscription: tuple[int, int]) -> int:
    """Least cost by CP-SAT of `nodes` of one port under leaves and spines of `cages` twin cages; equal trunks."""
    over, under = oversubscription
    model = cp_model.CpModel()
    down, trunk, spines, leaves = (model.new_int_var(1, 2 * cages * cages, name) for name in "dtsl")
    uplinks, links, seats, used = (model.new_int_var(1, 10**6, name) for name in ("u", "ul", "seat", "used"))
    model.add_multiplication_equality(uplinks, [spines, trunk])
    model.add_multiplication_equality(links, [leaves, uplinks])
    model.add_multiplication_equality(seats, [leaves, down])
    model.add_multiplication_equality(used, [leaves, trunk])
    model.add(seats >= nodes * ports)
    model.add(under * down <= over * uplinks)
    model.add(used <= 2 * cages)
    model.add(spines >= 2)
    down_cages, up_cages = (model.new_int_var(1, cages, name) for name in ("dc", "uc"))
    model.add(2 * down_cages >= down)
    model.add(2 * up_cages >= uplinks)
    model.add(down_cages + up_cages <= cages)
    model.minimize(cost[0] * leaves + cost[1] * spines + cost[2] * links)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize(
    ("nodes", "cages", "cost", "oversubscription"),
    [
        (40, 8, (100, 100, 1), (1, 1)),
        (40, 8, (100, 100, 30), (1, 1)),
        (57, 9, (100, 60, 5), (1, 1)),
        (75, 10, (60, 100, 5), (2, 1)),
        (75, 10, (100, 100, 20), (3, 1)),
        (33, 7, (100, 200, 3), (1, 2)),
        (110, 12, (90, 130, 11), (3, 2)),
        (129, 12, (100, 100, 1), (1, 1)),
        (150, 20, (100, 100, 7), (1, 1)),
        (64, 6, (100, 10, 40), (2, 1)),
    ],
)
def test_solver_finds_nothing_cheaper(ask, shapes_of, nodes, cages, cost, oversubscription):
    """CP-SAT, free to choose down ports, trunk, spines and leaves, proves the same least cost."""
    over, under = oversubscription
    fabric = {"node_ports": 1, "uplink_port_gbps": 400, "oversubscription": over / under}
    offered = shapes_of(ask("hgx-h100", f"twin-{cages}", fabric, nodes=nodes))
    leaf, spine, link = cost
    ours = min(leaf * each.leaves + spine * each.spines + link * each.uplinks_total for each in offered)
    assert ours == solved(nodes, 1, cages, cost, oversubscription)
    assert all(math.ceil(nodes / each.unit_nodes) == each.units for each in offered)


def test_slower_uplinks_where_the_fastest_give_too_few_ports(ask, shapes_of):
    """8,192 endpoints a plane need 128 leaves, more than the 64 ports of a spine at 800G, and as many as at 400G."""
    small = ask("hgx-b200", "nvidia-sn5610", nodes=128)
    large = ask("hgx-b200", "nvidia-sn5610", nodes=1024)
    assert {shape.uplink_gbps for shape in shapes_of(small) if shape.spines} == {800}
    assert {shape.uplink_gbps for shape in shapes_of(large)} == {400}
