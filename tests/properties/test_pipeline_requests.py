"""Random requests that make sense: what comes out passes its own validator, and obeys what any fabric obeys."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fabric.catalog import load as catalog_file
from fabric.errors import FabricError
from fabric.io import design_folder, request_file
from fabric.model.design import Design
from fabric.pipeline.choosing import Limits
from fabric.pipeline.designing import design
from fabric.pipeline.judging import evaluate

MAKES = (
    ("hgx-h100", "infiniband", 400, ("nvidia-qm9700",)),
    ("dgx-h100", "infiniband", 400, ("nvidia-qm9700",)),
    ("hgx-b200", "infiniband", 400, ("nvidia-qm9700", "nvidia-qm9790")),
    ("hgx-b300", "infiniband", 800, ("nvidia-q3400-ra",)),
    ("rubin-nvl8", "infiniband", 800, ("nvidia-q3400-ra",)),
    ("hgx-b200", "roce", 400, ("chaoqing-n9500-64oc",)),
    ("dgx-b200", "roce", 400, ("nvidia-sn5600",)),
    ("mi300x-ubb8", "roce", 400, ("celestica-ds5000",)),
    ("hgx-b300", "roce", 400, ("nvidia-sn5600",)),
    ("rubin-nvl8", "roce", 400, ("chaoqing-n9500-64oc",)),
)
"""System, link layer, rate of a port [Gb/s] and switches that link to each other."""


@cache
def _catalog() -> catalog_file.Catalog:
    return catalog_file.load()


@st.composite
def _requests(draw: st.DrawFn) -> dict[str, object]:
    """A request of some dozen nodes; it may still be infeasible."""
    system, layer, rate_gbps, switches = draw(st.sampled_from(MAKES))
    nodes = draw(st.integers(2, 24))
    fabric = {
        "family": "fat_tree",
        "link_layer": layer,
        "switches": list(switches),
        "node_port_gbps": rate_gbps,
        "node_ports": draw(st.sampled_from((1, 2, 4, 8))),
        "oversubscription": draw(st.sampled_from((0.5, 1.0, 1.0, 1.5, 3.0))),
        "uneven_trunks": draw(st.booleans()),
        "whole_units": draw(st.booleans()),
        "preload_optics": draw(st.booleans()),
    }
    if draw(st.booleans()):
        fabric["parameters"] = {"spines": draw(st.sampled_from((2, 4))) * (2 if "b300" in system else 1)}
    if draw(st.booleans()):
        fabric["unit_nodes"] = draw(st.integers(2, 12))
    if draw(st.booleans()):
        fabric["wiring"] = draw(st.sampled_from(("rail", "rack", "dual_homed", "auto")))
    if draw(st.booleans()):
        fabric["media"] = {"node_leaf": ["mmf", "smf"], "leaf_spine": ["mmf", "smf"]}
    attached = [
        {"role": "storage", "count": draw(st.integers(1, 3)), "ports": draw(st.integers(1, 2)), "gbps": rate_gbps}
    ]
    return {
        "name": "drawn",
        "accelerator": system,
        "nodes": nodes,
        "spare_nodes": draw(st.integers(0, 2)),
        "growth_nodes": nodes + draw(st.integers(2, 8)),
        "attached": attached if draw(st.booleans()) else [],
        "fabric": fabric,
        "objective": draw(st.sampled_from(("capex", "capex", "tco", "power"))),
        "placement": {
            "leaf": draw(st.sampled_from(("free", "free", "row_middle", "row_end"))),
            "spine": draw(st.sampled_from(("free", "free", "spread"))),
        },
    }


def _design(request: dict[str, object], folder: Path) -> Design:
    path = folder / "any.yaml"
    path.write_text(json.dumps(request), encoding="utf-8")
    return design(request_file.load(path, _catalog()), _catalog(), limits=Limits(work=2))


def _designed(request: dict[str, object], folder: Path) -> Design:
    """The design; a request that has none is no example."""
    try:
        return _design(request, folder)
    except FabricError:
        assume(condition=False)
        raise


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where requests are written, one over the other."""
    return tmp_path_factory.mktemp("requests")


@settings(max_examples=60, derandomize=True, deadline=None)
@given(request=_requests())
def test_every_design_passes_its_own_validator(folder, request):
    """No check finds an error in what the builder made, its tables obey the plainest rules, and all reads back."""
    made = _designed(request, folder)
    errors = [finding for finding in evaluate(made, _catalog()).findings if finding.severity == "error"]
    assert errors == []
    _ports_are_used_once(made)
    _cables_reach(made)
    design_folder.write(made, folder / "made")
    assert design_folder.read(folder / "made") == made


def _ports_are_used_once(made: Design) -> None:
    ends = Counter((end.device, end.port) for link in made.topology.links for end in (link.a, link.b))
    assert set(ends.values()) == {1}
    on_cage = Counter(
        (end.device, end.cage, link.rate_gbps) for link in made.topology.links for end in (link.a, link.b)
    )
    for (device, _, rate_gbps), count in on_cage.items():
        part = made.topology.device[device].part
        if part in _catalog().switches:
            assert count <= _catalog().switches[part].ports_per_cage(rate_gbps)


def _cables_reach(made: Design) -> None:
    """A cable is as long as it is sold, and at least as long as its way."""
    for cable in made.cabling.cables:
        assert cable.route_m <= cable.length_m == _catalog().cables[cable.part].length_m
    assert {link.name for link in made.topology.links} == made.cabling.cable_of.keys()


@settings(max_examples=10, derandomize=True, deadline=None)
@given(request=_requests())
def test_more_nodes_never_cost_less(folder, request):
    """The bound for fewer nodes never exceeds what more nodes were built for."""
    few = _designed({**request, "growth_nodes": request["nodes"] + request["spare_nodes"]}, folder)
    more = {**request, "nodes": request["nodes"] + 4, "growth_nodes": request["nodes"] + request["spare_nodes"] + 4}
    many = _designed(more, folder)
    assert few.provenance.optimality.bound <= many.provenance.optimality.objective


@settings(max_examples=10, derandomize=True, deadline=None)
@given(request=_requests())
def test_names_are_only_names(folder, request):
    """Other name patterns of the same order change neither objective nor counts nor parts."""
    plain = _designed(request, folder)
    names = {"node": "n{index:04d}", "spine": "x-{plane}-{index:03d}", "leaf": "l-{plane}-{su:03d}-{rail}-{index:03d}"}
    named = _design({**request, "names": names}, folder)
    assert named.provenance.optimality == plain.provenance.optimality
    assert Counter(device.part for device in named.topology.devices) == Counter(
        device.part for device in plain.topology.devices
    )
    assert Counter(cable.part for cable in named.cabling.cables) == Counter(
        cable.part for cable in plain.cabling.cables
    )


@settings(max_examples=5, derandomize=True, deadline=None)
@given(request=_requests())
def test_designing_is_a_function(folder, request):
    """The same request gives the same design, record by record."""
    made = _designed(request, folder)
    assert _design(request, folder) == replace(made)
