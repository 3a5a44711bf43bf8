"""Free ports against regular ones, from the request to a design folder read back."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from fabric.catalog.load import load as load_catalog
from fabric.content import whole
from fabric.io import design_folder, request_file
from fabric.layout.port_matching import TRUNKS
from fabric.pipeline.binding import binding
from fabric.pipeline.designing import design
from fabric.pipeline.families import choose
from fabric.pipeline.judging import evaluate
from fabric.pipeline.keys import altered

CATALOG = load_catalog()

ROCE = {
    "family": "fat_tree",
    "link_layer": "roce",
    "switches": ["chaoqing-n9500-64oc"],
    "node_port_gbps": 400,
    "uplink_port_gbps": 400,
}
CASES = {
    "three nodes a rack": {"accelerator": "hgx-b200", "nodes": 24, "planning": {"nodes_per_rack": 3}, "fabric": ROCE},
    "one switch": {
        "accelerator": "hgx-b200",
        "nodes": 9,
        "planning": {"nodes_per_rack": 1},
        "fabric": ROCE | {"node_ports": 2},
    },
    "attached": {
        "accelerator": "hgx-h100",
        "nodes": 23,
        "planning": {"nodes_per_rack": 3},
        "attached": [{"role": "storage", "count": 3, "gbps": 400}],
        "fabric": {"family": "fat_tree", "link_layer": "infiniband", "switches": ["nvidia-qm9700"]},
    },
}


@pytest.fixture(params=CASES, ids=lambda name: name.replace(" ", "-"), scope="module")
def loaded(request, tmp_path_factory):
    """A request with regular ports whose nodes stand in racks of an odd number."""
    folder = tmp_path_factory.mktemp("request")
    (folder / "request.yaml").write_text(yaml.safe_dump({"name": "case"} | CASES[request.param]), encoding="utf-8")
    return request_file.load(folder, CATALOG)


@pytest.fixture(scope="module")
def regular(loaded):
    """What is chosen with regular ports."""
    return choose(loaded, CATALOG).choice


@pytest.fixture(scope="module")
def free(loaded):
    """The design with free ports."""
    return design(altered(loaded, "fabric.port_order", "free"), CATALOG)


def test_regular_ports_cost_what_free_ones_save(loaded, regular, free):
    """The report says what the policy costs, though nobody asked for it; the free design is cheaper by just that."""
    rows = {row.key: row for row in binding(regular, CATALOG)[0]}
    row = rows["fabric.port_order"]
    assert (row.value, row.relaxed, row.is_policy) == ("regular", "free", True)
    assert row.marginal == regular.outcome.value[0] - free.provenance.optimality.objective > 0


def test_free_ports_are_part_of_the_proof(regular, free):
    """The bound covers every order of ports of the leaves, so it may lie below that of regular ports, never above."""
    proof = free.provenance.optimality
    assert proof.bound <= min(proof.objective, regular.outcome.bound[0])
    assert proof.scope == ("switches", "places", "ports", "cables")
    assert [text for text in proof.fixed if text.startswith("ports")] == [TRUNKS] * bool(
        free.topology.with_role("spine")
    )


def test_a_design_with_free_ports_is_clean_and_reads_back(free, tmp_path):
    """No rule asks for an order; the folder holds the same design, which a request for regular ports would fault."""
    assert [each for each in evaluate(free, CATALOG).findings if each.severity == "error"] == []
    design_folder.write(free, tmp_path / "out")
    read = design_folder.read(tmp_path / "out")
    assert (read.topology, read.cabling.cables) == (free.topology, free.cabling.cables)
    again, once = (design_folder.files(each) for each in (read, free))
    assert {name: whole(text) for name, text in again.items()} == {name: whole(text) for name, text in once.items()}
    fabric = free.request.fabric.model_copy(update={"port_order": "regular"})
    ordered = replace(free, request=free.request.model_copy(update={"fabric": fabric}))
    assert "port-order" in {each.rule for each in evaluate(ordered, CATALOG).findings}


def test_free_ports_say_no_policy(loaded, free):
    """Nothing is left to relax."""
    assert "fabric.port_order" not in {row.key for row in free.provenance.binding}
