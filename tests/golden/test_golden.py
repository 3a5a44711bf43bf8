"""Every text artefact of two small designs, byte by byte. `pytest --update-golden` writes them anew: read the diff.

Pictures, the page that holds them and the workbook are left out: their bytes belong to the drawing libraries. The
digest of the catalog changes with every part, so it stands as a word.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest

from fabric.catalog import load as catalog_file
from fabric.cli.app import run

HERE = Path(__file__).parent
DESIGNS = sorted(path.parent.name for path in HERE.glob("*/request.yaml"))
DRAWN = {".svg", ".xlsx", ".html"}
STORED = [
    (name, path.relative_to(HERE / name / "expected").as_posix())
    for name in DESIGNS
    for path in sorted((HERE / name / "expected").rglob("*"))
    if path.is_file()
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Texts of a design's folder by path, each design made once."""

    @cache
    def texts(name: str) -> dict[str, str]:
        target = tmp_path_factory.mktemp(name) / "out"
        assert run(["design", str(HERE / name), "-o", str(target), "--quiet"]) == 0
        digest = catalog_file.load().digest
        return {
            path.relative_to(target).as_posix(): path.read_bytes().decode().replace(digest, "DIGEST")
            for path in sorted(target.rglob("*"))
            if path.is_file() and path.suffix not in DRAWN
        }

    return texts


@pytest.mark.parametrize("name", DESIGNS)
def test_set_of_files(name, made, golden, request):
    """No artefact appears or vanishes unseen."""
    if request.config.getoption("--update-golden"):
        shutil.rmtree(HERE / name / "expected", ignore_errors=True)
        for path, text in made(name).items():
            golden(text, HERE / name / "expected" / path)
    folder = HERE / name / "expected"
    stored = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert stored == made(name).keys()


@pytest.mark.parametrize(("name", "path"), STORED)
def test_file(name, path, made, golden):
    """The artefact is what was reviewed."""
    golden(made(name)[path], HERE / name / "expected" / path)
