"""Cabling against an exhaustive search that knows only parts, cages and links, on small random components."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from fabric.errors import InfeasibleError
from fabric.layout.cable import cable, measure
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import lots_of
from fabric.layout.market import open_market
from fabric.layout.price_table import link_tables

FIBRE = ("mmf", "smf")

CAGE = {"n": ("flat", 1), "d": ("flat", 2), "l": ("finned", 2), "s": ("finned", 2)}
"""Top and ports of the cages of each device letter, as in the made-up catalog."""


def price_of(cabling, bench):
    """What a cabling costs [USD]."""
    cables = sum(bench.cables[each.part].price_usd for each in cabling.cables)
    return cables + sum(bench.modules[each.part].price_usd for each in cabling.pluggables)


def exhaustive(links, bench):
    """Cheapest price [USD] over every way to give each link a fibre or a place in a copper or optical assembly.

    `links` are ((cage, cage), route [m]); a cage is (device, label). inf where there is none.
    """
    at = defaultdict(list)
    for number, (ends, _) in enumerate(links):
        for cage in ends:
            at[cage].append(number)
    best = math.inf
    stack = [((), 0.0, frozenset(range(len(links))))]
    while stack:
        fibres, usd, rest = stack.pop()
        if not rest:
            best = min(best, usd + modules_usd(dict(fibres), links, at, bench))
        elif usd < best:
            steps = choices(min(rest), rest, links, at, bench)
            stack.extend(((*fibres, *fibre), usd + more, rest - taken) for fibre, more, taken in steps)
    return best


def choices(first, rest, links, at, bench):
    """Every next purchase for the link `first`: (its fibre if any, price [USD], links that it serves)."""
    for key, part in bench.cables.items():
        if part.medium in FIBRE:
            if part.length_m >= links[first][1] and part.head == part.tails[0]:
                yield ((first, key),), part.price_usd, {first}
            continue
        for head in links[first][0]:
            taken = frozenset(at[head])
            if taken <= rest and assembly_fits(part, head, taken, links, at):
                yield (), part.price_usd, taken


def assembly_fits(part, head, taken, links, at):
    """Whether `part` with its head in the cage `head` carries exactly the links `taken`."""
    far = Counter(cage for link in taken for cage in links[link][0] if cage != head)
    if any(set(at[cage]) - taken for cage in far) or any(links[link][1] > part.length_m for link in taken):
        return False
    legs = part.tails
    full = len(legs) > 1 or len(taken) == part.head.ports
    plugs = [(part.head, head), *((legs[0], cage) for cage in far)]
    fits = all((plug.top, plug.ports) == CAGE[cage[0][0]] for plug, cage in plugs)
    return full and fits and len(far) <= len(legs)


def modules_usd(fibre_of, links, at, bench):
    """Cheapest modules for the cages of the links in `fibre_of`; inf where two ends would not understand each other."""
    cages = sorted({cage for link in fibre_of for cage in links[link][0]})
    if any(set(at[cage]) - set(fibre_of) for cage in cages):
        return math.inf
    choices = [
        [part for part in bench.modules.values() if (part.top, part.ports) == CAGE[cage[0][0]]] for cage in cages
    ]
    best = math.inf
    for chosen in itertools.product(*choices):
        usd = sum(part.price_usd for part in chosen)
        if usd < best and all(
            lit(bench.cables[key], *(chosen[cages.index(cage)] for cage in links[link][0]))
            for link, key in fibre_of.items()
        ):
            best = usd
    return best


def lit(fibre, a, b):
    """Whether two modules talk along a fibre."""
    grade = fibre.fibre_grade
    reach_m = min(part.reach_m.get(grade, 0.0) for part in (a, b))
    mates = all(part.connector == fibre.head.connector for part in (a, b))
    return a.optics == b.optics and mates and fibre.length_m <= reach_m


def random_ends(rng):
    """Links between a few cages with free ports, two cages a side; sometimes two links between the same two."""
    near = rng.choice(["n", "d", "l"])
    far = "l" if near in "nd" else "s"
    ports = {f"{near}{i}:1": CAGE[near][1] for i in (1, 2)} | {f"{far}{i + 4}:1": 2 for i in (1, 2)}
    ends = []
    for _ in range(rng.randint(1, 4)):
        a = [cage for cage, free in ports.items() if cage[0] == near and free]
        b = [cage for cage, free in ports.items() if cage[0] == far and cage[1] in "56" and free]
        if a and b:
            pair = (rng.choice(a), rng.choice(b))
            ends.append(" ".join(pair))
            for cage in pair:
                ports[cage] -= 1
    return ends


def shuffled_prices(bench, rng):
    """The made-up catalog with random prices, so that each kind of purchase wins somewhere; even long can be cheap."""
    for parts in (bench.cables, bench.modules):
        for key, part in parts.items():
            parts[key] = part.model_copy(update={"price_usd": float(rng.randint(10, 900))})
    del bench.cables["mmc-30"]
    del bench.cables["split-os2-50"]
    longer = rng.choice([60.0, 200.0, 500.0])
    bench.modules["dr4-twin-100"] = bench.modules["dr4-twin-100"].model_copy(update={"reach_m": {"OS2": longer}})


@pytest.mark.parametrize("seed", range(80))
def test_cabling_costs_what_exhaustive_search_finds(bench, seed):
    """Same price as the search over all assignments, or both find none."""
    rng = random.Random(seed)  # noqa: S311 -- a test's dice
    shuffled_prices(bench, rng)
    topology = bench.topology(*random_ends(rng))
    racks = {device.name: rng.choice([0, 0, 0, 2, 9]) for device in topology.devices}
    placement, routes = bench.hall(topology, racks)
    route_m = measure(topology, placement, routes).route_m
    links = [
        (((link.a.device, link.a.cage), (link.b.device, link.b.cage)), float(length))
        for link, length in zip(topology.links, route_m, strict=True)
    ]
    media = rng.choice([["dac", "aoc"], ["mmf", "smf"], ["dac", "mmf"], ["dac", "aoc", "mmf", "smf"]])
    request = bench.request(media)
    for key in [key for key, part in bench.cables.items() if part.medium not in media]:
        del bench.cables[key]
    least = exhaustive(links, bench)
    if math.isinf(least):
        with pytest.raises(InfeasibleError):
            cable(topology, placement, routes, request, bench.catalog)
        return
    cabling = cable(topology, placement, routes, request, bench.catalog)
    assert price_of(cabling, bench) == pytest.approx(least)
    conserved(topology, cabling, bench)
    market = open_market(topology, request, bench.catalog, routes)
    lots = lots_of(market)
    assert sorted(np.concatenate([each.links.ravel() for each in lots])) == list(range(len(links)))
    floor = sum(int(each.cost(route_m[each.links]).sum()) for each in lots)
    assert floor <= round(100 * least)
    if sum(len(each.links) for each in lots) == sum(len(group.links) for group in market.graph.groups):
        assert floor == round(100 * least)


def conserved(topology, cabling, bench):
    """Every link on one cable, every cage with one occupant, no cable that carries nothing or too much."""
    assert set(cabling.cable_of) == {link.name for link in topology.links}
    assert set(cabling.cable_of.values()) == {each.name for each in cabling.cables}
    occupants = defaultdict(set)
    part_of = {each.name: bench.cables[each.part] for each in cabling.cables}
    for pluggable in cabling.pluggables:
        assert not occupants[pluggable.device, pluggable.cage]
        occupants[pluggable.device, pluggable.cage].add(pluggable.part)
    for link in topology.links:
        name = cabling.cable_of[link.name]
        if part_of[name].medium not in FIBRE:
            for port in (link.a, link.b):
                occupants[port.device, port.cage].add(name)
    assert all(len(found) == 1 for found in occupants.values())
    assert set(occupants) == {(port.device, port.cage) for link in topology.links for port in (link.a, link.b)}
    load = Counter(cabling.cable_of.values())
    assert all(load[name] <= part.ports for name, part in part_of.items())
    for each in cabling.cables:
        assert each.route_m <= each.length_m


def test_price_table_is_a_staircase_that_never_falls(bench):
    """Two nodes per splitter: half of 140 up to 1 m, half of 180 up to 3 m, then half of 1620 for OM3 with modules."""
    topology = bench.topology("n1:A l1:1", "n2:A l1:1")
    _, routes = bench.hall(topology)
    [(table, _)] = link_tables(open_market(topology, bench.request(), bench.catalog, routes).ways[0])
    found = table.cost(np.array([[0.0, 1.0], [1.01, 3.0], [3.01, 30.0], [30.1, 50.0], [50.1, 501.0]]))
    expected = [[7000, 7000], [9000, 9000], [81000, 81000], [84000, 84000], [116000, UNREACHABLE_COST]]
    assert found.dtype == np.int64
    assert found.tolist() == expected
    assert (np.diff(table.step_cost) >= 0).all()
