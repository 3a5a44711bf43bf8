"""Cabling of small made-up topologies, each answer worked out by hand from the prices of `conftest`."""

from __future__ import annotations

from collections import Counter

import pytest

from fabric.errors import InfeasibleError
from fabric.layout.cable import cable

FIBRE = ["mmf", "smf"]


def cabled(bench, ends, racks=None, media=None, parameters=None, **fabric):
    """The cabling of the links in `ends`; `parameters` may hold their rate."""
    topology = bench.topology(*ends, **(parameters or {}))
    placement, routes = bench.hall(topology, racks)
    return cable(topology, placement, routes, bench.request(media, **fabric), bench.catalog)


def bought(cabling):
    """How many of each part."""
    return Counter(each.part for each in (*cabling.cables, *cabling.pluggables))


def test_splitter_serves_two_nodes_of_one_leaf_cage(bench):
    """Two nodes in the leaf's rack share one splitter: 140 against 700 + 2 x 400 + 2 x 30 for multimode."""
    cabling = cabled(bench, ["n1:A l1:1", "n2:A l1:1"])
    assert bought(cabling) == {"split-1": 1}
    assert cabling.cable_of == {"n1.p000": "c-n1.p000", "n2.p001": "c-n1.p000"}


def test_splitter_is_as_long_as_its_longest_leg(bench):
    """The far node is 25 units (1.11 m) away, the near one 1 unit: one splitter of the next length, 3 m."""
    ends = ["n1:A l1:1", "n2:A l1:1"]
    topology = bench.topology(*ends)
    placement, routes = bench.hall(topology)
    spread = {"l1": 1, "n1": 2, "n2": 26}
    positions = tuple(
        type(each)(each.device, each.rack, spread[each.device], each.units) for each in placement.positions
    )
    cabling = cable(topology, type(placement)(positions), routes, bench.request(), bench.catalog)
    assert [(each.part, each.length_m, each.route_m) for each in cabling.cables] == [
        ("split-3", 3.0, pytest.approx(25 * 0.04445))
    ]


def test_splitter_leg_may_wait_for_its_node(bench):
    """A leaf cage with a single node still takes a splitter (140), its second leg free."""
    assert bought(cabled(bench, ["n1:A l1:1"])) == {"split-1": 1}


def test_straight_cable_carries_both_links_of_two_cages(bench):
    """A trunk of two between the same two cages is one twin cable."""
    cabling = cabled(bench, ["l1:5 s1:1", "l1:5 s1:1"])
    assert bought(cabling) == {"dac-1": 1}
    assert set(cabling.cable_of.values()) == {"c-l1.p000"}
    assert not cabling.pluggables


def test_odd_trunk_has_no_straight_cable_for_its_last_link(bench):
    """Trunks of three: the first two links are one copper cable, the third shares its cages and needs modules.

    l1:6 holds links to s1 and s2, and so do the spines' second cages with l1 and l2: four cages in a ring.
    """
    trunks = [("l1", "s1", 5, 1), ("l1", "s1", 5, 1), ("l1", "s1", 6, 2), ("l1", "s2", 6, 2)]
    trunks += [("l2", "s1", 6, 2), ("l2", "s2", 6, 2)]
    cabling = cabled(bench, [f"{leaf}:{up} {spine}:{down}" for leaf, spine, up, down in trunks])
    assert bought(cabling) == {"dac-1": 1, "om3-3": 4, "sr4-twin": 4}


def test_single_link_never_takes_a_straight_twin_cable(bench):
    """One link between two twin cages: a straight cable would leave a port of both cages dead, so modules it is."""
    assert bought(cabled(bench, ["l1:5 s1:1"])) == {"om3-3": 1, "sr4-twin": 2}


def test_twin_node_cage_under_rail_wiring_needs_modules(bench):
    """A DGX cage holds two rails, which go to two leaves; the leaf's cage holds two nodes: only fibre ties them."""
    ring = ["d1:OSFP1 l1:1", "d1:OSFP1 l2:1", "d2:OSFP1 l1:1", "d2:OSFP1 l2:1"]
    assert bought(cabled(bench, ring)) == {"om3-3": 4, "sr4-twin": 2, "sr4-twin-flat": 2}
    with pytest.raises(InfeasibleError, match="4 links tie 4 cages together"):
        cabled(bench, ring, media=["dac"])


def test_twin_node_cage_under_rack_wiring_takes_copper(bench):
    """Both ports of the cage on one leaf cage: the flat-to-finned twin cable."""
    assert bought(cabled(bench, ["d1:OSFP1 l1:1", "d1:OSFP1 l1:1"])) == {"dac-dgx-2": 1}


def test_fibre_of_the_right_grade_and_modules_of_the_right_reach(bench):
    """At 12 m multimode is cheapest (1600 + 2 x 60), at 42 m OM4, at 62 m single mode of 100 m, at 122 m of 300 m.

    Ways over the tray: 2 x (5 m less the port's height) plus 10 m a rack.
    """
    expected = {
        1: {"om3-30": 2, "sr4-twin": 1, "sr4": 2},
        3: {"om4-50": 2, "sr4-twin": 1, "sr4": 2},
        6: {"os2-100": 2, "dr4-twin-100": 1, "dr4": 2},
        12: {"os2-300": 2, "dr4-twin-500": 1, "dr4": 2},
    }
    for rack, parts in expected.items():
        cabling = cabled(bench, ["n1:A l1:1", "n2:A l1:1"], racks={"l1": rack})
        assert bought(cabling) == parts, f"{rack} racks away"


def test_one_far_link_decides_for_both_ports_of_a_module(bench):
    """Node 2 is 130 m away: the leaf's module is the long one, and node 1 gets single mode too, on a short fibre."""
    cabling = cabled(bench, ["n1:A l1:1", "n2:A l1:1"], racks={"l1": 1, "n2": 13})
    assert bought(cabling) == {"os2-30": 1, "os2-300": 1, "dr4-twin-500": 1, "dr4": 2}


def test_active_optical_cable_where_copper_ends(bench):
    """Two nodes side by side are dear to reach by AOC, but a trunk of two at 2.1 m is 900 against 1460 in modules."""
    ends = ["l1:5 s1:1", "l1:5 s1:1"]
    topology = bench.topology(*ends)
    placement, routes = bench.hall(topology)
    low, high = placement.positions
    apart = (low, type(high)(high.device, high.rack, low.u + 48, 1))
    cabling = cable(topology, type(placement)(apart), routes, bench.request(), bench.catalog)
    assert bought(cabling) == {"aoc-10": 1}


def test_co_packaged_end_has_no_pluggable(bench):
    """Optics inside the spine: an MMC-to-MPO fibre runs from it to a module of the leaf, which is alone in its cage."""
    cabling = cabled(bench, ["l1:1 p1:1"], racks={"p1": 1})
    assert bought(cabling) == {"mmc-30": 1, "dr4-twin-100": 1}
    assert [each.device for each in cabling.pluggables] == ["l1"]


def test_two_co_packaged_ends_need_a_fibre_of_their_connector(bench):
    """Optics inside both switches: the fibre must be MMC at both ends; one with MPO at an end does not mate."""
    bench.switches["twin"] = bench.switches["inside"]
    with pytest.raises(InfeasibleError, match="no fibre mates with both"):
        cabled(bench, ["l1:1 p1:1"], racks={"p1": 1})
    fibre = bench.cables["mmc-30"]
    bench.cables["mmc-mmc-30"] = fibre.model_copy(update={"tails": (fibre.head,)})
    assert bought(cabled(bench, ["l1:1 p1:1"], racks={"p1": 1})) == {"mmc-mmc-30": 1}


def test_splitter_fibre_serves_the_two_halves_of_a_switch_port(bench):
    """At 200G a twin module's ports of 400G are two each: slots 0 and 1 share a splitter, 2 is alone on the next.

    The legs end in single 400G modules that fall back to half their lanes (linkx-100g-overview).
    """
    ends = ["n1:A l1:1.0", "n2:A l1:1.1", "n3:A l1:1.2"]
    cabling = cabled(bench, ends, parameters={"rate_gbps": 200})
    assert bought(cabling) == {"split-os2-50": 2, "dr4-twin-100": 1, "dr4": 3}
    assert cabling.cable_of == {"n1.p000": "c-n1.p000", "n2.p001": "c-n1.p000", "n3.p002": "c-n3.p002"}


def test_splitter_fibre_is_as_long_as_its_longest_leg(bench):
    """Of 10 m and 50 m, the longer one: node 2 is a rack away, some 20 m."""
    part = bench.cables["split-os2-50"]
    bench.cables["split-os2-10"] = part.model_copy(update={"length_m": 10.0, "price_usd": 50.0})
    ends = ["n1:A l1:1.0", "n2:A l1:1.1", "n3:A l1:1.2"]
    cabling = cabled(bench, ends, racks={"n2": 1}, parameters={"rate_gbps": 200})
    assert [(each.name, each.part) for each in cabling.cables] == [
        ("c-n1.p000", "split-os2-50"),
        ("c-n3.p002", "split-os2-10"),
    ]


def test_lone_leg_still_takes_a_splitter_fibre(bench):
    """One node at 200G below a cage of four ports: a straight fibre would give it the whole port of 400G."""
    assert bought(cabled(bench, ["n1:A l1:1.3"], parameters={"rate_gbps": 200})) == {
        "split-os2-50": 1,
        "dr4-twin-100": 1,
        "dr4": 1,
    }


def test_splitter_fibre_never_joins_two_switches(bench):
    """Trunks of 200G have no part here: a splitter's legs end in single modules, a switch has twin ones."""
    with pytest.raises(InfeasibleError, match="200G x 4 osfp finned switch <-> 200G x 4"):
        cabled(bench, ["l1:5.0 s1:1.0"], parameters={"rate_gbps": 200})


def test_media_bind_each_layer(bench):
    """Multimode for nodes, copper for trunks."""
    ends = ["n1:A l1:1", "n2:A l1:1", "l1:5 s1:1", "l1:5 s1:1"]
    cabling = cabled(bench, ends, media=None)
    assert bought(cabling) == {"split-1": 1, "dac-1": 1}
    topology = bench.topology(*ends)
    request = bench.request()
    media = request.fabric.media.model_copy(update={"node_leaf": ("mmf",)})
    request = request.model_copy(update={"fabric": request.fabric.model_copy(update={"media": media})})
    cabling = cable(topology, *bench.hall(topology), request, bench.catalog)
    assert bought(cabling) == {"om3-3": 2, "sr4-twin": 1, "sr4": 2, "dac-1": 1}


def test_preloaded_optics_fill_free_down_cages_only(bench):
    """8 down ports are cages 1 to 4 of each leaf; leaf 2 has one node, so 3 + 3 cages are free; uplinks stay bare."""
    ends = ["n1:A l1:1", "n2:A l2:1", "l1:5 s1:1", "l2:5 s1:2"]
    bare = cabled(bench, ends, media=["mmf"], parameters={"down_ports": 8})
    full = cabled(bench, ends, media=["mmf"], parameters={"down_ports": 8}, preload_optics=True)
    assert bought(full) - bought(bare) == {"sr4-twin": 6}
    assert {(each.device, each.cage) for each in full.pluggables if each.device == "l1"} == {
        ("l1", "1"),
        ("l1", "2"),
        ("l1", "3"),
        ("l1", "4"),
        ("l1", "5"),
    }


def test_part_not_yet_sold_is_a_last_resort(bench):
    """A prototype loses against a dearer part in sale, and is bought where it alone fits; one no longer sold never."""
    bench.cables["split-1"] = bench.cables["split-1"].model_copy(update={"status": "prototype"})
    ends = ["n1:A l1:1", "n2:A l1:1"]
    assert bought(cabled(bench, ends)) == {"split-3": 1}
    bench.cables["split-3"] = bench.cables["split-3"].model_copy(update={"status": "no_longer_sold"})
    assert bought(cabled(bench, ends, media=["dac"])) == {"split-1": 1}


def test_part_of_unknown_status_is_bought(bench):
    """That one list lacks a part does not take it off the market."""
    bench.cables["split-1"] = bench.cables["split-1"].model_copy(update={"status": "unknown"})
    assert bought(cabled(bench, ["n1:A l1:1", "n2:A l1:1"])) == {"split-1": 1}


def test_qualified_part_wins_between_equal_prices(bench):
    """Two splitters at 140: the one that names the switch and the adapter is bought, though it comes later by name."""
    named = bench.cables["split-1"].model_copy(update={"qualified_with": ("twin", "adapter")})
    bench.cables["z-split-1"] = named
    assert bought(cabled(bench, ["n1:A l1:1", "n2:A l1:1"])) == {"z-split-1": 1}


def test_part_without_a_list_wins_over_one_whose_list_leaves_the_device_out(bench):
    """Of equal price, the part that makes no warning: the adapter is named, the switch is not."""
    half = bench.cables["split-1"].model_copy(update={"qualified_with": ("another", "adapter")})
    bench.cables["a-split-1"] = half
    assert bought(cabled(bench, ["n1:A l1:1", "n2:A l1:1"])) == {"split-1": 1}


def test_qualification_never_outweighs_price(bench):
    """Modules that name both ends (1560) do not displace a splitter that names neither (140)."""
    for key in ("sr4-twin", "sr4"):
        bench.modules[key] = bench.modules[key].model_copy(update={"qualified_with": ("twin", "adapter")})
    assert bought(cabled(bench, ["n1:A l1:1", "n2:A l1:1"])) == {"split-1": 1}


def test_infeasible_media_are_explained(bench):
    """Dropping the single-port module leaves the node end without optics; the conflict names end and reason."""
    del bench.modules["sr4"]
    with pytest.raises(InfeasibleError) as caught:
        cabled(bench, ["n1:A l1:1"], media=["mmf"])
    conflict = caught.value.conflict[0]
    assert (conflict.key, conflict.value) == ("fabric.media.node_leaf", "mmf")
    assert "400G x 1 osfp flat node <-> 400G x 2 osfp finned switch" in conflict.arithmetic
    assert "node end 2 ports, the cage 1" in conflict.arithmetic


def test_too_long_link_is_explained(bench):
    """A node 110 m away cannot have multimode: the longest fibre that fits is 50 m."""
    with pytest.raises(InfeasibleError) as caught:
        cabled(bench, ["n1:A l1:1"], racks={"n1": 10}, media=["mmf"])
    assert "serves 50.00 m" in caught.value.conflict[0].arithmetic


def test_cage_of_two_rates_is_refused(bench):
    """Two links of one cage must run at one rate."""
    topology = bench.topology("n1:A l1:1", "n2:A l1:1")
    slow = type(topology.links[1])(**{**_fields(topology.links[1]), "rate_gbps": 200})
    mixed = type(topology)(topology.family, {}, topology.devices, (topology.links[0], slow))
    with pytest.raises(InfeasibleError, match="l1:1: one cage cannot run 400G and 200G"):
        cable(mixed, *bench.hall(topology), bench.request(), bench.catalog)


def _fields(record):
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def test_rows_are_sorted_and_runs_count_within_a_bundle(bench):
    """Cables by name, pluggables by device and cage; cables of one rack pair and kind are one bundle."""
    ends = [f"n{number}:A l1:{(number + 1) // 2}" for number in range(1, 7)]
    cabling = cabled(bench, ends, racks={"l1": 1}, media=FIBRE)
    assert [each.name for each in cabling.cables] == sorted(each.name for each in cabling.cables)
    assert [each.run for each in cabling.cables] == [1, 2, 3, 4, 5, 6]
    assert {each.bundle for each in cabling.cables} == {"R0+R1 node_leaf"}
    assert {each.route for each in cabling.cables} == {"R0 > row R > R1"}
    assert [each.cage for each in cabling.pluggables if each.device == "l1"] == ["1", "2", "3"]
