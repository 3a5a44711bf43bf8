"""`fabric design`: what it prints, where it writes, and that nothing else decides its bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fabric.cli.app import run
from fabric.io import design_folder

SCRIPT = Path(sys.executable).with_name("fabric")
CONTRACT_FILES = {
    "design.yaml", "floorplan.yaml", "devices.csv", "links.csv", "cables.csv", "pluggables.csv", "lossless.csv",
    "report.json", "report.md", "index.html", "bom.csv", "cabling/connections.csv", "cabling/connections.xlsx",
    "cabling/labels.csv", "cabling/hca_mapping.csv", "management.csv", "switches/spine-01/config_db.json",
    "switches/spine-01/frr.conf", "exports/topology.dot", "exports/netbox/cables.csv",
    "exports/containerlab.clab.yml", "exports/slurm_topology.conf",
}  # fmt: skip
"""Files of a design folder on RoCE that outsiders rely on."""


def test_text(capsys, request_file, tmp_path):
    """A summary that opens with the verdict and ends with the folder."""
    assert run(["design", str(request_file), "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    lines = out.out.splitlines()
    assert lines[0] == "small: pass"
    assert lines[1].startswith("  8 nodes, 16 endpoints, 2 leaves + 2 spines; 16 node_leaf links,")
    assert lines[-1] == f"written to {tmp_path / 'out'}"


def test_json_is_the_report_alone(capsys, request_file, tmp_path, designed):
    """Stdout holds the bytes of `report.json`."""
    assert run(["design", str(request_file), "-o", str(tmp_path / "out"), "--format", "json"]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert out.out.encode() == (tmp_path / "out" / "report.json").read_bytes()
    assert json.loads(out.out)["counts"]["switches"] == {"leaf": 2, "spine": 2}


def test_quiet(capsys, request_file, tmp_path):
    """Nothing is printed where all is well."""
    assert run(["design", str(request_file), "-o", str(tmp_path / "out"), "--quiet"]) == 0
    out = capsys.readouterr()
    assert (out.out, out.err) == ("", "")


def test_a_design_with_error_findings_is_written(capsys, request_file, tmp_path):
    """Exit 1: the best design stands on disk with its findings, JSON alone on stdout, with --quiet on stderr."""
    path = tmp_path / "slow.yaml"
    text = request_file.read_text().replace("tokens_per_rank: 8", "tokens_per_rank: 8, limit_us: {p99: 1}")
    path.write_text(text)
    words = ["design", str(path), "-o", str(tmp_path / "out")]
    assert run([*words, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    errors = [finding for finding in report["findings"] if finding["severity"] == "error"]
    assert report["verdict"] == "fail"
    assert {finding["rule"] for finding in errors} == {"workload-limit"}
    assert run([*words, "--quiet"]) == 1
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.splitlines() == [f"fabric: {one['rule']}: {one['where']}: {one['message']}" for one in errors]


def test_every_file_of_the_contract_is_there(designed, content_of):
    """The folder is complete."""
    assert content_of(designed).keys() >= CONTRACT_FILES


def test_default_target_is_output_and_the_name(request_file, tmp_path, monkeypatch, designed, content_of):
    """Without `-o` the folder stands in `output`, with the same bytes as anywhere else."""
    monkeypatch.chdir(tmp_path)
    assert run(["design", str(request_file.parent), "--quiet"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["output"]
    assert content_of(tmp_path / "output" / "small") == content_of(designed)


@pytest.mark.parametrize("before", ["absent", "empty", "design"])
def test_target_that_may_be_written(request_file, tmp_path, designed, content_of, before):
    """An absent folder, an empty one and an old design become the new design, and nothing is left beside it."""
    target = tmp_path / "out"
    if before != "absent":
        target.mkdir()
    if before == "design":
        (target / "design.yaml").write_text("old")
        (target / "stale.txt").write_text("old")
    assert run(["design", str(request_file), "-o", str(target), "--quiet"]) == 0
    assert content_of(target) == content_of(designed)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("other", "holds something else than a design; give a new or an empty folder"),
        ("file", "is a file; the output is a folder"),
        ("below_a_file", "cannot be written: out is a file"),
    ],
)
def test_target_that_may_not(capsys, request_file, tmp_path, content_of, before, message):
    """Anything else is refused before any work, and stays as it is."""
    target = tmp_path / "out"
    if before == "other":
        target.mkdir()
        (target / "thesis.txt").write_text("mine")
    else:
        target.write_text("mine")
    held = content_of(tmp_path)
    wanted = target / "deeper" if before == "below_a_file" else target
    assert run(["design", str(request_file), "-o", str(wanted)]) == 2
    assert message in capsys.readouterr().err
    assert content_of(tmp_path) == held


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_parent_without_permission(capsys, request_file, tmp_path):
    """A folder that may not be written is refused before any work."""
    tmp_path.chmod(0o500)
    assert run(["design", str(request_file), "-o", str(tmp_path / "out")]) == 2
    assert "no permission in its folder" in capsys.readouterr().err


def test_bytes_depend_on_the_input_alone(request_file, tmp_path, designed, content_of):
    """Another hash seed, locale, time zone, folder and umask give the same bytes."""
    env = {**os.environ, "PYTHONHASHSEED": "77", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "COLUMNS": "50"}
    words = [SCRIPT, "design", os.path.relpath(request_file, tmp_path), "-o", "here", "--quiet"]
    subprocess.run(words, env=env, cwd=tmp_path, check=True)
    assert content_of(tmp_path / "here") == content_of(designed)


def test_reading_and_writing_changes_no_byte(designed, tmp_path, content_of):
    """The files that make up the design come out of its records as they went in."""
    design_folder.write(design_folder.read(designed), tmp_path / "again")
    again = content_of(tmp_path / "again")
    assert again == {name: content for name, content in content_of(designed).items() if name in again}
    assert len(again) == 7


@pytest.mark.parametrize("moment_s", [0.4, 0.9, 1.3])
def test_a_killed_run_leaves_the_old_folder_whole(request_file, folder, designed, content_of, moment_s):
    """SIGKILL at any moment: the folder holds the old design or the new one, and the next run tidies up."""
    (folder / "report.md").write_text("old")
    old = content_of(folder)
    words = [SCRIPT, "design", request_file, "-o", folder, "--quiet"]
    with subprocess.Popen(words, start_new_session=True) as running:
        time.sleep(moment_s)
        os.killpg(running.pid, signal.SIGKILL)
    assert run(["validate", str(folder), "--quiet"]) == 0
    assert content_of(folder) in (old, content_of(designed))
    assert run(["design", str(request_file), "-o", str(folder), "--quiet"]) == 0
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
