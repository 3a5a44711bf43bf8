"""Files of the subnet manager."""

from __future__ import annotations

from dataclasses import replace

from fabric.content import whole
from fabric.render.configs import render_configs


def texts_of(made, catalog):
    """Texts of all configuration files by path."""
    return {path: whole(content).decode() for path, content in render_configs(made, catalog).items()}


def settings_of(text):
    """Options of an opensm.conf."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split(" ", 1) for line in lines)


def test_tree_with_roots(design, catalog):
    """A tree is routed as one, from the spines down, and its roots are listed by GUID."""
    made = design("infiniband", "infiniband")
    files = texts_of(made, catalog)
    assert sorted(files) == ["opensm/opensm.conf", "opensm/root_guids.txt"]
    guid = {row.device: row.guid for row in made.settings.devices}
    assert files["opensm/root_guids.txt"].splitlines() == [guid["spine-01"], guid["spine-02"]]
    options = settings_of(files["opensm/opensm.conf"])
    assert options["routing_engine"] == "ftree,updn"
    assert options["root_guid_file"] == "/etc/opensm/root_guids.txt"


def test_one_lane_carries_every_service_level(design, catalog):
    """With one data lane all 16 levels map to lane 0 on hosts and switches alike, with a weight that is not 0."""
    options = settings_of(texts_of(design("infiniband", "infiniband"), catalog)["opensm/opensm.conf"])
    assert options["max_op_vls"] == "1"
    for scope in ("qos", "qos_ca", "qos_swe"):
        assert options[f"{scope}_sl2vl"] == ",".join(["0"] * 16)
        assert options[f"{scope}_vlarb_low"] == options[f"{scope}_vlarb_high"] == "0:1"


def test_two_lanes(design, catalog):
    """Two lanes are code 2, both with weight in both tables; levels beyond them fall back to lane 0."""
    made = design("infiniband", "infiniband")
    rows = tuple(replace(row, virtual_lanes=2) for row in made.settings.lossless)
    files = texts_of(replace(made, settings=replace(made.settings, lossless=rows)), catalog)
    options = settings_of(files["opensm/opensm.conf"])
    assert (options["max_op_vls"], options["qos_max_vls"]) == ("2", "2")
    assert options["qos_vlarb_low"] == "0:1,1:1"
    assert options["qos_sl2vl"].startswith("0,1,0,")


def test_single_switch_needs_no_roots(design, catalog):
    """Without a second tier there is no tree: shortest paths, and no file of roots."""
    made = design("infiniband", "infiniband")
    devices = tuple(device for device in made.topology.devices if device.role != "spine")
    links = made.topology.of_kind("node_leaf")
    files = texts_of(replace(made, topology=replace(made.topology, devices=devices, links=links)), catalog)
    assert list(files) == ["opensm/opensm.conf"]
    options = settings_of(files["opensm/opensm.conf"])
    assert options["routing_engine"] == "minhop"
    assert "root_guid_file" not in options


def test_each_plane_is_a_subnet(design, catalog):
    """A fabric of several planes says that each has its own subnet manager; one of a single plane does not."""
    made = design("infiniband", "infiniband")
    devices = tuple(replace(device, plane=1) if device.is_switch else device for device in made.topology.devices)
    two = replace(made, topology=replace(made.topology, devices=devices))
    assert "Each of the 2 planes is a subnet" in texts_of(two, catalog)["opensm/opensm.conf"]
    assert "planes" not in texts_of(made, catalog)["opensm/opensm.conf"]
