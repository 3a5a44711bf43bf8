"""What constraints cost: each figure is the difference of two whole designs, found by searching for both."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from fabric.catalog.bill import bill
from fabric.catalog.load import load as load_catalog
from fabric.floorplan.repeat import with_one_more
from fabric.io import design_folder, request_file
from fabric.model.design import Design
from fabric.model.floorplan import FloorPlan
from fabric.pipeline import binding as room
from fabric.pipeline.binding import binding
from fabric.pipeline.designing import design
from fabric.pipeline.families import choose
from fabric.pipeline.judging import evaluate

CATALOG = load_catalog()

HOPPER = {
    "name": "case",
    "accelerator": "hgx-h100",
    "nodes": 64,
    "fabric": {"family": "fat_tree", "link_layer": "infiniband", "switches": ["nvidia-qm9700"]},
}

PLAN = {"rows": [{"name": row, "racks": 6, "y_m": 3.0 * number, "power_kw": 60} for number, row in enumerate("AB")]}


@pytest.fixture
def ask(tmp_path):
    """Loads a request, with its floor plan if it has one."""

    def load(plan=None, fabric=None, **keys):
        request = HOPPER | ({"nodes": 24} if plan else {}) | keys | {"fabric": HOPPER["fabric"] | (fabric or {})}
        (tmp_path / "request.yaml").write_text(yaml.safe_dump(request), encoding="utf-8")
        if plan is not None:
            (tmp_path / "floorplan.yaml").write_text(yaml.safe_dump(plan), encoding="utf-8")
        return request_file.load(tmp_path, CATALOG)

    return load


def weighed(loaded):
    """What was chosen, and every row by its key."""
    choice = choose(loaded, CATALOG).choice
    rows, notes = binding(choice, CATALOG)
    assert notes == ()
    return choice, {row.key: row for row in rows}


@pytest.mark.parametrize(
    ("key", "strict"),
    [
        ("placement.spine", {"placement": {"spine": "spread"}}),
        ("placement.leaf", {"placement": {"leaf": "row_end"}}),
        ("placement.max_switches_per_rack", {"placement": {"max_switches_per_rack": 2}}),
        ("fabric.media.node_leaf", {"fabric": {"media": {"node_leaf": ["mmf"]}}}),
        ("fabric.media.leaf_spine", {"fabric": {"media": {"leaf_spine": ["smf"]}}}),
    ],
)
def test_a_policy_costs_what_the_free_choice_saves(ask, key, strict):
    """Both designs are of one shape on one plan; the row says the difference, 0 if there is none, and what is free."""
    choice, rows = weighed(ask(PLAN, **strict))
    best = choose(ask(PLAN), CATALOG).choice
    assert best.outcome.shape == choice.outcome.shape
    assert rows[key].is_policy
    assert rows[key].marginal == max(0, choice.outcome.value[0] - best.outcome.value[0])
    assert rows[key].unit == "planning_usd"


def test_a_policy_costs_as_much_where_a_budget_is_passed_anyway(ask):
    """Nobody knows prices that keep the budget; the design is written with a warning, and its policy is no cheaper."""
    policy = {"placement": {"leaf": "row_end"}, "fabric": {"media": {"leaf_spine": ["smf"]}}}
    _, rows = weighed(ask(PLAN, **policy))
    choice, passed = weighed(ask(PLAN, limits={"budget_usd": 400_000}, **policy))
    assert choice.outcome.breaks_rules
    for key in ("placement.leaf", "fabric.media.leaf_spine"):
        assert passed[key].marginal == rows[key].marginal > 0


def test_a_limit_is_relaxed_within_the_family(ask):
    """A dragonfly was laid out beside the tree and is cheaper; it is no shape that a budget ruled out."""
    choice, rows = weighed(ask(nodes=96, fabric={"family": "auto", "node_ports": 1}, limits={"budget_usd": 5e7}))
    families = {other.shape.family for other in choice.outcome.others if other.value is not None}
    assert families - {choice.outcome.shape.family}
    assert "limits.budget_usd" not in rows


def test_the_list_of_switches_is_a_policy(ask):
    """It is said what it costs against every switch of the catalog, and nothing is said where all are allowed."""
    choice, rows = weighed(ask())
    assert (rows["fabric.switches"].value, rows["fabric.switches"].relaxed) == ("nvidia-qm9700", "auto")
    best = choose(ask(fabric={"switches": "auto"}), CATALOG).choice.outcome.value[0]
    assert rows["fabric.switches"].marginal <= max(0, choice.outcome.value[0] - best)
    assert "fabric.switches" not in weighed(ask(fabric={"switches": "auto"}))[1]


def test_a_step_of_oversubscription_saves_what_a_request_for_it_costs_less(ask):
    """1:1 against 1.5:1; the step is found even where another shape is best with it."""
    choice, rows = weighed(ask())
    looser = choose(ask(fabric={"oversubscription": 1.5}), CATALOG).choice.outcome.value[0]
    assert 0 < rows["fabric.oversubscription"].marginal <= choice.outcome.value[0] - looser
    assert rows["fabric.oversubscription"].relaxed == "1.5"


def test_one_spine_fewer_saves_what_a_request_for_it_costs_less(ask):
    """5 spines of 10 uplinks against 4 of 8."""
    choice, rows = weighed(ask(fabric={"oversubscription": 4, "min_spines": 5}))
    fewer = choose(ask(fabric={"oversubscription": 4, "min_spines": 4}), CATALOG).choice
    assert (choice.outcome.shape.spines, fewer.outcome.shape.spines) == (5, 4)
    assert rows["fabric.min_spines"].relaxed == "4"
    assert rows["fabric.min_spines"].marginal == choice.outcome.value[0] - fewer.outcome.value[0] > 0


def test_shorter_ways_save_cable(ask):
    """1 m less slack a cable is the request on a plan with half a metre less at each end."""
    choice, rows = weighed(ask(PLAN))
    shorter = ask(PLAN | {"slack_per_end_m": {"copper": 0.0, "fibre": 1.0}})
    assert (
        rows["floorplan.slack_per_end_m"].marginal
        == choice.outcome.value[0] - choose(shorter, CATALOG).choice.outcome.value[0]
    )


def test_limits_bind_on_what_is_bought_for_the_shape_chosen(ask):
    """A limit on orderable numbers made the cables of the choice dearer: without it the cheaper ones come back."""
    loaded = ask(fabric={"oversubscription": 4})
    loose, rows = weighed(loaded)
    assert "limits.part_numbers" not in rows
    layout = loose.outcome.result.layout
    count = len(bill(Design(loaded.request, None, layout.topology, cabling=layout.cabling), CATALOG))
    held, rows = weighed(ask(fabric={"oversubscription": 4}, limits={"part_numbers": count - 1}))
    assert held.outcome.shape == loose.outcome.shape
    assert rows["limits.part_numbers"].marginal == held.outcome.value[0] - loose.outcome.value[0] > 0


@pytest.mark.parametrize("key", ["power_kw", "budget_usd"])
def test_a_limit_that_planning_figures_reach_is_said_to_cost_what_was_passed_over(ask, key):
    """A leaf model of known and less power, but dearer: the one goal chooses against the other, which is limited.

    Without the limit the fabric is one of 18 to 22 kW for 546,340.50, with it one of 11 kW with dearer leaves; and the
    other way round under a budget.
    """
    frugal = CATALOG.switches["nvidia-qm9790"].model_copy(update={"max_w": 500.0, "price_usd": 40_000.0})
    catalog = replace(CATALOG, switches=CATALOG.switches | {"nvidia-qm9790": frugal})
    asked = {"nodes": 24, "fabric": {"switches": ["nvidia-qm9700", "nvidia-qm9790"]}}
    asked["objective"], value = {"power_kw": ("capex", 15.0), "budget_usd": ("power", 600_000)}[key]
    free = choose(ask(**asked), catalog).choice.outcome
    loaded = ask(**asked, limits={key: value})
    choice = choose(loaded, catalog).choice
    rows = {row.key: row for row in binding(choice, catalog)[0]}
    assert choice.outcome.shape != free.shape
    assert rows[f"limits.{key}"].marginal == choice.outcome.value[0] - free.value[0] > 0
    (reason,) = (other.why_not for other in choice.outcome.others if other.shape == free.shape)
    assert reason.startswith(f"laid out in full and breaks a limit: limits.{key}: all together ")


def test_one_more_rack_stands_at_the_end_of_the_middle_row():
    """It is one for the network where the plan has such racks, and has a drop of its tray where these are given."""
    racks = [
        {"name": f"{row}{x}", "row": row, "x_m": 0.6 * x, "y_m": 3.0 * y} for y, row in enumerate("ABC") for x in (1, 2)
    ]
    plain = with_one_more(FloorPlan.model_validate({"racks": tuple(racks)}))
    new = plain.racks[-1]
    assert (new.name, new.row, new.x_m, new.y_m, new.use) == ("B2-more", "B", 1.8, 3.0, "any")
    racks[0]["use"] = "network"
    assert with_one_more(FloorPlan.model_validate({"racks": tuple(racks)})).racks[-1].use == "network"


def test_policies_come_first_and_work_is_bounded(ask, monkeypatch):
    """Without any work left policies are still weighed, and the rest is named as not tried."""
    loaded = ask(PLAN, placement={"spine": "spread"})
    choice = choose(loaded, CATALOG).choice
    monkeypatch.setattr(room, "WORK_LINKS", 0)
    rows, notes = binding(choice, CATALOG)
    assert [row.key for row in rows if row.is_policy] == [row.key for row in rows]
    assert "placement.spine" in {row.key for row in rows}
    assert notes[0].startswith("binding: not tried within the limits: fabric.port_order, fabric.oversubscription, ")
    assert binding(choice, CATALOG, lambda: False)[0] == ()


def test_rows_are_the_same_when_the_folder_is_read_again(ask, tmp_path):
    """They stand in the folder's provenance, in cents; reports give dollars."""
    made = design(ask(), CATALOG)
    rows = evaluate(made, CATALOG).binding
    assert [row["marginal"] for row in rows] == [row.marginal / 100 for row in made.provenance.binding]
    design_folder.write(made, tmp_path / "out")
    assert evaluate(design_folder.read(tmp_path / "out"), CATALOG).binding == rows


def test_keys_that_can_change_nothing_are_not_relaxed(ask):
    """A dragonfly+ has no whole units; 400G is the only rate of these switches; spines of a group may be fewer."""
    loaded = ask(fabric={"family": "dragonfly_plus", "uplink_port_gbps": 400})
    choice = choose(loaded, CATALOG).choice
    keys = {step.key for step in room._steps(loaded, choice, CATALOG)}
    assert not keys & {"fabric.whole_units", "fabric.uneven_trunks", "fabric.uplink_port_gbps"}
    assert keys >= {"fabric.min_spines", "fabric.oversubscription", "fabric.switches"}
