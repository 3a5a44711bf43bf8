"""What limits a workload and what would help: on port maps small enough to know the answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.catalog import load as catalog_load
from fabric.model.request import Fabric, Request, Transport
from fabric.model.workload import RankMatrix, Workload
from fabric.pipeline.advice import advised
from fabric.pipeline.known import Known
from fabric.pipeline.workloads import predict

CATALOG = catalog_load.load()


def _request(nodes=16, hash_seeds="per_switch", **fabric):
    keys = {"link_layer": "roce", "family": "fat_tree", "switches": ["chaoqing-n9500-64oc"], "uplink_port_gbps": 400}
    return Request(
        name="x",
        accelerator="hgx-b200",
        nodes=nodes,
        fabric=Fabric(**(keys | {"unit_nodes": 8, "parameters": {"spines": 2}} | fabric)),
        transport=Transport(load_balancing="ecmp", hash_seeds=hash_seeds),
        samples=50,
    )


def _told(work, setting, planes):
    known = Known(setting, planes)
    return advised(predict(work, setting, planes, known), work, known)


def _advised(laid_out, work, nodes=16, **fabric):
    return _told(work, *laid_out(_request(nodes, **fabric)))


def _exchange(**changes):
    keys = {"pattern": "all_to_all", "ranks": 128, "bytes_per_rank": 50_000_000}
    return Workload(name="job", **(keys | changes))


def test_hashed_flows_are_told_to_be_sprayed(laid_out):
    """One queue pair a flow on few uplinks: collisions cost more than anything, and spraying takes them away."""
    found = _advised(laid_out, _exchange(queue_pairs=1))
    gains = {each.change: each.delta_us for each in found.helps}
    assert gains["packets sprayed instead of flows hashed"] < 0
    assert [each.delta_us for each in found.helps] == sorted(each.delta_us for each in found.helps)
    assert found.terms["all_to_all_queueing_us"] > 0


def _dealt(plane):
    """The plane with links in another order: those of a leaf in turn to its spines, as ports often are."""
    network, order = plane.network, np.arange(plane.network.link_a.size).reshape(-1, 2, 8).swapaxes(1, 2).ravel()
    ends = {key: getattr(network, key)[order] for key in ("link_a", "link_b", "link_gbps")}
    return replace(plane, network=replace(network, **ends), links=tuple(plane.links[link] for link in order))


def test_one_hash_seed_gathers_flows(laid_out):
    """Trunks of eight links to each of two spines, dealt in turn: one seed for all reaches half of a trunk downwards.

    With uplinks trunk by trunk the same seed reaches all, for then member and value agree.
    """
    setting, planes = laid_out(_request(32, "shared", unit_nodes=16, rails_per_leaf=1))
    work = _exchange(ranks=256, queue_pairs=64)
    assert {plane.network.link_a.size // plane.network.edge_count for plane in planes} == {16}
    for each, is_gathered in ((planes, False), (tuple(map(_dealt, planes)), True)):
        found = _told(work, setting, each)
        change = "a hash seed of its own in every switch"
        (gain,) = (each for each in found.helps if each.change == change)
        assert (gain.delta_us < -0.2 * found.time_us["p99"]) == is_gathered
    assert sum(flow.share for flow in found.flows) <= 1 + 1e-9
    apart = replace(setting, request=_request(32))
    found = _told(work, apart, planes)
    assert change not in {each.change for each in found.helps}


def test_the_flows_on_the_busiest_link_add_up(laid_out):
    """Shares of the largest flows, from leaf to leaf; with all shown they are the whole."""
    found = _advised(laid_out, _exchange())
    assert 0 < sum(flow.share for flow in found.flows) <= 1 + 1e-9
    assert all(flow.source.startswith("leaf") and flow.target.startswith("leaf") for flow in found.flows)
    assert {use.where for use in found.kinds} == {"node_leaf", "leaf_spine"}
    assert max(use.worst for use in found.switches) <= 1
    (ends,) = (use for use in found.kinds if use.where == "node_leaf")
    assert sum(use.links for use in found.edges) == ends.links
    assert max(use.worst for use in found.edges) == ends.worst


def test_fair_rates_of_an_oversubscribed_exchange(laid_out):
    """Two units, half the uplinks: the slowest flows share uplinks; those below a leaf get what is left of the ports.

    A leaf holds the ports of one rail of 32 nodes, each of which talks to 63 others of its rank's job, 31 below it.
    """
    found = _advised(laid_out, _exchange(ranks=512), nodes=64, unit_nodes=32, oversubscription=2.0, wiring="rail").fair
    assert found.ports_gbps == pytest.approx(400 / (512 - 8))
    assert found.slowest_gbps == pytest.approx(16 * 400 / (32 * (512 - 8 - 31)))
    beside = (400 - (512 - 8 - 31) * found.slowest_gbps) / 31
    share = 31 / (512 - 8)
    assert found.at_slowest == pytest.approx(1 - share)
    assert found.mean_gbps == pytest.approx((1 - share) * found.slowest_gbps + share * beside)
    assert found.transfers == 512 * (512 - 8)


def test_fair_rates_of_listed_transfers(laid_out):
    """Pairs of ranks on the two sides: a transfer has its port alone, or shares the uplinks with all others."""
    rank = np.arange(128)
    work = Workload(name="job", pattern="matrix", matrix="x.csv")
    work = work.with_matrix(RankMatrix(128, rank, (rank + 64) % 128, np.full(128, 1e6)))
    full, half = (_advised(laid_out, work, oversubscription=ratio, wiring="rail").fair for ratio in (1.0, 2.0))
    assert (full.transfers, full.slowest_gbps, full.at_slowest) == (128, pytest.approx(400), 1.0)
    assert half.ports_gbps == pytest.approx(400)
    assert half.slowest_gbps == pytest.approx(200)


def test_too_many_kinds_of_ports_have_no_fair_rates(laid_out, monkeypatch):
    """Above the limit nothing is said, and everything else still is."""
    monkeypatch.setattr("fabric.pipeline.fairness.MOST_CLASSES", 4)
    found = _advised(laid_out, _exchange())
    assert found.fair is None
    assert found.flows


def test_twice_the_bytes_double_the_byte_term(laid_out):
    """Sensitivity to bytes is what the byte terms are; one more hop costs what RoCE takes for one."""
    found = _advised(laid_out, _exchange(queue_pairs=64))
    changes = {each.change: each.delta_us for each in found.sensitivity}
    serial = max(found.terms[f"all_to_all_{key}_us"] for key in ("bytes", "links"))
    assert changes["twice the bytes per rank"] == pytest.approx(serial, rel=0.1)
    assert changes["one more switch on every way"] == pytest.approx(1.0, rel=0.1)
    assert changes["one rank 10 % slower"] > 0


@pytest.mark.parametrize(("wiring", "is_told"), [("rack", True), ("rail", False)])
def test_rail_wiring_is_tried_where_racks_are_wired(laid_out, wiring, is_told):
    """A rack-wired fabric hears what rail wiring would do to forwarded traffic; a rail-wired one does not."""
    work = _exchange(ranks=64)
    found = _advised(laid_out, work, nodes=64, wiring=wiring, unit_nodes="auto", parameters={})
    assert ("rail instead of rack wiring" in {each.change for each in found.helps}) == is_told


def test_balanced_experts_are_offered_where_they_are_unequal(laid_out):
    """Zipf's law at 64 ranks: the most helpful change of all."""
    work = Workload(
        name="decode",
        pattern="moe_all_to_all",
        model="deepseek-v3",
        expert_parallel=64,
        tokens_per_rank=64,
        popularity={"zipf": 0.8},
    )
    found = _advised(laid_out, work)
    assert found.helps[0].change == "experts balanced by load with 64 copies"
    even = _advised(laid_out, work.model_copy(update={"popularity": type(work.popularity)()}))
    assert not [each for each in even.helps if each.change.startswith("experts")]


def test_another_algorithm_is_offered(laid_out):
    """A small all-reduce over many ranks is a matter of steps: two trees take fewer than a ring."""
    found = _advised(
        laid_out, Workload(name="sum", pattern="all_reduce", ranks=128, bytes_per_rank=10_000, algorithm="ring")
    )
    gains = {each.change: each.delta_us for each in found.helps}
    assert gains["all-reduce over trees"] < 0
    assert "all-reduce in the switches" not in gains
    assert found.protocols == {"all_reduce": "ring_ll"}


def test_without_a_path_there_is_no_advice(laid_out):
    """A result without times stays as it is."""
    found = _advised(laid_out, _exchange())
    nothing = replace(found, time_us=dict.fromkeys(found.time_us), flows=(), helps=())
    assert advised(nothing, _exchange(), Known(*laid_out(_request()))) is nothing
    assert np.isfinite(found.jitter_us)


def test_one_more_uplink_makes_no_packet_wait(laid_out):
    """Sprayed over uplinks that are not the fullest, it changes nothing; it had counted whole packets as stored."""
    setting, planes = laid_out(_request())
    (uplink,) = (
        each.delta_us
        for each in _told(_exchange(), replace(setting, balancing="spray"), planes).helps
        if each.change == "one more uplink a leaf or router"
    )
    assert uplink == pytest.approx(0, abs=1e-9)
