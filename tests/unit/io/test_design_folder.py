"""The design folder: what is written reads back, and what does not fit together is named with file and line."""

from __future__ import annotations

import csv
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric.content import whole
from fabric.errors import ArtifactError, InputError
from fabric.io import design_folder
from fabric.model.design import Design
from fabric.model.topology import Device, Link, Port, Topology

TABLES = design_folder.TABLES


@pytest.fixture
def folder(make_design, tmp_path, monkeypatch):
    """The small design, written as `small` in the current folder."""
    monkeypatch.chdir(tmp_path)
    design_folder.write(make_design(), tmp_path / "small")
    return (tmp_path / "small").relative_to(tmp_path)


def _bytes(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _faults(folder):
    with pytest.raises(ArtifactError) as caught:
        design_folder.read(folder)
    assert caught.value.exit_code == 2
    return [str(fault) for fault in caught.value.faults]


def _spoil(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def _texts(design):
    return {name: whole(content) for name, content in design_folder.files(design).items()}


def test_columns_are_the_contract():
    """The names and the order of columns are what outsiders rely on."""
    made = design_folder.files(Design(None, None, Topology("fat_tree", {}, (), ())))
    assert {name: whole(made[name]).decode().splitlines()[0] for name in TABLES} == {
        "devices.csv": "name,role,part,rack,u,units,su,rail,plane,group,asn,loopback,guid,mgmt_ip,fabric",
        "links.csv": "link,kind,a_device,a_cage,a_port,b_device,b_cage,b_port,rate_gbps,cable,a_ip,b_ip,rail,plane,"
        "fabric",
        "cables.csv": "cable,part,family,medium,length_m,route_m,route,bundle,run,fabric",
        "pluggables.csv": "device,cage,part,fabric",
        "lossless.csv": "device,port,rate_gbps,cable_m,priority,xoff,xon,kmin,kmax,pmax,size,virtual_lanes,"
        "credit,fabric",
    }


def test_a_design_reads_back(folder, make_design):
    """Every record of the design is in the folder."""
    assert design_folder.read(folder) == make_design()


def test_reading_and_writing_changes_no_byte(folder):
    """All files come out as they were, except those that only a renderer makes."""
    before = _bytes(folder)
    design_folder.write(design_folder.read(folder), folder)
    assert _bytes(folder) == before


def test_a_bare_topology_reads_back(tmp_path):
    """What was never decided is None and not empty."""
    bare = Design(None, None, Topology("fat_tree", {}, (), ()), name="bare")
    design_folder.write(bare, tmp_path / "bare")
    assert design_folder.read(tmp_path / "bare") == bare


def test_groups_and_the_numbers_of_a_family_read_back(tmp_path):
    """A router's group, also group 0, and parameters that are numbers or texts, in every byte."""
    devices = tuple(Device(f"router-{number}", "router", "x", su=1, plane=0, group=number) for number in range(2))
    ends = (Port(device.name, "1", "1/1") for device in devices)
    link = Link("router-0.1/1", "global", *ends, 400, plane=0)
    parameters = {"p": 8, "sizes": "4x3", "arrangement": "absolute"}
    made = Design(None, None, Topology("dragonfly", parameters, devices, (link,)), name="groups")
    design_folder.write(made, tmp_path / "groups")
    found = design_folder.read(tmp_path / "groups")
    assert found == made
    assert _texts(found) == _texts(made)
    assert [line.split(",")[9] for line in (tmp_path / "groups" / "devices.csv").read_text().splitlines()[1:]] == [
        "0",
        "1",
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(nodes=st.integers(1, 5), leaves=st.integers(1, 3), lost=st.sets(st.sampled_from(["cabling", "settings", "all"])))
def test_any_design_reads_back_and_writes_the_same_bytes(make_design, tmp_path, nodes, leaves, lost):
    """Also one that lacks parts, whatever its size."""
    design = make_design(nodes, leaves)
    for part in lost:
        gone = ("placement", "floor_plan", "provenance", "request") if part == "all" else (part,)
        design = replace(design, **dict.fromkeys(gone))
    design_folder.write(design, tmp_path / "any")
    found = design_folder.read(tmp_path / "any")
    assert found == design
    assert _texts(found) == _texts(design)


def test_overlay_and_artefacts_are_written_along(make_design, tmp_path):
    """A design folder needs nothing else: it carries the parts and prices of the user's own."""
    design_folder.write(
        make_design(),
        tmp_path / "small",
        overlay={"prices.csv": "part,price_usd\n", "switches/mine.yaml": "name: Mine\n"},
        extra={"plots/floor.svg": b"<svg/>", "report.md": "# Report\n"},
    )
    overlay = design_folder.overlay_folder(tmp_path / "small")
    assert overlay is not None
    assert (overlay / "switches" / "mine.yaml").read_text() == "name: Mine\n"
    assert (tmp_path / "small" / "plots" / "floor.svg").read_bytes() == b"<svg/>"
    assert (tmp_path / "small" / "report.md").read_text() == "# Report\n"


def test_no_overlay_is_none(folder):
    """A design of shipped parts carries none."""
    assert design_folder.overlay_folder(folder) is None


@pytest.mark.parametrize("name", TABLES)
def test_the_order_of_rows_is_no_fault(folder, make_design, name):
    """Rows are sorted when they are read."""
    path = folder / name
    header, *rows = path.read_text().splitlines(keepends=True)
    path.write_text(header + "".join(reversed(rows)))
    assert design_folder.read(folder) == make_design()


def test_the_order_of_columns_is_no_fault(folder, make_design):
    """Columns have names."""
    with (folder / "links.csv").open(newline="") as file:
        rows = [row[::-1] for row in csv.reader(file)]
    with (folder / "links.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert design_folder.read(folder) == make_design()


def test_no_folder(tmp_path):
    """A path that does not exist is said to be none."""
    assert _faults(tmp_path / "none") == [f"{tmp_path}/none: there is no such design folder"]


def test_a_file_is_no_folder(tmp_path):
    """A file that is there is not said to be missing."""
    (tmp_path / "links.csv").write_text("link\n")
    assert _faults(tmp_path / "links.csv") == [f"{tmp_path}/links.csv: a file, not a design folder"]


def test_no_design_folder(tmp_path):
    """Any other folder is refused."""
    assert _faults(tmp_path) == [f"{tmp_path}: not a design folder: it holds no design.yaml"]


def test_a_half_written_folder_is_refused(folder):
    """Every missing table is named."""
    for name in ("cables.csv", "lossless.csv"):
        (folder / name).unlink()
    assert _faults(folder) == [
        "small/cables.csv: this table is missing; the folder is only half written",
        "small/lossless.csv: this table is missing; the folder is only half written",
    ]


def test_a_missing_floor_plan_is_refused(folder):
    """Racks that nothing describes mean a half-written folder."""
    (folder / "floorplan.yaml").unlink()
    assert _faults(folder) == ["small/floorplan.yaml: this file is missing; devices.csv places devices in its racks"]


@pytest.mark.parametrize(
    ("file", "old", "new", "faults"),
    [
        ("links.csv", "rail0,leaf-r0", "rail0,leaf-r9", ["links.csv:4: b_device: there is no device leaf-r9"]),
        ("links.csv", ",node-0000,", ",node-000,", ["links.csv:4: a_device: there is no device node-000"]),
        ("links.csv", "c-node-0000.rail0", "c-x", ["links.csv:4: cable: there is no cable c-x"]),
        (
            "links.csv",
            "10.1.0.0/31,10.1.0.1/31",
            "10.1.0.0/31,",
            ["links.csv:2: b_ip: one end has an address and the other has none"],
        ),
        (
            "links.csv",
            "\nnode-0000.rail1",
            "\nnode-0000.rail0",
            ["links.csv:5: link: node-0000.rail0 stands twice; first in line 4"],
        ),
        ("links.csv", ",400,", ",4oo,", ["links.csv:2: rate_gbps: '4oo' is not a whole number"]),
        (
            "devices.csv",
            "leaf-r0,leaf,some-leaf,A01",
            "leaf-r0,leaf,some-leaf,A09",
            ["devices.csv:2: rack: there is no rack A09"],
        ),
        (
            "devices.csv",
            "A01,1,2",
            "A01,,",
            ["devices.csv:2: u: a device in a rack needs this", "devices.csv:2: units: a device in a rack needs this"],
        ),
        (
            "devices.csv",
            "\nnode-0001,",
            "\nnode-0000,",
            [
                "devices.csv:5: name: node-0000 stands twice; first in line 4",
                "links.csv:6: a_device: there is no device node-0001",
                "links.csv:7: a_device: there is no device node-0001",
            ],
        ),
        (
            "cables.csv",
            "c-node-0000.rail1",
            "c-node-0000.rail0",
            [
                "links.csv:5: cable: there is no cable c-node-0000.rail1",
                "cables.csv:5: cable: c-node-0000.rail0 stands twice; first in line 4",
            ],
        ),
        (
            "pluggables.csv",
            "spine-01,2",
            "spine-01,1",
            ["pluggables.csv:3: cage: spine-01 1 stands twice; first in line 2"],
        ),
        ("pluggables.csv", "spine-01,2", "spine-02,2", ["pluggables.csv:3: device: there is no device spine-02"]),
        ("lossless.csv", "spine-01", "spine-02", ["lossless.csv:2: device: there is no device spine-02"]),
        ("lossless.csv", "xoff", "xof", ["lossless.csv:1: xof: unknown column, did you mean xoff?"]),
        (
            "design.yaml",
            "family: fat_tree",
            "famly: fat_tree",
            [
                "design.yaml:1: family: this key is missing: text",
                "design.yaml:9: famly: unknown key, did you mean family?",
            ],
        ),
        (
            "design.yaml",
            "seed: 1",
            "seed: one",
            ["design.yaml:17: provenance.seed: 'one' is not allowed: a whole number"],
        ),
        (
            "floorplan.yaml",
            "racks: 2",
            "racks: 0",
            ["floorplan.yaml:3: rows.0.racks: 0 is not allowed: a whole number from 1 to 1000"],
        ),
    ],
)
def test_what_does_not_fit_together_is_named(folder, file, old, new, faults):
    """One spoiled cell, and exactly the faults that it makes."""
    _spoil(folder / file, old, new)
    assert _faults(folder) == [f"small/{fault}" for fault in faults]


@pytest.mark.parametrize("name", ["../leaf", "leaf r0", 'leaf"r0', "leaf{{r0}}", "-leaf"])
def test_a_device_name_that_could_do_harm_is_refused(folder, name):
    """Device names become folders, host names and lines of configuration."""
    path = folder / "devices.csv"
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    rows[1][0] = name
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert (
        f"small/devices.csv:2: name: {name!r} is not allowed: letters, digits, dots, underscores and hyphens"
        in _faults(folder)
    )


def test_faults_of_several_files_come_at_once(folder):
    """A folder is mended in one go."""
    _spoil(folder / "links.csv", ",400,", ",x,")
    _spoil(folder / "cables.csv", ",3,", ",y,")
    _spoil(folder / "design.yaml", "name: small", "name: [")
    assert [fault.split(":")[0] for fault in _faults(folder)] == [
        "small/design.yaml",
        "small/links.csv",
        "small/cables.csv",
    ]


def test_many_faults_are_counted_and_not_listed(folder, make_design):
    """A device that lost its row does not flood the terminal."""
    design_folder.write(make_design(nodes=200), folder)
    _spoil(folder / "devices.csv", "leaf-r0,", "leaf-r9,")
    faults = _faults(folder)
    assert len(faults) == 51
    assert faults[-1] == "small: and 151 more"


def test_an_interrupted_swap_is_mended_by_reading(folder, make_design):
    """A run that was killed between the two renames costs nothing."""
    folder.rename(".small.old")
    assert design_folder.read(folder) == make_design()


def test_something_else_is_not_replaced(make_design, tmp_path):
    """A folder with other files is left as it is."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else than a design"):
        design_folder.write(make_design(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_time_grows_with_links_and_not_faster(make_design, tmp_path):
    """Eight times the links take less than twenty times as long; a join by search would take sixty-four."""

    def seconds(nodes):
        design = make_design(nodes, 8)
        start = time.process_time()
        design_folder.write(design, tmp_path / "x")
        design_folder.read(tmp_path / "x")
        return time.process_time() - start

    seconds(100)
    assert seconds(2400) < 20 * min(seconds(300) for _ in range(3))
