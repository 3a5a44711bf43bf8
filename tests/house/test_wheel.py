"""The wheel, installed where nothing of the source tree is in reach, designs a shipped example from another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from fabric import __version__
from fabric.resources import data_dir

ROOT = Path(__file__).parents[2]
EXAMPLE = "hopper-ndr-1x400g"

pytestmark = pytest.mark.slow


def run(*words: str | Path, folder: Path) -> str:
    """Standard output of a command that must succeed; no variable leads it back to the source tree."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_", "COV"))}
    done = subprocess.run(words, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Path:
    """A fresh environment with the wheel alone; the dependencies are those installed here, without this project."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, folder=folder)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder


def test_wheel_holds_templates_examples_and_parts(wheel):
    """Every template, example and part of the tree is inside, and no test is."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for here, inside in (("templates", "_templates"), ("designs", "_designs"), ("catalog", "catalog/data")):
        folder = data_dir(here)
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert files
        assert {f"fabric/{inside}/{name}" for name in files} <= names
    assert not [name for name in names if name.startswith(("tests/", "output/"))]


def test_installed_package_is_the_wheels(environment, tmp_path):
    """The command runs the installed code, not the tree it was built from."""
    place = run(environment / "bin" / "python", "-c", "import fabric; print(fabric.__file__)", folder=tmp_path)
    assert Path(place.strip()).is_relative_to(environment)
    assert run(environment / "bin" / "fabric", "--version", folder=tmp_path) == f"fabric {__version__}\n"


def test_design_of_an_example_from_another_folder(environment, tmp_path):
    """`fabric design` finds the shipped example by name, writes the whole folder, and `fabric validate` agrees."""
    fabric = environment / "bin" / "fabric"
    report = json.loads(run(fabric, "design", EXAMPLE, "--format", "json", folder=tmp_path))
    assert report["counts"]["switches"] == {"leaf": 3, "spine": 2}
    folder = tmp_path / "output" / EXAMPLE
    for name in ("design.yaml", "links.csv", "report.md", "cabling/connections.xlsx", "opensm/opensm.conf"):
        assert (folder / name).stat().st_size
    judged = json.loads(run(fabric, "validate", folder, "--format", "json", folder=tmp_path))
    assert judged["verdict"] == report["verdict"] == "pass"
