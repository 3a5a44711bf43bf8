"""How the time of a design grows with its endpoints on a drawn 512-port switch, from the request to the folder written.

Doublings from 2,048 to 65,536, and 100,352; sizes named on the command line are measured instead. Every size runs in a
process of its own with the code loaded. Times are those of the processor. Each line gives the time by phase, the ratio
of its total to that of half the size, and the memory above the loaded code for each link. The last sizes take minutes.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib.backends.backend_svg
import matplotlib.figure  # noqa: F401 -- same
import xlsxwriter  # noqa: F401 -- same
from ortools.sat.python import cp_model  # noqa: F401 -- same

from fabric.catalog import load as catalog_file
from fabric.catalog.load import Catalog
from fabric.io.request_file import LoadedRequest
from fabric.model.request import Request
from fabric.pipeline.designing import design
from fabric.pipeline.judging import evaluate
from fabric.pipeline.writing import write
from fabric.yaml_file import Document

KIBIBYTE = 1024
PORTS_PER_NODE, PORTS_PER_CAGE, GBPS = 8, 2, 400
BASE, DRAWN = "chaoqing-n9500-64oc", "drawn-512-ports"
SIZES = (*(2048 * 2**step for step in range(6)), 100_352)


def with_large_switch(shipped: Catalog) -> Catalog:
    """The catalog and a switch of 512 ports at 400G, else like a shipped one of 128."""
    base = shipped.switches[BASE]
    cages = base.cages.model_copy(update={"count": 512 // PORTS_PER_CAGE})
    drawn = base.model_copy(update={"cages": cages, "ports_by_speed_gbps": {GBPS: 512, 2 * GBPS: 256}})
    return replace(shipped, switches={**shipped.switches, DRAWN: drawn})


def asked(endpoints: int) -> LoadedRequest:
    """Nodes of 8 ports at 400G on both tiers; everything else left to its default."""
    fabric = {
        "family": "fat_tree",
        "link_layer": "roce",
        "switches": [DRAWN],
        "node_port_gbps": GBPS,
        "uplink_port_gbps": GBPS,
    }
    request = {
        "name": f"roce-{endpoints}",
        "accelerator": "hgx-b200",
        "nodes": endpoints // PORTS_PER_NODE,
        "fabric": fabric | {"node_ports": PORTS_PER_NODE},
    }
    return LoadedRequest(Request.model_validate_json(json.dumps(request)), None, Document("", None, {}), None)


def measure(endpoints: int, catalog: Catalog) -> tuple[dict[str, float], float]:
    """Time of each phase [s], and the most memory above that of the loaded code for each link [bytes]."""
    loaded_bytes, begin_s = peak_bytes(), time.process_time()
    made = design(asked(endpoints), catalog)
    designed_s = time.process_time()
    report = evaluate(made, catalog)
    judged_s = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        write(made, report, catalog, Path(folder) / "made")
    took_s = {
        "design": designed_s - begin_s,
        "judge": judged_s - designed_s,
        "write": time.process_time() - judged_s,
    }
    return took_s, (peak_bytes() - loaded_bytes) / len(made.topology.links)


def peak_bytes() -> int:
    """Most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIBIBYTE


def bench(sizes: Sequence[int], say: Callable[[str], None]) -> None:
    """Measure sizes in turn, each in a fresh process, and say it line by line."""
    catalog, before, before_s = with_large_switch(catalog_file.load()), 0, 0.0
    for endpoints in sizes:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            took_s, per_link_bytes = pool.apply(measure, (endpoints, catalog))
        total_s = sum(took_s.values())
        shares = ", ".join(f"{phase} {part / total_s:.0%}" for phase, part in took_s.items())
        ratio = f", {total_s / before_s:.2f} times half the size" if endpoints == 2 * before else ""
        each = f"{1000 * total_s / endpoints:.1f} ms each{ratio}"
        say(f"{endpoints:7,} endpoints: {total_s:6.1f} s, {each}; {shares}; {per_link_bytes:,.0f} bytes a link")
        before, before_s = endpoints, total_s


if __name__ == "__main__":
    bench([int(size) for size in sys.argv[1:]] or SIZES, lambda line: print(line, flush=True))  # noqa: T201 -- the table
