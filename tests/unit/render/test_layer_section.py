"""Layers of links in the report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.model.placement import Placement
from fabric.render.layer_section import layers


def test_every_layer_adds_up(design):
    """Links of each kind over all media, and the longest route that the tables have."""
    found = layers(design).table
    kinds = {link.kind for link in design.topology.links}
    assert {row[0].replace("-", "_") for row in found.rows} == kinds
    for kind, links, *media, _, _ in found.rows:
        assert sum(map(int, media)) == int(links) == len(design.topology.of_kind(kind.replace("-", "_")))
    longest_m = max(cable.route_m for cable in design.cabling.cables)
    assert max(float(row[-1]) for row in found.rows) == pytest.approx(longest_m, rel=1e-3)


def test_groups_that_are_apart_are_counted(design):
    """Two groups of leaves, one of them in two racks."""
    leaves = [device.name for device in design.topology.devices if device.role == "leaf"]
    number = {name: 1 if index < 2 else 2 for index, name in enumerate(leaves)}
    devices = tuple(replace(device, group=number.get(device.name)) for device in design.topology.devices)
    spots = tuple(
        replace(spot, rack={leaves[0]: "A", leaves[1]: "B"}.get(spot.device, "C"))
        for spot in design.placement.positions
    )
    apart = replace(
        design,
        topology=replace(design.topology, family="dragonfly", devices=devices),
        placement=Placement(spots),
    )
    (said,) = layers(apart).sentences
    assert said.startswith("Of 2 groups 1 have all their switches in one rack, the others in up to 2 racks")
    assert layers(design).sentences == ()
    assert layers(replace(design, cabling=None)).sentences == ("No cables are known.",)
