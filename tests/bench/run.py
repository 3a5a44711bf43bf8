"""`make bench`: how long and how much memory designs of growing size take, as ratios to a yardstick of the same run.

The yardstick writes and reads a table of links with the standard library's csv module, so that figures of different
machines compare. Every figure is the median of some repeats; nothing here passes or fails.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from fabric.catalog import load as catalog_file
from fabric.io.request_file import load
from fabric.pipeline.designing import design
from fabric.pipeline.judging import evaluate
from fabric.pipeline.writing import write

YARDSTICK_ROWS = 500_000
KIBIBYTE = 1024
MEBIBYTE = 1024 * 1024
FABRIC = Path(sysconfig.get_path("scripts")) / "fabric"
STARTS = (("--help",), ("validate", "--help"), ("design", "--help"))
"""Command lines that only load code."""

REQUEST = """\
name: {name}
accelerator: {system}
nodes: {nodes}
fabric:
  link_layer: {layer}
  family: fat_tree
  switches: [{switch}]
  node_ports: 8
  node_port_gbps: {gbps}
  uplink_port_gbps: {gbps}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A request to design: nodes of 8 ports on one switch model, everything else left to its default."""

    layer: str
    system: str
    switch: str
    gbps: int
    nodes: int

    @property
    def name(self) -> str:
        """Link layer and endpoints."""
        return f"{self.layer}-{self.nodes * 8}"

    def request(self, folder: Path) -> Path:
        """Write the request file."""
        path = folder / f"{self.name}.yaml"
        values = {"name": self.name, "system": self.system, "switch": self.switch, "layer": self.layer}
        path.write_text(REQUEST.format(**values, nodes=self.nodes, gbps=self.gbps))
        return path


def roce(nodes: int) -> Case:
    """HGX B200 nodes at 400G on 64-cage 800G Ethernet switches."""
    return Case("roce", "hgx-b200", "chaoqing-n9500-64oc", 400, nodes)


def infiniband(nodes: int) -> Case:
    """Rubin NVL8 nodes at 800G on 144-port XDR switches; 1,296 of them are all that two tiers hold."""
    return Case("infiniband", "rubin-nvl8", "nvidia-q3400-ra", 800, nodes)


CASES = (roce(16), roce(128), roce(1024), infiniband(1296))
SMALL, LARGE = CASES[1].name, CASES[2].name
"""Between which growth is measured: two tiers both."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run of the command took."""

    wall_s: float
    peak_bytes: int


def yardstick_s(folder: Path, rows: int = YARDSTICK_ROWS) -> float:
    """Time to write and read back a table of `rows` links in 8 columns [s]."""
    path = folder / "yardstick.csv"
    begin_s = time.perf_counter()
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(_yardstick_rows(rows))
    with path.open(newline="") as file:
        read = sum(1 for _ in csv.reader(file))
    if read != rows:
        raise OSError(f"{rows} rows written, {read} read")
    return time.perf_counter() - begin_s


def _yardstick_rows(rows: int) -> Iterator[tuple[str | int, ...]]:
    for row in range(rows):
        node, rail = divmod(row, 8)
        yield (
            f"node-{node:05d}.rail{rail}",
            "node_leaf",
            f"node-{node:05d}",
            f"OSFP{rail + 1}",
            f"rail{rail}",
            f"leaf-su{node // 64:04d}-r{rail}",
            node % 64,
            400,
        )


def run_command(words: Sequence[str]) -> Usage:
    """Run `fabric` as a process of its own; raises CalledProcessError where it stops on an error."""
    begin_s = time.perf_counter()
    process = subprocess.Popen([FABRIC, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    return Usage(time.perf_counter() - begin_s, usage.ru_maxrss * KIBIBYTE)


def run_case(case: Case, folder: Path, repeats: int) -> tuple[Usage, int]:
    """Median usage of a whole `fabric design` with all artefacts, and the links of what it designed."""
    target = folder / case.name
    words = ("design", str(case.request(folder)), "-o", str(target), "--quiet")
    runs = [run_command(words) for _ in range(repeats)]
    counts = json.loads((target / "report.json").read_text())["counts"]
    usage = Usage(median(run.wall_s for run in runs), max(run.peak_bytes for run in runs))
    return usage, sum(counts["links"].values())


def phases_s(case: Case, folder: Path) -> dict[str, float]:
    """Time of every phase of one design inside this process, code loaded already [s]."""
    took: dict[str, float] = {}
    begin_s, phase = time.perf_counter(), "catalog"

    def enter(following: str) -> None:
        nonlocal begin_s, phase
        now_s = time.perf_counter()
        took[phase] = took.get(phase, 0.0) + now_s - begin_s
        begin_s, phase = now_s, following

    catalog = catalog_file.load()
    enter("request")
    loaded = load(case.request(folder), catalog)
    enter("shapes")
    made = design(loaded, catalog, say=lambda line: enter("layout" if line.startswith("laying out") else "settings"))
    enter("judge")
    report = evaluate(made, catalog)
    enter("write")
    write(made, report, catalog, folder / "phases")
    enter("end")
    return took


def growth(small: tuple[float, int], large: tuple[float, int]) -> float:
    """Exponent of time in links between two runs, each its time [s] and links: 1 is linear."""
    return math.log(large[0] / small[0]) / math.log(large[1] / small[1])


def bench(cases: Sequence[Case], folder: Path, repeats: int, say: Callable[[str], None]) -> None:
    """Measure everything and say it line by line."""
    yard_s = median(yardstick_s(folder) for _ in range(repeats))
    say(f"yardstick: {YARDSTICK_ROWS:,} rows of CSV written and read in {yard_s:.2f} s; median of {repeats}")
    loading_s = 0.0
    for words in STARTS:
        loading_s = median(run_command(words).wall_s for _ in range(repeats))
        say(f"fabric {' '.join(words):16} {loading_s / yard_s:6.2f} yardsticks")
    say(f"{'fabric design':>17} {'links':>7} {'yardsticks':>10} {'peak MiB':>9}")
    walls: dict[str, tuple[float, int]] = {}
    for case in cases:
        usage, links = run_case(case, folder, repeats)
        walls[case.name] = (usage.wall_s - loading_s, links)
        say(f"{case.name:>17} {links:7,} {usage.wall_s / yard_s:10.2f} {usage.peak_bytes / MEBIBYTE:9.0f}")
    if {SMALL, LARGE} <= walls.keys():
        say(f"growth: links^{growth(walls[SMALL], walls[LARGE]):.2f} from {SMALL} to {LARGE}, code loaded already")
    for case in cases:
        took_s = phases_s(case, folder)
        shares = ", ".join(f"{phase} {part / sum(took_s.values()):.0%}" for phase, part in took_s.items())
        say(f"phases of {case.name}: {shares}")


def main() -> None:
    """Measure the shipped cases, in a folder that is gone afterwards."""
    parser = argparse.ArgumentParser(description="Time and memory of designs, as ratios to a yardstick.")
    parser.add_argument("--repeats", type=int, default=3, help="runs per figure, whose median counts (default 3)")
    args = parser.parse_args()

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as folder:
        bench(CASES, Path(folder), args.repeats, say)
    for script in (
        "sizing.py",
        "flow.py",
        "spreading.py",
        "failures.py",
        "families.py",
        "placement.py",
        "opinion.py",
        "growth.py",
    ):
        subprocess.run([sys.executable, Path(__file__).with_name(script)], check=True)


if __name__ == "__main__":
    main()
