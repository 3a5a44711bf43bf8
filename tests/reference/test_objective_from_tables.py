"""`optimality.objective` of a written design, added up anew from its tables and the catalog's files alone.

Nothing of the tool is imported: rows come from csv, parts and planning figures from their YAML files.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sysconfig
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DATA = ROOT / "fabric" / "catalog" / "data"
FABRIC = Path(sysconfig.get_path("scripts")) / "fabric"

HOURS_PER_YEAR = 8766
FIBRE = ("mmf", "smf")
SWITCHES = ("leaf", "spine")

CASES = (
    ("hopper-ndr-1x400g", "capex"),
    ("rubin-xdr-q3400", "power"),
    ("blackwell-ndr-2x400g", "power"),
    ("blackwell-roce-800g", "tco"),
    ("blackwell-xdr-q3400", "tco"),
)
"""Shipped examples and the goal that each is asked for instead; power counts with known and with planned figures."""


@cache
def read(path: str) -> dict:
    """A file of the catalog."""
    return yaml.safe_load((DATA / path).read_text(encoding="utf-8"))


@cache
def part(kind: str, key: str) -> dict:
    """A part file."""
    return read(f"{kind}/{key}.yaml")


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    """Rows of a table."""
    with (folder / table).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def optical(medium: str, connector: str | None) -> str:
    """Class of a module or a fibre."""
    return "smf-duplex" if connector == "lc-duplex-upc" else medium


def price_cents(kind: str, key: str) -> int:
    """Price of a part, or the planning price of its class."""
    it, plan = part(kind, key), read("planning_prices.yaml")
    if it.get("price_usd") is not None:
        return round(100 * it["price_usd"])
    if kind == "switches":
        raise AssertionError(f"{key} has no price; take an example whose switch has one")
    if kind == "transceivers":
        share = it["ports"] * it["rate_gbps"] / plan["reference_gbps"]
        return round(100 * plan["modules"][optical(it["medium"], it["connector"])]["usd"] * share)
    if it["medium"] in FIBRE:
        row, share = plan["fibres"][optical(it["medium"], it["head"]["connector"])], 1
    else:
        row, share = (
            plan["assemblies"][it["medium"]],
            it["head"].get("ports", 1) * it["rate_gbps"] / plan["reference_gbps"],
        )
    return round(100 * (row["usd"] + row["usd_per_m"] * it["length_m"]) * share)


def figure(key: str, field: str) -> object:
    """A figure of a switch, or its planning value."""
    it = part("switches", key)
    planned = it.get("planning", {}).get(field, {}).get("value")
    return planned if it.get(field) is None else it[field]


def module_mw(key: str) -> int:
    """What a module draws at most."""
    it, plan = part("transceivers", key), read("planning_watts.yaml")
    planned = plan["modules"][optical(it["medium"], it["connector"])]["watts"]
    watts = it.get("max_w")
    return round(1000 * (planned * it["ports"] * it["rate_gbps"] / plan["reference_gbps"] if watts is None else watts))


def plug_mw(key: str, plug: dict) -> int:
    """What one plug of a copper or active optical cable draws."""
    it, plan = part("cables", key), read("planning_watts.yaml")
    share = plug.get("ports", 1) * it["rate_gbps"] / plan["reference_gbps"]
    watts = plug.get("power_w")
    return round(1000 * (plan["assemblies"][it["medium"]]["watts"] * share if watts is None else watts))


def assembly_mw(key: str, counted: list[bool]) -> int:
    """What the plugs of a copper or active optical cable draw, but for those that a switch has `counted`.

    Of a straight cable nobody knows which end is which, so half of both plugs counts; of a splitter the head is first.
    """
    it = part("cables", key)
    plugs = [plug_mw(key, plug) for plug in (it["head"], *it["tails"][:1] * (len(counted) - 1))]
    if len(it["tails"]) == 1:
        return sum(plugs) * counted.count(False) // 2
    return sum(plug for plug, is_counted in zip(plugs, counted, strict=True) if not is_counted)


def capex_cents(folder: Path) -> int:
    """Switches, cables and pluggables."""
    switches = [row["part"] for row in rows(folder, "devices.csv") if row["role"] in SWITCHES]
    bought = [("switches", key) for key in switches]
    bought += [("cables", row["part"]) for row in rows(folder, "cables.csv")]
    bought += [("transceivers", row["part"]) for row in rows(folder, "pluggables.csv")]
    return sum(price_cents(kind, key) for kind, key in bought)


def power_mw(folder: Path) -> int:
    """Switches at their maximum; modules and plugs too, unless they are in a switch whose figure has its optics in."""
    switches = {row["name"]: row["part"] for row in rows(folder, "devices.csv") if row["role"] in SWITCHES}
    inclusive = {name for name, key in switches.items() if figure(key, "max_w_includes_optics")}
    total = sum(round(1000 * figure(key, "max_w")) for key in switches.values())
    total += sum(module_mw(row["part"]) for row in rows(folder, "pluggables.csv") if row["device"] not in inclusive)
    ends = defaultdict(Counter)
    for row in rows(folder, "links.csv"):
        ends[row["cable"]].update(((row["a_device"], row["a_cage"]), (row["b_device"], row["b_cage"])))
    for row in rows(folder, "cables.csv"):
        if row["medium"] not in FIBRE:
            cages = [cage for cage, _ in ends[row["cable"]].most_common()]
            total += assembly_mw(row["part"], [device in inclusive for device, _ in cages])
    return total


def tco_usd(folder: Path) -> float:
    """Capex and the energy of five years, cooling included, at the prices that a request has by default."""
    return capex_cents(folder) / 100 + power_mw(folder) / 1e6 * HOURS_PER_YEAR * 5 * 0.12 * 1.3


@pytest.mark.parametrize(("name", "goal"), CASES)
def test_objective_is_the_sum_over_the_tables(tmp_path, name, goal):
    """To the cent, or within the nine digits of a report, and never below the bound beside it."""
    request = yaml.safe_load((ROOT / "designs" / name / "request.yaml").read_text(encoding="utf-8"))
    (tmp_path / "request.yaml").write_text(yaml.safe_dump(request | {"objective": goal}), encoding="utf-8")
    folder = tmp_path / "design"
    subprocess.run([FABRIC, "design", tmp_path / "request.yaml", "-o", folder, "--quiet"], check=True)
    optimality = json.loads((folder / "report.json").read_text(encoding="utf-8"))["optimality"]
    summed = {"capex": capex_cents, "power": power_mw, "tco": tco_usd}[goal](folder)
    expected = summed / {"capex": 100, "power": 1000, "tco": 1}[goal]
    assert expected == pytest.approx(optimality["objective"], rel=5.1e-9, abs=0.0051)
    assert optimality["unit"] in {"power": ("w",)}.get(goal, ("usd", "planning_usd"))
    assert optimality["bound"] <= optimality["objective"]
