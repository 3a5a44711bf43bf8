"""Requests that load but cannot be designed: exit code and stderr of `fabric design`, to the letter."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fabric.cli.app import run

CASES = sorted(path for path in (Path(__file__).parent / "cli").iterdir() if path.is_dir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case, golden, capsys, tmp_path, monkeypatch):
    """The same faults as text on stderr and as JSON alone on stdout; nothing is written."""
    shutil.copytree(case, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    code = run(["design", "."])
    text = capsys.readouterr()
    assert text.out == ""
    golden(f"exit {code}\n{text.err}", case / "expected.txt")
    assert code in {2, 3, 4}
    assert run(["design", ".", "--format", "json"]) == code
    as_json = capsys.readouterr()
    assert as_json.err == ""
    body = json.loads(as_json.out)
    assert body.keys() == {"errors", "conflict"}
    assert len(body["errors"]) + len(body["conflict"]) == len(text.err.splitlines())
    assert code != 3 or body["conflict"], "a proof shows its arithmetic"
    assert sorted(path.name for path in tmp_path.iterdir()) == before
