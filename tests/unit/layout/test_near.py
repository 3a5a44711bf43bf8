"""Least lengths before places are known, against every way to stand in small halls."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.floorplan.generate import generate
from fabric.floorplan.routes import Routes
from fabric.layout.near import Nearness
from fabric.model.floorplan import FloorPlan, Rack
from fabric.model.placement import DeviceSpace, NodeHousing

HOUSING = NodeHousing(DeviceSpace(10, 9000.0), per_rack=3)
UNITS = 2


def random_plan(seed: int) -> FloorPlan:
    """Racks of several heights in two or three rows, some for nodes or the network alone, some partly blocked."""
    rng = np.random.default_rng(seed)
    racks = []
    for row in range(int(rng.integers(2, 4))):
        for place in range(int(rng.integers(2, 6))):
            use = str(rng.choice(["any", "any", "node", "network"]))
            blocked = ((5, 5 + int(rng.integers(0, 9))),) if rng.random() < 0.3 else ()
            racks.append(
                Rack(
                    name=f"{row}-{place}",
                    row=str(row),
                    x_m=0.6 * place,
                    y_m=2.4 * row,
                    units=int(rng.integers(36, 49)),
                    use=use,
                    blocked_u=blocked,
                )
            )
    return FloorPlan(racks=(*racks, Rack(name="last", row="0", x_m=9.0, y_m=0.0)))


def node_places(plan: FloorPlan) -> list[tuple[int, float]]:
    """Rack and middle of every place that nodes can take, stacked from the bottom over what is blocked."""
    found = []
    for index, rack in enumerate(plan.racks):
        blocked = {u for low, high in rack.blocked_u for u in range(low, high + 1)}
        u, here = 1, 0
        while rack.use != "network" and here < HOUSING.per_rack and u + 9 <= rack.units:
            if blocked.isdisjoint(range(u, u + 10)):
                found.append((index, u + 4.5))
                u, here = u + 10, here + 1
            else:
                u += 1
    return found


def leaf_places(plan: FloorPlan) -> list[tuple[int, float]]:
    """Rack and middle of a leaf in every unit of the racks open to it."""
    return [
        (index, u + (UNITS - 1) / 2)
        for index, rack in enumerate(plan.racks)
        if rack.use != "node"
        for u in range(1, rack.units - UNITS + 2)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_no_leaf_has_nearer_nodes_on_a_given_plan(seed):
    """For each place of a leaf its sorted ways to all places of nodes are no shorter than those of some row."""
    plan = random_plan(seed)
    nodes = node_places(plan)
    rack, mid_u = (np.array(column) for column in zip(*nodes, strict=True))
    routes, least_m = Routes(plan), Nearness(plan, HOUSING).nodes_m(UNITS, len(nodes))
    row = {index: number for number, index in enumerate(i for i, each in enumerate(plan.racks) if each.use != "node")}
    for index, leaf_u in leaf_places(plan):
        ways_m = np.sort(routes.lengths_m(index, leaf_u, rack, mid_u))
        assert (least_m[row[index]] <= ways_m + 1e-9).all()


@pytest.mark.parametrize("seed", range(20))
def test_no_switch_has_nearer_racks_on_a_given_plan(seed):
    """For every switch the ways to the nearest switch of each other rack, sorted, are no shorter than said."""
    plan = random_plan(seed)
    routes, leaves = Routes(plan), leaf_places(plan)
    racks = sorted({rack for rack, _ in leaves})
    least_m = Nearness(plan, HOUSING).racks_m(UNITS, len(racks))
    assert len(least_m) == len(racks) - 1
    there, there_u = (np.array(column) for column in zip(*leaves, strict=True))
    for index, leaf_u in leaves:
        ways_m = routes.lengths_m(index, leaf_u, there, there_u)
        nearest_m = np.sort([ways_m[there == other].min() for other in racks if other != index])
        assert (least_m <= nearest_m + 1e-9).all()


@pytest.mark.parametrize("whole_rack", [False, True])
@pytest.mark.parametrize("nodes", [9, 60, 300])
def test_no_leaf_of_a_generated_hall_has_nearer_nodes(nodes, whole_rack):
    """The one row for generated halls is below what every place of a hall that was generated gives."""
    first_u = (4, 15, 26) if whole_rack else ()
    housing = NodeHousing(HOUSING.space, per_rack=3, whole_rack=whole_rack, first_u=first_u, rack_power_w=27000.0)
    plan = generate(nodes, housing, [DeviceSpace(UNITS, 3000.0)] * 9)
    routes, (least_m,) = Routes(plan), Nearness(None, housing).nodes_m(UNITS, nodes)
    rack = np.repeat([index for index, each in enumerate(plan.racks) if each.use != "network"], 3)
    mid_u = np.tile([u + 4.5 for u in first_u or (1, 11, 21)], len(rack) // 3)
    for index, leaf_u in leaf_places(plan):
        assert (least_m <= np.sort(routes.lengths_m(index, leaf_u, rack, mid_u)) + 1e-9).all()
    if not whole_rack:
        assert least_m[0] == 0.0
