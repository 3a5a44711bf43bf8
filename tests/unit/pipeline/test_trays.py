"""Trays of a floor plan: kept by thinner cables, passed over, or refused by counting, each with its arithmetic."""

from __future__ import annotations

import math
from collections import Counter

import pytest
import yaml

from fabric.catalog.load import load as load_catalog
from fabric.errors import InfeasibleError
from fabric.io import request_file
from fabric.pipeline.designing import design
from fabric.pipeline.families import choose
from fabric.pipeline.judging import evaluate
from fabric.pipeline.rules import broken_limit

CATALOG = load_catalog()

COPPER_MM2, FIBRE_MM2 = math.pi / 4 * 9.43**2, math.pi / 4 * 3.0**2


def hall(room_mm2, nodes_each):
    """Nodes in the racks W and E, switches in N between them; the cables of W and of E have a tray each to N."""
    at = {"W": 0.0, "N": 0.6, "E": 1.2}
    use = {name: {"use": "node", "nodes": nodes_each} for name in "WE"} | {"N": {"use": "network"}}
    tray = {"depth_mm": 100, "fill_max": 0.5, "width_mm": room_mm2 / 50}
    return {
        "racks": [{"name": name, "x_m": x_m, "y_m": 0.0, "units": 48, **use[name]} for name, x_m in at.items()],
        "slack_per_end_m": 0.0,
        "trays": {
            "nodes": [{"name": f"t{name}", "x_m": x_m, "y_m": 0.0, "z_m": 2.2} for name, x_m in at.items()],
            "segments": [{"a": "tW", "b": "tN", **tray}, {"a": "tE", "b": "tN", **tray}],
            "drops": [{"rack": name, "node": f"t{name}"} for name in at],
        },
    }


@pytest.fixture
def ask(tmp_path):
    """Loads a request for H100 nodes of eight ports of 400G in a hall."""

    def load(room_mm2, media=None, nodes_each=4):
        fabric = {"family": "fat_tree", "link_layer": "infiniband", "switches": ["nvidia-qm9700"], "media": media or {}}
        request = {"name": "case", "accelerator": "hgx-h100", "nodes": 2 * nodes_each, "fabric": fabric}
        (tmp_path / "request.yaml").write_text(yaml.safe_dump(request), encoding="utf-8")
        (tmp_path / "floorplan.yaml").write_text(yaml.safe_dump(hall(room_mm2, nodes_each)), encoding="utf-8")
        return request_file.load(tmp_path, CATALOG)

    return load


def across(made):
    """Cables by medium that run from W to N."""
    return Counter(each.medium for each in made.cabling.cables if each.route and each.route.startswith("W > "))


def test_trays_are_kept_by_thinner_cables(ask):
    """Copper splitters as far as there is room, fibres for the rest; that costs more, and no rule fails."""
    wide = design(ask(10_000), CATALOG)
    assert across(wide).total() == 16
    room_mm2 = 10 * COPPER_MM2
    made = design(ask(room_mm2), CATALOG)
    assert evaluate(made, CATALOG).verdict == "pass"
    mixed = across(made)
    thick, thin = mixed.total() - mixed["mmf"] - mixed["smf"], mixed["mmf"] + mixed["smf"]
    assert thick + thin / 2 == 16
    assert thick * COPPER_MM2 + thin * FIBRE_MM2 <= room_mm2 < (thick + 1) * COPPER_MM2 + (thin - 2) * FIBRE_MM2
    assert made.provenance.optimality.objective > wide.provenance.optimality.objective
    assert made.provenance.optimality.status == "feasible"


def test_a_design_that_overfills_a_tray_is_written_with_its_error(ask):
    """Three nodes a rack: of each leaf's splitters one goes to both racks, so 16 lie in a tray and not 12, the least.

    Counting proves nothing then, and copper is all that is allowed; the best is written.
    """
    loaded = ask(13 * COPPER_MM2, {"node_leaf": ["dac"]}, nodes_each=3)
    outcome = choose(loaded, CATALOG).choice.outcome
    made = design(loaded, CATALOG)
    report = evaluate(made, CATALOG)
    assert report.verdict == "fail"
    found = {finding.where: finding for finding in report.findings if finding.rule == "tray-fill"}
    assert set(found) == {"tW > tN", "tE > tN"}
    why = broken_limit(made, outcome.result.worth, CATALOG)
    assert why.startswith("laid out in full and breaks a limit: tray t")
    assert why.endswith("; trays overfilled: 2")


def test_trays_that_no_cable_is_thin_enough_for_are_refused(ask):
    """Four nodes stand behind a tray: 32 links, whose thinnest cables are fibres, two links each at best."""
    need_mm2 = 32 * FIBRE_MM2 / 2
    with pytest.raises(InfeasibleError) as error:
        choose(ask(need_mm2 - 0.01), CATALOG)
    (conflict,) = error.value.conflict
    assert conflict.key == "floorplan.trays"
    for words in ("at least 4 nodes stand behind tN > tW", "113 mm² for 32 links, of the 113 mm² they may"):
        assert words in conflict.arithmetic or words.replace("tN > tW", "tE > tN") in conflict.arithmetic
    assert choose(ask(need_mm2), CATALOG).choice.outcome.result
