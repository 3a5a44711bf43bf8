"""Workloads: jobs that cannot stand on the nodes of a request, and stacks used as nobody measured them."""

from __future__ import annotations

import pytest

from fabric.catalog import load as catalog_load
from fabric.errors import InputError
from fabric.model.report import WorkloadResult
from fabric.model.request import Workload
from fabric.pipeline.flow_judgement import _unmeasured, _unmeasured_messages
from fabric.pipeline.workloads import constants_of, expert_parallel


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


def _job(ranks):
    return Workload(name="job", pattern="all_to_all", ranks=ranks, bytes_per_rank=1)


def test_ranks_fill_whole_domains(systems):
    """A node of 8 accelerators is one domain; 16 ranks are two, 4 ranks share one, 12 ranks are not whole ones."""
    assert expert_parallel(_job(16), systems["hgx-h100"]).ranks_per_node == 8
    assert expert_parallel(_job(4), systems["hgx-h100"]).ranks_per_node == 4
    with pytest.raises(InputError, match="12 ranks are not whole scale-up domains of 8"):
        expert_parallel(_job(12), systems["hgx-h100"])


def test_a_system_without_accelerators_carries_no_ranks(systems):
    """Storage and log-in nodes have none: the job is refused in words."""
    with pytest.raises(InputError, match="has no accelerators"):
        expert_parallel(_job(8), systems["generic-endpoint-400g"])


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
    assert list(_unmeasured(_decode(**changes), stacks["deepep-v1-low-latency-cx7-ib"])) == said


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
    assert list(_unmeasured(_decode(mode="rank_dedup"), stacks[stack])) == said


def _result(stack, sizes):
    """A result with 100 messages of these sizes in its terms."""
    terms = {}
    for phase, size in sizes.items():
        constants = constants_of(phase, stack, 800.0)
        terms[f"{phase}_bytes_us"] = 100 * size / (constants.bandwidth_gbyte_s * 1000)
        terms[f"{phase}_messages_us"] = 100 / constants.message_rate_mops
    return WorkloadResult("decode", "moe_all_to_all", {}, None, None, {}, None, terms)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"dispatch": 7408, "combine": 14336}, []),
        ({"dispatch": 0, "combine": 0}, ["dispatch messages of 0 bytes where 7408 were measured"]),
        ({"dispatch": 4240, "combine": 14336}, ["dispatch messages of 4240 bytes where 7408 were measured"]),
        ({}, []),
    ],
)
def test_message_sizes_that_were_measured(stacks, sizes, said):
    """DeepEP's rows hold one hidden width; another one is outside, whatever the rate of the port."""
    stack = stacks["deepep-v1-low-latency-cx7-ib"]
    assert list(_unmeasured_messages(stack, 800.0, _result(stack, sizes)))[:1] == said
