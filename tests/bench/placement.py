"""Proofs of places at full size: time against loading a solver, the gap that stays open, and memory for each link.

Each case runs in a process of its own, `python tests/bench/placement.py CASE`, which prints its figures as JSON. Halls
in which anything may stand anywhere are given to CP-SAT too (`opinion.py`).
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

import numpy as np

from fabric.catalog.load import Catalog, load
from fabric.io import request_file
from fabric.layout import tree_seats
from fabric.layout.assignment import SiteProblem
from fabric.layout.site_search import search_sites
from fabric.pipeline.candidates import Candidates

KIBIBYTE = 1024
LOAD_SOLVER = "import ortools.sat.python.cp_model"
WIDE_SWITCH = "bench-512"
"""A switch of 512 ports at 400G: the catalog has none that two tiers could link 100,000 endpoints with."""

Hall = list[dict[str, Any]]


def open_hall(rows: int, racks: int) -> Hall:
    """Rows of racks in which anything may stand."""
    return [
        {"name": f"R{r:02d}-{i:02d}", "row": f"R{r:02d}", "x_m": round(0.6 * i, 3), "y_m": 3.0 * r, "units": 48}
        for r in range(rows)
        for i in range(racks)
    ]


def split_hall(rows: int, racks: int, spine_racks: int) -> Hall:
    """Rows of node racks around one rack of leaves each, and one row of racks for spines."""
    hall = open_hall(rows, racks)
    for number, rack in enumerate(hall):
        if number % racks == racks // 2:
            rack |= {"units": 52, "use": "network", "place": [{"u": u, "role": "leaf"} for u in range(2, 48, 5)]}
        else:
            rack |= {"units": 52, "use": "node", "nodes": 4}
    spines = [{"u": u, "role": "spine"} for u in range(2, 46, 4)]
    middle = {"row": "S", "y_m": 3.0 * rows / 2 + 1.5, "units": 52, "use": "network", "place": spines}
    return hall + [{"name": f"S{i:02d}", "x_m": round(0.6 * i, 3), **middle} for i in range(spine_racks)]


def roce(nodes: int, switch: str = "chaoqing-n9500-64oc", **fabric: object) -> dict[str, Any]:
    """HGX B200 nodes of eight 400G ports."""
    given = {
        "family": "fat_tree",
        "link_layer": "roce",
        "switches": [switch],
        "node_ports": 8,
        "uplink_port_gbps": 400,
    } | fabric
    return {"accelerator": "hgx-b200", "nodes": nodes, "fabric": given}


XDR = {
    "accelerator": "rubin-nvl8",
    "nodes": 1296,
    "fabric": {"family": "fat_tree", "link_layer": "infiniband", "switches": ["nvidia-q3400-ra"], "node_ports": 8},
}
"""10,368 endpoints: all that two tiers of 144-port switches hold."""


@dataclass(frozen=True, slots=True)
class Case:
    """A request and its hall (None: a generated one); `planes` copies of its problem are put on the same sites.

    Of copies only the problem is made and not the devices, so their memory is that of the proof.
    """

    request: Mapping[str, Any]
    hall: Hall | None = None
    planes: int = 1


CASES: Mapping[str, Case] = MappingProxyType(
    {
        "8192-split": Case(roce(1024), split_hall(16, 17, 8)),
        "10368-split": Case(XDR, split_hall(18, 19, 9)),
        "32-pods": Case(roce(256, wiring="rack"), open_hall(4, 20)),
        "128-pods": Case(roce(1024, wiring="rack"), open_hall(16, 20)),
        "10368x8": Case(XDR, split_hall(18, 19, 9), planes=8),
        "100352": Case(roce(12544, WIDE_SWITCH)),
    }
)


def wide(catalog: Catalog) -> Catalog:
    """The catalog with one switch more."""
    narrow = catalog.switches["chaoqing-n9500-64oc"]
    cages = narrow.cages.model_copy(update={"count": 256})
    more = {"cages": cages, "ports_by_speed_gbps": {400: 512}, "switching_tbps": None}
    return replace(catalog, switches={**catalog.switches, WIDE_SWITCH: narrow.model_copy(update=more)})


def copies(problem: SiteProblem, planes: int) -> SiteProblem:
    """So many planes like the one of `problem`, on its sites with as many slots for each."""
    return replace(
        problem,
        own=np.tile(problem.own, (planes, 1)),
        weight=np.tile(problem.weight, planes),
        leaves=np.tile(problem.leaves, planes),
        plane=np.repeat(np.arange(planes), len(problem.leaves)),
        spines=np.tile(problem.spines, planes),
        capacity=problem.capacity * planes,
        leaf_allowed=np.tile(problem.leaf_allowed, (planes, 1)),
    )


def peak_bytes() -> int:
    """Most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIBIBYTE


class Asked(Exception):  # noqa: N818 -- no error: it brings the problem out of the layout that asks it
    """The question of the most promising shape, before it is answered."""

    def __init__(self, problem: SiteProblem) -> None:
        super().__init__()
        self.problem = problem


def asked(case: Case, catalog: Catalog) -> tuple[SiteProblem, int]:
    """The problem of a case, and links in all planes."""

    def ask(problem: SiteProblem, *_: object) -> None:
        raise Asked(problem)

    candidates = Candidates(_loaded(case, catalog), catalog)
    shape = min(candidates.shapes, key=candidates.bound_of)
    links = candidates.size.endpoints * shape.planes + shape.uplinks_total
    answer, tree_seats.search_sites = tree_seats.search_sites, ask
    try:
        candidates.realise(shape)
    except Asked as question:
        return copies(question.problem, case.planes), links * case.planes
    finally:
        tree_seats.search_sites = answer
    raise ValueError("nobody asked for sites")


def measure(case: Case) -> dict[str, float]:
    """Time of the proof [s], gap, links, and memory above the loaded code for each link [bytes]."""
    catalog = wide(load())
    loaded_bytes = peak_bytes()
    problem, links = asked(case, catalog)
    begin_s = time.perf_counter()
    best, bound_cost = search_sites(problem)
    return {
        "proof_s": time.perf_counter() - begin_s,
        "links": links,
        "groups": len(problem.leaves),
        "sites": len(problem.rack),
        "gap": (best.cost - bound_cost) / best.cost,
        "bytes_per_link": (peak_bytes() - loaded_bytes) / links,
    }


def _loaded(case: Case, catalog: Catalog) -> request_file.LoadedRequest:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / request_file.REQUEST).write_text(json.dumps({"name": "bench", **case.request}))
        if case.hall is not None:
            (folder / request_file.FLOOR_PLAN).write_text(json.dumps({"racks": case.hall}))
        return request_file.load(folder, catalog)


def bench(say: Callable[[str], None], repeats: int = 3) -> None:
    """Every case in a process of its own, as a table; times in loads of CP-SAT, which any use of it would cost."""
    load_s = median(_run_s(["-c", LOAD_SOLVER])[0] for _ in range(repeats)) - _run_s(["-c", "pass"])[0]
    say(f"places proved; one load is `{LOAD_SOLVER}`, {load_s:.2f} s")
    say(f"{'case':>12} {'links':>9} {'groups':>7} {'sites':>6} {'loads':>8} {'gap':>8} {'bytes/link':>11}")
    for name in CASES:
        it = json.loads(_run_s([__file__, name])[1])
        row = f"{it['proof_s'] / load_s:8.2f} {it['gap']:8.3%} {it['bytes_per_link']:11,.0f}"
        say(f"{name:>12} {it['links']:9,} {it['groups']:7} {it['sites']:6} {row}")


def _run_s(words: list[str]) -> tuple[float, str]:
    """Time and output of a fresh interpreter."""
    begin_s = time.perf_counter()
    done = subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True)
    return time.perf_counter() - begin_s, done.stdout


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(measure(CASES[sys.argv[1]])) + "\n")
    else:
        bench(lambda line: print(line, flush=True))  # noqa: T201 -- the table is what it is for
