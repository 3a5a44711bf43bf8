"""Rules of fit between parts and cages, each broken once; the rules' sources stand in `assembly`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.catalog.scale import scales_of
from fabric.layout.assembly import Light, cable_misfit, carries, light_of, module_misfit
from fabric.layout.cage import EndSpec
from fabric.layout.menu import Menu
from fabric.layout.offer import Terms

LEAF = EndSpec("switch", "osfp", "finned", 2, 400, 100, 17.0, keys=("twin",))
NODE = EndSpec("node", "osfp", "flat", 1, 400, 100, keys=("hgx", "adapter"))
NDR = "infiniband"


def menu(bench):
    """Everything on offer without slack."""
    return Menu(Terms(bench.catalog, NDR, lambda _: 0.0, scales_of(bench.request(), bench.catalog)))


def test_splitter_fits_head_to_leaf_only(bench):
    """Its twin head goes into the leaf's cage and its single legs into nodes, never the other way round."""
    part = bench.cables["split-1"]
    assert cable_misfit(part, LEAF, (NODE, NODE), NDR) is None
    assert cable_misfit(part, NODE, (LEAF,), NDR) == "top is not flat"


@pytest.mark.parametrize(
    ("part", "head", "reason"),
    [
        ({"status": "no_longer_sold"}, {}, "no longer sold"),
        ({"allowed_for_design": False}, {}, "not released for designs"),
        ({"link_layers": ("ethernet",)}, {}, "not for infiniband"),
        ({"between": ("switch-switch",)}, {}, "not for switch-node"),
        ({}, {"rate_gbps": 200}, "not 200G a port"),
        ({}, {"lane_gbps": 50}, "not 50G a lane"),
        ({}, {"ports": 1}, "its end has 2 ports, the cage 1"),
        ({}, {"top": "flat"}, "top is not flat"),
        ({}, {"form_factor": "qsfp112"}, "form factor is not qsfp112"),
    ],
)
def test_cable_is_out_for_one_reason(bench, part, head, reason):
    """Each broken rule names itself: sale, link layer, use, rate, lane, ports, top, form factor."""
    splitter = bench.cables["split-1"].model_copy(update=part)
    assert cable_misfit(splitter, replace(LEAF, **head), (NODE, NODE), NDR) == reason


def test_cable_has_no_leg_for_a_third_node(bench):
    """Two legs do not serve three cages."""
    assert cable_misfit(bench.cables["split-1"], LEAF, (NODE,) * 3, NDR) == "2 legs for 3 cages"


def test_cable_end_may_draw_more_than_the_cage_gives(bench):
    """An active end of 3 W does not go into a cage of 1.5 W."""
    part = bench.cables["split-1"]
    hot = part.model_copy(update={"head": part.head.model_copy(update={"power_w": 3.0})})
    assert cable_misfit(hot, replace(LEAF, max_power_w=1.5), (NODE,), NDR) == "more than the cage's 1.5 W"


@pytest.mark.parametrize(
    ("part", "end", "reason"),
    [
        ({"fits": ("node",)}, {}, "not for a switch cage"),
        ({}, {"rate_gbps": 800}, "not 800G a port"),
        ({}, {"lane_gbps": 200}, "not 200G a lane"),
        ({}, {"ports": 1}, "2 ports, the cage 1"),
        ({}, {"top": "flat"}, "top is not flat"),
        ({}, {"max_power_w": 16.0}, "more than the cage's 16.0 W"),
        ({}, {"co_packaged": True}, "the optics are inside the switch"),
        ({"link_layers": ("ethernet",)}, {}, "not for infiniband"),
    ],
)
def test_module_is_out_for_one_reason(bench, part, end, reason):
    """Each broken rule names itself."""
    twin = bench.modules["dr4-twin-100"].model_copy(update=part)
    assert module_misfit(twin, replace(LEAF, **end), NDR) == reason


def test_unknown_top_and_power_keep_nothing_out(bench):
    """What the catalog does not know is judged by the checks, not refused here."""
    twin = bench.modules["dr4-twin-100"]
    assert module_misfit(twin, replace(LEAF, top=None, max_power_w=None), NDR) is None
    assert module_misfit(twin.model_copy(update={"top": None}), LEAF, NDR) is None


def test_module_reach_depends_on_the_grade_of_fibre(bench):
    """30 m on OM3, 50 m on OM4, nothing on single mode, and no shorter than the receiver stands."""
    short = bench.modules["sr4"]
    assert carries(short, bench.cables["om3-30"])
    assert carries(short, bench.cables["om4-50"])
    assert not carries(short, bench.cables["os2-30"])
    assert not carries(short.model_copy(update={"min_reach_m": 31.0}), bench.cables["om3-30"])


def test_only_modules_of_one_light_understand_each_other(bench):
    """FR4 and DR4 are both single mode at 400G and do not link; a twin-port module speaks with a single-port one."""
    assert light_of(bench.modules["dr4-twin-500"]) == light_of(bench.modules["dr4"]) == Light("smf", "400G-DR4")
    assert light_of(bench.modules["fr4-twin"]) != light_of(bench.modules["dr4"])
    assert menu(bench).lights(LEAF) - menu(bench).lights(NODE) == {Light("smf", "400G-FR4")}


def test_offers_are_ranked_by_sale_then_price_then_qualification(bench):
    """Cheapest first; a planned module comes last although it costs least."""
    bench.modules["new"] = bench.modules["dr4"].model_copy(update={"status": "planned", "price_usd": 1.0})
    assert [offer.key for offer in menu(bench).modules(NODE)] == ["sr4", "dr4", "new"]


def test_fibre_must_mate_with_both_ends(bench):
    """An MMC-to-MPO fibre mates with modules on one side only; LC modules have no fibre here."""
    offer = menu(bench)
    light = Light("smf", "400G-DR4")
    (head, *_), (tail, *_) = offer.tips(LEAF, light), offer.tips(NODE, light)
    assert [each.key for each in offer.ladder(head, [tail], 1).offers] == ["os2-30", "os2-100"]
    (duplex,) = offer.tips(LEAF, Light("smf", "400G-FR4"))
    assert not offer.ladder(duplex, [duplex], 1).offers


def test_module_that_a_better_one_replaces_is_no_tip(bench):
    """The 500 m module is worth a look while it costs more than the 100 m one; when cheaper, it is the only one."""
    light = Light("smf", "400G-DR4")
    assert [tip.offer.key for tip in menu(bench).tips(LEAF, light)] == ["dr4-twin-100", "dr4-twin-500"]
    bench.modules["dr4-twin-500"] = bench.modules["dr4-twin-500"].model_copy(update={"price_usd": 800.0})
    assert [tip.offer.key for tip in menu(bench).tips(LEAF, light)] == ["dr4-twin-500"]
