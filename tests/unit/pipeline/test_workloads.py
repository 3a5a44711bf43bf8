"""Workloads: jobs that cannot stand on their nodes, stacks used as nobody measured them, how packets spread."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from fabric.catalog import load as catalog_load
from fabric.errors import InputError
from fabric.flow.spreading import Detoured, Even, Hashed, Tables
from fabric.model.request import Request
from fabric.model.workload import Workload
from fabric.pipeline.carrying import Setting, way_of
from fabric.pipeline.jobs import Hosts, ports_of, ranks_of
from fabric.pipeline.stack_range import optimistic, unmeasured, unmeasured_messages
from fabric.pipeline.stacks import model_of
from fabric.traffic._protocol import Phase
from fabric.traffic.demand import Transfers
from fabric.traffic.expert_shares import is_limit_scaled


@pytest.fixture(scope="module")
def catalog():
    """The shipped catalog."""
    return catalog_load.load()


@pytest.fixture(scope="module")
def systems(catalog):
    """Its systems."""
    return catalog.systems


@pytest.fixture(scope="module")
def stacks(catalog):
    """Its stacks."""
    return catalog.stacks


def _hosts(system, nodes=8):
    unit = np.repeat(np.arange(2), nodes // 2)
    names = [f"node-{index:02d}" for index in range(nodes)]
    domain = max(1, (system.scale_up_accelerators or 0) // max(1, system.accelerators))
    return Hosts(tuple(names), system.accelerators, 8, domain, unit)


def _job(ranks, **changes):
    return Workload(name="job", **({"pattern": "all_to_all", "ranks": ranks, "bytes_per_rank": 1} | changes))


def test_ranks_fill_whole_domains(systems):
    """A node of 8 accelerators is one domain; 16 ranks are two, 4 ranks share one."""
    hosts = _hosts(systems["hgx-h100"])
    assert ranks_of(_job(16), hosts).per_domain == 8
    assert ranks_of(_job(4), hosts).per_domain == 4


def test_experts_are_spread_over_whole_domains(systems):
    """12 ranks of an expert-parallel job are not whole domains of 8; a plain all-to-all may be cut anywhere."""
    hosts = _hosts(systems["hgx-h100"])
    assert ranks_of(_job(12), hosts).per_domain == 8
    with pytest.raises(InputError, match="12 ranks are not whole scale-up domains of 8"):
        ranks_of(_decode(expert_parallel=12), hosts)


def test_a_rack_is_one_domain(systems):
    """72 accelerators of 18 trays: 144 ranks are two racks."""
    hosts = _hosts(systems["vr200-nvl72"], 36)
    assert hosts.domain_size == 72
    assert ranks_of(_job(144), hosts).domain.tolist() == [0] * 72 + [1] * 72


def test_a_system_without_accelerators_carries_no_ranks(systems):
    """Storage and log-in nodes have none: the job is refused in words."""
    with pytest.raises(InputError, match="the nodes have no accelerators"):
        ranks_of(_job(8), _hosts(systems["generic-endpoint-400g"]))


def test_listed_nodes_are_handed_out_in_their_order(systems):
    """A list of names; one that is no node is named with its neighbour."""
    hosts = _hosts(systems["hgx-h100"])
    assert ranks_of(_job(8, placement=("node-05", "node-01")), hosts).domain.tolist() == [5] * 8 + [1] * 8
    with pytest.raises(InputError, match="'node-5' is no node of the design, did you mean node-05"):
        ranks_of(_job(8, placement=("node-5",)), hosts)


@pytest.mark.parametrize(
    ("accelerators", "rails", "shares"),
    [(8, 8, 1.0), (8, 2, 1.0), (4, 8, 0.5), (8, 1, 1.0)],
    ids=["a port each", "four share a port", "two ports each", "one port for all"],
)
def test_accelerators_share_the_ports_of_their_node(accelerators, rails, shares):
    """Both cut a node evenly: every share is what it should be, and a rank's add up to 1."""
    hosts = Hosts(("a", "b"), accelerators, rails, 1, np.zeros(2, dtype=int))
    plane = SimpleNamespace(rail=np.tile(np.arange(rails), 2), node=np.repeat(np.arange(2), rails))
    ports = ports_of(ranks_of(_job(2 * accelerators), hosts), hosts, plane)
    assert ports.share == pytest.approx(np.full(ports.share.size, shares))
    assert np.bincount(ports.rank, weights=ports.share) == pytest.approx(np.ones(2 * accelerators))
    assert np.bincount(ports.port, weights=ports.share) == pytest.approx(np.full(2 * rails, accelerators / rails))


def _decode(**changes):
    job = {"pattern": "moe_all_to_all", "model": "deepseek-v3", "expert_parallel": 32, "tokens_per_rank": 128}
    return Workload(name="decode", **(job | changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, []),
        ({"tokens_per_rank": 512}, ["512 tokens a rank where 2 to 256 were measured"]),
        ({"mode": "normal"}, ["mode normal where low_latency was measured"]),
    ],
)
def test_a_stack_is_measured_in_one_mode_and_range_of_tokens(stacks, changes, said):
    """DeepEP's low-latency kernels: measured up to 256 tokens a rank, in no other mode (aiconfigurator-deepep)."""
    assert list(unmeasured(_decode(**changes), stacks["deepep-v1-low-latency-cx7-ib"])) == said


@pytest.mark.parametrize(
    ("stack", "said"),
    [
        ("deepep-v1-normal-cx7-ib", ["mode rank_dedup where normal was measured"]),
        (
            "generic-roce-low-latency",
            ["no measured row of its own was fitted", "mode rank_dedup where low_latency was measured"],
        ),
    ],
)
def test_a_mode_that_is_carried_may_be_unmeasured(stacks, stack, said):
    """A stack may serve what nobody measured with it, and one without rows always says so."""
    assert list(unmeasured(_decode(mode="rank_dedup"), stacks[stack])) == said


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"dispatch": 7408, "combine": 14336}, []),
        ({"dispatch": 4240, "combine": 14336}, ["dispatch messages of 4240 bytes where 7408 were measured"]),
        ({"ring": 5}, []),
        ({}, []),
    ],
)
def test_message_sizes_that_were_measured(stacks, sizes, said):
    """DeepEP's rows hold one hidden width; another one is outside, and what has no measured size is not judged."""
    nothing = Transfers(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    phases = [Phase(name, nothing, name, 100.0, size) for name, size in sizes.items()]
    assert list(unmeasured_messages(stacks["deepep-v1-low-latency-cx7-ib"], phases)) == said


@pytest.mark.parametrize(("nodes", "said"), [(1, 0), (2, 1), (4, 0)])
def test_combines_of_two_nodes_are_optimistic(stacks, nodes, said):
    """Normal kernels of DeepEP took up to twice as long to combine on two nodes, and on two alone."""
    nothing = Transfers(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    phases = [Phase(name, nothing, name, 100.0) for name in ("dispatch", "combine")]
    found = list(optimistic(stacks["deepep-v1-normal-cx7-ib"], phases, nodes))
    assert found == ["combine over 2 nodes, where measured times are up to twice as long"] * said


@pytest.mark.parametrize(
    ("changes", "is_said"),
    [
        ({"mode": "normal", "popularity": {"zipf": 0.6}}, False),
        ({"mode": "normal", "popularity": {"zipf": 1.5}}, True),
        ({"mode": "low_latency", "popularity": {"zipf": 1.5}}, False),
        ({"mode": "normal"}, False),
        ({"mode": "normal", "popularity": {"zipf": 1.5}, "model": "qwen3-235b-a22b"}, False),
    ],
)
def test_skew_that_a_group_limit_does_not_allow_is_said(catalog, changes, is_said):
    """DeepSeek-V3 lets a token use four of eight groups, each with favourites that most tokens want; Qwen3 has none."""
    work = _decode(**changes)
    assert is_limit_scaled(work, model_of(work, catalog), seed=1) is is_said


@pytest.mark.parametrize(
    ("balancing", "layer", "expected"),
    [
        ("adaptive", "infiniband", Detoured(None)),
        ("spray", "roce", Even()),
        ("ecmp", "roce", Hashed(samples=50, seed=7)),
        ("dlb", "roce", Hashed(samples=50, seed=7)),
    ],
)
def test_how_packets_spread(catalog, systems, balancing, layer, expected):
    """Evenly, over a third group or by hash, whatever the family."""
    assert way_of(_job(16), _setting(catalog, systems, balancing, layer), _plane()) == expected


def test_infiniband_without_adaptive_routing_has_tables(catalog, systems):
    """One link towards each destination, as the subnet manager sets it."""
    found = way_of(_job(16), _setting(catalog, systems, "ecmp", "infiniband"), _plane())
    assert isinstance(found, Tables)
    assert found.forwarding == "tables of the plane"


def _plane():
    return SimpleNamespace(forwarding="tables of the plane")


def _setting(catalog, systems, balancing, layer):
    asked = {"name": "a", "accelerator": "hgx-h100", "nodes": 2, "fabric": {"link_layer": layer}}
    request = Request.model_validate(asked | {"samples": 50, "seed": 7})
    return Setting(request, systems["hgx-h100"], catalog, _hosts(systems["hgx-h100"]), balancing)
