"""The assortment against every purchase there is, on small made-up supplies; then through `cable` on a made-up hall."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from fabric.catalog.parts import CablePart, Transceiver
from fabric.errors import InfeasibleError
from fabric.layout.assortment import Supply, Ties, assort, fewest_numbers
from fabric.layout.cable import cable
from fabric.layout.ladder import Ladder, outdone
from fabric.layout.offer import Offer
from fabric.layout.purchase import Way

ROUTES_M = (1.0, 2.0, 3.0)


def made_up_offer(rng, kind, key):
    """A part of the kind, of which only its key and figures matter; its size stands in its length."""
    part = kind.model_construct(length_m=float(rng.randint(1, 4)))
    return Offer(key, part, (rng.randint(1, 9),), int(rng.random() < 0.1), rng.randint(0, 1))


def ladder_of(offers, reach_m):
    """A ladder of some of the offers."""
    rungs = sorted(offers, key=lambda offer: (reach_m[offer.key], offer.rank))
    none = (2**40, 2**40, 0)
    best = [min(range(rung, len(rungs)), key=lambda each: rungs[each].rank) for rung in range(len(rungs))]
    rank = np.array([*(rungs[rung].columns for rung in best), none], dtype=np.int64)
    return Ladder(np.array([reach_m[each.key] for each in rungs]), tuple(rungs), np.array(best, dtype=np.int64), rank)


def made_up_supplies(rng):
    """Two supplies of one to three components of one or two links, and what the sizes in two rooms may add up to."""
    cables = [made_up_offer(rng, CablePart, f"c{index}") for index in range(4)]
    modules = [made_up_offer(rng, Transceiver, f"m{index}") for index in range(3)]
    reach_m = {offer.key: rng.choice(ROUTES_M) for offer in cables}
    supplies = []
    for links in (1, 2):
        options = []
        for _ in range(rng.randint(1, 3)):
            leads = rng.choice([((0,), (1,)), ((0, 1),)]) if links > 1 else ((0,),)
            ladders = tuple(ladder_of(rng.sample(cables, rng.randint(1, 3)), reach_m) for _ in leads)
            options.append(Way(leads, ladders, tuple((0, offer) for offer in rng.sample(modules, rng.randint(0, 2)))))
        components = rng.randint(1, 3)
        route_m = np.array([[rng.choice(ROUTES_M) for _ in range(links)] for _ in range(components)])
        passes = np.array([[[rng.random() < 0.5 for _ in range(2)] for _ in range(links)] for _ in range(components)])
        supplies.append(Supply(tuple(options), route_m, passes))
    return supplies


def choices(supply, row):
    """Every way to buy one component: columns of its rank, numbers, and what it takes of each room."""
    for way in supply.options:
        for rungs in itertools.product(*(range(len(ladder.offers)) for ladder in way.ladders)):
            pieces = [ladder.offers[rung] for ladder, rung in zip(way.ladders, rungs, strict=True)]
            needs_m = [supply.route_m[row, list(lead)].max() for lead in way.leads]
            reach_m = [float(ladder.reach_m[rung]) for ladder, rung in zip(way.ladders, rungs, strict=True)]
            if all(need <= reach for need, reach in zip(needs_m, reach_m, strict=True)):
                plugs = [offer for _, offer in way.modules]
                rank = tuple(map(sum, zip(*(offer.columns for offer in (*pieces, *plugs)), strict=True)))
                passes = [supply.passes[row, list(lead)].any(axis=0) for lead in way.leads]
                taken = sum(size(offer.part) * each.astype(int) for offer, each in zip(pieces, passes, strict=True))
                yield rank, frozenset(offer.key for offer in (*pieces, *plugs)), taken


def purchases(supplies):
    """Every purchase: rank, numbers, and what is taken of each room."""
    each = [list(choices(supply, row)) for supply in supplies for row in range(len(supply.route_m))]
    for chosen in itertools.product(*each):
        ranks, numbers, taken = zip(*chosen, strict=True)
        yield tuple(map(sum, zip(*ranks, strict=True))), frozenset().union(*numbers), sum(taken)


def size(part):
    """What a made-up part takes of a room."""
    return int(part.length_m)


def weighed(supplies, found):
    """Rank, numbers and room taken of an assortment."""
    rank, numbers, taken = [], set(), np.zeros(2, dtype=int)
    for supply, bought in zip(supplies, found.bought, strict=True):
        rows = [parts for each in bought for parts in each.parts()]
        assert sorted(row for row, _, _ in rows) == list(range(len(supply.route_m)))
        for row, cables, plugs in rows:
            offers = [offer for offer, _ in cables] + [offer for _, offer in plugs]
            rank += [offer.columns for offer in offers]
            numbers |= {offer.key for offer in offers}
            taken += sum(size(offer.part) * supply.passes[row, list(lead)].any(axis=0) for offer, lead in cables)
    return tuple(map(sum, zip(*rank, strict=True))), numbers, taken


@pytest.mark.parametrize("seed", range(60))
def test_assortment_is_the_best_of_all_purchases(seed):
    """With numbers, with rooms and with both the same rank as trying everything, or none where nothing keeps them."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    supplies = made_up_supplies(rng)
    every = list(purchases(supplies))
    for numbers_count, room in ((2, None), (3, None), (None, rng.randint(0, 12)), (3, rng.randint(0, 12))):
        rooms = () if room is None else (room, room + 1)
        seen = [replace(each, passes=each.passes[:, :, : len(rooms)]) for each in supplies]
        most = math.inf if numbers_count is None else numbers_count
        kept = [rank for rank, numbers, taken in every if len(numbers) <= most and (taken[: len(rooms)] <= rooms).all()]
        found = assort(seen, Ties(numbers_count, rooms, size))
        assert (found is None) is (not kept)
        if found is not None:
            rank, numbers, taken = weighed(supplies, found)
            assert (rank, found.is_proved) == (min(kept), True)
            assert len(numbers) <= most
            assert (taken[: len(rooms)] <= rooms).all()
            assert found.bound_cost == found.cost == rank[1]


@pytest.mark.parametrize("seed", range(30))
def test_fewest_numbers_are_those_of_the_plainest_purchase(seed):
    """The count is the least over all purchases, and the keys named are as many."""
    made_up = made_up_supplies(random.Random(seed))  # noqa: S311 -- a test's dice
    supplies = [replace(each, passes=each.passes[:, :, :0]) for each in made_up]
    every = [len(numbers) for _, numbers, _ in purchases(made_up)]
    fewest, keys = fewest_numbers(supplies, size)
    assert (fewest, len(keys)) == ((min(every), min(every)) if every else (0, 0))


def test_a_part_that_another_replaces_everywhere_is_outdone():
    """Dearer and shorter is outdone; dearer and longer, or thinner, or alone on some ladder, is not."""
    rng = random.Random(0)  # noqa: S311 -- no dice fall
    base = made_up_offer(rng, CablePart, "base")
    thick = CablePart.model_construct(length_m=3.0)
    good = replace(base, key="good", costs=(5,), last_resort=0, part=thick)
    worse, longer = replace(good, key="worse", costs=(6,)), replace(good, key="longer", costs=(6,))
    thinner = replace(good, key="thinner", costs=(6,), part=CablePart.model_construct(length_m=2.0))
    alone = replace(good, key="alone", costs=(6,))
    reach_m = {"good": 2.0, "worse": 2.0, "longer": 3.0, "thinner": 2.0, "alone": 2.0}
    ladders = [ladder_of([good, worse, longer, thinner, alone], reach_m), ladder_of([alone], reach_m)]
    assert outdone(ladders, size) == {"worse"}
    assert outdone(ladders, lambda _: None) == {"worse", "thinner"}


def with_limit(request, part_numbers):
    """The request with a limit on orderable numbers."""
    return request.model_copy(update={"limits": request.limits.model_copy(update={"part_numbers": part_numbers})})


def cost_of(cabling, bench):
    """What a cabling costs [USD], and its orderable numbers."""
    bought = Counter(each.part for each in (*cabling.cables, *cabling.pluggables))
    return sum((bench.cables | bench.modules)[key].price_usd * count for key, count in bought.items()), set(bought)


MIXED = ("n1:A l1:1", "n2:A l1:1", "n3:A l1:2", "l1:5 s1:1", "l1:5 s1:1", "l1:6 s1:2")


@pytest.mark.parametrize("seed", range(6))
def test_cabling_within_a_limit_is_that_of_the_best_set_of_parts(bench, seed):
    """Every set of so many parts is tried as a catalog of its own; the cheapest of them costs what is found."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    keep = [rng.sample(sorted(parts), count) for parts, count in ((bench.cables, 9), (bench.modules, 6))]
    bench.cables = {key: bench.cables[key] for key in keep[0]}
    bench.modules = {key: bench.modules[key] for key in keep[1]}
    for parts in (bench.cables, bench.modules):
        for key, part in parts.items():
            parts[key] = part.model_copy(update={"price_usd": float(rng.randint(10, 900))})
    topology = bench.topology(*MIXED)
    placement, routes = bench.hall(topology, {"n3": rng.choice([0, 1]), "s1": rng.choice([0, 2])})
    catalog, request = bench.catalog, bench.request()

    def least(count):
        usd = math.inf
        for chosen in itertools.combinations([*bench.cables, *bench.modules], count):
            few = [
                {key: part for key, part in parts.items() if key in chosen} for parts in (bench.cables, bench.modules)
            ]
            stocked = replace(catalog, cables=few[0], transceivers=few[1])
            try:
                usd = min(usd, cost_of(cable(topology, placement, routes, request, stocked), bench)[0])
            except InfeasibleError:
                continue
        return usd

    for count in (2, 3, 4):
        usd = least(count)
        try:
            found = cable(topology, placement, routes, with_limit(request, count + 1), catalog)
        except InfeasibleError:
            assert math.isinf(usd)
            continue
        paid, numbers = cost_of(found, bench)
        if math.isinf(usd):
            assert found.termination is None
            continue
        assert paid == pytest.approx(usd)
        assert len(numbers) <= count


def test_one_length_serves_two_routes(bench):
    """Trunks of 0 m and 1.07 m: two copper cables of 100 and 120 USD; with one number both are the longer."""
    topology = bench.topology("l1:5 s1:1", "l1:5 s1:1", "l1:6 s2:1", "l1:6 s2:1")
    placement, routes = bench.hall(topology)
    spread = {"l1": 1, "s1": 2, "s2": 25}
    apart = type(placement)(tuple(replace(each, u=spread[each.device]) for each in placement.positions))
    free = cable(topology, apart, routes, bench.request(["dac"]), bench.catalog)
    assert cost_of(free, bench) == (220.0, {"dac-1", "dac-2"})
    assert free.termination is None
    few = cable(topology, apart, routes, with_limit(bench.request(["dac"]), 2), bench.catalog)
    assert cost_of(few, bench) == (240.0, {"dac-2"})
    assert few.termination is not None
    assert (few.termination.status, few.termination.objective) == ("optimal", 24000)


def test_a_module_that_serves_two_kinds_of_cage_saves_a_number(bench):
    """A dearer module is kept where it is the only one for another cage: one number less, if that is asked.

    A cheaper module is for nodes' cages alone, so a leaf's cage needs the other; both may have the other.
    """
    bench.modules = {
        "node": bench.modules["sr4"].model_copy(update={"fits": ("node",), "price_usd": 100.0}),
        "both": bench.modules["sr4"].model_copy(update={"price_usd": 150.0}),
    }
    bench.switches["twin"] = bench.switches["twin"].model_copy(
        update={"cages": bench.switches["twin"].cages.model_copy(update={"top": "flat", "lanes": 4})}
    )
    bench.switches["twin"] = bench.switches["twin"].model_copy(update={"ports_by_speed_gbps": {400: 8}})
    topology = bench.topology("n1:A l1:1")
    placement, routes = bench.hall(topology)
    free = cable(topology, placement, routes, bench.request(["mmf"]), bench.catalog)
    assert cost_of(free, bench) == (280.0, {"node", "both", "om3-3"})
    few = cable(topology, placement, routes, with_limit(bench.request(["mmf"]), 3), bench.catalog)
    assert cost_of(few, bench) == (330.0, {"both", "om3-3"})


def test_too_few_numbers_however_short_the_links_are_refused(bench):
    """A fibre between two kinds of cage takes two modules and itself, whatever its length: three and a switch."""
    topology = bench.topology("n1:A l1:1")
    placement, routes = bench.hall(topology)
    assert cable(topology, placement, routes, with_limit(bench.request(["mmf"]), 4), bench.catalog).termination is None
    with pytest.raises(InfeasibleError, match=r"part_numbers: 3: 1 of switches, and at least 3 more"):
        cable(topology, placement, routes, with_limit(bench.request(["mmf"]), 3), bench.catalog)


def test_too_few_numbers_for_these_places_are_no_proof(bench):
    """Elsewhere one copper cable would do for both trunks; from here it does not reach, so the cheapest is bought."""
    topology = bench.topology("l1:5 s1:1", "l1:5 s1:1", "l1:6 s2:1", "l1:6 s2:1")
    placement, routes = bench.hall(topology, {"s2": 1})
    request = bench.request(["dac", "mmf"])
    free = cable(topology, placement, routes, request, bench.catalog)
    assert cost_of(free, bench)[1] == {"dac-1", "sr4-twin", "om3-30"}
    assert cable(topology, placement, routes, with_limit(request, 2), bench.catalog) == free
