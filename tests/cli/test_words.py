"""The command line itself: words it knows, words it does not, and where its answers go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fabric import __version__
from fabric.cli import app
from fabric.cli.app import COMMANDS, CRASHED, run

SCRIPT = Path(sys.executable).with_name("fabric")


def test_without_words_help_is_printed(capsys):
    """A bare `fabric` names every command."""
    assert run([]) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert all(f"    {name}" in out.out for name in COMMANDS)


@pytest.mark.parametrize("words", [["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)], ids=" ".join)
def test_help(capsys, words):
    """Every help page goes to stdout and ends with 0."""
    assert run(words) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert out.out.startswith(f"usage: fabric {'' if words[0].startswith('-') else words[0]}".rstrip())


def test_version(capsys):
    """`fabric --version` names the command and the package's version."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"fabric {__version__}\n"


BAD_WORDS = [
    (["desing", "x"], "unknown command 'desing', did you mean design?"),
    (
        ["frobnicate"],
        "unknown command 'frobnicate'; commands: design, validate, simulate, render, catalog, schema, show",
    ),
    (["--quiet", "design"], "unknown option --quiet; options follow the command, see fabric --help"),
    (["design"], "the following arguments are required: path; see fabric design --help"),
    (["validate"], "the following arguments are required: path; see fabric validate --help"),
    (["show", "x"], "the following arguments are required: DEVICE[:PORT]; see fabric show --help"),
    (["design", "x", "--work-limit", "0"], "'0' is not allowed: a whole number from 1"),
    (["design", "x", "--work-limit", "many"], "'many' is not allowed: a whole number from 1"),
    (["design", "x", "--work", "3"], "unrecognized arguments: --work 3"),
    (["render", "x", "--only", "pictures"], "argument --only: invalid choice: 'pictures'"),
    (["schema", "catalog"], "argument kind: invalid choice: 'catalog'"),
    (["design", "no-such-folder/request.yaml"], "no-such-folder/request.yaml"),
    (["design", "hopper-ndr-1x400"], "hopper-ndr-1x400: no such file or folder; did you mean hopper-ndr-1x400g?"),
    (["design", "zzz"], "zzz: no such file or folder; shipped examples: blackwell-ndr-2x400g,"),
    (["design", "zzz", "--catalog", "nowhere"], "nowhere: no such folder; an overlay holds part files and prices.csv"),
    (["validate", "nowhere"], "nowhere: there is no such design folder"),
    (["render", "nowhere"], "nowhere: there is no such design folder"),
    (["show", "nowhere", "leaf"], "nowhere: there is no such design folder"),
]


@pytest.mark.parametrize(("words", "message"), BAD_WORDS, ids=[" ".join(words) for words, _ in BAD_WORDS])
@pytest.mark.parametrize("form", [(), ("--format", "json"), ("--format=json",)], ids=["text", "json", "=json"])
def test_bad_words(capsys, tmp_path, monkeypatch, words, message, form):
    """Exit 2 with one line on stderr, or one JSON object alone on stdout."""
    monkeypatch.chdir(tmp_path)
    assert run([*words, *form]) == 2
    out = capsys.readouterr()
    if not form:
        assert out.out == ""
        assert out.err.startswith("fabric: ")
        assert message in out.err
        assert out.err.count("\n") == 1
    else:
        assert out.err == ""
        body = json.loads(out.out)
        assert body["conflict"] == []
        assert [set(error) for error in body["errors"]] == [{"file", "line", "key", "message"}]
        assert message.rpartition(": ")[2] in json.dumps(body)
    assert not any(tmp_path.iterdir())


def test_a_folder_called_json_is_not_a_format(capsys, tmp_path, monkeypatch):
    """The word json counts only behind `--format`, and the last `--format` counts."""
    monkeypatch.chdir(tmp_path)
    assert run(["validate", "json", "--format", "json", "--format", "text"]) == 2
    assert capsys.readouterr().out == ""


def test_debug_shows_the_traceback(tmp_path):
    """With `--debug` the error itself comes through."""
    with pytest.raises(app.FabricError, match="no such design folder"):
        run(["validate", str(tmp_path / "nowhere"), "--debug"])


def test_a_fault_of_ours_is_no_traceback(capsys, monkeypatch, designed):
    """Whatever breaks inside is told in one line with a code of its own, as JSON too."""

    def broken(_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr("fabric.cli.show.design_folder.read", broken)
    assert run(["show", str(designed), "leaf"]) == CRASHED
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.startswith("fabric: internal error")
    assert run(["show", str(designed), "leaf", "--format", "json"]) == CRASHED
    assert "internal error" in json.loads(capsys.readouterr().out)["errors"][0]["message"]


def test_what_the_system_refuses_is_bad_input(capsys, tmp_path):
    """A path that the operating system refuses is told in its words."""
    assert run(["design", str(tmp_path / ("x" * 300))]) == 2
    assert "File name too long" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["request", "floorplan"])
def test_schema(capsys, kind):
    """A JSON Schema alone on stdout."""
    assert run(["schema", kind]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {"request": "accelerator", "floorplan": "racks"}[kind] in schema["properties"]


def test_help_loads_no_solver_and_no_plotting():
    """`fabric --help` stays instant."""
    code = "import sys; from fabric.cli.app import run; run(['--help']); print(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert loaded.isdisjoint({"ortools", "matplotlib", "scipy", "numpy", "pydantic"})


def test_installed_script(request_file, tmp_path):
    """The script that pip installs runs a command and hands on its exit code."""
    words = [SCRIPT, "design", request_file, "-o", tmp_path / "out"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("small: pass\n")
    again = subprocess.run([SCRIPT, "show", tmp_path / "out", "nobody"], capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout) == (2, "")


def test_stdout_is_utf_8_in_every_locale(tmp_path):
    """Names that are no ASCII survive a terminal that claims it knows nothing else."""
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    words = [SCRIPT, "validate", "nö", "--format", "json"]
    done = subprocess.run(words, capture_output=True, env=env, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert json.loads(done.stdout.decode())["errors"][0]["file"] == "nö"


def test_broken_pipe_is_silent():
    """A reader that closes early is no error and no traceback."""
    words = [SCRIPT, "catalog", "list"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_is_told():
    """Stdout that cannot be written ends with 2 and one line."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([SCRIPT, "schema", "request"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.decode()) == (2, "fabric: stdout cannot be written: No space left on device\n")
