"""`fabric validate`: the same report from the tables alone, and every broken folder named exactly."""

from __future__ import annotations

import json

import pytest

from fabric.cli.app import run


def _edit(path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def test_the_same_report_again(capsys, designed, content_of):
    """Stdout holds the bytes of the folder's own `report.json`, and no byte of the folder changes."""
    before = content_of(designed)
    assert run(["validate", str(designed), "--format", "json"]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert out.out.encode() == before["report.json"]
    assert content_of(designed) == before


def test_judged_from_the_tables_not_from_the_old_report(capsys, folder):
    """Without reports and artefacts the judgement is the same."""
    report = (folder / "report.json").read_text()
    for name in ("report.json", "report.md", "bom.csv", "index.html"):
        (folder / name).unlink()
    assert run(["validate", str(folder), "--format", "json"]) == 0
    assert capsys.readouterr().out == report


def test_text(capsys, designed):
    """The summary, without a word about a folder that nobody wrote."""
    assert run(["validate", str(designed)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("small: pass\n")
    assert "written to" not in out


def test_row_order_is_no_fault(capsys, folder):
    """Tables sorted otherwise give the same report."""
    for name in ("devices.csv", "links.csv", "cables.csv", "pluggables.csv", "lossless.csv"):
        head, *rows = (folder / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join([head, *reversed(rows)]))
    assert run(["validate", str(folder), "--format", "json"]) == 0
    assert capsys.readouterr().out.encode() == (folder / "report.json").read_bytes()


def test_a_wrong_design_is_a_finding(capsys, folder):
    """Exit 1, the report alone on stdout as JSON, the findings on stderr with --quiet."""
    _edit(folder / "links.csv", ",400,", ",800,")
    assert run(["validate", str(folder), "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "fail"
    assert run(["validate", str(folder), "--quiet"]) == 1
    out = capsys.readouterr()
    assert out.out == ""
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    assert len(out.err.splitlines()) == len(errors) > 0


def test_report_into_another_folder(designed, tmp_path, content_of):
    """With `-o` the report stands beside the tables it judged, byte for byte, and can be judged again."""
    target = tmp_path / "judged"
    assert run(["validate", str(designed), "-o", str(target), "--quiet"]) == 0
    written, source = content_of(target), content_of(designed)
    assert {"design.yaml", "links.csv", "report.json", "report.md", "bom.csv"} <= written.keys()
    assert not any(name.startswith(("switches/", "cabling/")) for name in written)
    assert written == {name: source[name] for name in written}
    assert run(["validate", str(target), "--quiet"]) == 0


def test_report_into_its_own_folder(folder, content_of):
    """With `-o` at the design itself its other files stay."""
    before = content_of(folder)
    (folder / "report.md").write_text("old")
    assert run(["validate", str(folder), "-o", str(folder), "--quiet"]) == 0
    assert content_of(folder) == before


def test_report_into_something_else(capsys, designed, tmp_path):
    """A folder that holds something else is refused and stays."""
    (tmp_path / "thesis.txt").write_text("mine")
    assert run(["validate", str(designed), "-o", str(tmp_path)]) == 2
    assert "holds something else than a design" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_against_another_request(capsys, designed, request_file, tmp_path):
    """`--request` judges the same tables by other wishes, and reads them as strictly as `design` does."""
    other = tmp_path / "other.yaml"
    other.write_text(request_file.read_text().replace("nodes: 8", "nodes: 9"))
    assert run(["validate", str(designed), "--request", str(other), "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert "counts" in {finding["rule"] for finding in report["findings"] if finding["severity"] == "error"}
    other.write_text(request_file.read_text().replace("nodes: 8", "nodes: many"))
    assert run(["validate", str(designed), "--request", str(other)]) == 2
    assert f"{other}:3: nodes:" in capsys.readouterr().err


def test_the_design_was_never_made_here(capsys, designed, request_file):
    """Judged by its own request given again, the report is the same."""
    assert run(["validate", str(designed), "--request", str(request_file), "--format", "json"]) == 0
    assert capsys.readouterr().out.encode() == (designed / "report.json").read_bytes()


BROKEN = {
    "no_mark": (lambda folder: (folder / "design.yaml").unlink(), "not a design folder: it holds no design.yaml"),
    "half_written": (
        lambda folder: [(folder / name).unlink() for name in ("cables.csv", "links.csv")],
        "links.csv: this table is missing; the folder is only half written",
    ),
    "no_floor_plan": (
        lambda folder: (folder / "floorplan.yaml").unlink(),
        "floorplan.yaml: this file is missing; devices.csv places devices in its racks",
    ),
    "empty_table": (
        lambda folder: (folder / "links.csv").write_text(""),
        "links.csv:1: this table is empty; a header row is the least it holds",
    ),
    "truncated_row": (
        lambda folder: (folder / "cables.csv").write_text((folder / "cables.csv").read_text()[:-20]),
        "cells where the header has 10",
    ),
    "binary_table": (
        lambda folder: (folder / "devices.csv").write_bytes(b"\x00\xff\xfe"),
        "devices.csv: not a text file in UTF-8",
    ),
    "missing_device": (
        lambda folder: _edit(folder / "links.csv", "node-0001,", "node-9999,"),
        "links.csv:18: a_device: there is no device node-9999",
    ),
    "missing_cable": (
        lambda folder: _edit(folder / "cables.csv", "c-node-0001.rail0", "c-lost"),
        "cable: there is no cable c-node-0001.rail0",
    ),
    "missing_rack": (
        lambda folder: _edit(folder / "devices.csv", ",A01,", ",Z99,"),
        "rack: there is no rack Z99",
    ),
    "device_twice": (
        lambda folder: _edit(folder / "devices.csv", "node-0002,", "node-0001,"),
        "devices.csv:5: name: node-0001 stands twice; first in line 4",
    ),
    "no_number": (
        lambda folder: _edit(folder / "links.csv", ",400,", ",4oo,"),
        "rate_gbps: '4oo' is not a whole number",
    ),
    "no_guid": (
        lambda folder: _edit(folder / "devices.csv", ",,172.16.128.1,compute", ",zzz,172.16.128.1,compute"),
        "devices.csv:2: guid: 'zzz' is no GUID: 0x and 16 hexadecimal digits, small letters",
    ),
    "unknown_column": (
        lambda folder: _edit(folder / "links.csv", "rate_gbps", "rate_gbsp"),
        "links.csv:1: rate_gbsp: unknown column, did you mean rate_gbps?",
    ),
    "unknown_key": (
        lambda folder: _edit(folder / "design.yaml", "accelerator:", "acelerator:"),
        "request.acelerator: unknown key, did you mean accelerator?",
    ),
    "binary_head": (
        lambda folder: (folder / "design.yaml").write_bytes(b"\x00\x01"),
        "design.yaml",
    ),
}


@pytest.mark.parametrize(("damage", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_folder(capsys, folder, damage, message):
    """Exit 2, file and line on stderr, the same in JSON alone on stdout."""
    damage(folder)
    assert run(["validate", str(folder)]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert message in out.err
    assert str(folder) in out.err
    assert run(["validate", str(folder), "--format", "json"]) == 2
    body = json.loads(capsys.readouterr().out)
    assert len(body["errors"]) == len(out.err.splitlines())
