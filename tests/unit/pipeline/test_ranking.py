"""One search over all families: the best of them, what the others came to, and the verdict in words."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
import yaml

from fabric.catalog.load import load as load_catalog
from fabric.errors import InfeasibleError, InputError
from fabric.io import design_folder, request_file
from fabric.model.ranking import RankedFamily
from fabric.model.request import FAMILY_WORDS, PARAMETERS
from fabric.pipeline import families
from fabric.pipeline.choosing import Limits
from fabric.pipeline.designing import design
from fabric.pipeline.families import choose, prove
from fabric.pipeline.judging import evaluate
from fabric.pipeline.ranking import _turn, ranking
from fabric.pipeline.watch import Watch

CATALOG = load_catalog()
REQUEST = {
    "name": "case",
    "accelerator": "hgx-h100",
    "nodes": 40,
    "fabric": {"link_layer": "infiniband", "switches": ["nvidia-qm9700"], "node_ports": 2},
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Loads the request with other keys of its fabric, or other ones."""

    def load(request=(), plan=None, **fabric):
        folder = tmp_path_factory.mktemp("case")
        body = REQUEST | dict(request) | {"fabric": REQUEST["fabric"] | fabric}
        (folder / "request.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
        if plan is not None:
            (folder / "floorplan.yaml").write_text(yaml.safe_dump(plan), encoding="utf-8")
        return request_file.load(folder, CATALOG)

    return load


@pytest.fixture(scope="module")
def contest(ask):
    """All families."""
    return choose(ask(), CATALOG)


@pytest.fixture(scope="module")
def ranked(contest):
    """Their ranking."""
    return ranking(contest, CATALOG)


@pytest.fixture(scope="module")
def alone(ask):
    """The choice within each family."""
    return {family: choose(ask(family=family), CATALOG).choice for family in PARAMETERS}


def test_the_best_of_what_is_shipping_is_taken(contest, alone):
    """The tree as it is by itself; the others have their figures and no part in the bound."""
    outcome, tree = contest.choice.outcome, alone["fat_tree"].outcome
    assert (outcome.shape, outcome.value, outcome.bound) == (tree.shape, tree.value, tree.bound)
    assert contest.choice.fixed == ("family: one that is shipping (fabric.least_support)",)
    assert [entry.family for entry in contest.entries] == list(PARAMETERS)
    assert {other.shape.family for other in outcome.others} == set(PARAMETERS)


def test_the_objective_alone_decides_where_support_is_no_matter(ask, alone):
    """`least_support: research`: no family by itself is better than the choice, and nothing of it is taken as given."""
    contest = choose(ask(least_support="research"), CATALOG)
    outcome = contest.choice.outcome
    assert outcome.value == min(choice.outcome.value for choice in alone.values())
    assert "fabric.least_support" not in " ".join(contest.choice.fixed)
    assert outcome.bound <= min(choice.outcome.value for choice in alone.values())
    assert "as far as fabric.least_support asks" in ranking(contest, CATALOG).verdict


def test_the_best_of_the_rest_is_taken_where_nothing_shipping_holds(ask, alone):
    """No tree has 65 spines here. Dragonflies and tori have none, so they are as they are by themselves."""
    contest = choose(ask(min_spines=65), CATALOG)
    outcome = contest.choice.outcome
    least = min(alone[family].outcome.value for family in ("dragonfly", "torus"))
    assert outcome.value == least
    assert outcome.bound <= least
    found = ranking(contest, CATALOG)
    assert found.families[0].family == outcome.shape.family != "fat_tree"
    assert "no design of a family that is shipping was found" in found.verdict
    tree = next(row for row in found.families if row.family == "fat_tree")
    assert "min_spines 65" in tree.why_not
    assert found.families[1].why_not.endswith(("no design of the family is better", "%"))


def test_every_family_has_a_row_with_its_figures(ranked, alone):
    """Best first; what a row says of a family is no better than that family by itself, and bounds hold for it."""
    assert {row.family for row in ranked.families} == set(PARAMETERS)
    assert [row.why_not == "" for row in ranked.families] == [True, False, False, False]
    objectives = [row.objective for row in ranked.families[1:]]
    assert objectives == sorted(objectives)
    assert ranked.families[0].family == "fat_tree"
    for row in ranked.families:
        best = alone[row.family].outcome.value[0] / 100
        assert row.bound <= best <= row.objective
        assert row.cost > 0
        assert row.power_w > 0
        assert sum(row.cables.values()) > 0
        assert 0 < row.worst_permutation_theta <= 1
        assert row.uniform_theta >= 0.995
        assert row.diameter >= 2
        assert row.support == ("shipping" if row.family == "fat_tree" else row.support)
    tree = next(row for row in ranked.families if row.family == "fat_tree")
    assert tree.bisection == pytest.approx(1)
    assert tree.worst_permutation_theta == pytest.approx(1)


def test_the_verdict_says_why_and_what_would_change_it(ranked):
    """The tree is shipping; what the cheapest of the others would save, what it lacks, and how to ask for it."""
    first, second = ranked.families[:2]
    assert second.objective < first.objective
    saved = 100 * (first.objective - second.objective) / first.objective
    words = FAMILY_WORDS[second.family]
    assert ranked.verdict.startswith(f"A fat-tree wins as the best that is shipping: {first.objective:,.0f} ")
    assert f"a {words} would save {saved:.1f} %" in ranked.verdict
    assert f"leaves {second.worst_permutation_theta:.3g} of line rate to the worst permutation" in ranked.verdict
    assert ranked.verdict.endswith(
        f"fabric.family: {second.family} asks for it, fabric.least_support for every family of its grade."
    )
    assert second.why_not.startswith(f"{saved:.1f} % less; its support is ")


@pytest.mark.parametrize(
    ("first", "second", "side"),
    [((60, 100), (90, 120), "less"), ((90, 100), (60, 120), "more"), ((60, 100), (90, 140), "")],
)
def test_where_prices_of_switches_turn_the_verdict(first, second, side):
    """At the factor told both cost the same, (switches, all) each; where one is dearer in both, none is told."""
    families = ("dragonfly", "torus")
    best, other = (
        SimpleNamespace(family=family, words=f"a {family}", unit="usd", switches_value=switches, value=value)
        for family, (switches, value) in zip(families, (first, second), strict=True)
    )
    rows = [RankedFamily(family, "research", "", worst_permutation_theta=0.5) for family in families]
    words = r"switches at (less|more) than ([\d.]+) times their price would change that"
    told = re.fullmatch(words, _turn(best, other, rows))
    assert bool(told) == bool(side)
    if told is not None:
        factor = float(told[2])
        assert told[1] == side
        each = [switches * factor + value - switches for switches, value in (first, second)]
        assert each[0] == pytest.approx(each[1], abs=0.5)


def test_a_limit_on_time_says_so_whatever_family_it_cut(ask, monkeypatch):
    """The tree is found in time, the others are not searched any more: two runs may differ, and the notes say that."""
    found = []
    search = families.best_of_family
    monkeypatch.setattr(families, "best_of_family", lambda *given: found.append(search(*given)) or found[-1])
    monkeypatch.setattr(Watch, "is_out_of_time", property(lambda _: bool(found)))
    contest = choose(ask(), CATALOG, Limits(time_s=1.0))
    assert contest.choice.outcome.shape.family == "fat_tree"
    late = [note for note in contest.choice.notes if "--time-limit was reached before this family" in note]
    assert [note.split(":")[0] for note in late] == ["dragonfly", "dragonfly+", "torus"]


def test_families_without_a_parameter_stand_aside(ask):
    """`h` is of dragonflies alone."""
    contest = choose(ask(parameters={"h": 8}), CATALOG)
    found = ranking(contest, CATALOG)
    assert contest.choice.outcome.shape.family == "dragonfly"
    assert [row.family for row in found.families] == ["dragonfly", "fat_tree", "dragonfly_plus", "torus"]
    assert "is of another family" in found.families[1].why_not
    assert found.verdict.startswith("A dragonfly wins, for no design was found of a fat-tree or a dragonfly+")
    assert found.verdict.endswith("no design of a family that is shipping was found.")


def test_what_no_family_holds_says_why_of_each(ask):
    """The arithmetic of the tree, and one line for each of the others."""
    with pytest.raises(InfeasibleError) as error:
        prove(ask(plan={"rows": [{"name": "A", "racks": 2}]}), CATALOG)
    text = str(error.value)
    assert all(
        f"a {family}" in text.split("no other family holds it: ", 1)[1]
        for family in ("dragonfly", "dragonfly+", "torus")
    )
    with pytest.raises(InputError, match="qm9700 is an infiniband switch"):
        prove(ask(link_layer="roce"), CATALOG)


def test_a_named_family_is_not_ranked(ask):
    """There is nothing to rank."""
    assert ranking(choose(ask(family="torus"), CATALOG, Limits(work=1)), CATALOG) is None


def test_a_design_keeps_its_ranking(ask, tmp_path):
    """Read back, the folder says the same; the scope of the proof has the family."""
    made = design(ask(), CATALOG)
    assert made.provenance.ranking is not None
    assert made.provenance.optimality.scope[0] == "family"
    design_folder.write(made, tmp_path / "out")
    again = design_folder.read(tmp_path / "out")
    assert again.provenance == made.provenance
    assert evaluate(again, CATALOG).ranking == made.provenance.ranking
