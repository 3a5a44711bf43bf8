"""Power of parts: known figures, planning watts, and what a switch counts already."""

from __future__ import annotations

import pytest

from fabric.catalog.load import load
from fabric.catalog.scale import Scale
from fabric.catalog.watts import Watts, assembly_watts, module_watts, switch_watts
from fabric.model.request import Request

CATALOG = load()
REQUEST = Request.model_validate(
    {"name": "r", "accelerator": "hgx-b200", "nodes": 1, "fabric": {"link_layer": "roce"}, "cost": {"years": 1.0}}
)


def test_every_class_says_why():
    """Each planning figure has a reason and sources that exist."""
    planning = CATALOG.planning_watts
    for group in (planning.switches, planning.assemblies, planning.modules):
        for item in group.values():
            assert item.reason
            assert set(item.sources) <= set(CATALOG.sources)


def test_a_switch_by_its_figure_its_plan_or_its_class():
    """7,000 W as published; 2,800 W as planned, or what the request says; 33 W for each of 51.2 Tb/s at last."""
    switches = CATALOG.switches
    assert switch_watts(switches["nvidia-q3400-ra"], CATALOG, 1.0) == Watts(7_000_000, known=True)
    assert switch_watts(switches["chaoqing-n9500-64oc"], CATALOG) == Watts(2_800_000, known=False)
    assert switch_watts(switches["chaoqing-n9500-64oc"], CATALOG, 1900.0) == Watts(1_900_000, known=False)
    assert switch_watts(switches["cisco-8122-64ehf"], CATALOG) == Watts(1_689_600, known=False)


def test_modules_count_once():
    """17 W of a 2xDR4 in the open, nothing where the switch has it; 17 W for each 800G of one without a figure."""
    part = CATALOG.transceivers["MMS4X00-NS"]
    assert module_watts(part, CATALOG) == Watts(17_000, known=True)
    assert module_watts(part, CATALOG, included=True) == Watts(0, known=True)
    assert module_watts(CATALOG.transceivers["980-9IAU0-00XM00"], CATALOG) == Watts(34_000, known=False)


@pytest.mark.parametrize(
    ("included", "milliwatts"),
    [((False, False, False), 2700), ((True, False, False), 1200), ((False, False), 2100), ((True, True, True), 0)],
)
def test_plugs_of_a_splitter_in_use(included, milliwatts):
    """1.5 W at the head and 0.6 W at each leg that is plugged, without those that a switch counts."""
    assert assembly_watts(CATALOG.cables["MCA7J60-N004"], CATALOG, included) == Watts(milliwatts, known=True)


def test_glass_draws_nothing():
    """A fibre has no plug that needs power, known or not."""
    fibre = next(part for part in CATALOG.cables.values() if part.medium == "smf")
    assert assembly_watts(fibre, CATALOG, ()) == Watts(0, known=True)


def test_weights_of_one_part():
    """9 W for a year at 0.12 USD and a PUE of 1.3: 9 x 8.766 x 1.3 x 0.12 = 12.3075 USD, 1,230 whole cents."""
    part = CATALOG.transceivers["MMA1Z00-NS400"].model_copy(update={"price_usd": 100.0})
    weights = [Scale(goal, REQUEST, CATALOG).module(part, included=False) for goal in ("capex", "power", "tco")]
    assert weights == [10_000, 9_000, 11_230]
