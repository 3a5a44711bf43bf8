"""Latency budgets: the longest way link by link adds up, and the assumed hop has a range."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from fabric.catalog import load as catalog_load
from fabric.model.request import Fabric, Request
from fabric.model.workload import Workload
from fabric.pipeline.advice import advised
from fabric.pipeline.known import Known
from fabric.pipeline.workloads import predict

CATALOG = catalog_load.load()
DECODE = Workload(
    name="decode", pattern="moe_all_to_all", model="deepseek-v3", expert_parallel=128, tokens_per_rank=128
)


@cache
def _fabric(laid_out, uplink_gbps=400, switch="chaoqing-n9500-64oc"):
    """Setting and planes of sixteen nodes on RoCE; every cable of nodes another length, links between switches 10 m."""
    keys = {"link_layer": "roce", "family": "fat_tree", "switches": [switch], "uplink_port_gbps": uplink_gbps}
    fabric = Fabric(**keys, unit_nodes=8, parameters={"spines": 2})
    request = Request(name="x", accelerator="hgx-b200", nodes=16, fabric=fabric, samples=50)
    setting, planes = laid_out(request)
    metres = {link.name: 5.0 + number % 7 for number, link in enumerate(planes[0].endpoints)}
    metres |= {link.name: 10.0 for link in planes[0].links}
    delay = {link: 4.9 * length for link, length in metres.items()}
    return replace(setting, delay_ns=delay, cable_m=metres), planes


def _budget(setting, planes, work=DECODE):
    known = Known(setting, planes)
    return advised(predict(work, setting, planes, known), work, known)


def test_the_longest_way_adds_up(laid_out):
    """Ends, links and switches are the whole; each cable is its own length, the longest at both ends."""
    setting, planes = _fabric(laid_out)
    budget = _budget(setting, planes).latency
    parts = sum(hop.cable_ns + hop.fec_ns + hop.first_ns + hop.stored_ns + hop.switch_ns for hop in budget.longest)
    assert budget.longest_ns == pytest.approx(budget.ends_ns + parts)
    assert [hop.cable_m for hop in budget.longest] == [11, 10, 10, 11]
    assert budget.longest[0].link.split(".")[0] != budget.longest[-1].device, "no port talks to its own node"
    assert all(hop.cable_ns == pytest.approx(4.9 * hop.cable_m) for hop in budget.longest)
    assert {hop.fec for hop in budget.longest} == {"RS(544,514)"}
    assert budget.longest_ns == pytest.approx(5600 + 4.9 * (11 + 10 + 10 + 11 - 40))


def test_the_mean_is_what_the_terms_say(laid_out):
    """Hops and cables of the phase are the mean way less the one inside the fit."""
    result = _budget(*_fabric(laid_out))
    budget = result.latency
    more_us = result.terms["dispatch_hops_us"] + result.terms["dispatch_cables_us"]
    assert more_us * 1000 == pytest.approx(budget.mean_ns["total"] - budget.fitted_ns)
    assert budget.mean_ns["total"] == pytest.approx(sum(ns for key, ns in budget.mean_ns.items() if key != "total"))
    assert budget.longest_ns > budget.mean_ns["total"]


def test_the_assumed_hop_has_a_range(laid_out):
    """Two phases over mean ways of h switches: h times the span between what was published, twice."""
    result = _budget(*_fabric(laid_out))
    budget = result.latency
    switches = budget.mean_ns["switches"] / (1000 - CATALOG.link_layers["ethernet"].link_ns)
    span_us = 2 * switches * (budget.hop_ns["most"] - budget.hop_ns["least"]) / 1000
    assert budget.p50_us["most"] - budget.p50_us["least"] == pytest.approx(span_us, rel=0.05)
    assert budget.p50_us["most"] == result.time_us["p50"]
    assert "no maker's figure for 3 of the 3 switches" in budget.assumption


def test_published_switches_have_no_range(laid_out):
    """Where the maker says 700 ns from port to port, nothing is assumed."""
    setting, planes = _fabric(laid_out)
    told = CATALOG.switches["chaoqing-n9500-64oc"].model_copy(update={"latency_ns": 700.0})
    catalog = replace(CATALOG, switches={**CATALOG.switches, "chaoqing-n9500-64oc": told})
    budget = _budget(replace(setting, catalog=catalog), planes).latency
    assert budget.p50_us["least"] == budget.p50_us["most"]
    assert [hop.is_published for hop in budget.longest] == [True, True, True, False]
    assert budget.assumption == "the makers of all switches on the way publish their times"


def test_a_packet_waits_before_a_faster_uplink(laid_out):
    """400G ports below 800G uplinks: the first leaf has the whole packet of 4178 bytes before it sends on."""
    budget = _budget(*_fabric(laid_out, 800)).latency
    assert [hop.stored_ns for hop in budget.longest] == [pytest.approx(4178 * 8 / 400), 0, 0, 0]
    assert 0 < budget.mean_ns["stored"] < 83.56


def test_chains_count_their_ways(laid_out):
    """A ring of sixteen nodes has thirty ways in series."""
    work = Workload(name="sum", pattern="all_reduce", ranks=128, bytes_per_rank=1000, algorithm="ring")
    assert _budget(*_fabric(laid_out), work).latency.ways == 30


def test_nothing_crosses_the_network(laid_out):
    """A plain exchange inside one node has no way."""
    work = Workload(name="near", pattern="all_to_all", ranks=8, bytes_per_rank=1_000_000)
    assert _budget(*_fabric(laid_out), work).latency is None
