"""`--catalog DIR`: prices and parts of one's own decide, travel with the design and are judged with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fabric.cli.app import run
from fabric.yaml_file import dump

Rows = Callable[[Path], list[dict[str, str]]]


@pytest.fixture
def priced(capsys, tmp_path) -> Path:
    """An overlay with a price for every part that a design may buy."""
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    assert run(["catalog", "list", "--format", "json"]) == 0
    parts = sorted(entry["part"] for entry in json.loads(capsys.readouterr().out))
    rows = [f"{part},{100 + 7.01 * number:.2f},a quote,2026-01-01" for number, part in enumerate(parts)]
    (overlay / "prices.csv").write_text("\n".join(["part,price_usd,source,date", *rows]) + "\n", encoding="utf-8")
    return overlay


def _capex_cents(folder: Path, rows_of: Rows) -> int:
    """Sum over the three tables of what is bought, from the price list alone."""
    cents = {row["part"]: round(float(row["price_usd"]) * 100) for row in rows_of(folder / "catalog" / "prices.csv")}
    bought = [row["part"] for row in rows_of(folder / "devices.csv") if row["role"] in {"leaf", "spine"}]
    bought += [row["part"] for name in ("cables.csv", "pluggables.csv") for row in rows_of(folder / name)]
    return sum(cents[part] for part in bought)


def _made(capsys, words: list[str]) -> dict[str, object]:
    assert run([*words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_prices_make_the_objective_money(capsys, rows_of, request_file, priced, tmp_path):
    """With every price known, objective, capex and the sum over the tables agree to the cent."""
    folder = tmp_path / "out"
    report = _made(capsys, ["design", str(request_file), "-o", str(folder), "--catalog", str(priced)])
    assert report["optimality"]["unit"] == "usd"
    assert report["optimality"]["objective"] == report["cost"]["capex_usd"] == _capex_cents(folder, rows_of) / 100
    assert report["optimality"]["bound"] <= report["optimality"]["objective"]
    assert report["cost"]["priced_share"] == 1.0


def test_the_folder_carries_its_prices(capsys, request_file, priced, tmp_path):
    """The overlay travels along byte for byte: validate needs nothing else and says the same."""
    folder = tmp_path / "out"
    _made(capsys, ["design", str(request_file), "-o", str(folder), "--catalog", str(priced)])
    assert (folder / "catalog" / "prices.csv").read_bytes() == (priced / "prices.csv").read_bytes()
    assert run(["validate", str(folder), "--format", "json"]) == 0
    assert capsys.readouterr().out.encode() == (folder / "report.json").read_bytes()


def test_budget_below_the_proved_bound(capsys, request_file, priced, tmp_path):
    """With every price known the bound proves a budget impossible: exit 3 with the arithmetic, nothing written."""
    folder = tmp_path / "out"
    report = _made(capsys, ["design", str(request_file), "-o", str(folder), "--catalog", str(priced)])
    poor = tmp_path / "poor.yaml"
    bound = report["optimality"]["bound"]
    poor.write_text(request_file.read_text() + f"limits: {{budget_usd: {bound - 1}}}\n", encoding="utf-8")
    words = ["design", str(poor), "-o", str(tmp_path / "poor"), "--catalog", str(priced), "--format", "json"]
    assert run(words) == 3
    conflict = {item["key"]: item for item in json.loads(capsys.readouterr().out)["conflict"]}
    proved = re.search(r"at least ([\d,.]+) USD", conflict["limits.budget_usd"]["arithmetic"])
    assert bound - 1 < float(proved[1].replace(",", "")) <= report["optimality"]["objective"]
    assert not (tmp_path / "poor").exists()


@pytest.mark.parametrize("kind", ["switch", "system", "cable", "transceiver"])
def test_a_part_shown_and_written_back_changes_nothing(
    capsys, rows_of, request_file, designed, tmp_path, content_of, kind
):
    """What `catalog show` prints is the part: as an overlay it gives the same tables."""
    tables = {"switch": "devices.csv", "system": "devices.csv", "cable": "cables.csv", "transceiver": "pluggables.csv"}
    parts = {row["part"] for row in rows_of(designed / tables[kind])}
    part = next(name for name in sorted(parts) if run(["catalog", "show", kind, name, "--quiet"]) == 0)
    capsys.readouterr()
    entry = _made(capsys, ["catalog", "show", kind, part])
    target = tmp_path / "overlay" / entry.pop("file")
    target.parent.mkdir(parents=True)
    target.write_text(dump(entry), encoding="utf-8")
    folder = tmp_path / "out"
    _made(capsys, ["design", str(request_file), "-o", str(folder), "--catalog", str(tmp_path / "overlay")])
    same = ("devices.csv", "links.csv", "cables.csv", "pluggables.csv", "lossless.csv", "floorplan.yaml", "bom.csv")
    before, after = content_of(designed), content_of(folder)
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert after[f"catalog/{kind}{'es' if kind == 'switch' else 's'}/{part}.yaml"] == target.read_bytes()


def test_a_smaller_switch_makes_more_leaves(capsys, request_file, tmp_path):
    """A part of the same key replaces the shipped one: with fewer cages a unit no longer fits under its leaf."""
    entry = _made(capsys, ["catalog", "show", "switch", "chaoqing-n9500-64oc"])
    entry["cages"]["count"] = 8
    entry["ports_by_speed_gbps"] = {rate: count // 8 for rate, count in entry["ports_by_speed_gbps"].items()}
    target = tmp_path / "overlay" / entry.pop("file")
    target.parent.mkdir(parents=True)
    target.write_text(dump(entry), encoding="utf-8")
    small = tmp_path / "request.yaml"
    small.write_text(
        request_file.read_text()
        .replace("nodes: 8", "nodes: 16")
        .replace("unit_nodes: 4", "unit_nodes: auto")
        .replace("parameters: {spines: 2}", "")
    )
    shipped = _made(capsys, ["design", str(small), "-o", str(tmp_path / "one")])
    replaced = _made(
        capsys, ["design", str(small), "-o", str(tmp_path / "two"), "--catalog", str(tmp_path / "overlay")]
    )
    assert shipped["counts"]["switches"] == {"leaf": 1, "spine": 0}
    # 32 endpoints on leaves of 16 ports, 8 of them down at 1:1: 4 leaves, 32 uplinks on at least 2 spines of 16.
    assert replaced["counts"]["switches"] == {"leaf": 4, "spine": 2}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("prices.csv", "part,price_usd\nnvidia-qm970,1\n", "prices.csv:2: part: unknown part 'nvidia-qm970'"),
        ("prices.csv", "part,price\nnvidia-qm9700,1\n", "prices.csv:1: price: unknown column, did you mean price_usd?"),
        ("prices.csv", "part,price_usd\nnvidia-qm9700,-1\n", "prices.csv:2: price_usd: -1 is below 0"),
        ("switches/mine.yaml", "name: mine\n", "switches/mine.yaml"),
        ("switch/mine.yaml", "name: mine\n", "an overlay has no switch/"),
    ],
)
def test_broken_overlay(capsys, request_file, tmp_path, name, text, message):
    """Every command that takes an overlay refuses a broken one with file and line."""
    path = tmp_path / "overlay" / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    overlay = ["--catalog", str(tmp_path / "overlay")]
    assert run(["design", str(request_file), "-o", str(tmp_path / "out"), *overlay]) == 2
    assert message in capsys.readouterr().err
    assert run(["catalog", "check", *overlay]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
