"""Families at one size: each from request to artefacts against the fat-tree of the same run, and its search alone.

10,368 endpoints on 144-port InfiniBand switches and 8,192 on 128-port Ethernet ones. Times are of the CPU, in this
process with the code loaded; nothing is written. The search is listing, bounding and fitting up to the first layout.
A family named on the command line is measured beside the fat-tree alone; dragonfly+ and torus take minutes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import matplotlib.figure  # noqa: F401 -- loaded before the clock starts
import xlsxwriter  # noqa: F401 -- same
from ortools.sat.python import cp_model  # noqa: F401 -- same

from fabric.catalog import load as catalog_file
from fabric.catalog.load import Catalog
from fabric.io.request_file import LoadedRequest
from fabric.model.request import Request
from fabric.pipeline.designing import design
from fabric.pipeline.judging import evaluate
from fabric.render.artefacts import artefacts
from fabric.yaml_file import Document

TREE = "fat_tree"
FABRICS = {
    TREE: {"family": TREE},
    "dragonfly": {"family": "dragonfly"},
    "dragonfly_plus": {"family": "dragonfly_plus"},
    "torus": {"family": "torus"},
    "three tiers": {"family": TREE, "tiers": 3},
}
"""Keys of `fabric` that ask for each."""

HALLS = {
    "infiniband": ("rubin-nvl8", "nvidia-q3400-ra", 800, 1296),
    "roce": ("hgx-b200", "chaoqing-n9500-64oc", 400, 1024),
}
"""System, switch, rate [Gb/s] and nodes of 8 ports."""

USUAL = ("dragonfly", "three tiers")
"""Measured unless others are named."""


def asked(layer: str, name: str, nodes: int | None = None) -> LoadedRequest:
    """A fabric of one kind on a link layer; as many nodes as its hall has, unless told otherwise."""
    system, switch, gbps, most = HALLS[layer]
    fabric: dict[str, Any] = {"link_layer": layer, "switches": [switch], "node_ports": 8, "node_port_gbps": gbps}
    request = {"name": "bench", "accelerator": system, "nodes": nodes or most}
    request["fabric"] = fabric | {"uplink_port_gbps": gbps} | FABRICS[name]
    return LoadedRequest(Request.model_validate_json(json.dumps(request)), None, Document("", None, {}), None)


def measure_s(loaded: LoadedRequest, catalog: Catalog) -> dict[str, float]:
    """CPU time of each phase [s]."""
    took, begin_s = dict[str, float](), time.process_time()

    def enter(phase: str) -> None:
        nonlocal begin_s
        now_s = time.process_time()
        took[phase] = took.get(phase, 0.0) + now_s - begin_s
        begin_s = now_s

    made = design(loaded, catalog, say=lambda _: enter("search" if not took else "layout"))
    enter("layout")
    report = evaluate(made, catalog)
    enter("judge")
    artefacts(made, report, catalog)
    enter("render")
    return took


def bench(layers: Sequence[str], names: Sequence[str], say: Callable[[str], None], nodes: int | None = None) -> None:
    """Measure the fat-tree and the families named on every link layer, and say it line by line."""
    catalog = catalog_file.load()
    for layer in layers:
        tree_s = 0.0
        for name in (TREE, *names):
            took_s = measure_s(asked(layer, name, nodes), catalog)
            total_s = sum(took_s.values())
            tree_s = tree_s or total_s
            say(f"{layer} {name}: {total_s:.1f} s, {total_s / tree_s:.2f} fat-trees; {', '.join(_parts(took_s))}")


def _parts(took_s: dict[str, float]) -> Iterator[str]:
    return (f"{phase} {part:.2f} s" for phase, part in took_s.items())


if __name__ == "__main__":
    bench(tuple(HALLS), tuple(sys.argv[1:]) or USUAL, lambda line: print(line, flush=True))  # noqa: T201 -- the table
