"""The house: floors, room cards, sizes of files and functions, sources of figures, and what git holds."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from fabric.catalog.load import Catalog, load
from fabric.io import request_file
from fabric.resources import data_dir

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "fabric"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
EXAMPLES = sorted(path.name for path in data_dir("designs").iterdir() if path.is_dir())

MOST_CARD_LINES = 30
MOST_MODULE_LINES = 350
MOST_FUNCTION_LINES = 40
MOST_POSITIONAL = 6

CITED = re.compile(r"\bSources?:\s+([a-z0-9][a-z0-9.-]*[a-z0-9])")
HERE = re.compile(r"(?<![\w.}~/$-])/(?:home|root|work|Users|mnt)/\w")
"""A path of somebody's machine."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


def tracked() -> list[Path]:
    """Every file that git holds; the test skips where there is no repository."""
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)  # noqa: S607
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git repository here")
    return [ROOT / name for name in listing.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_floors_hold():
    """Rooms import from floors below only, and heavy libraries stay in their rooms (contracts in pyproject.toml)."""
    assert lint_imports(str(ROOT / "pyproject.toml"), is_debug_mode=False, no_cache=True) == 0


@pytest.mark.parametrize("room", ROOMS)
def test_room_has_a_card(room):
    """The docstring of every room says what it is for, in at most 30 lines."""
    card = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")))
    assert card is not None
    assert len(card.splitlines()) <= MOST_CARD_LINES
    assert {"takes", "gives"} <= set(re.findall(r"[a-z]+", card.lower()))


def test_modules_are_small():
    """No module is longer than 350 lines."""
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > MOST_MODULE_LINES} == {}


def test_functions_are_small():
    """No function is longer than 40 lines without its docstring, or takes more than six positional arguments."""
    large = []
    for path in MODULES:
        for item in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(item, ast.FunctionDef):
                body = item.body[1 if ast.get_docstring(item) and len(item.body) > 1 else 0]
                lines = (item.end_lineno or 0) - body.lineno + 1
                arguments = [each.arg for each in (*item.args.posonlyargs, *item.args.args)]
                positional = len(set(arguments) - {"self", "cls"})
                if lines > MOST_FUNCTION_LINES or positional > MOST_POSITIONAL:
                    large.append((path.name, item.name, lines, positional))
    assert large == []


def test_sources_cited_in_code_exist(catalog):
    """Every `Source: key` of a docstring or comment is a key of the catalog's sources."""
    cited = {(path.name, key) for path in MODULES for key in CITED.findall(path.read_text(encoding="utf-8"))}
    assert len(cited) > 10
    assert {(name, key) for name, key in cited if key not in catalog.sources} == set()


def test_git_holds_no_path_of_a_machine():
    """No tracked file names a folder of somebody's machine."""
    assert HERE.search(f"see {Path('/', 'home', 'me')}")
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [(path.name, line) for line in text.splitlines() if HERE.search(line)]
    assert found == []


def test_git_holds_nothing_generated():
    """Outputs, caches and builds are ignored."""
    generated = ("output/", "build/", "dist/", ".venv/", ".hypothesis/", "__pycache__/")
    names = [path.relative_to(ROOT).as_posix() for path in tracked()]
    assert [name for name in names if name.startswith(generated) or "__pycache__" in name] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_loads(name, catalog):
    """A shipped example is a valid request and carries its folder's name."""
    assert request_file.load(data_dir("designs") / name, catalog).request.name == name
