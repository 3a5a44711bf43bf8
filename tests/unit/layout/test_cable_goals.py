"""Cabling by power and by lists of goals: the machinery that is exact for prices is exact for any weight."""

from __future__ import annotations

import random

import pytest

from fabric.errors import InfeasibleError
from fabric.layout.cable import cable

ENDS = (
    ("n1:A l1:1", "n2:A l1:1"),
    ("l1:1 s1:1", "l1:1 s1:1"),
    ("l1:1 s1:1", "l1:1 s2:1", "l2:1 s1:1", "l2:1 s2:1"),
    ("d1:A l1:1", "d1:A l2:1", "d2:A l1:1", "d2:A l2:1"),
)
"""Two nodes below one cage, a twin cable's place, four cages in a ring, and two twin nodes under two leaves."""


def drawing(part, watts):
    """A cable whose plugs in use draw `watts` together: a splitter at its head, a straight cable at either end."""
    straight = len(part.tails) == 1
    head = part.head.model_copy(update={"power_w": watts / 2 if straight else watts})
    tail = part.tails[0].model_copy(update={"power_w": watts / 2 if straight else 0.0})
    return part.model_copy(update={"head": head, "tails": (tail,) * len(part.tails)})


def weighed(bench, rng):
    """Random watts and prices for all parts of the bench, in few steps, so that equals are common; watts by part."""
    watts = {}
    for key, part in bench.cables.items():
        watts[key] = 0 if part.medium in ("mmf", "smf") else 2 * rng.randint(1, 3)
        bench.cables[key] = drawing(part, watts[key]).model_copy(update={"price_usd": float(rng.randint(1, 9))})
    for key, part in bench.modules.items():
        watts[key] = rng.randint(1, 3)
        change = {"max_w": float(watts[key]), "price_usd": float(rng.randint(1, 9))}
        bench.modules[key] = part.model_copy(update=change)
    return watts


def parts_of(cabling):
    """Every part bought."""
    return [each.part for each in (*cabling.cables, *cabling.pluggables)]


def bought(bench, ends, racks, **wanted):
    """Parts of the cabling of `ends`, None where there is no cabling."""
    topology = bench.topology(*ends)
    placement, routes = bench.hall(topology, racks)
    request = bench.request().model_copy(update=wanted)
    try:
        return parts_of(cable(topology, placement, routes, request, bench.catalog))
    except InfeasibleError:
        return None


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("seed", range(10))
def test_goals_in_a_list_weigh_like_one_price_made_of_them(bench, ends, seed):
    """Watts first and dollars among equals buy what one price of 1,000 dollars a watt and a dollar a dollar buys."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    watts = weighed(bench, rng)
    racks = {"l1": rng.choice([0, 0, 2]), "s1": rng.choice([0, 2])}
    found = bought(bench, ends, racks, objective=("power", "capex"))
    assert bought(bench, ends, racks, objective=("power",)) == found
    for parts in (bench.cables, bench.modules):
        for key, part in parts.items():
            parts[key] = part.model_copy(update={"price_usd": 1000 * watts[key] + part.price_usd})
    joint = bought(bench, ends, racks, objective=("capex",))
    assert (found is None) == (joint is None)
    if found is not None and joint is not None:
        prices = {key: part.price_usd for parts in (bench.cables, bench.modules) for key, part in parts.items()}
        assert sum(prices[part] for part in found) == sum(prices[part] for part in joint)


def test_a_switch_that_counts_its_optics_leaves_the_node_to_decide(bench):
    """Where both ends' power stands in the switch's figure all weigh nothing, and the price decides."""
    watts = dict.fromkeys(bench.modules, 5.0)
    for key, each_w in watts.items():
        bench.modules[key] = bench.modules[key].model_copy(update={"max_w": each_w})
    ends = ("l1:1 s1:1", "l1:1 s1:1")
    far = {"s1": 2}
    assert set(bought(bench, ends, far, objective=("power",))) == {"om3-30", "sr4-twin"}
    bench.cables["aoc-10"] = drawing(bench.cables["aoc-10"], 9.0)
    bench.cables["aoc-30"] = bench.cables["aoc-10"].model_copy(update={"length_m": 30.0, "price_usd": 5000.0})
    assert bought(bench, ends, far, objective=("power",)) == ["aoc-30"]
    assert "aoc-30" not in bought(bench, ends, far, objective=("capex",))
    bench.switches["twin"] = bench.switches["twin"].model_copy(update={"max_w_includes_optics": True})
    assert "aoc-30" not in bought(bench, ends, far, objective=("power",))
