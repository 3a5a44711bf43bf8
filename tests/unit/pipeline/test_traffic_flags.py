"""Remarks about workloads that send otherwise than their request or fabric takes for granted, with the arithmetic."""

from __future__ import annotations

import pytest

from fabric.catalog import load as catalog_load
from fabric.model.request import Fabric, Request, Transport
from fabric.model.workload import Workload
from fabric.pipeline.carrying import Setting
from fabric.pipeline.jobs import hosts_of
from fabric.pipeline.networks import planes_of
from fabric.pipeline.traffic_flags import flagged
from fabric.pipeline.workloads import predict
from fabric.topology import fat_tree, port_map
from fabric.topology.size import resolve

CATALOG = catalog_load.load()


def _said(work, nodes=16, *, forwards=False, **fabric):
    """Severity and message of every remark about a workload on a fabric of HGX H100 over rails."""
    keys = {"link_layer": "infiniband", "family": "fat_tree", "switches": ["nvidia-qm9700"], "uplink_port_gbps": 400}
    request = Request(
        name="x",
        accelerator="hgx-h100",
        nodes=nodes,
        fabric=Fabric(**(keys | fabric)),
        transport=Transport(rail_forwarding=forwards),
        samples=20,
    )
    size = resolve(request, CATALOG)
    topology = port_map.build(fat_tree.shapes(request, size, CATALOG)[0], request, size, CATALOG)
    planes = planes_of(topology)
    hosts = hosts_of([node.name for node in topology.with_role("node")], size.system, planes)
    setting = Setting(request, size.system, CATALOG, hosts, "adaptive")
    return [(each.severity, each.message) for each in flagged(work, predict(work, setting, planes), setting, planes)]


def _decode(ranks=64, **changes):
    keys = {"pattern": "moe_all_to_all", "model": "deepseek-v3", "expert_parallel": ranks, "tokens_per_rank": 128}
    return Workload(name="decode", **(keys | changes))


def test_a_usual_workload_says_nothing():
    """Messages above the crossover, no limit of groups in the mode, uplinks for all."""
    assert _said(_decode()) == []


@pytest.mark.parametrize(("routing", "count"), [("valiant", 1), ("ugal", 1), ("minimal", 0), ("adaptive", 0)])
def test_trees_have_no_third_group(routing, count):
    """Valiant and UGAL took the shortest ways without a word."""
    work = Workload(name="job", pattern="permutation", ranks=64, bytes_per_rank=1_000_000, routing=routing)
    found = _said(work)
    assert len(found) == count
    assert all(
        severity == "warning" and f"routing {routing} goes over third groups, " in text for severity, text in found
    )


def test_payloads_below_the_rate_of_messages():
    """2880 values in fp8 with scales and header, 2988 bytes, below 46.4 GB/s over 11.1 a us, 4180 bytes."""
    (found,) = _said(_decode(model="gpt-oss-120b"))
    words = (
        "dispatch messages of 2,988 bytes are below the 4,180 at which 46.4 GB/s and 11.1 million messages a second of"
        " an adapter balance: messages take 40.4 us, bytes 28.8, and fewer bytes save nothing"
    )
    assert found == ("info", words)


@pytest.mark.parametrize(("ranks", "reached"), [(64, None), (128, "16 scale-up domains 8 groups let it reach 5.34")])
def test_a_limit_of_groups_is_none_of_nodes(ranks, reached):
    """DeepSeek-V3, 4 of 8 groups: 3.63 nodes of 8, 5.339 of 16 (worked figures); low latency merges nothing."""
    found = _said(_decode(ranks, mode="normal", tokens_per_rank=4096))
    assert [severity for severity, _ in found] == ["info"] * (reached is not None)
    assert all("a limit of 4 groups a token is none of 4 nodes: on " in text and reached in text for _, text in found)
    assert _said(_decode(ranks)) == []


def test_low_latency_kernels_do_not_forward():
    """Sixteen nodes below each leaf of a rail: forwarded, nothing crosses; written directly, 7/8 of the bytes do."""
    (found,) = _said(_decode(), forwards=True)
    shares = "87.5% of its bytes cross the spines, 0.0% if they moved to the rail of the receiver first"
    assert found == (
        "warning",
        f"low-latency kernels send from their own adapter, against rail_forwarding: {shares}, as timed",
    )
    assert _said(_decode(mode="normal", tokens_per_rank=4096), forwards=True) == []


def test_uplinks_for_kernels_that_forward():
    """Two uplinks for three node ports: less than 7/8 of the bytes need, more than the none that forwarding leaves."""
    (found,) = _said(_decode(), 32, oversubscription=3.0, unit_nodes=32)
    assert found[0] == "warning"
    assert found[1].endswith("if they moved to the rail of the receiver first")
    assert "of what node ports do, enough for kernels that forward, not for these: 87.5%" in found[1]
    assert _said(_decode(mode="normal", tokens_per_rank=4096), 32, oversubscription=3.0, unit_nodes=32) == []
