"""What SONiC's published data models ask of config_db.json, as far as our tables use it.

Ranges and references after sonic-net/sonic-buildimage, src/sonic-yang-models, read at commit 086b03bd (2026-08-23).
"""

from __future__ import annotations

import json
import re

import pytest

from fabric.content import whole
from fabric.render.configs import render_configs

FIELDS = {
    "PORT": {
        "admin_status": r"up|down",
        "fec": r"rs|fc|none|auto",
        "lanes": r"\d+(,\d+)*",
        "mtu": ("range", 68, 9216),
        "speed": ("range", 1, 1_600_000),
    },
    "PFC_WD": {
        "action": r"drop|forward|alert",
        "detection_time": ("range", 100, 5000),
        "restoration_time": ("range", 100, 60000),
        "POLL_INTERVAL": ("range", 100, 3000),
    },
    "BGP_NEIGHBOR": {"asn": ("range", 1, 4294967295), "admin_status": r"up|down"},
    "SCHEDULER": {"type": r"DWRR|WRR|STRICT", "weight": ("range", 1, 100)},
    "BUFFER_PROFILE": {
        "dynamic_th": ("range", -8, 7),
        "size": ("range", 0, 2**64 - 1),
        "xoff": ("range", 0, 2**64 - 1),
    },
    "WRED_PROFILE": {
        "ecn": r"ecn_none|ecn_green|ecn_yellow|ecn_red|ecn_green_yellow|ecn_green_red|ecn_yellow_red|ecn_all",
        "green_drop_probability": ("range", 0, 100),
    },
}
KEYS = {"DSCP_TO_TC_MAP": 63, "TC_TO_QUEUE_MAP": 15, "TC_TO_PRIORITY_GROUP_MAP": 15, "MAP_PFC_PRIORITY_TO_QUEUE": 7}
REFERENCES = {
    "BUFFER_PG": [("profile", "BUFFER_PROFILE")],
    "BUFFER_QUEUE": [("profile", "BUFFER_PROFILE")],
    "BUFFER_PROFILE": [("pool", "BUFFER_POOL")],
    "QUEUE": [("scheduler", "SCHEDULER"), ("wred_profile", "WRED_PROFILE")],
    "PORT_QOS_MAP": [
        ("dscp_to_tc_map", "DSCP_TO_TC_MAP"),
        ("tc_to_queue_map", "TC_TO_QUEUE_MAP"),
        ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
        ("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"),
    ],
}
ON_PORTS = ("INTERFACE", "DEVICE_NEIGHBOR", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PFC_WD", "PORT_QOS_MAP")


def texts_of(made, catalog):
    """Texts of all configuration files by path."""
    return {path: whole(content).decode() for path, content in render_configs(made, catalog).items()}


def faults(config):
    """Every breach of the rules above, as text."""
    return [*_values(config), *_links(config), *_lengths(config)]


def _values(config):
    for table, rules in FIELDS.items():
        for key, row in config.get(table, {}).items():
            for name, rule in rules.items():
                if name in row and _bad(rule, row[name]):
                    yield f"{table}|{key}: {name} {row[name]}"
    for table, most in KEYS.items():
        for row in config.get(table, {}).values():
            yield from (f"{table}: {key}" for key in row if not 0 <= int(key) <= most)


def _links(config):
    for table, links in REFERENCES.items():
        for key, row in config.get(table, {}).items():
            for name, other in links:
                if name in row and row[name] not in config[other]:
                    yield f"{table}|{key}: no {row[name]}"
    for table in ON_PORTS:
        names = {key.split("|")[0] for key in config.get(table, {})} - {"GLOBAL", "global"}
        yield from (f"{table}: no port {name}" for name in sorted(names - config["PORT"].keys()))


def _lengths(config):
    for row in config.get("CABLE_LENGTH", {}).values():
        yield from (f"CABLE_LENGTH: {value}" for value in row.values() if not re.fullmatch(r"\d{1,5}m", value))
    for key, row in config.get("WRED_PROFILE", {}).items():
        if int(row["green_min_threshold"]) > int(row["green_max_threshold"]):
            yield f"WRED_PROFILE|{key}: min above max"


def _bad(rule, value):
    if isinstance(rule, tuple):
        return not (re.fullmatch(r"-?\d+", value) and rule[1] <= int(value) <= rule[2])
    return re.fullmatch(rule, value) is None


def leaf_config(design, catalog, part="known"):
    """config_db.json of one leaf."""
    return json.loads(texts_of(design(part), catalog)["switches/leaf-01/config_db.json"])


@pytest.mark.parametrize("part", ["known", "dynamic", "unknown"])
def test_config_db_keeps_the_models_rules(design, catalog, part):
    """Every kind of switch gets a configuration without a breach."""
    assert faults(leaf_config(design, catalog, part)) == []


@pytest.mark.parametrize(
    ("table", "key", "field", "value"),
    [
        ("PORT", "Ethernet0", "fec", "kp4"),
        ("PORT", "Ethernet0", "mtu", "9999"),
        ("BUFFER_PG", "Ethernet0|3", "profile", "missing"),
        ("PFC_WD", "Ethernet0", "detection_time", "20"),
        ("BGP_NEIGHBOR", "10.240.0.1", "asn", "0"),
        ("CABLE_LENGTH", "ROCE", "Ethernet0", "40"),
        ("DSCP_TO_TC_MAP", "ROCE", "64", "3"),
        ("QUEUE", "Ethernet0|3", "scheduler", "missing"),
    ],
)
def test_one_wrong_value_is_found(design, catalog, table, key, field, value):
    """The rules are awake: one wrong value in a good configuration is one breach."""
    config = leaf_config(design, catalog)
    config[table][key][field] = value
    assert len(faults(config)) == 1
