"""When the places of the shape that was chosen are looked for once more."""

from __future__ import annotations

import json

import pytest

from fabric.catalog import load as catalog_file
from fabric.io import request_file
from fabric.layout import search
from fabric.pipeline import choosing
from fabric.pipeline.families import choose

LONGER = "looking longer for places"

REQUEST = {
    "name": "pods",
    "accelerator": "hgx-b200",
    "nodes": 64,
    "fabric": {
        "family": "fat_tree",
        "link_layer": "roce",
        "switches": ["chaoqing-n9500-64oc"],
        "node_ports": 8,
        "uplink_port_gbps": 400,
        "wiring": "rack",
        "unit_nodes": 8,
        "parameters": {"spines": 4},
    },
}

HALL = [
    {"name": f"R{row}-{rack:02d}", "row": f"R{row}", "x_m": round(0.6 * rack, 3), "y_m": 3.0 * row, "units": 48}
    for row in range(2)
    for rack in range(10)
]


def looks_longer(folder):
    """Whether the search for pods in an open hall says that it looks longer, given that any gap is worth it."""
    (folder / "request.yaml").write_text(json.dumps(REQUEST))
    (folder / "floorplan.yaml").write_text(json.dumps({"racks": HALL}))
    catalog = catalog_file.load()
    said = []
    choose(request_file.load(folder, catalog), catalog, say=said.append)
    return any(line.startswith(LONGER) for line in said)


@pytest.mark.parametrize(("thorough_work", "looks"), [(700_000, True), (1, False)])
def test_places_are_looked_for_longer_where_that_may_help(thorough_work, looks, tmp_path, monkeypatch):
    """No second look is given less work than the first box takes, which the first look did anyway."""
    monkeypatch.setattr(choosing, "THOROUGH_WORK", thorough_work)
    monkeypatch.setattr(search, "GAP_SHARE", 10**9)
    assert looks_longer(tmp_path) == looks
