"""Configurations before the programs that read them: FRR's parser, SONiC's YANG models, OpenSM's option reader."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fabric.render.configs import render_configs

pytestmark = pytest.mark.engine

MODELS = Path(__file__).parent / "sonic_yang"

# config_db.json as YANG JSON (RFC 7951). A key `a|b` of config_db names the keys of a list entry. libyang is strict
# about types: whole numbers below 64 bit are JSON numbers, booleans are booleans, all else is text.
# Per table: module and keys of its list; for a map table: module, key and value of the inner list.
TABLES = {
    "PORT": ("port", ("name",)),
    "DEVICE_NEIGHBOR": ("device_neighbor", ("peer_name",)),
    "BUFFER_POOL": ("buffer-pool", ("name",)),
    "BUFFER_PROFILE": ("buffer-profile", ("name",)),
    "BUFFER_PG": ("buffer-pg", ("port", "pg_num")),
    "BUFFER_QUEUE": ("buffer-queue", ("port", "qindex")),
    "PORT_QOS_MAP": ("port-qos-map", ("ifname",)),
    "SCHEDULER": ("scheduler", ("name",)),
    "WRED_PROFILE": ("wred-profile", ("name",)),
    "QUEUE": ("queue", ("ifname", "qindex")),
    "PFC_WD": ("pfcwd", ("ifname",)),
}
MAPS = {
    "CABLE_LENGTH": ("cable-length", "port", "length"),
    "DSCP_TO_TC_MAP": ("dscp-tc-map", "dscp", "tc"),
    "TC_TO_PRIORITY_GROUP_MAP": ("tc-priority-group-map", "tc", "pg"),
    "TC_TO_QUEUE_MAP": ("tc-queue-map", "tc", "qindex"),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("pfc-priority-queue-map", "pfc_priority", "qindex"),
}
INTERFACES = {"INTERFACE": "interface", "LOOPBACK_INTERFACE": "loopback-interface"}
WHOLE = {
    *("bgp_asn", "speed", "mtu", "index", "subport", "tc", "dynamic_th", "weight", "asn"),
    *("detection_time", "restoration_time", "POLL_INTERVAL"),
}
TRUTH = {"wred_green_enable"}


def yang_json(config_db):
    """The tables of one switch under their modules; a table that is not known here is an error."""
    tree = {}
    for table, rows in config_db.items():
        module, lists = _lists(table, rows)
        tree[f"sonic-{module}:sonic-{module}"] = {f"sonic-{module}:{table}": lists}
    return tree


def _lists(table, rows):
    if table == "DEVICE_METADATA":
        return "device_metadata", {"localhost": _leaves(rows["localhost"])}
    if table == "BGP_NEIGHBOR":
        entries = [{"neighbor": key} | _leaves(row) for key, row in rows.items()]
        return "bgp-neighbor", {"BGP_NEIGHBOR_TEMPLATE_LIST": entries}
    if table in INTERFACES:
        whole = [{"name": key} for key in rows if "|" not in key]
        pairs = [key.split("|") for key in rows if "|" in key]
        addresses = [{"name": name, "ip-prefix": prefix} for name, prefix in pairs]
        return INTERFACES[table], {f"{table}_LIST": whole, f"{table}_IPPREFIX_LIST": addresses}
    if table in MAPS:
        module, key, value = MAPS[table]
        entries = [
            {"name": name, table: [_leaves({key: left, value: right}) for left, right in row.items()]}
            for name, row in rows.items()
        ]
        return module, {f"{table}_LIST": entries}
    module, keys = TABLES[table]
    entries = [dict(zip(keys, key.split("|"), strict=True)) | _leaves(row) for key, row in rows.items()]
    return module, {f"{table}_LIST": entries}


def _leaves(row):
    return {name: _leaf(name, value) for name, value in row.items()}


def _leaf(name, value):
    if name in WHOLE:
        return int(value)
    return value == "true" if name in TRUTH else value


def program(name):
    """Path of a program, or the reason to skip."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def judged_by_yanglint(config_db, folder):
    """Exit code and messages of yanglint on one configuration."""
    data = folder / "data.json"
    data.write_text(json.dumps(yang_json(config_db)), encoding="utf-8")
    models = sorted(str(path) for path in MODELS.glob("*.yang"))
    command = [program("yanglint"), "-i", "-p", str(MODELS), *models, str(data)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stderr


def leaf_config(design, catalog, part="known"):
    """config_db.json of one leaf."""
    return json.loads(render_configs(design(part), catalog)["switches/leaf-01/config_db.json"])


@pytest.mark.parametrize("part", ["known", "dynamic", "unknown"])
def test_config_db_fits_the_yang_models(design, catalog, tmp_path, part):
    """SONiC's models accept the configuration of every kind of switch."""
    code, messages = judged_by_yanglint(leaf_config(design, catalog, part), tmp_path)
    assert code == 0, messages


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
def test_yang_models_find_faults(design, catalog, tmp_path, table, key, field, value):
    """The judge is awake: one wrong value in a good configuration is refused."""
    config = leaf_config(design, catalog)
    config[table][key][field] = value
    code, messages = judged_by_yanglint(config, tmp_path)
    assert code != 0
    assert "err" in messages


def test_frr_reads_its_files(design, catalog, tmp_path):
    """FRR's own parser knows every line, and refuses a misspelt one."""
    vtysh = program("vtysh")
    files = {path: text for path, text in render_configs(design(), catalog).items() if path.endswith("frr.conf")}
    file = tmp_path / "frr.conf"
    for text in files.values():
        file.write_text(text, encoding="utf-8")
        result = subprocess.run([vtysh, "--dryrun", "-f", file], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, "")
    file.write_text(text.replace("maximum-paths", "maximal-paths"), encoding="utf-8")
    assert subprocess.run([vtysh, "--dryrun", "-f", file], capture_output=True, check=False).returncode != 0


def test_opensm_takes_every_option(design, catalog, tmp_path):
    """OpenSM reads the file and, asked to write its options, gives ours back."""
    opensm = program("opensm")
    ours, theirs = tmp_path / "opensm.conf", tmp_path / "written.conf"
    ours.write_text(render_configs(design("infiniband", "infiniband"), catalog)["opensm/opensm.conf"])
    environment = {**os.environ, "OSM_TMP_DIR": str(tmp_path), "OSM_CACHE_DIR": str(tmp_path)}
    command = [opensm, "-f", str(tmp_path / "log"), "-F", str(ours), "-c", str(theirs)]
    subprocess.run(command, env=environment, capture_output=True, check=False, timeout=30)
    written = options(theirs.read_text())
    for name, value in options(ours.read_text()).items():
        assert written[name] == value, name


def options(text):
    """Option lines of an OpenSM file."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split(" ", 1) for line in lines)
