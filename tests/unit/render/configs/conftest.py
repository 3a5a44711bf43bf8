"""A two-leaf fabric built by hand: 4 nodes with one 400G port, 2 leaves, 2 spines, 400G trunks of one link.

Its catalog holds three switches with the cages of real ones, and one chip with the buffers of Tomahawk 5 as SONiC's
files for Micas M2-W6940-64OC give them (sonic-net/sonic-buildimage, buffers_defaults_t0.j2 and pg_profile_lookup.ini).
"""

from __future__ import annotations

import pytest

from fabric.addressing.plan import addresses
from fabric.catalog.constants import Chip
from fabric.catalog.load import Catalog
from fabric.catalog.parts import Cages, Switch
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.settings import LosslessPort, Settings
from fabric.model.topology import Device, Link, Port, Topology
from fabric.nos.port_names import nos_of, port_name

EVIDENCE = {"sources": ("x",), "confidence": "estimate"}


def _switch(link_layer="ethernet", cages=64, chip=None):
    """A switch with 8 lanes a cage, two ports of 400G or, on Ethernet, one of 800G."""
    rates = {400: 2 * cages} | ({800: cages} if link_layer == "ethernet" else {})
    faceplate = Cages(count=cages, form_factor="osfp")
    return Switch(
        name="s",
        vendor="v",
        link_layer=link_layer,
        chip=chip,
        cages=faceplate,
        ports_by_speed_gbps=rates,
        **EVIDENCE,
    )


def _catalog():
    """One switch whose chip's buffers are known, one that sizes them itself, one without a chip, one InfiniBand."""
    chip = {"law": "broadcom_xgs", "port_mtu_bytes": 9216, "lossless_mtu_bytes": 9216, "xon_bytes": 0}
    known = {"xon_offset_bytes": 3556, "lossless_pool_bytes": 162_539_680, "headroom_pool_bytes": 33_374_584}
    chips = {
        "tomahawk-5": Chip(chip="tomahawk-5", signal_speed_m_per_s=2e8, **chip, **known, **EVIDENCE),
        "spectrum-4": Chip(chip="spectrum-4", signal_speed_m_per_s=2e8, **chip, **known, **EVIDENCE),
    }
    switches = {
        "known": _switch(chip="tomahawk-5"),
        "dynamic": _switch(chip="spectrum-4"),
        "unknown": _switch(),
        "infiniband": _switch("infiniband", cages=32),
    }
    others = ("systems", "nics", "cables", "transceivers", "moe_models", "stacks", "sources")
    empty = {kind: {} for kind in others}
    return Catalog(switches=switches, chips=chips, digest="", overlay={}, **empty)


def _topology(part, link_layer="roce"):
    """Nodes two to a leaf on cage 1, uplinks on cages 17 and 18; two ports of 400G a cage."""

    def port(device, cage, slot):
        return Port(device, str(cage), port_name(nos_of(link_layer), cage, slot, 2, 8))

    def link(kind, a, b):
        return Link(f"{a.device}.{a.port}", kind, a, b, 400)

    devices = [Device(f"node-{n:04d}", "node", "hgx-b200", su=0) for n in range(1, 5)]
    devices += [Device(f"leaf-{n:02d}", "leaf", part, su=n - 1) for n in (1, 2)]
    devices += [Device(f"spine-{n:02d}", "spine", part) for n in (1, 2)]
    links = []
    for n in range(4):
        node, leaf = Port(f"node-{n + 1:04d}", "NIC1", "rail0"), port(f"leaf-{n // 2 + 1:02d}", 1, n % 2)
        links.append(link("node_leaf", node, leaf))
    for leaf in (1, 2):
        for spine in (1, 2):
            a, b = port(f"leaf-{leaf:02d}", 16 + spine, 0), port(f"spine-{spine:02d}", leaf, 0)
            links.append(link("leaf_spine", a, b))
    order = {"key": lambda record: record.name}
    return Topology("fat_tree", {}, tuple(sorted(devices, **order)), tuple(sorted(links, **order)))


def _design(part="known", link_layer="roce", **qos):
    """The fabric with addresses and lossless settings; cables of 4.2 and 4.8 m to nodes, 30 m between switches."""
    request = Request(
        name="small",
        accelerator="hgx-b200",
        nodes=4,
        fabric={"link_layer": link_layer},
        qos=qos,
        addressing={"asn_base": 65000},
    )
    fabric = _topology(part, link_layer)
    devices, links = addresses(fabric, request)
    cable_m = {"leaf_spine": (30.0, 30.0), "node_leaf": (4.2, 4.8)}
    rows = [
        _row(end, cable_m[link.kind][index % 2], link_layer)
        for index, link in enumerate(fabric.links)
        for end in (link.a, link.b)
        if fabric.device[end.device].is_switch
    ]
    settings = Settings(devices, links, tuple(sorted(rows, key=lambda row: (row.device, row.port))))
    return Design(request=request, floor_plan=None, topology=fabric, settings=settings, name="small")


def _row(end, cable_m, link_layer):
    """Settings whose numbers are easy to recognise: headroom grows by 1,000 bytes a metre."""
    if link_layer == "infiniband":
        return LosslessPort(end.device, end.port, 400, cable_m, virtual_lanes=1, credit=30000)
    return LosslessPort(
        end.device,
        end.port,
        400,
        cable_m,
        priority=3,
        xoff=100_000 + round(1000 * cable_m),
        xon=0,
        kmin=1_048_576,
        kmax=2_097_152,
        pmax=5.0,
        size=18_796,
    )


@pytest.fixture(name="catalog", scope="session")
def _catalog_fixture():
    return _catalog()


@pytest.fixture(name="design", scope="session")
def _design_fixture():
    """Function that makes the small fabric."""
    return _design
