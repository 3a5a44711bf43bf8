"""Workloads on ports with several planes: balanced by the adapter, by queue pairs or by nobody, whole and damaged."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from fabric.catalog import load as catalog_load
from fabric.model.request import Fabric, Request, Transport
from fabric.model.workload import Workload
from fabric.pipeline.advice import advised
from fabric.pipeline.carrying import carry
from fabric.pipeline.damage import damage
from fabric.pipeline.dealing import balancer_of, drawn_links
from fabric.pipeline.failures import damaged
from fabric.pipeline.known import Known
from fabric.pipeline.stack_range import stretched
from fabric.pipeline.workloads import predict
from fabric.topology.size import resolve
from fabric.traffic.planes import Balancing

CATALOG = catalog_load.load()
MODES = ("hardware", "software", "none")
SPINES = 2


def _fabric(laid_out, planes, transport, *, unit=1):
    """Planes of a leaf for every `unit` nodes under two spines, and what workloads on them share."""
    request = Request(
        name="x",
        accelerator="dgx-b300",
        nodes=8,
        fabric=Fabric(
            link_layer="roce",
            family="fat_tree",
            switches=["chaoqing-n9500-64oc"],
            uplink_port_gbps=400,
            node_port_gbps=400,
            planes=planes,
            unit_nodes=unit,
            wiring="rack",
            parameters={"spines": SPINES * planes},
        ),
        transport=Transport(**({"load_balancing": "spray"} | transport)),
        samples=400,
    )
    return laid_out(request)


def _spread(**more):
    return Workload(name="job", **({"pattern": "all_to_all", "ranks": 64, "bytes_per_rank": 10_000_000} | more))


def _decode(**more):
    model = {"experts": 64, "top_k": 4, "payload_dim": 2048, "layers": 3}
    keys = {"pattern": "moe_all_to_all", "model": model, "expert_parallel": 64, "tokens_per_rank": 64}
    return Workload(name="decode", **(keys | more))


def _times(laid_out, planes, transport, workload):
    setting, whole = _fabric(laid_out, planes, transport)
    return predict(workload, setting, whole)


@pytest.mark.parametrize("balancing", ["ecmp", "spray"])
@pytest.mark.parametrize(
    "workload",
    [
        _spread(),
        _spread(slow_rank=3.0, pattern="all_reduce"),
        _decode(popularity="zipf"),
        Workload(name="kv", pattern="kv_transfer", ranks=64, bytes_per_rank=1_000_000, incast=4),
        Workload(name="burst", pattern="bursts", ranks=64, bytes_per_rank=100_000),
    ],
    ids=lambda workload: workload.pattern,
)
def test_one_plane_is_the_same_whoever_balances(laid_out, workload, balancing):
    """Every number of the result, with hashed and sprayed ways."""
    found = [
        asdict(_times(laid_out, 1, {"plane_balancing": mode, "load_balancing": balancing}, workload))
        for mode in ("auto", *MODES)
    ]
    assert found[1:] == found[:1] * 3


@pytest.mark.parametrize(("queue_pairs", "fullest"), [(1, 1.0), (2, 1 / 2), (3, 2 / 3), (4, 1 / 2), (5, 3 / 5)])
def test_software_leaves_the_first_plane_fuller(laid_out, queue_pairs, fullest):
    """Of two planes it has ⌈q/2⌉ of q of the bytes, which is skew; even numbers are as good as hardware."""
    sprayed = _times(laid_out, 2, {"plane_balancing": "hardware"}, _spread()).terms
    dealt = _times(laid_out, 2, {"plane_balancing": "software", "queue_pairs": queue_pairs}, _spread()).terms
    assert dealt["all_to_all_bytes_us"] == pytest.approx(sprayed["all_to_all_bytes_us"])
    busiest = dealt["all_to_all_bytes_us"] + dealt["all_to_all_skew_us"]
    assert busiest == pytest.approx(2 * fullest * sprayed["all_to_all_bytes_us"])
    assert dealt["all_to_all_links_us"] == pytest.approx(2 * fullest * sprayed["all_to_all_links_us"])
    assert dealt["all_to_all_messages_us"] == pytest.approx(sprayed["all_to_all_messages_us"])


def test_an_adapter_starts_as_many_messages_however_its_ports_are_split(laid_out):
    """Two planes of 400G and one of 800G, either way of dealing: 56 messages of a rank at 11.1 a us, and the warning.

    Bytes take half as long as over one port of 400G, messages no less, by chance neither.
    """
    split, whole = _fabric(laid_out, 2, {"plane_balancing": "hardware"}), _fabric(laid_out, 1, {})
    dealt = _fabric(laid_out, 2, {"plane_balancing": "none"})
    times = [predict(_spread(), *each).terms for each in (split, whole, dealt)]
    assert [each["all_to_all_messages_us"] for each in times] == pytest.approx([56 / 11.1] * 3)
    assert 2 * times[0]["all_to_all_bytes_us"] == pytest.approx(times[1]["all_to_all_bytes_us"])
    (said,) = stretched(_spread(), *split)
    assert "adapters of 2 ports of 400G where 400G were measured, bandwidth taken in proportion" in said.message
    (said,) = stretched(_spread(), *whole)
    assert "in proportion" not in said.message
    twice = tuple(
        replace(each, network=replace(each.network, endpoint_gbps=2 * each.network.endpoint_gbps)) for each in whole[1]
    )
    (said,) = stretched(_spread(), whole[0], twice)
    assert "; 800G ports where 400G were measured, bandwidth taken in proportion, message rate as" in said.message


def test_messages_do_not_pile_up_by_chance(laid_out):
    """Of a phase that messages bind, hashing to planes takes no longer: they pass one adapter."""
    few = _spread(bytes_per_rank=64_000)
    even, hashed = (_times(laid_out, 2, {"plane_balancing": each}, few) for each in ("hardware", "none"))
    assert hashed.terms["all_to_all_queueing_us"] == 0
    assert hashed.time_us == pytest.approx(even.time_us, rel=0.001)


def test_chance_is_queueing(laid_out):
    """Between p50 and p99 too: a port's fullest plane as balls in bins, on top of the mean port, and no skew."""
    even = _times(laid_out, 2, {"plane_balancing": "hardware"}, _spread())
    hashed = _times(laid_out, 2, {"plane_balancing": "none"}, _spread())
    (each,) = carry(_spread(), *_fabric(laid_out, 2, {"plane_balancing": "none"}))
    assert even.terms["all_to_all_queueing_us"] == 0
    assert hashed.terms["all_to_all_skew_us"] == pytest.approx(0, abs=1e-9)
    slowdown = float(np.median(each.ports_drawn))
    # 56 ranks of other nodes, four queue pairs each: 224 flows in two planes.
    assert slowdown * 112 == pytest.approx(round(slowdown * 112), abs=1e-6)
    assert 1.1 < slowdown < 1.4
    assert hashed.terms["all_to_all_queueing_us"] == pytest.approx(
        (slowdown - 1) * hashed.terms["all_to_all_bytes_us"], rel=1e-6
    )
    assert hashed.time_us["p99"] - hashed.time_us["p50"] > 2 * (even.time_us["p99"] - even.time_us["p50"])


def test_a_single_flow_is_in_one_plane(laid_out):
    """One queue pair from rank to rank and nobody balances: all of it in one plane, twice the mean."""
    ring = _spread(pattern="permutation", queue_pairs=1)
    (each,) = carry(ring, *_fabric(laid_out, 2, {"plane_balancing": "none"}))
    assert each.ports_drawn == pytest.approx(np.full(400, 2.0))
    found = _times(laid_out, 2, {"plane_balancing": "none"}, ring).terms
    assert found["permutation_queueing_us"] == pytest.approx(found["permutation_bytes_us"])


def test_chance_of_ports_by_enumeration(laid_out):
    """Eight senders and takers of three equal flows in two planes: P(no plane of any has all three) = (3/4)^16."""
    work = _spread(ranks=8, queue_pairs=3, pattern="permutation", jobs=1)
    setting, whole = _fabric(laid_out, 2, {"plane_balancing": "none"})
    setting = replace(setting, request=setting.request.model_copy(update={"samples": 20_000}))
    (each,) = carry(work.model_copy(update={"placement": "by_rail"}), setting, whole)
    assert (each.ports_drawn < 1.5).mean() == pytest.approx(0.75**16, abs=0.004)
    assert set((each.ports_drawn * 1.5).round(6)) == {2.0, 3.0}


def test_a_slow_rank_has_a_port_of_its_own(laid_out):
    """Four times slower, its port alone decides: the fullest of one port's planes, not of all ports'."""
    (all_alike,) = carry(_spread(), *_fabric(laid_out, 2, {"plane_balancing": "none"}))
    (one_slow,) = carry(_spread(slow_rank=4.0), *_fabric(laid_out, 2, {"plane_balancing": "none"}))
    assert np.median(one_slow.ports_drawn) < np.median(all_alike.ports_drawn)
    assert np.mean(one_slow.ports_drawn) == pytest.approx(1.053, abs=0.01)


def test_a_phase_waits_for_its_slowest_plane(laid_out):
    """Two planes hash apart: half the bytes each, and the longer of two times drawn as that of one is."""
    work = _spread(pattern="permutation", bytes_per_rank=100_000_000)
    settings = [
        _fabric(laid_out, planes, {"plane_balancing": "hardware", "load_balancing": "ecmp"}) for planes in (1, 2)
    ]
    (one,), (two,) = (carry(work, *each) for each in settings)
    alone, both = (each.loads[0].drawn_us for each in (one, two))
    rng = np.random.default_rng(9)
    longer = np.maximum(rng.choice(alone, 20_000), rng.choice(alone, 20_000))
    assert 2 * np.mean(both) == pytest.approx(np.mean(longer), rel=0.01)
    assert np.mean(longer) > 1.01 * np.mean(alone)
    assert two.fullest == 0


def test_chance_reaches_uplinks(laid_out):
    """Links that the mean fills are fuller by the leaf's own number of flows in a plane."""
    setting, whole = _fabric(laid_out, 2, {"plane_balancing": "none"})
    (each,) = carry(_spread(), setting, whole)
    folded, arcs = [load.folded for load in each.loads], [load.arcs for load in each.loads]
    networks = [plane.network for plane in whole]
    drawn = drawn_links(networks, folded, arcs, 4000, 1)
    # A leaf of eight ports sends 1,792 flows, a binomial half of them in each plane; 8 leaves, 2 ways, 2 planes.
    rng = np.random.default_rng(5)
    placed = rng.binomial(1792, 0.5, size=(4000, 32)).max(axis=1) / 896
    even_us = max(float((each.link_up_bytes / (50_000 * 8)).max()) for each in arcs) * 8
    assert np.median(drawn) / even_us == pytest.approx(np.median(placed), rel=0.004)
    assert np.quantile(drawn, 0.99) / even_us == pytest.approx(np.quantile(placed, 0.99), rel=0.01)


DEAD_MIDDLE = [f"spine-p0-{number:02d}" for number in range(1, SPINES + 1)]


@pytest.mark.parametrize("mode", ["hardware", "software"])
@pytest.mark.parametrize("down", [["plane 0"], DEAD_MIDDLE], ids=["plane", "its spines"])
@pytest.mark.parametrize("workload", [_spread(), _decode(popularity="zipf"), _spread(pattern="all_reduce")])
def test_all_planes_dead_but_one_leave_that_ones_time(laid_out, workload, down, mode):
    """No traffic below a leaf: without plane 0, or the middle of it, all is as if plane 1 were the only one."""
    setting, whole = _fabric(laid_out, 2, {"plane_balancing": mode})
    left = damaged(whole, damage(whole, down))
    found, alone = (predict(workload, setting, planes) for planes in (left, whole[1:]))
    assert len(left) == (1 if down == ["plane 0"] else 2)
    assert found.time_us == pytest.approx(alone.time_us)
    for name, value in alone.terms.items():
        if not name.endswith(("bytes_us", "skew_us")):
            assert found.terms[name] == pytest.approx(value), name


@pytest.mark.parametrize(
    ("down", "kept"),
    [
        (["plane 0"], MODES[:2]),
        (DEAD_MIDDLE, MODES[:2]),
        (DEAD_MIDDLE[:1], MODES),
        ([*DEAD_MIDDLE, "plane 1"], ()),
        (["node-0001.rail0p0"], MODES[:2]),
        (["node-0001.rail0p0", "node-0001.rail0p1"], MODES),
        (["node-0001"], MODES),
        (["leaf-p0-su01"], MODES[:2]),
        (["leaf-p0-su01", "leaf-p1-su02"], ()),
    ],
    ids=lambda each: " ".join(each) or "nobody",
)
def test_who_finds_a_path(laid_out, down, kept):
    """Balanced planes keep all that meets in some plane; flows that a hash tied to a lost path are lost with it."""
    for mode in MODES:
        setting, whole = _fabric(laid_out, 2, {"plane_balancing": mode})
        found = predict(_spread(), setting, damaged(whole, damage(whole, down)))
        assert (found.time_us["p50"] is not None) == (mode in kept), mode


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("balancing", ["ecmp", "spray"])
def test_a_job_of_one_node_sends_nothing(laid_out, mode, balancing):
    """All of it stays in the scale-up domain: no bytes, no link, and a time all the same."""
    work = _spread(ranks=8)
    setting, whole = _fabric(laid_out, 2, {"plane_balancing": mode, "load_balancing": balancing})
    found = predict(work, setting, whole)
    assert found.bottleneck is None
    assert found.terms["all_to_all_bytes_us"] == found.terms["all_to_all_queueing_us"] == 0
    assert found.time_us["p50"] > 0


def test_a_leaf_without_uplinks_talks_below_itself_in_its_plane(laid_out):
    """Two nodes a leaf: half of the leaf's plane is used by its own pairs alone, the rest goes round."""
    setting, whole = _fabric(laid_out, 2, {"plane_balancing": "hardware"}, unit=2)
    cut = [link.name for link in whole[0].links if link.a.device == "leaf-p0-su01"]
    (each,) = carry(_spread(), setting, damaged(whole, damage(whole, cut)))
    first, second = (load.folded.pair_bytes for load in each.loads)
    assert first[0, 1:].sum() == first[1:, 0].sum() == 0
    assert first[0, 0] == pytest.approx(second[0, 0])
    assert second[0, 1] == pytest.approx(2 * second[1, 2])
    assert first[1, 2] == pytest.approx(second[1, 2])


def test_what_an_adapter_does_on_its_own():
    """What the catalog says of the adapter on the link layer, else what libraries do; as asked where asked."""
    for accelerator, layer, expected in (
        ("dgx-b300", "roce", Balancing.SOFTWARE),
        ("dgx-b300", "infiniband", Balancing.HARDWARE),
        ("hgx-h100", "infiniband", Balancing.SOFTWARE),
    ):
        request = Request(name="x", accelerator=accelerator, nodes=2, fabric=Fabric(link_layer=layer))
        assert balancer_of(request, CATALOG.systems[accelerator], CATALOG) is expected
        asked = request.model_copy(update={"transport": Transport(plane_balancing="none")})
        assert balancer_of(asked, CATALOG.systems[accelerator], CATALOG) is Balancing.NONE


def test_what_was_taken_is_an_assumption(laid_out):
    """Only where there are planes to balance and nobody said who does it."""
    request = _fabric(laid_out, 2, {})[0].request
    assert "transport.plane_balancing: software, how ConnectX-8 SuperNIC uses planes on ethernet" in (
        resolve(request, CATALOG).assumptions
    )
    unknown = replace(CATALOG, nics={"connectx-8": CATALOG.nics["connectx-7"]})
    why = "assumed: the catalog does not say how ConnectX-7 uses planes on ethernet"
    assert f"transport.plane_balancing: software, {why}" in resolve(request, unknown).assumptions
    for quiet in (_fabric(laid_out, 1, {})[0].request, _fabric(laid_out, 2, {"plane_balancing": "none"})[0].request):
        assert not any("plane_balancing" in each for each in resolve(quiet, CATALOG).assumptions)


def test_balancing_by_the_adapters_is_advised(laid_out):
    """Where queue pairs do not come out even or a hash picks planes, and nowhere else."""
    for planes, mode, wanted in ((2, "none", True), (2, "software", True), (2, "hardware", False), (1, "none", False)):
        setting, whole = _fabric(laid_out, planes, {"plane_balancing": mode, "queue_pairs": 1})
        found = advised(predict(_spread(), setting, whole), _spread(), Known(setting, whole))
        helps = [each for each in found.helps if each.change == "planes balanced by the adapters"]
        assert bool(helps) == wanted
        assert all(each.delta_us < 0 for each in helps)
        evened = [each for each in found.helps if each.change == "2 queue pairs from rank to rank instead of 1"]
        assert [each.delta_us < 0 for each in evened] == [True] * wanted
