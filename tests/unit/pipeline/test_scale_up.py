"""Inside scale-up domains: times by the stacks measured there, on the systems they were measured on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.catalog import load as catalog_load
from fabric.errors import InputError
from fabric.model.request import Fabric, Request
from fabric.model.workload import Workload
from fabric.pipeline.scale_up import scale_up_of, unknown
from fabric.pipeline.stack_range import stretched
from fabric.pipeline.workloads import predict

CATALOG = catalog_load.load()


@pytest.fixture(scope="module")
def fabric(laid_out):
    """Setting and planes of sixteen HGX H100."""
    keys = {"link_layer": "infiniband", "family": "fat_tree", "switches": ["nvidia-qm9700"], "uplink_port_gbps": 400}
    request = Request(name="x", accelerator="hgx-h100", nodes=16, fabric=Fabric(**keys), samples=50)
    return laid_out(request)


def _decode(ranks, **changes):
    keys = {"pattern": "moe_all_to_all", "model": "deepseek-v3", "expert_parallel": ranks, "tokens_per_rank": 128}
    return Workload(name="decode", **(keys | changes))


def test_a_job_of_one_node_is_timed_inside_it(fabric):
    """14.5 + 7/8 of 128 x 8 copies of 7408 bytes at 248 GB/s, and back: as the rows of one node are predicted."""
    setting, planes = fabric
    found = predict(_decode(8), setting, planes)
    copies = 128 * 8 * 7 / 8
    assert found.terms["dispatch_alpha0_us"] == 14.5
    assert found.terms["dispatch_scale_up_us"] == pytest.approx(copies * 7408 / 248e3)
    assert found.terms["combine_scale_up_us"] == pytest.approx(copies * 14336 / 209e3)
    assert all(found.terms[f"dispatch_{key}_us"] == 0 for key in ("hops", "cables", "bytes", "links", "messages"))
    assert found.time_us["p50"] == pytest.approx(14.5 + 11.3 + copies * (7408 / 248e3 + 14336 / 209e3), rel=0.03)
    assert (found.stack, found.latency) == ("deepep-v1-low-latency-hgx-node", None)
    assert found.ideal_us == pytest.approx(copies * (7408 + 14336) / 450e3)
    assert stretched(_decode(8), setting, planes) == []


def test_bytes_that_stay_overlap_those_on_the_network(fabric):
    """Two nodes: half of the copies stay, 7/8 of them for others; the network takes longer, so nothing changes."""
    setting, planes = fabric
    found = predict(_decode(16), setting, planes)
    assert found.terms["dispatch_scale_up_us"] == pytest.approx(128 * 8 / 2 * 7 / 8 * 7408 / 248e3)
    slow = CATALOG.stacks["deepep-v1-low-latency-hgx-node"]
    figure = slow.phases["dispatch"].model_copy(update={"bandwidth_gbyte_s": 10.0})
    slow = slow.model_copy(update={"phases": {**slow.phases, "dispatch": figure}})
    catalog = replace(CATALOG, stacks={**CATALOG.stacks, "deepep-v1-low-latency-hgx-node": slow})
    changed = predict(_decode(16), replace(setting, catalog=catalog), planes)
    longest = changed.terms["dispatch_scale_up_us"] - found.terms["dispatch_bytes_us"]
    assert longest > 0
    assert changed.parts["dispatch_us"] - found.parts["dispatch_us"] == pytest.approx(longest, rel=0.05)


def test_forwarding_moves_most_of_a_plain_exchange_inside(fabric):
    """Eight nodes: a 64th to each; 7 stay in the node, and of the 56 others those for 7 of 8 indices pass it first."""
    setting, planes = fabric
    work = Workload(name="job", pattern="all_to_all", ranks=64, bytes_per_rank=64_000_000)
    transport = setting.request.transport.model_copy(update={"rail_forwarding": True})
    moved = replace(setting, request=setting.request.model_copy(update={"transport": transport}))
    direct, forwarded = (predict(work, each, planes).terms["all_to_all_scale_up_us"] for each in (setting, moved))
    assert direct == pytest.approx(7_000_000 / 301e3)
    assert forwarded == pytest.approx((7 + 49) * 1_000_000 / 301e3)


def test_normal_kernels_forward_to_the_ranks_of_experts(fabric):
    """More than what the demand shows: copies to each rank, of which the network carried one a node."""
    found = predict(_decode(64, mode="normal", tokens_per_rank=4096), *fabric)
    assert found.scale_up == dict.fromkeys(("dispatch", "combine"), "deepep-v1-normal-hgx-node")
    assert 0 < found.terms["dispatch_scale_up_us"] < found.terms["dispatch_bytes_us"]


@pytest.mark.parametrize(
    ("system", "changes", "phase", "key"),
    [
        ("hgx-h100", {}, "dispatch", "deepep-v1-low-latency-hgx-node"),
        ("hgx-h200", {}, "dispatch", None),
        ("hgx-b200", {}, "dispatch", None),
        ("gb200-nvl72", {}, "combine", "trtllm-nvl72-two-sided"),
        ("gb200-nvl72", {"dispatch_dtype": "bf16"}, "combine", "trtllm-nvl72-two-sided-bf16"),
        ("gb200-nvl72", {"dispatch_dtype": "fp4"}, "dispatch", "trtllm-nvl72-two-sided-nvfp4"),
        ("gb300-nvl72", {}, "dispatch", None),
        ("hgx-h100", {"stack": "trtllm-nvl72-two-sided"}, "dispatch", "trtllm-nvl72-two-sided"),
        ("hgx-h100", {"stack": "deepep-v1-low-latency-cx7-ib"}, "dispatch", "deepep-v1-low-latency-hgx-node"),
        ("vr200-nvl72", {"stack": "trtllm-nvl72-two-sided"}, "dispatch", "trtllm-nvl72-two-sided"),
    ],
)
def test_no_stack_is_lent_to_another_system(system, changes, phase, key):
    """A stack of one generation says nothing of another, unless the request names it."""
    assert scale_up_of(_decode(8, **changes), phase, CATALOG.systems[system], CATALOG) == key


def test_no_part_is_faster_than_the_port(fabric):
    """1 GiB goes up and down the chains of both nodes of H200, 7 of 8 chains over each port of 450 GB/s."""
    setting, planes = fabric
    setting = replace(setting, system=CATALOG.systems["hgx-h200"])
    tree = Workload(name="sum", pattern="all_reduce", ranks=16, bytes_per_rank=1 << 30, algorithm="tree")
    found = predict(tree, setting, planes)
    least_us = 2 * (1 << 30) * 7 / 8 / 450e3
    assert found.terms["all_reduce_scale_up_us"] == pytest.approx(least_us)
    assert found.time_us["p50"] > found.ideal_us >= least_us
    named = predict(_decode(8, stack="trtllm-nvl72-two-sided-bf16", dispatch_dtype="bf16"), setting, planes)
    assert named.terms["combine_scale_up_us"] == pytest.approx(128 * 8 * 7 / 8 * 14336 / 450e3)


@pytest.mark.parametrize(
    ("pattern", "keys", "around"),
    [
        ("all_reduce", {"algorithm": "ring"}, 2 * 7 / 8),
        ("all_reduce", {"algorithm": "tree"}, 2 * 7 / 8),
        ("all_gather", {}, 7),
        ("reduce_scatter", {}, 7 / 8),
    ],
)
def test_chains_inside_a_node(fabric, pattern, keys, around):
    """16.9 us and what passes each place of the rings at 428 GB/s, as NCCL was measured on eight H100."""
    work = Workload(name="sum", pattern=pattern, ranks=8, bytes_per_rank=1 << 26, **keys)
    found = predict(work, *fabric)
    assert found.terms[f"{pattern}_alpha0_us"] == 16.9
    assert found.terms[f"{pattern}_scale_up_us"] == pytest.approx(around * (1 << 26) / 428e3)
    assert found.terms[f"{pattern}_steps_us"] == 0
    assert found.stack == "nccl-all-reduce-nvlink4"
    assert stretched(work, *fabric) == []


def test_a_kernel_that_is_named_sums_faster(fabric):
    """Small vectors by TensorRT-LLM's kernel take a quarter of NCCL's time; 1 GiB is beyond what was measured."""
    small = Workload(name="sum", pattern="all_reduce", ranks=8, bytes_per_rank=8192, stack="trtllm-all-reduce-nvlink4")
    assert predict(small, *fabric).terms["all_reduce_alpha0_us"] == 3.82
    large = small.model_copy(update={"bytes_per_rank": 1 << 30})
    assert "messages of 134217728 bytes" in stretched(large, *fabric)[0].message


@pytest.mark.parametrize(("size", "chosen"), [(512, "tree"), (1 << 34, "ring")])
def test_the_library_chooses_rings_or_trees(fabric, size, chosen):
    """Trees for small sums, whose steps grow with the logarithm; rings for large ones, whose bytes go round once."""
    work = Workload(name="sum", pattern="all_reduce", ranks=128, bytes_per_rank=size)
    found = predict(work, *fabric)
    times = {
        each: predict(work.model_copy(update={"algorithm": each}), *fabric).time_us["p50"] for each in ("ring", "tree")
    }
    assert found.protocols["all_reduce"].startswith(chosen)
    assert found.time_us["p50"] == min(times.values()) == times[chosen]


def test_small_sums_between_nodes_are_optimistic(fabric):
    """25 to 30 us by the tuning table for 512 bytes over two nodes, where 46.6 were measured on H20."""
    work = Workload(name="sum", pattern="all_reduce", ranks=16, bytes_per_rank=512)
    for algorithm in ("ring", "tree"):
        assert 25 < predict(work.model_copy(update={"algorithm": algorithm}), *fabric).time_us["p50"] < 30


def test_what_nobody_measured_is_said(fabric):
    """A ring inside a node of H200 has no stack: across nodes that is not checked, within one it has no time."""
    setting, planes = fabric
    other = replace(setting, system=CATALOG.systems["hgx-h200"])
    ring = Workload(name="sum", pattern="all_reduce", ranks=64, bytes_per_rank=1000)
    found = list(unknown(predict(ring, other, planes)))
    assert [item.rule for item in found] == ["scale-up: sum"]
    assert "rate of the port" in found[0].why
    with pytest.raises(InputError, match=r"no stack for plain \(ring\) was measured inside"):
        predict(ring.model_copy(update={"ranks": 8}), other, planes)


def test_a_named_stack_of_another_system_is_a_warning(fabric):
    """The user's word holds, and the report says what it is stretched over."""
    work = _decode(8, stack="trtllm-nvl72-two-sided")
    assert predict(work, *fabric).stack == "trtllm-nvl72-two-sided"
    assert "system HGX H100" in stretched(work, *fabric)[0].message


def test_fewer_ranks_than_measured_are_a_warning(fabric):
    """Four ranks of a node where eight were measured."""
    found = stretched(_decode(4), *fabric)
    assert "4 ranks where 8 to 8 were measured" in found[0].message


def test_other_domains_than_measured_are_a_warning(fabric):
    """Constants of nodes of eight on racks of 72, and on one rank a node; the measured eight say nothing."""
    setting, planes = fabric
    assert stretched(_decode(16), setting, planes) == []
    (said,) = stretched(_decode(16, placement="by_rail"), setting, planes)
    assert said.message.endswith(
        "outside what it was fitted on: 1 of its ranks in a scale-up domain where 8 were measured"
    )
