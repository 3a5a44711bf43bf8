"""Ways of small messages on designed port maps, against what was measured end to end (isca-2025-deepseek)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from fabric.catalog import load as catalog_load
from fabric.model.request import Fabric, Request
from fabric.model.workload import Workload
from fabric.pipeline.advice import advised
from fabric.pipeline.carrying import carry
from fabric.pipeline.hop_times import plane_ns
from fabric.pipeline.known import Known
from fabric.pipeline.workloads import predict

CATALOG = catalog_load.load()
LAYERS = 58
"""MoE layers of DeepSeek-V3."""


@cache
def _fabric(laid_out, layer, *, is_tree=True):
    """Setting and planes of 16 nodes of eight below two spines, or on one switch by one port each."""
    infiniband = layer == "infiniband"
    system, switch = ("hgx-h100", "nvidia-qm9700") if infiniband else ("hgx-b200", "chaoqing-n9500-64oc")
    keys = {"link_layer": layer, "family": "fat_tree", "switches": [switch], "uplink_port_gbps": 400}
    keys |= {"unit_nodes": 8, "parameters": {"spines": 2}} if is_tree else {"node_ports": 1}
    request = Request(name="x", accelerator=system, nodes=16, fabric=Fabric(**keys), samples=50)
    return laid_out(request)


def _pair(setting):
    """One step from the first node to the last, each rank on its own rail."""
    places = (setting.hosts.names[0], setting.hosts.names[-1])
    return Workload(name="job", pattern="pipeline", ranks=16, bytes_per_rank=1000, placement=places)


def _hops_us(laid_out, layer, *, is_tree=True):
    """Ends and switches beyond those of the fit."""
    setting, planes = _fabric(laid_out, layer, is_tree=is_tree)
    return carry(_pair(setting), setting, planes)[0].time.hops_us


def test_the_spine_costs_a_token_a_tenth_of_a_millisecond(laid_out):
    """Leaf, spine, leaf against one leaf on InfiniBand: 0.9 us a phase, 0.10 ms for 58 layers of two phases."""
    more_us = _hops_us(laid_out, "infiniband") - _hops_us(laid_out, "infiniband", is_tree=False)
    assert more_us == pytest.approx(0.9)
    assert 2 * LAYERS * more_us / 1000 == pytest.approx(0.10, abs=0.005)


def test_roce_costs_a_token_two_tenths_of_a_millisecond(laid_out):
    """The same stack over leaf, spine and leaf: 5.6 us instead of 3.7, 0.22 ms for 58 layers of two phases."""
    more_us = _hops_us(laid_out, "roce") - _hops_us(laid_out, "infiniband")
    assert more_us == pytest.approx(1.9)
    assert 2 * LAYERS * more_us / 1000 == pytest.approx(0.22, abs=0.005)


def test_the_worst_permutation_of_rails_leaves_its_nodes(laid_out):
    """Leaves of two rails of one unit are matched and hold the same nodes: each rank sends to another node."""
    setting, planes = _fabric(laid_out, "infiniband")
    work = Workload(name="job", pattern="permutation", order="worst", ranks=128, bytes_per_rank=1000)
    found = carry(work, setting, planes)[0]
    assert found.loads[0].byte_count == 128 * 1000
    assert found.time.hops_us == pytest.approx(2 * 0.45), "two more switches than those of the stack's rails"


@pytest.mark.parametrize(("layer", "hop_us"), [("infiniband", 0.45), ("roce", 1.0)])
def test_a_chain_pays_every_way(laid_out, layer, hop_us):
    """Sixteen nodes in a ring of all-reduces: 30 steps between them, each of which one more switch makes longer."""
    setting, planes = _fabric(laid_out, layer)
    work = Workload(name="sum", pattern="all_reduce", ranks=128, bytes_per_rank=1000, algorithm="ring")
    found = advised(predict(work, setting, planes), work, Known(setting, planes))
    more_us = {each.change: each.delta_us for each in found.sensitivity}["one more switch on every way"]
    assert more_us == pytest.approx(30 * hop_us, rel=0.05)


def test_cables_count_beyond_those_of_the_measured_cluster(laid_out):
    """Ten metres are what every measured link is taken to have; 50 m of fibre on each are 4 times 196 ns more."""
    setting, planes = _fabric(laid_out, "infiniband")
    delay = {link.name: 50 * 4.9 for plane in planes for link in (*plane.endpoints, *plane.links)}
    assert carry(_pair(setting), setting, planes)[0].time.cables_us == pytest.approx(0)
    assert carry(_pair(setting), replace(setting, delay_ns=delay), planes)[0].time.cables_us == pytest.approx(4 * 0.196)


def test_a_switch_that_publishes_its_time_keeps_it(laid_out):
    """700 ns from port to port, and the cable behind; others take what the hop leaves beside its link."""
    setting, planes = _fabric(laid_out, "roce")
    times = CATALOG.link_layers["ethernet"]
    told = CATALOG.switches["chaoqing-n9500-64oc"].model_copy(update={"latency_ns": 700.0})
    catalog = replace(CATALOG, switches={**CATALOG.switches, "chaoqing-n9500-64oc": told})
    found, plain = (plane_ns(planes[0], each, "ethernet", {}) for each in (catalog, setting.catalog))
    assert found.switch + found.links.all[0] == pytest.approx(np.full(found.switch.size, 700 + times.cable_ns))
    assert plain.switch + plain.links.all[0] == pytest.approx(np.full(found.switch.size, 1000))


@pytest.mark.parametrize(
    ("layer", "rate_gbps", "lane_gbps", "fec_ns"),
    [
        ("ethernet", 100, 100, 51.2),
        ("ethernet", 400, 100, 25.6),
        ("ethernet", 800, 100, 25.6),
        ("infiniband", 400, 100, 12.8),
        ("infiniband", 800, 200, 12.8),
    ],
)
def test_codewords_take_their_bits_over_the_rate(layer, rate_gbps, lane_gbps, fec_ns):
    """RS(544,514): 5440 bits on lanes of 106.25 Gb/s; half with the short code; unknown lanes as those measured."""
    assert CATALOG.link_layers[layer].fec_ns(rate_gbps, lane_gbps) == pytest.approx(fec_ns, rel=1e-3)
