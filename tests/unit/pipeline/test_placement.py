"""Generated floor plans and placement policies: every policy of a request without a floor plan finds its racks."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest

from fabric.catalog import load as catalog_file
from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError
from fabric.io import request_file
from fabric.model.design import Design
from fabric.pipeline.designing import design
from fabric.pipeline.judging import evaluate

REQUEST = """\
name: policies
accelerator: {system}
nodes: {nodes}
fabric:
  family: fat_tree
  link_layer: {layer}
  switches: [{switch}]
  min_spines: 4
placement: {{leaf: {leaf}, spine: {spine}, max_switches_per_rack: {most}}}
"""

HGX = {"system": "hgx-h100", "nodes": 16, "layer": "infiniband", "switch": "nvidia-qm9700"}
NVL72 = {"system": "gb300-nvl72", "nodes": 36, "layer": "roce", "switch": "nvidia-sn5610"}

LEAF = ("free", "own_rack", "network_rack", "row_middle", "row_end")
SPINE = ("free", "network_row", "spread")
MOST = ("auto", 4, 1)


@cache
def catalog() -> Catalog:
    """The shipped catalog."""
    return catalog_file.load()


def designed(folder: Path, **words: object) -> Design:
    """The design of `REQUEST`, on a generated floor plan."""
    path = folder / "request.yaml"
    path.write_text(REQUEST.format(**words))
    return design(request_file.load(path, catalog()), catalog())


def idle_racks(made: Design) -> set[str]:
    """Network racks without a switch."""
    assert made.floor_plan is not None
    assert made.topology is not None
    assert made.placement is not None
    used = {made.placement.of[device.name].rack for device in made.topology.devices if device.is_switch}
    return {rack.name for rack in made.floor_plan.all_racks if rack.use == "network"} - used


@pytest.mark.parametrize(("leaf", "spine", "most"), list(product(LEAF, SPINE, MOST)))
def test_every_policy_is_designed_and_passes(tmp_path, leaf, spine, most):
    """A plan made for the policy holds it: the design passes its own validator, and no network rack stays empty."""
    made = designed(tmp_path, **HGX, leaf=leaf, spine=spine, most=most)
    assert [finding for finding in evaluate(made, catalog()).findings if finding.severity == "error"] == []
    assert idle_racks(made) == set()


@pytest.mark.parametrize(("leaf", "spine"), [("network_rack", "spread"), ("row_middle", "free"), ("row_end", "free")])
def test_whole_racks_of_nodes_leave_the_switches_their_own(tmp_path, leaf, spine):
    """Racks of 18 trays hold no switch, whatever the policy."""
    made = designed(tmp_path, **NVL72, leaf=leaf, spine=spine, most=4)
    assert [finding for finding in evaluate(made, catalog()).findings if finding.severity == "error"] == []
    assert idle_racks(made) == set()


def test_no_leaf_has_its_own_rack_among_whole_racks(tmp_path):
    """Leaves beside the trays of a whole-rack system are proved impossible by counting."""
    with pytest.raises(InfeasibleError, match=r"placement\.leaf: own_rack: .* have room for 0"):
        designed(tmp_path, **NVL72, leaf="own_rack", spine="free", most="auto")
