"""Ports, rates and lanes of parts against their cages, where splitter fibres share a port out."""

from __future__ import annotations

import pytest

from fabric.catalog.load import Catalog, load
from fabric.checks._context import CheckContext
from fabric.checks.part_rate import judge
from fabric.model.cabling import Cable, Cabling, Pluggable
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Port, Topology

STRAIGHT, SPLITTER = "MFP7E30-N010", "generic-smf-mpo12-to-2x-mpo12-10m"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


def remarks(catalog, rate_gbps, fibre):
    """What the rule says of two nodes on the first two ports of a leaf's cage, with modules of 400G a port."""
    links = tuple(
        Link(f"n{i}.rail0", "node_leaf", Port(f"n{i}", "NIC1", "rail0"), Port("leaf", "1", f"1/{i}"), rate_gbps)
        for i in (1, 2)
    )
    devices = (Device("leaf", "leaf", "nvidia-qm9700"), *(Device(f"n{i}", "node", "hgx-h100") for i in (1, 2)))
    one_piece = fibre == SPLITTER
    cable_of = {link.name: "c-1" if one_piece else f"c-{link.a.device}" for link in links}
    cables = tuple(Cable(name, fibre, fibre, "smf", 10.0, 8.0) for name in sorted(set(cable_of.values())))
    modules = (("leaf", "1", "MMS4X00-NS"), ("n1", "NIC1", "MMS4X00-NS400"), ("n2", "NIC1", "MMS4X00-NS400"))
    request = Request.model_validate(
        {"name": "t", "accelerator": "hgx-h100", "nodes": 2, "fabric": {"link_layer": "infiniband"}}
    )
    cabling = Cabling(cables, tuple(Pluggable(*module) for module in modules), cable_of)
    topology = Topology("fat_tree", {}, devices, links)
    return list(judge(CheckContext(Design(request, None, topology, cabling=cabling), catalog)))


def test_full_rate_on_straight_fibres_is_right(catalog):
    """2 x 400G a cage, a 2 x 400G module, single 400G modules."""
    assert remarks(catalog, 400, STRAIGHT) == []


def test_half_rate_behind_a_splitter_is_right(catalog):
    """4 x 200G a cage: each 400G port of the module is two ports, and the nodes' modules use half their lanes."""
    assert remarks(catalog, 200, SPLITTER) == []


def test_half_rate_on_straight_fibres_is_wrong(catalog):
    """Without a splitter a 2 x 400G module leaves two of four ports dark, and the rates differ at the nodes."""
    wrong = {(remark.where, remark.measured, remark.limit) for remark in remarks(catalog, 200, STRAIGHT)}
    assert wrong == {("leaf:1", 2, 4), ("n1:NIC1", 400, 200), ("n2:NIC1", 400, 200)}


def test_full_rate_behind_a_splitter_is_wrong(catalog):
    """Two ports of 400G are no halves of anything that a 400G module sends."""
    wrong = {(remark.where, remark.measured, remark.limit) for remark in remarks(catalog, 400, SPLITTER)}
    assert wrong == {("leaf:1", 2, 1), ("n1:NIC1", 400, 800), ("n2:NIC1", 400, 800)}
