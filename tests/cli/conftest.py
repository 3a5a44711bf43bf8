"""A small request and the folder of its design, made once."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from fabric.cli.app import run

SMALL = """\
name: small
accelerator: hgx-b200
nodes: 8
fabric:
  family: fat_tree
  link_layer: roce
  switches: [chaoqing-n9500-64oc]
  node_ports: 2
  uplink_port_gbps: 400
  unit_nodes: 4
  media: {leaf_spine: [mmf]}
  parameters: {spines: 2}
workloads:
  - {name: decode, pattern: moe_all_to_all, model: deepseek-v3, expert_parallel: 64, tokens_per_rank: 8}
samples: 20
"""
"""Two leaves under two spines; no value of it is ever judged, only how commands treat it."""


@pytest.fixture(scope="session")
def request_file(tmp_path_factory) -> Path:
    """The small request."""
    path = tmp_path_factory.mktemp("request") / "request.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def designed(request_file, tmp_path_factory) -> Path:
    """The folder of its design; only to be read."""
    folder = tmp_path_factory.mktemp("designed") / "small"
    assert run(["design", str(request_file), "-o", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture
def folder(designed, tmp_path) -> Path:
    """A copy of the folder of the design, to be changed."""
    return Path(shutil.copytree(designed, tmp_path / "design"))


@pytest.fixture(scope="session")
def content_of():
    """Reader of the bytes of every file below a folder, hidden ones too, by relative path."""

    def read(folder: Path) -> dict[str, bytes]:
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    return read


@pytest.fixture(scope="session")
def rows_of():
    """Reader of a table as texts by column."""

    def read(path: Path) -> list[dict[str, str]]:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    return read
