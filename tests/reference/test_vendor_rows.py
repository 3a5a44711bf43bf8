"""Switch and link counts of published reference designs, reproduced from the requests in `vendor_rows.yaml`.

Every row is sized as production does it: the topology room offers shapes, their bound orders them, the search of the
layout room takes the cheapest. Rows that are small are also laid out and cabled in full.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.catalog.load import Catalog, load
from fabric.errors import InfeasibleError
from fabric.io import request_file
from fabric.layout.search import search
from fabric.layout.waiting import Bounds
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.tree_shape import FatTreeShape
from fabric.pipeline.bounds import ShapeBound
from fabric.pipeline.designing import design
from fabric.pipeline.objective import Objective
from fabric.topology.fat_tree import listings
from fabric.topology.size import resolve

TABLE = yaml.safe_load((Path(__file__).parent / "vendor_rows.yaml").read_text(encoding="utf-8"))
LARGEST_IN_FULL = 1100
"""Most node links of a row that is laid out in full here."""

Row = dict[str, Any]


def rows(*sections: str) -> list[Any]:
    """The rows of some sections, named by their id."""
    return [pytest.param(row, id=row["id"]) for section in sections for row in TABLE[section]]


def small_rows() -> list[Any]:
    """Rows that take a second or two to lay out."""
    return [
        each for each in rows("rows", "above_the_least") if each.values[0]["counts"]["node_leaf"] <= LARGEST_IN_FULL
    ]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


@pytest.fixture
def designed(catalog, tmp_path):
    """Designs a row as `fabric design` would, from a request file."""

    def run(row: Row) -> Design:
        path = tmp_path / request_file.REQUEST
        tree = row["request"] | {"fabric": {"family": "fat_tree"} | row["request"]["fabric"]}
        path.write_text(yaml.safe_dump({"name": row["id"], **tree}), encoding="utf-8")
        return design(request_file.load(path, catalog), catalog)

    return run


def request_of(row: Row, **more: object) -> Request:
    """The request of a row; through JSON, whose lists a strict record takes for tuples."""
    return Request.model_validate_json(json.dumps({"name": row["id"], **row["request"], **more}))


def chosen(request: Request, catalog: Catalog) -> tuple[FatTreeShape, dict[str, int]]:
    """The shape that the search prefers by its bound alone, and its counts in our units."""
    size = resolve(request, catalog)
    bound = ShapeBound(request, size, catalog, Objective(request, catalog), None)
    offered = listings(request, size, catalog)
    shape = search(offered, Bounds(bound.switches, (bound,)), lambda each: (bound(each), bound(each), each)).result
    return shape, {
        "leaf": shape.leaves_total,
        "spine": shape.spines_total,
        "node_leaf": size.endpoints * size.planes + size.attached_ports,
        "leaf_spine": shape.uplinks_total,
    }


def counts_of(made: Design) -> dict[str, int]:
    """Counts of a finished design."""
    topology = made.topology
    switches = {role: len(topology.with_role(role)) for role in ("leaf", "spine")}
    return switches | {kind: len(topology.of_kind(kind)) for kind in ("node_leaf", "leaf_spine")}


@pytest.mark.parametrize("row", rows("rows", "above_the_least"))
def test_sizing_gives_the_counts_of_the_row(row, catalog):
    """The cheapest shape has the leaves, spines and links of the row."""
    assert chosen(request_of(row), catalog)[1] == row["counts"]


@pytest.mark.parametrize("row", small_rows())
def test_finished_design_has_the_counts_of_the_row(row, designed):
    """Placed and cabled in full, the row keeps its counts, and every link has a cable."""
    made = designed(row)
    assert counts_of(made) == row["counts"]
    assert made.cabling is not None
    assert set(made.cabling.cable_of) == {link.name for link in made.topology.links}
    assert set(made.cabling.cable_of.values()) == {cable.name for cable in made.cabling.cables}


@pytest.mark.parametrize("row", rows("above_the_least"))
def test_printed_number_is_not_the_least(row, catalog):
    """Where we differ, ours has fewer switches, and the ports of both tiers hold every link: the row's arithmetic."""
    shape, counts = chosen(request_of(row), catalog)
    assert counts["leaf"] + counts["spine"] < row["printed"]["leaf"] + row["printed"]["spine"]
    assert counts["leaf"] <= row["printed"]["leaf"]
    leaf_ports = catalog.switches[shape.leaf_part].usable_ports(shape.node_port_gbps)
    assert shape.leaves * shape.down_ports >= counts["node_leaf"] / shape.planes
    assert shape.down_ports + shape.uplinks <= leaf_ports
    if shape.spine_part is None:
        assert shape.leaves == 1
        return
    spine_ports = catalog.switches[shape.spine_part].usable_ports(shape.uplink_gbps)
    assert shape.uplinks >= shape.down_ports
    assert shape.uplinks % shape.spines == 0
    assert shape.leaves * (shape.uplinks // shape.spines) <= spine_ports


@pytest.mark.parametrize(
    ("key", "other_spines"),
    [("gb300-enterprise-8-racks", 10), ("gb300-enterprise-8-racks-any-media", 12)],
)
def test_fewer_spines_are_dearer_with_optics(key, other_spines, designed):
    """GB300, eight racks: the printed 12 spines are cheapest with optics, 10 with copper between leaf and spine."""
    row = next(row for row in (*TABLE["rows"], *TABLE["above_the_least"]) if row["id"] == key)
    provenance = designed(row).provenance
    assert provenance is not None
    assert provenance.optimality is not None
    (other,) = provenance.alternatives
    assert other.switches["spine"] == other_spines
    assert provenance.optimality.objective < (other.objective or other.bound)


@pytest.mark.parametrize("row", rows("limits"))
def test_two_tiers_hold_exactly_their_limit(row, catalog):
    """The largest two-tier fabric fits; one node more does not, and the refusal shows the product."""
    request = request_of(row)
    shape, counts = chosen(request, catalog)
    assert counts["node_leaf"] == row["endpoints"] * shape.planes
    assert 2 * shape.spines == shape.leaves
    with pytest.raises(InfeasibleError) as refused:
        chosen(request_of(row, nodes=request.nodes + 1), catalog)
    assert refused.value.exit_code == 3
    assert f"= {row['endpoints']} endpoints" in refused.value.conflict[0].arithmetic


@pytest.mark.parametrize("row", rows("three_tiers"))
def test_what_needs_three_tiers_is_refused_with_the_arithmetic(row, catalog):
    """Published with a core tier: two tiers of 64 ports hold 32 x 64 = 2,048 endpoints and say so."""
    with pytest.raises(InfeasibleError) as refused:
        chosen(request_of(row), catalog)
    assert refused.value.exit_code == 3
    arithmetic = refused.value.conflict[0].arithmetic
    assert f"{row['endpoints']} endpoints a plane" in arithmetic
    assert "32 x 64 = 2048 endpoints" in arithmetic


def test_bill_of_the_127_node_superpod(designed):
    """Tables 7 and 8 of h100-pdf: 1,536 switch and 508 system modules, 2,040 cables and 4 to the UFM, multimode."""
    row = next(row for row in TABLE["rows"] if row["id"] == "superpod-h100-4su")
    media = {"node_leaf": ["mmf"], "leaf_spine": ["mmf"]}
    fabric = {**row["request"]["fabric"], "media": media, "preload_optics": True}
    made = designed({**row, "request": {**row["request"], "fabric": fabric}})
    role = {device.name: device.role for device in made.topology.devices}
    assert made.cabling is not None
    modules = [role[each.device] for each in made.cabling.pluggables]
    assert modules.count("leaf") + modules.count("spine") == 1536
    assert modules.count("node") == 508
    assert modules.count("ufm") == 4
    assert len(made.cabling.cables) == 2040 + 4
    assert {cable.medium for cable in made.cabling.cables} == {"mmf"}


def test_every_row_names_a_source_and_is_used():
    """No row without a source, no source without a row."""
    named = {
        row["source"] for section in ("rows", "above_the_least", "limits", "three_tiers") for row in TABLE[section]
    }
    assert named == set(TABLE["sources"])
