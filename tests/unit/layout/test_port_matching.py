"""Free ports against every way to deal them, on leaves of a few links, each way cabled and priced as a whole."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric.catalog.parts import CablePart
from fabric.errors import InfeasibleError
from fabric.floorplan.routes import Routes
from fabric.layout import port_matching
from fabric.layout.cable import cable, measure
from fabric.layout.cage import port_in
from fabric.layout.free_lots import free_lots
from fabric.layout.lots import lots_of
from fabric.layout.market import open_market
from fabric.layout.port_matching import NOT_PROVED, PRELOADED, TIED, TOO_MANY, TRUNKS, match_ports
from fabric.layout.used_cages import used_cages
from fabric.model.floorplan import FloorPlan
from fabric.model.placement import Placement, Position

LEAF_U = 45


def hall(topology, spots):
    """Nodes at `spots`, (rack, unit), in order of name; switches from `LEAF_U` of rack 0 up; racks 3 m apart."""
    racks = tuple({"name": f"R{i}", "x_m": 3.0 * i, "y_m": 0.0, "row": "R", "units": 60} for i in range(3))
    plan = FloorPlan.model_validate({"racks": racks, "trays": {"height_m": 3.0}, "slack_per_end_m": 0.0})
    at, switch_u = iter(spots), itertools.count(LEAF_U)
    positions = []
    for device in topology.devices:
        rack, u = (0, next(switch_u)) if device.is_switch else next(at)
        positions.append(Position(device.name, f"R{rack}", u, 1))
    return Placement(tuple(positions)), Routes(plan)


def spots(count, seed):
    """So many places at random: half of them near the leaf."""
    rng = random.Random(seed)  # noqa: S311
    return [(rng.choice([0, 0, 1, 2]), rng.randrange(1, 44, 3)) for _ in range(count)]


def leaf_of(bench, nodes, cages, per_cage=2):
    """A leaf of so many down cages, its nodes in order on the first ports: 400G in cages of two, 200G of four."""
    ends = [f"n{i}:A l1:{i // per_cage + 1}" + f".{i % per_cage}" * (per_cage > 2) for i in range(nodes)]
    return bench.topology(*ends, rate_gbps=800 // per_cage, down_ports=cages * per_cage)


def usd(bench, topology, place, request):
    """What the cheapest cabling costs; infinite where there is none."""
    try:
        found = cable(topology, *place, request, bench.catalog)
    except InfeasibleError:
        return float("inf")
    cables = sum(bench.cables[each.part].price_usd for each in found.cables)
    return cables + sum(bench.modules[each.part].price_usd for each in found.pluggables)


def least_usd(bench, topology, place, request):
    """What the links cost at least in any order of ports, by the prices that placement is bounded with."""
    placement, routes = place
    market = open_market(topology, request, bench.catalog, routes)
    route_m = measure(topology, placement, routes).route_m
    lots = free_lots(lots_of(market), topology, routes, request, bench.catalog)
    return sum(int(each.cost(route_m[each.links]).sum()) for each in lots) / 100


def every_way(bench, topology, cages, per_cage=2):
    """The topology in every way to deal its links: which of them share a cage, and which a pair of its ports."""
    spec = used_cages(topology, bench.catalog, "infiniband").specs_of(0)[1]
    seen = set()
    for places in itertools.permutations(itertools.product(range(cages), range(per_cage)), len(topology.links)):
        pairs = Counter((cage, slot // 2) for cage, slot in places)
        held = {pair: frozenset(i for i, (c, s) in enumerate(places) if (c, s // 2) == pair) for pair in pairs}
        way = frozenset(frozenset(links for (c, _), links in held.items() if c == cage) for cage, _ in held)
        if way not in seen:
            seen.add(way)
            yield replace(
                topology,
                links=tuple(
                    replace(link, b=port_in(("l1", str(cage + 1)), slot, spec, "infiniband"))
                    for link, (cage, slot) in zip(topology.links, places, strict=True)
                ),
            )


def cages_of(topology):
    """Nodes of each used cage of the leaf, in order."""
    held = {}
    for link in topology.of_kind("node_leaf"):
        held.setdefault(link.b.cage, []).append(link.a.device)
    return [held[label] for label in sorted(held, key=int)]


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.sampled_from([(3, 3), (4, 2), (4, 4), (5, 3), (6, 3)]), seed=st.integers(0, 10_000))
def test_no_way_to_deal_the_links_is_cheaper(bench, sizes, seed):
    """Three to six nodes in up to three racks, in cages of two ports, some of which may stay empty or half full."""
    nodes, cages = sizes
    topology = leaf_of(bench, nodes, cages)
    place = hall(topology, spots(nodes, seed))
    found = match_ports(topology, *place, bench.request(), bench.catalog)
    best = min(usd(bench, way, place, bench.request()) for way in every_way(bench, topology, cages))
    assert usd(bench, found.topology, place, bench.request()) == best
    assert least_usd(bench, topology, place, bench.request()) <= best
    assert found.fixed == ()


@pytest.mark.parametrize(("cages", "media"), [(1, None), (2, None), (1, ["smf"]), (2, ["smf"])])
@pytest.mark.parametrize("seed", range(4))
def test_no_way_to_share_splitters_of_larger_cages_is_cheaper(bench, seed, cages, media):
    """Cages of four ports: fibres of two legs serve adjacent ports, copper of four legs a whole cage."""
    leg = {"form_factor": "osfp", "top": "flat", "ports": 1}
    quad = {"head": leg | {"top": "finned", "ports": 4}, "tails": (leg,) * 4, "rate_gbps": 200}
    for key, model, more in (
        ("quad-1", "split-1", quad | {"price_usd": 200}),
        ("quad-3", "split-3", quad | {"price_usd": 260}),
        ("split-os2-8", "split-os2-50", {"length_m": 8.0, "price_usd": 35}),
    ):
        bench.cables[key] = CablePart.model_validate(bench.cables[model].model_dump() | more)
    topology = leaf_of(bench, 4, cages, per_cage=4)
    place, request = hall(topology, spots(4, seed)), bench.request(media)
    found = match_ports(topology, *place, request, bench.catalog)
    best = min(usd(bench, way, place, request) for way in every_way(bench, topology, cages, per_cage=4))
    assert usd(bench, found.topology, place, request) == best
    assert least_usd(bench, topology, place, request) <= best


@pytest.mark.parametrize(
    ("slots", "racks", "expected"),
    [((0, 1, 2, 3), (0, 2, 0, 2), [{"n0", "n2"}, {"n1", "n3"}]), ((0, 2), (0, 0), [{"n0", "n1"}])],
)
def test_links_of_a_splitter_are_chosen_within_a_cage(bench, slots, racks, expected):
    """Near links share the short splitter, far ones the long one; two links that could share one do."""
    short = {"length_m": 5.0, "price_usd": 35}
    bench.cables["short"] = CablePart.model_validate(bench.cables["split-os2-50"].model_dump() | short)
    ends = [f"n{number}:A l1:1.{slot}" for number, slot in enumerate(slots)]
    topology = bench.topology(*ends, rate_gbps=200, down_ports=4)
    place, request = hall(topology, [(rack, 40) for rack in racks]), bench.request(["smf"])
    found = match_ports(topology, *place, request, bench.catalog).topology
    on = {}
    for link in cable(found, *place, request, bench.catalog).cable_of.items():
        on.setdefault(link[1], set()).add(link[0].split(".")[0])
    assert sorted(on.values(), key=min) == expected


@pytest.mark.parametrize("seed", range(10))
def test_no_two_half_used_modules_could_be_one(bench, seed):
    """Of the leaf's modules of a kind one at most has a port to spare; dealt in order every node has its own."""
    ends = [f"n{i:02d}:A l1:{i + 1}" for i in range(8)]
    topology = bench.topology(*ends, down_ports=16)
    place = hall(topology, spots(8, seed))
    found = match_ports(topology, *place, bench.request(), bench.catalog).topology
    links = Counter(link.b.cage for link in found.links)
    half = Counter(
        each.part
        for each in cable(found, *place, bench.request(), bench.catalog).pluggables
        if each.device == "l1" and links[each.cage] == 1
    )
    assert max(half.values(), default=0) <= 1


def test_a_copper_splitter_goes_to_two_nodes_of_one_rack(bench):
    """Near and far nodes by turns: in order every cage needs a module, free the two near nodes share one cable."""
    topology = leaf_of(bench, 4, 2)
    place = hall(topology, [(0, 40), (2, 40), (0, 38), (2, 38)])
    assert cages_of(match_ports(topology, *place, bench.request(), bench.catalog).topology) == [
        ["n0", "n2"],
        ["n1", "n3"],
    ]
    assert usd(bench, topology, place, bench.request()) == 2 * (700 + 400 + 30 + 400 + 60)
    free = match_ports(topology, *place, bench.request(), bench.catalog).topology
    assert usd(bench, free, place, bench.request()) == 140 + 700 + 2 * (400 + 60)


@pytest.mark.parametrize(("media", "rack"), [(None, 0), (["mmf"], 2)])
def test_full_cages_of_equal_links_cost_their_bound(bench, media, rack):
    """A bound that is never reached would prove nothing: here it is, with copper and with modules."""
    topology = leaf_of(bench, 4, 2)
    place, request = hall(topology, [(rack, 40)] * 4), bench.request(media)
    assert least_usd(bench, topology, place, request) == usd(bench, topology, place, request)


def test_a_near_node_takes_a_spare_cage(bench):
    """A near and a far node part where the leaf has a cage to spare: one leg of a copper splitter waits."""
    for cages, expected in ((1, [["n0", "n1"]]), (2, [["n0"], ["n1"]])):
        topology = leaf_of(bench, 2, cages)
        place = hall(topology, [(0, 40), (2, 40)])
        assert cages_of(match_ports(topology, *place, bench.request(), bench.catalog).topology) == expected


def test_preloaded_optics_keep_the_number_of_cages(bench):
    """An empty cage gets a module then, so that a further cage in use would be priced wrongly."""
    topology = leaf_of(bench, 2, 2)
    place = hall(topology, [(0, 40), (2, 40)])
    found = match_ports(topology, *place, bench.request(preload_optics=True), bench.catalog)
    assert found.topology == topology
    assert found.fixed == (PRELOADED,)


@pytest.mark.parametrize("racks", [(0, 2) * 3, (0, 0, 0, 2, 2, 2)])
def test_a_leaf_that_gains_nothing_keeps_its_ports(bench, racks):
    """Near and far nodes, but fibres alone: any order costs the same, so nothing moves."""
    topology = leaf_of(bench, 6, 4)
    place = hall(topology, [(rack, 40) for rack in racks])
    assert match_ports(topology, *place, bench.request(["mmf"]), bench.catalog).topology == topology


def test_only_ports_of_leaves_change(bench):
    """Names, node ends and every other field stay; each leaf port is used once, and a cage's ports from the first."""
    topology = leaf_of(bench, 7, 4)
    place = hall(topology, spots(7, 3))
    found = match_ports(topology, *place, bench.request(), bench.catalog).topology
    assert found != topology
    assert [replace(link, b=None) for link in found.links] == [replace(link, b=None) for link in topology.links]
    ports = Counter(link.b for link in found.links)
    assert set(ports.values()) == {1}
    assert {port.device for port in ports} == {"l1"}
    assert {int(port.cage) for port in ports} <= {1, 2, 3, 4}
    firsts = [nodes[0] for nodes in cages_of(found)]
    assert firsts == sorted(firsts)


def test_leaves_tied_by_node_cages_keep_their_ports(bench):
    """The twin cages of a node end on two leaves, so that a cage of one leaf hangs on the order of the other."""
    ends = [f"d{i}:A l{leaf}:{i // 2 + 1}" for i in range(4) for leaf in (1, 2)]
    topology = bench.topology(*ends, "l1:8 s1:1", "l2:8 s1:1", down_ports=4)
    place = hall(topology, [(0, 40), (2, 40), (0, 38), (2, 38)])
    found = match_ports(topology, *place, bench.request(), bench.catalog)
    assert found.topology == topology
    assert found.fixed == (f"ports: regular on 2 leaves, because {TIED}", TRUNKS)


def test_too_many_ways_to_fill_a_cage_are_named(bench, monkeypatch):
    """Nothing is tried then, and nothing is claimed."""
    monkeypatch.setattr(port_matching, "MOST_ARRANGEMENTS", 4)
    topology = leaf_of(bench, 4, 2)
    place = hall(topology, [(0, 40), (2, 40), (0, 38), (2, 38)])
    found = match_ports(topology, *place, bench.request(), bench.catalog)
    assert found.topology == topology
    assert found.fixed == (f"ports: regular on 1 leaves, because {TOO_MANY}",)


def test_a_proof_that_ran_out_of_work_is_not_called_too_many_ways(bench, monkeypatch):
    """A branch and bound that ends early proves nothing: the leaf keeps its ports, and the reason names the proof."""
    monkeypatch.setattr(port_matching, "cheapest_fill", lambda *_, **__: None)
    topology = leaf_of(bench, 4, 2)
    place = hall(topology, [(0, 40), (2, 40), (0, 38), (2, 38)])
    found = match_ports(topology, *place, bench.request(), bench.catalog)
    assert found.topology == topology
    assert found.fixed == (f"ports: regular on 1 leaves, because {NOT_PROVED}",)
