"""docs/how-it-works.md names every file, column and field that a design folder has, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from fabric.cli.app import COMMANDS, run

CSV_FILES = (
    "devices.csv",
    "links.csv",
    "cables.csv",
    "pluggables.csv",
    "lossless.csv",
    "bom.csv",
    "management.csv",
    "cabling/connections.csv",
    "cabling/labels.csv",
    "cabling/hca_mapping.csv",
    "cabling/free_ports.csv",
    "exports/netbox/cables.csv",
)
FOLDED = ("switches/", "opensm/")
_OPTION = re.compile(r"--[a-z][a-z-]*")


@pytest.fixture(scope="module")
def manual(page):
    """The page."""
    return page("docs/how-it-works.md")


@pytest.fixture(scope="module")
def folders(workshop):
    """The design folders of one RoCE and one InfiniBand example."""
    return sorted((workshop / "output").iterdir())


def _fold(path: str) -> str:
    return next((folder for folder in FOLDED if path.startswith(folder)), path)


def test_files(manual, folders):
    """Every file of both folders; an overlay only where one was given."""
    made = {
        _fold(path.relative_to(folder).as_posix()) for folder in folders for path in folder.rglob("*") if path.is_file()
    }
    assert {row[0] for row in manual.table("The design folder")} == made | {"catalog/"}


@pytest.mark.parametrize("name", CSV_FILES)
def test_columns(manual, folders, name):
    """The columns in their order, and a unit for every quantity whose name ends in one."""
    rows = manual.table(f"Columns of {name}")
    for folder in folders:
        assert [row[0] for row in rows] == (folder / name).read_text(encoding="utf-8").splitlines()[0].split(",")
    units = {"_m": "m", "_gbps": "Gb/s", "_usd": "USD"}
    for column, unit, meaning in rows:
        assert meaning
        assert all(unit == word for suffix, word in units.items() if column.endswith(suffix)), column


def _leaves(value: object, path: str) -> Iterator[str]:
    """Dotted path of every value that holds no other."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for item in value:
            yield from _leaves(item, f"{path}[]")
    else:
        yield path


def _covers(field: str, leaf: str) -> bool:
    return leaf == field or leaf.startswith((f"{field}.", f"{field}["))


def test_fields_of_the_report(manual, folders):
    """Every value of both reports lies under a field that the page names, and every such field exists."""
    found = {
        leaf
        for folder in folders
        for leaf in _leaves(json.loads((folder / "report.json").read_text(encoding="utf-8")), "")
    }
    fields = [field for row in manual.table("Fields of report.json") for field in row[0].split(", ")]
    assert len(set(fields)) == len(fields)
    assert [leaf for leaf in sorted(found) if not any(_covers(field, leaf) for field in fields)] == []
    assert [field for field in fields if not any(_covers(field, leaf) for leaf in found)] == []


def test_commands_and_their_options(manual, capsys):
    """Every command that is there with every option of its own, and the options that all have."""
    listed = {words.split()[1]: set(_OPTION.findall(own)) for words, own, _ in manual.table("Commands")}
    common = set(_OPTION.findall(manual.text.split("All of them take ")[1].split("after the command")[0]))
    assert listed.keys() == COMMANDS.keys()
    for command, own in listed.items():
        assert run([command, "--help"]) == 0
        assert set(_OPTION.findall(capsys.readouterr().out)) - {"--help"} == own | common, command


def test_exit_codes(manual):
    """The five codes of the command line."""
    assert [row[0] for row in manual.table("Exit codes")] == ["0", "1", "2", "3", "4"]
