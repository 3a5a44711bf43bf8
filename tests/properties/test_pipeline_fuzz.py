"""Requests spoilt at random: a design, or an error of ours with words for the user, never anything else."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.catalog import load as catalog_file
from fabric.errors import FabricError
from fabric.io import request_file
from fabric.pipeline.choosing import Limits
from fabric.pipeline.designing import design
from fabric.pipeline.judging import evaluate

GOOD = {
    "name": "small",
    "accelerator": "hgx-h100",
    "nodes": 4,
    "spare_nodes": 1,
    "growth_nodes": 6,
    "attached": [{"role": "ufm", "count": 1, "ports": 1, "gbps": 400}],
    "fabric": {
        "family": "fat_tree",
        "link_layer": "infiniband",
        "tiers": 2,
        "switches": ["nvidia-qm9700"],
        "node_ports": 2,
        "node_port_gbps": 400,
        "uplink_port_gbps": 400,
        "planes": 1,
        "wiring": "rail",
        "unit_nodes": 3,
        "rails_per_leaf": 1,
        "whole_units": True,
        "oversubscription": 1.0,
        "min_spines": 2,
        "uneven_trunks": False,
        "port_order": "regular",
        "media": {"node_leaf": ["dac", "aoc", "mmf"], "leaf_spine": ["mmf", "smf", "dac"]},
        "preload_optics": False,
        "parameters": {"spines": 2},
    },
    "placement": {"leaf": "free", "spine": "free", "max_switches_per_rack": "auto"},
    "planning": {"node_kw": 10.0, "node_units": 8, "nodes_per_rack": 4, "switch_w": {"nvidia-qm9700": 1700}},
    "objective": "capex",
    "cost": {"years": 5, "usd_per_kwh": 0.12, "pue": 1.3},
    "limits": {"budget_usd": 1e9, "power_kw": 1e6, "part_numbers": 100},
    "transport": {"load_balancing": "auto", "congestion_control": "auto", "queue_pairs": 4},
    "qos": {"rdma_dscp": 26, "rdma_priority": 3, "mtu": 4096},
    "names": {"node": "n{index:03d}", "leaf": "l{su}-{rail}", "spine": "s{index}"},
    "addressing": {"links": "10.240.0.0/13", "asn_base": 65000},
    "workloads": [
        {
            "name": "decode",
            "pattern": "moe_all_to_all",
            "model": "deepseek-v3",
            "expert_parallel": 16,
            "tokens_per_rank": 8,
            "limit_us": {"p99": 5000},
        }
    ],
    "survive": {"links": 1, "switches": 1},
    "seed": 1,
    "samples": 20,
}
"""A request that names nearly every key."""

VALUES = (
    None, True, -1, 0, 1, 2, 3, 5, 8, 16, 64, 0.5, 1.5, 1e300, "", "auto", "rail", "rack", "dual_homed", "roce",
    "infiniband", "power", "tco", "spread", "own_rack", "network_rack", "row_end", "free", "adaptive", "ecmp",
    "hgx-b200", "gb300-nvl72", "dgx-h100", "nvidia-q3400-ra", "nvidia-sn5600", "{index}", "{su}", "10.0.0.0/30",
    "2001:db8::/64", [], {}, ["aoc"], ["smf"], ["nvidia-q3400-ra", "nvidia-qm9700"], 200, 400, 800, 4294967294,
)  # fmt: skip
"""What a key is given instead."""


def _paths(value: object, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a request below its root."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in pairs for path in ((*here, key), *_paths(inner, (*here, key)))]


@cache
def _catalog() -> catalog_file.Catalog:
    return catalog_file.load()


def _at(path: tuple[str | int, ...]) -> object:
    value: object = GOOD
    for key in path:
        value = value[key]
    return value


@st.composite
def _spoilt(draw: st.DrawFn) -> dict[str, object]:
    """The good request with other values at up to three places, mostly of the kind that stood there."""
    request = deepcopy(GOOD)
    for path in draw(st.lists(st.sampled_from(_paths(GOOD)), min_size=1, max_size=3)):
        alike = [value for value in VALUES if type(value) is type(_at(path))]
        value = draw(st.sampled_from(alike if alike and draw(st.integers(0, 3)) else VALUES))
        _put(request, path, value)
    return request


def _put(request: object, path: tuple[str | int, ...], value: object) -> None:
    """Set a value where the path still leads somewhere; None takes a key away."""
    *way, last = path
    for key in way:
        known = key in request if isinstance(request, dict) else isinstance(request, list) and key < len(request)
        if not known:
            return
        request = request[key]
    if isinstance(request, dict) and value is None:
        request.pop(last, None)
    elif isinstance(request, dict) or (isinstance(request, list) and last < len(request)):
        request[last] = value


def _judged(request: dict[str, object], folder: Path) -> str:
    """Verdict on the design of a request, or the error's words."""
    path = folder / "any.yaml"
    path.write_text(json.dumps(request), encoding="utf-8")
    try:
        made = design(request_file.load(path, _catalog()), _catalog(), limits=Limits(work=2))
    except FabricError as error:
        return str(error)
    return evaluate(made, _catalog()).verdict


def test_the_good_request_passes(tmp_path):
    """What the test below spoils is a design without an error finding."""
    assert _judged(GOOD, tmp_path) == "pass"


@settings(max_examples=200, derandomize=True, deadline=None)
@given(request=_spoilt())
def test_nothing_but_our_errors(tmp_path_factory, request):
    """Any value anywhere ends in a verdict or in a FabricError that says something."""
    assert _judged(request, tmp_path_factory.getbasetemp())
