"""The request file: which files are read, and what is judged with the catalog."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabric import yaml_file
from fabric.catalog import load as catalog_load
from fabric.errors import Conflict, Fault, InfeasibleError, InputError
from fabric.io import request_file
from fabric.model.floorplan import FloorPlan
from fabric.model.request import Request

REQUEST = """\
name: small
accelerator: hgx-b200
nodes: 16
fabric:
  link_layer: roce
  switches: {leaf: [nvidia-sn5600, nvidia-sn5610], spine: [nvidia-sn5600]}
objective: [tco, capex]
"""
FLOOR_PLAN = "rows: [{name: A, racks: 4}]\nslack_per_end_m: 1\n"


@pytest.fixture(scope="module")
def catalog():
    """The shipped catalog."""
    return catalog_load.load()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a request and a floor plan."""
    (tmp_path / "request.yaml").write_text(REQUEST)
    (tmp_path / "floorplan.yaml").write_text(FLOOR_PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _message(path, catalog):
    with pytest.raises(InputError) as caught:
        request_file.load(path, catalog)
    return str(caught.value)


def test_a_folder_gives_request_and_floor_plan(folder, catalog):
    """Lists and mappings of the request arrive as records."""
    loaded = request_file.load(folder, catalog)
    assert loaded.request.fabric.switches.leaf == ("nvidia-sn5600", "nvidia-sn5610")
    assert loaded.request.objective == ("tco", "capex")
    assert loaded.floor_plan is not None
    assert len(loaded.floor_plan.all_racks) == 4
    assert loaded.floor_plan.slack_per_end_m.fibre == 1.0


def test_a_request_called_request_takes_the_floor_plan_beside_it(folder, catalog):
    """The folder and the file in it mean the same."""
    assert request_file.load(Path("request.yaml"), catalog).floor_plan is not None


def test_a_request_of_another_name_has_no_floor_plan(folder, catalog):
    """Several requests in one folder do not share racks by accident."""
    (folder / "larger.yaml").write_text(REQUEST)
    assert request_file.load(Path("larger.yaml"), catalog).floor_plan is None


def test_a_folder_without_floor_plan(folder, catalog):
    """The floor plan may be generated later."""
    (folder / "floorplan.yaml").unlink()
    assert request_file.load(folder, catalog).floor_plan is None


def test_paths_without_a_request(folder, catalog):
    """A folder without request, a missing file, and a file that cannot be read: one sentence each."""
    (folder / "empty").mkdir()
    (folder / "odd" / "request.yaml").mkdir(parents=True)
    assert _message(Path("empty"), catalog) == "empty: this folder holds no request.yaml"
    assert _message(Path("none.yaml"), catalog) == "none.yaml: there is no such file"
    assert _message(Path("odd"), catalog) == "odd/request.yaml: cannot be read: Is a directory"


def test_faults_of_both_files_come_at_once(folder, catalog):
    """The request's first, each file from top to bottom."""
    Path("request.yaml").write_text(REQUEST.replace("hgx-b200", "hgx-b20").replace("16", "0"))
    Path("floorplan.yaml").write_text(FLOOR_PLAN.replace("4", "0"))
    assert [(fault.file, fault.line) for fault in _faults(folder, catalog)] == [
        ("request.yaml", 2),
        ("request.yaml", 3),
        ("floorplan.yaml", 1),
    ]


def _faults(folder, catalog):
    with pytest.raises(InputError) as caught:
        request_file.load(Path("request.yaml"), catalog)
    return caught.value.faults


def test_faults_of_later_rooms_find_their_place(folder, catalog):
    """A room that names a key of the request gets file and line; the kind of error and its conflict stay."""
    loaded = request_file.load(Path("request.yaml"), catalog)
    conflict = (Conflict("nodes", "16", "16 x 8 = 128"),)
    placed = loaded.placed(InfeasibleError(Fault("too large", key="fabric.switches.leaf"), conflict=conflict))
    assert type(placed) is InfeasibleError
    assert placed.faults == (Fault("too large", "request.yaml", 6, "fabric.switches.leaf"),)
    assert placed.conflict == conflict


def test_the_written_request_is_the_request(folder, catalog):
    """What a design folder stores of a request reads back as the same request."""
    request = request_file.load(folder, catalog).request
    text = yaml_file.dump(request.model_dump(exclude_unset=True))
    assert yaml_file.validate(Request, yaml_file.parse(text, "f")) == request


@pytest.mark.parametrize(("kind", "model"), [("request", Request), ("floorplan", FloorPlan)])
def test_schema(kind, model):
    """The schema is JSON, names every key and allows no other."""
    schema = json.loads(json.dumps(request_file.schema(kind)))
    assert set(schema["properties"]) == set(model.model_fields)
    assert schema["additionalProperties"] is False


def test_schema_knows_the_short_forms():
    """An editor must not mark `switches: auto` or one slack for both media as wrong."""
    fabric = request_file.schema("request")["$defs"]["Fabric"]["properties"]
    assert {arm.get("type", "record") for arm in fabric["switches"]["anyOf"]} == {"string", "array", "record"}
    slack = request_file.schema("floorplan")["properties"]["slack_per_end_m"]
    assert {arm.get("type", "record") for arm in slack["anyOf"]} == {"number", "record"}
