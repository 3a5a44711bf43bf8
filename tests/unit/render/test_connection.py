"""The cabling sheet, its labels and its workbook."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace

import pytest

from fabric.content import whole
from fabric.model.cabling import Cable, Cabling
from fabric.model.design import Design
from fabric.render.cabling import render_cabling
from fabric.render.connection import cable_sheet
from fabric.render.label import labels
from fabric.render.workbook import workbook


@pytest.fixture(scope="module")
def splitter(design) -> Design:
    """The design with one cable that carries rail 0 of two nodes to one leaf cage."""
    carried = ("node-0001.rail0", "node-0002.rail0")
    cable = Cable("c-split", "MCP7Y00-N002", "MCP7Y00", "dac", 2.0, 1.8, "A01 > row A > cross west > row Z > Z01")
    others = tuple(one for one in design.cabling.cables if one.name not in {f"c-{name}" for name in carried})
    cable_of = {**design.cabling.cable_of, **dict.fromkeys(carried, "c-split")}
    return replace(design, cabling=Cabling((*others, cable), design.cabling.pluggables, cable_of))


def test_every_link_has_one_row(design, catalog):
    """A link without a row would never be pulled, one with two be ordered twice."""
    assert sorted(row.link for row in cable_sheet(design, catalog).rows()) == [
        link.name for link in design.topology.links
    ]


def test_both_ends_of_a_row_say_where_they_are(design, catalog):
    """Rack, unit, cage, port and module of each end come from the tables."""
    row = next(row for row in cable_sheet(design, catalog).rows() if row.link == "node-0003.rail5")
    assert (row.a_rack, row.a_u, row.a_cage, row.a_port, row.a_pluggable) == (
        "A01",
        17,
        "NIC5",
        "rail5",
        "MMS4X00-NS400",
    )
    assert (row.b_device, row.b_cage, row.b_port, row.b_pluggable) == ("leaf-p0-su02-r5", "1", "1/1", "MMS4X00-NM")
    assert (row.part, row.length_m, row.route_m, row.rail, row.plane) == ("MFP7E30-N030", 30.0, 21.5, 5, 0)


def test_rows_follow_the_walk_of_a_technician(make, catalog):
    """Bundles in natural order, and inside each from the lowest unit up, cage 2 before cage 10."""
    rows = list(cable_sheet(make(units=1, unit_nodes=24, spines=2), catalog).rows())
    first = [row for row in rows if row.bundle == rows[0].bundle]
    assert [row.a_u for row in first] == sorted(row.a_u for row in first)
    uplinks = [int(row.a_cage) for row in rows if row.a_device == "leaf-p0-su01-r0"]
    assert uplinks == sorted(uplinks)


def test_labels_name_near_and_far_end(design, catalog):
    """ANSI/TIA-606-B: near rack, unit and port, then the far ones; the two ends of a cable mirror each other."""
    row = next(row for row in cable_sheet(design, catalog).rows() if row.link == "node-0001.rail0")
    assert row.a_label == "A01-01:rail0/Z01-46:1/1"
    assert row.b_label == "Z01-46:1/1/A01-01:rail0"


def test_a_straight_cable_has_two_labels_and_a_splitter_one_per_end(design, splitter, catalog):
    """Each physical end gets its own label; the head of a splitter names both legs."""
    assert len(list(labels(design, cable_sheet(design, catalog)))) == 2 * len(design.cabling.cables)
    ends = [end for end in cable_sheet(splitter, catalog).ends() if end.cable.name == "c-split"]
    assert [(end.end, end.label) for end in ends] == [
        ("A", "A01-01:rail0/Z01-46:1/1"),
        ("A", "A01-09:rail0/Z01-46:1/2"),
        ("B", "Z01-46:1/1+1/2/A01-01:rail0+A01-09:rail0"),
    ]


def test_labels_say_cage_and_socket_of_both_faceplates(splitter, catalog):
    """Whoever sees faceplates alone finds near and far end; the head of a splitter takes two sockets of one cage."""
    found = [
        (one.device, one.near_cage, one.near_socket, one.far_cage, one.far_socket)
        for one in labels(splitter, cable_sheet(splitter, catalog))
        if one.cable == "c-split"
    ]
    assert found == [
        ("node-0001", "NIC0", "1", "1", "1"),
        ("node-0002", "NIC0", "1", "1", "2"),
        ("leaf-p0-su01-r0", "1", "1+2", "NIC0+NIC0", "1+1"),
    ]


def test_a_label_tells_the_two_sockets_of_a_twin_cage_apart(dgx, catalog):
    """OSFP4 of DGX H100 carries rail 3 in its first socket and rail 0 in its second, as the catalog's map says."""
    of_cable = {one.cable: one for one in labels(dgx, cable_sheet(dgx, catalog)) if one.end == "A"}
    first, second = of_cable["c-node-0001.rail3"], of_cable["c-node-0001.rail0"]
    assert (first.near_cage, first.near_socket) == ("OSFP4", "1")
    assert (second.near_cage, second.near_socket) == ("OSFP4", "2")


def test_a_label_leaves_an_unknown_socket_open(splitter, catalog):
    """No number is made up for a switch that the catalog lacks; the node's own socket stays known."""
    devices = tuple(replace(one, part=None) if one.role == "leaf" else one for one in splitter.topology.devices)
    unknown = replace(splitter, topology=replace(splitter.topology, devices=devices))
    leg, *_, head = (one for one in labels(unknown, cable_sheet(unknown, catalog)) if one.cable == "c-split")
    assert (leg.near_socket, leg.far_socket, head.near_socket) == ("1", None, None)


def test_rows_of_one_cable_share_its_name(splitter, catalog):
    """A splitter is one cable in two rows, each with the label of its own leg."""
    rows = [row for row in cable_sheet(splitter, catalog).rows() if row.cable == "c-split"]
    assert [row.link for row in rows] == ["node-0001.rail0", "node-0002.rail0"]
    assert rows[0].a_label != rows[1].a_label
    assert rows[0].b_label == rows[1].b_label


def test_a_proposal_without_places_or_cables_still_lists_its_links(design, catalog):
    """A bare port map gives rows with devices in place of racks, and empty cells."""
    rows = list(cable_sheet(replace(design, placement=None, cabling=None), catalog).rows())
    assert len(rows) == len(design.topology.links)
    row = next(row for row in rows if row.link == "node-0001.rail0")
    assert (row.cable, row.a_rack, row.a_label) == (None, None, "node-0001:rail0/leaf-p0-su01-r0:1/1")


def test_the_workbook_is_the_same_bytes_twice(design, catalog):
    """No clock and no temporary name may reach the file."""
    sheet = cable_sheet(design, catalog)
    assert workbook(design, sheet) == workbook(design, sheet)


def test_the_workbook_holds_every_row_and_no_formula(design, catalog):
    """A name that starts with "=" stays text."""
    sheet = cable_sheet(design, catalog)
    first = sheet.links[0].name
    sheet = replace(sheet, cable={**sheet.cable, first: replace(sheet.cable[first], name="=1+1")})
    with zipfile.ZipFile(io.BytesIO(workbook(design, sheet))) as book:
        page = book.read("xl/worksheets/sheet2.xml").decode()
    assert page.count("<row ") == len(sheet.links) + 1
    assert "<t>=1+1</t>" in page
    assert "<f>" not in page


def test_the_summary_counts_cables_by_part(splitter, catalog):
    """62 fibres of 30 m beside one splitter: what is ordered, and how many metres of it."""
    with zipfile.ZipFile(io.BytesIO(workbook(splitter, cable_sheet(splitter, catalog)))) as book:
        summary = book.read("xl/worksheets/sheet1.xml").decode()
    fibre = summary[summary.index("MFP7E30-N030") :]
    assert "<v>62</v>" in fibre[: fibre.index("</row>")]
    assert "<v>1860</v>" in fibre[: fibre.index("</row>")]


def test_all_sheets_parse_as_tables(design, catalog):
    """Every CSV has its header, equal rows and the column `fabric` of the contract."""
    files = render_cabling(design, catalog, cable_sheet(design, catalog))
    for path in ("cabling/connections.csv", "cabling/labels.csv", "cabling/hca_mapping.csv", "management.csv"):
        header, *rows = list(csv.reader(io.StringIO(whole(files[path]).decode())))
        assert rows, path
        assert {len(row) for row in rows} == {len(header)}, path
        assert {row[header.index("fabric")] for row in rows} == {"compute"}, path
