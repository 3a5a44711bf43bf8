"""Bad request files and floor plans, each with the exact words that its author reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.catalog import load as catalog_load
from fabric.errors import InputError
from fabric.io import request_file

HERE = Path(__file__).parent
GOOD_REQUEST = """\
name: small
accelerator: hgx-b200
nodes: 16
fabric: {family: fat_tree, link_layer: roce, switches: [chaoqing-n9500-64oc]}
"""


@pytest.fixture(scope="module")
def catalog():
    """The shipped catalog: the nearest names come from it."""
    return catalog_load.load()


def _cases(folder: str) -> list[Path]:
    return sorted((HERE / folder).glob("*.yaml"))


def _message(folder: Path, catalog) -> str:
    with pytest.raises(InputError) as caught:
        request_file.load(folder, catalog)
    assert caught.value.exit_code == 2
    return str(caught.value).replace(f"{folder}/", "") + "\n"


def test_the_good_request_is_good(catalog, tmp_path):
    """The request that all cases spoil in one way each loads without a word."""
    (tmp_path / "request.yaml").write_text(GOOD_REQUEST)
    assert request_file.load(tmp_path, catalog).request.nodes == 16


@pytest.mark.parametrize("case", _cases("request"), ids=lambda case: case.stem)
def test_request(case, catalog, tmp_path):
    """A bad request is refused with the faults in the text file beside it."""
    (tmp_path / "request.yaml").write_bytes(case.read_bytes())
    assert _message(tmp_path, catalog) == case.with_suffix(".txt").read_text()


@pytest.mark.parametrize("case", _cases("floorplan"), ids=lambda case: case.stem)
def test_floor_plan(case, catalog, tmp_path):
    """A bad floor plan beside a good request is refused with the faults in the text file beside it."""
    (tmp_path / "request.yaml").write_text(GOOD_REQUEST)
    (tmp_path / "floorplan.yaml").write_bytes(case.read_bytes())
    assert _message(tmp_path, catalog) == case.with_suffix(".txt").read_text()
