"""Configurations before the programs that read them: FRR's parser, OpenSM's option reader."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from fabric.content import whole
from fabric.render.configs import render_configs

pytestmark = pytest.mark.engine


def texts_of(made, catalog):
    """Texts of all configuration files by path."""
    return {path: whole(content).decode() for path, content in render_configs(made, catalog).items()}


def program(name):
    """Path of a program, or the reason to skip."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    return found or pytest.skip(f"{name} is not installed")


def test_frr_reads_its_files(design, catalog, tmp_path):
    """FRR's own parser knows every line, and refuses a misspelt one."""
    vtysh = program("vtysh")
    files = {path: text for path, text in texts_of(design(), catalog).items() if path.endswith("frr.conf")}
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
    ours.write_text(texts_of(design("infiniband", "infiniband"), catalog)["opensm/opensm.conf"])
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
