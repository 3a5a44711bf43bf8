"""Rendered configurations: what stands in them, and that nothing is missing."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fabric.content import whole
from fabric.errors import ArtifactError
from fabric.render.configs import render_configs


def texts_of(made, catalog):
    """Texts of all configuration files by path."""
    return {path: whole(content).decode() for path, content in render_configs(made, catalog).items()}


@pytest.fixture(name="config")
def _config(design, catalog):
    return json.loads(texts_of(design(), catalog)["switches/leaf-01/config_db.json"])


def test_files_of_a_roce_fabric(design, catalog):
    """Every switch has its two files and nothing else is written."""
    files = texts_of(design(), catalog)
    switches = ("leaf-01", "leaf-02", "spine-01", "spine-02")
    assert sorted(files) == [f"switches/{name}/{file}" for name in switches for file in ("config_db.json", "frr.conf")]


def test_every_switch_has_valid_json(design, catalog):
    """With and without known buffers, and without any lossless setting."""
    made = design()
    bare = replace(made, settings=replace(made.settings, lossless=()))
    for case in (made, design("unknown"), design("dynamic"), bare):
        for path, text in texts_of(case, catalog).items():
            assert not path.endswith(".json") or json.loads(text)["PORT"]
            assert "None" not in text
            assert text.endswith("\n")


def test_lanes_are_used_once(config):
    """SONiC's models accept two ports on one lane; the switch does not."""
    lanes = [lane for port in config["PORT"].values() for lane in port["lanes"].split(",")]
    assert len(set(lanes)) == len(lanes) == 64 * 8


def test_only_cabled_ports_are_up(config):
    """A free port stays in the table, shut, and appears in no other."""
    up = {name for name, port in config["PORT"].items() if port["admin_status"] == "up"}
    assert up == {"Ethernet0", "Ethernet4", "Ethernet128", "Ethernet136"}
    assert set(config["DEVICE_NEIGHBOR"]) == set(config["CABLE_LENGTH"]["ROCE"]) == up
    assert {key.split("|")[0] for key in config["BUFFER_PG"]} == up
    assert set(config["PORT_QOS_MAP"]) - {"global"} == up
    assert set(config["PFC_WD"]) - {"GLOBAL"} == up


def test_both_ends_of_a_link_agree(design, catalog):
    """Speed, MTU, FEC, lossless priority and network are the same at both ends of every trunk."""
    files = texts_of(design(), catalog)
    config = {path.split("/")[1]: json.loads(text) for path, text in files.items() if path.endswith(".json")}
    trunks = 0
    for name, tables in config.items():
        for port, far in tables["DEVICE_NEIGHBOR"].items():
            if far["name"] not in config:
                continue
            there = config[far["name"]]
            assert there["DEVICE_NEIGHBOR"][far["port"]]["name"] == name
            for key in ("speed", "mtu", "fec"):
                assert tables["PORT"][port][key] == there["PORT"][far["port"]][key]
            assert tables["PORT_QOS_MAP"][port] == there["PORT_QOS_MAP"][far["port"]]
            assert tables["CABLE_LENGTH"]["ROCE"][port] == there["CABLE_LENGTH"]["ROCE"][far["port"]]
            trunks += 1
    assert trunks == 8
    leaf, spine = config["leaf-01"]["BGP_NEIGHBOR"], config["spine-01"]["BGP_NEIGHBOR"]
    assert leaf["10.240.0.1"]["local_addr"] in spine
    assert spine["10.240.0.0"]["asn"] == config["leaf-01"]["DEVICE_METADATA"]["localhost"]["bgp_asn"]


def test_headroom_and_marking_reach_the_ports(config):
    """The lossless group and queue of a port name profiles that hold the design's numbers."""
    profile = config["BUFFER_PROFILE"][config["BUFFER_PG"]["Ethernet128|3"]["profile"]]
    assert (profile["xoff"], profile["size"], profile["xon_offset"]) == ("130000", "18796", "3556")
    wred = config["WRED_PROFILE"][config["QUEUE"]["Ethernet128|3"]["wred_profile"]]
    assert (wred["green_min_threshold"], wred["green_max_threshold"]) == ("1048576", "2097152")
    assert (wred["green_drop_probability"], wred["ecn"]) == ("5", "ecn_all")
    assert "wred_profile" not in config["QUEUE"]["Ethernet128|6"]


def test_lossless_queue_is_never_dropped_at_egress(config):
    """The egress limit of the lossless queue is the pool itself, so only the ingress side acts."""
    limit = config["BUFFER_PROFILE"]["egress_lossless_profile"]["static_th"]
    assert limit == config["BUFFER_POOL"]["egress_lossless_pool"]["size"]
    weights = [int(row["weight"]) for row in config["SCHEDULER"].values() if "weight" in row]
    assert sum(weights) == 100
    assert config["SCHEDULER"][config["QUEUE"]["Ethernet0|6"]["scheduler"]]["type"] == "STRICT"


def test_pfc_on_the_lossless_priority_alone(config):
    """PFC and its watchdog act on priority 3 of every cabled port and on nothing else."""
    ports = [row for name, row in config["PORT_QOS_MAP"].items() if name != "global"]
    assert {(row["pfc_enable"], row["pfcwd_sw_enable"]) for row in ports} == {("3", "3")}


def test_no_marking_profile_without_thresholds(design, catalog):
    """Without congestion control there is no profile, and no queue names one."""
    made = design()
    rows = tuple(replace(row, kmin=None, kmax=None, pmax=None) for row in made.settings.lossless)
    bare = replace(made, settings=replace(made.settings, lossless=rows))
    config = json.loads(texts_of(bare, catalog)["switches/spine-01/config_db.json"])
    assert config["WRED_PROFILE"] == {}
    assert config["QUEUE"]["Ethernet0|3"] == {"scheduler": "rdma"}


def test_routing_of_a_leaf(design, catalog):
    """One session per uplink, as many equal paths, and only routes of the fabric leave the switch."""
    lines = texts_of(design(), catalog)["switches/leaf-01/frr.conf"].splitlines()
    assert "router bgp 65032" in lines
    assert " bgp router-id 10.254.0.1" in lines
    assert [line for line in lines if "remote-as" in line] == [
        " neighbor 10.240.0.1 remote-as 65000",
        " neighbor 10.240.0.3 remote-as 65000",
    ]
    assert "  maximum-paths 2" in lines
    assert "  redistribute connected route-map FABRIC" in lines
    assert [line for line in lines if line.startswith("ip prefix-list")] == [
        "ip prefix-list FABRIC permit 10.254.0.0/16 ge 32",
        "ip prefix-list FABRIC permit 10.0.0.0/10 ge 31",
    ]


def test_design_without_addresses_names_what_is_missing(design, catalog):
    """A design read from tables may lack numbers; a configuration with a hole is not written."""
    made = design()
    with pytest.raises(ArtifactError) as caught:
        texts_of(replace(made, settings=replace(made.settings, devices=(), links=())), catalog)
    assert "devices.csv: asn: switch leaf-01 has none; a configuration needs it" in str(caught.value).splitlines()
    assert "links.csv: a_ip: leaf-01:Ethernet0 has no address" in str(caught.value).splitlines()
