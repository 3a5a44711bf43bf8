"""What README and the other pages tell a reader to do works: commands, links, blocks of YAML and Python."""

from __future__ import annotations

import re
import shlex

import pytest

from fabric import yaml_file
from fabric.catalog.load import load
from fabric.checks._protocol import CHECKS
from fabric.cli.app import run
from fabric.floorplan.routes import Routes
from fabric.io.request_file import load as load_request
from fabric.model.floorplan import FloorPlan
from fabric.topology import fat_tree
from fabric.topology.size import resolve

_MADE_HERE = re.compile(r"^# (\S+/\S+)\n")


def _title(block: str) -> str:
    """The file that a block says it is, in its first line; empty for a block without."""
    found = _MADE_HERE.match(block)
    return found[1] if found else ""


def _anchor(heading: str) -> str:
    """The anchor that a heading gets on the usual forges."""
    return re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).replace(" ", "-")


def _commands(text: str) -> list[list[str]]:
    """Words of every line that calls `fabric`, comments left out."""
    return [shlex.split(line, comments=True) for line in text.splitlines() if line.startswith("fabric ")]


def test_commands_of_the_readme_run(page, workshop, monkeypatch, capsys):
    """Every shell line that starts with `fabric`, in order, beside what the demo has written."""
    readme = page("README.md")
    commands = [command for block in readme.blocks("sh") for command in _commands(block)]
    assert "`fabric design designs/blackwell-roce-800g`" in readme.text
    assert {command[1] for command in commands} == {"validate", "simulate", "show", "render", "catalog", "schema"}
    monkeypatch.chdir(workshop)
    for command in commands:
        assert run(command[1:]) == 0, command
        assert capsys.readouterr().out, command


def test_make_targets_exist(pages, root):
    """Every `make …` that a page names is a target of the Makefile."""
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {word for page in pages for word in re.findall(r"(?:^|`)make ([a-z]+)", page.text, re.MULTILINE)}
    assert {"demo", "test"} <= named <= targets


def test_relative_links_resolve(pages):
    """Every link to a file finds it, every anchor its heading."""
    for page in pages:
        for link in page.links:
            if "://" in link:
                continue
            name, _, anchor = link.partition("#")
            target = (page.path.parent / name).resolve() if name else page.path
            assert target.exists(), f"{page.path.name}: {link}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in map(_anchor, headings), f"{page.path.name}: {link}"


def test_blocks_that_are_files_of_the_project(pages, root):
    """A block with the path of a file holds what the file holds; YAML may be commented."""
    shown = set()
    for page in pages:
        for block in page.blocks("yaml"):
            if _title(block).startswith(("fabric/", "templates/")):
                file = root / _title(block)
                theirs = yaml_file.parse(file.read_text(encoding="utf-8"), file.name).data
                assert yaml_file.parse(block, file.name).data == theirs, file
                shown.add(file.parent.name)
        for block in page.blocks("python"):
            assert block.removeprefix(f"# {_title(block)}\n") == (root / _title(block)).read_text(encoding="utf-8")
    assert shown == {"cables", "transceivers", "switches", "systems", "cumulus"}


def test_overlay_blocks_load(page, tmp_path):
    """The parts, sources and prices shown as an overlay are one."""
    extending = page("docs/extending.md")
    for block in extending.blocks("yaml"):
        if _title(block).startswith("overlay/"):
            file = tmp_path / _title(block).removeprefix("overlay/")
            file.parent.mkdir(exist_ok=True)
            file.write_text(block, encoding="utf-8")
    (prices,) = extending.blocks("csv")
    (tmp_path / "prices.csv").write_text(prices, encoding="utf-8")
    catalog = load(tmp_path)
    assert catalog.cables["acme-dac-800g-2x400g-2m"].price_usd == 180
    assert catalog.cables["MCP4Y10-N001"].price_usd == 212.5
    assert catalog.switches["nvidia-qm9700"].price_usd == 31000


def test_request_and_floor_plan_blocks_are_valid(pages, catalog, tmp_path):
    """Requests name known parts and have shapes; floor plans can be measured."""
    requests, plans = 0, 0
    for page in pages:
        for block in page.blocks("yaml"):
            data = yaml_file.parse(block, page.path.name).data
            if _title(block):
                continue
            if "accelerator" in data:
                path = tmp_path / f"{data['name']}.yaml"
                path.write_text(block, encoding="utf-8")
                request = load_request(path, catalog).request
                assert fat_tree.shapes(request, resolve(request, catalog), catalog)
                requests += 1
            else:
                Routes(yaml_file.validate(FloorPlan, yaml_file.parse(block, page.path.name)))
                plans += 1
    assert (requests, plans) == (2, 2)


def test_numbers_of_the_readme(page, root):
    """At least as many rules as it promises, and as many examples."""
    readme = page("README.md").text
    assert "fifty rules" in readme
    assert len(list(CHECKS)) >= 50
    assert "Fourteen examples" in readme
    assert len(list((root / "designs").glob("*/request.yaml"))) == 14


@pytest.mark.parametrize(
    ("heading", "missing"),
    [("Not modelled", "flows of one port of unequal size hashed to planes"), ("What is not there yet", "lossless")],
)
def test_missing_things_are_told(pages, heading, missing):
    """The pages say what the tool cannot do."""
    (text,) = [page.text for page in pages if f"\n## {heading}\n" in page.text]
    assert missing in text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
