"""Global links laid anew between known places, from the request to a folder read back."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from fabric.catalog.load import load as load_catalog
from fabric.floorplan.routes import in_one_rack
from fabric.flow.throughput import uniform_throughput
from fabric.io import design_folder, request_file
from fabric.layout.market import Shop
from fabric.model.floorplan import Slack
from fabric.pipeline.arranging import CHOSEN, DEALT, SLOW, Arranger
from fabric.pipeline.candidates import Candidates
from fabric.pipeline.choosing import Limits
from fabric.pipeline.designing import design
from fabric.pipeline.families import choose
from fabric.pipeline.judging import evaluate
from fabric.pipeline.keys import altered
from fabric.pipeline.networks import planes_of
from fabric.topology._protocol import FAMILIES

CATALOG = load_catalog()

LIMITS = Limits(work=1)

FABRIC = {"link_layer": "infiniband", "switches": ["nvidia-qm9700"]}
CASES = {
    "dragonfly_plus": {"nodes": 32, "fabric": FABRIC | {"parameters": {"groups": 4, "spines": 4}}},
    "dragonfly": {
        "nodes": 32,
        "fabric": FABRIC | {"wiring": "rack", "uplink_port_gbps": 400, "parameters": {"p": 8, "a": 8}},
    },
    "free_ports": {"nodes": 32, "fabric": FABRIC | {"port_order": "free", "parameters": {"groups": 4, "spines": 4}}},
}


@pytest.fixture(
    params=["dragonfly_plus", "dragonfly", pytest.param("free_ports", marks=pytest.mark.slow)], scope="module"
)
def loaded(request, tmp_path_factory):
    """A request for several groups."""
    folder = tmp_path_factory.mktemp("request")
    case = {"name": "case", "accelerator": "hgx-h100"} | CASES[request.param]
    case["fabric"]["family"] = request.param.replace("free_ports", "dragonfly_plus")
    (folder / "request.yaml").write_text(yaml.safe_dump(case), encoding="utf-8")
    return request_file.load(folder, CATALOG)


def with_arrangement(loaded, name: str):
    """The request with an arrangement."""
    return altered(loaded, "fabric.parameters", loaded.request.fabric.parameters | {"arrangement": name})


@pytest.fixture(scope="module")
def named(loaded):
    """The best in absolute order."""
    return choose(with_arrangement(loaded, "absolute"), CATALOG, LIMITS).choice


@pytest.fixture(scope="module")
def best(loaded):
    """The design with the arrangement left open."""
    return design(loaded, CATALOG, limits=LIMITS)


def thetas(topology) -> list[float]:
    """Throughput of uniform traffic in every plane."""
    return [uniform_throughput(plane.network, plane.routes[:1]).theta for plane in planes_of(topology)]


def test_it_is_cheaper_and_says_so(best, named):
    """The arrangement found is the one reported, with what it saves, and what it took as given."""
    optimality = best.provenance.optimality
    assert best.topology.parameters["arrangement"] == "optimized"
    assert optimality.objective < named.outcome.value[0]
    assert optimality.bound <= optimality.objective
    assert CHOSEN in optimality.fixed
    assert DEALT not in optimality.fixed
    assert any("optimized, which saves" in note for note in best.provenance.assumptions)
    assert DEALT in named.outcome.result.layout.placement.termination.fixed
    assert named.outcome.result.layout.topology.parameters["arrangement"] == "absolute"


def test_traffic_is_carried(best):
    """Uniform all-to-all runs at the floor."""
    assert min(thetas(best.topology)) >= 0.995 - 1e-9


def test_counts_stay(best, named):
    """Of global links of every switch and of every two groups."""
    for counted in (_by_switch, _by_groups):
        assert counted(best.topology) == counted(named.outcome.result.layout.topology)


def _by_switch(topology) -> Counter:
    return Counter(port.device for link in topology.of_kind("global") for port in (link.a, link.b))


def _by_groups(topology) -> Counter:
    group = {device.name: device.group for device in topology.devices}
    return Counter(frozenset((group[link.a.device], group[link.b.device])) for link in topology.of_kind("global"))


def test_the_judge_finds_no_fault(best, tmp_path):
    """Neither in the design nor in its folder, which reads back as it was."""
    assert [each for each in evaluate(best, CATALOG).findings if each.severity == "error"] == []
    design_folder.write(best, tmp_path / "out")
    read = design_folder.read(tmp_path / "out")
    assert read.topology == best.topology
    design_folder.write(read, tmp_path / "again")
    for path in (tmp_path / "out").iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def test_what_does_not_carry_or_breaks_a_limit_is_passed_over(loaded, named):
    """The arrangement stays, and the reader is told why where it is traffic."""
    candidates = Candidates(loaded, CATALOG)
    shop = Shop(loaded.request, CATALOG, in_one_rack(Slack()))
    asked = (loaded.request, candidates.size, CATALOG, shop, candidates.objective)
    shape, layout = named.outcome.shape, named.outcome.result.layout
    found = shape, FAMILIES[shape.family].build(shape, loaded.request, candidates.size, CATALOG), layout
    slow = Arranger(*asked, lambda _: False, lambda _: None)(*found, 0).layout
    assert slow.topology == layout.topology
    assert SLOW in slow.notes
    broken = Arranger(*asked, lambda _: True, lambda _: "broken")(*found, 0).layout
    assert broken.topology == layout.topology
    assert broken.notes == ()
