"""Stored outputs, compared byte by byte and written anew by `pytest --update-golden` (then read the diff); Hypothesis.

Properties run the same examples everywhere, and none fails because a machine was busy.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import settings

from fabric.model.network import Network

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

UPDATE = "--update-golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let stored outputs be written anew."""
    parser.addoption(UPDATE, action="store_true", help="write stored outputs anew instead of comparing them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, Path], None]:
    """Compares a text with a stored file, or stores it when asked to."""

    def compare(text: str, path: Path) -> None:
        if request.config.getoption(UPDATE):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        assert text == path.read_bytes().decode(), f"{path.name} differs; {UPDATE} writes it anew"

    return compare


@pytest.fixture(scope="session")
def stack_fit() -> ModuleType:
    """The module that fits the stacks' constants to published rows; oracles and documentation both read it."""
    path = Path(__file__).parent / "reference" / "stack_fit.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tree() -> Callable[..., Network]:
    """Builder of two-tier planes: `tree(endpoint leaves, uplink leaves, uplink spines, (leaves, spines), rates)`."""
    return _tree


def _tree(endpoint_leaf, uplink_leaf, uplink_spine, counts, gbps=(400.0, 400.0)) -> Network:
    """Spines are numbered from 0 here and behind the leaves in the network; `gbps` of endpoints and of uplinks."""
    leaves, spines = counts
    return Network(
        endpoint_switch=np.asarray(endpoint_leaf, dtype=np.int64),
        endpoint_gbps=np.broadcast_to(np.asarray(gbps[0], dtype=np.float64), np.shape(endpoint_leaf)),
        link_a=np.asarray(uplink_leaf, dtype=np.int64),
        link_b=np.asarray(uplink_spine, dtype=np.int64) + leaves,
        link_gbps=np.broadcast_to(np.asarray(gbps[1], dtype=np.float64), np.shape(uplink_leaf)),
        tier=np.repeat([0, 1], [leaves, spines]),
        position=np.zeros((leaves + spines, 0), dtype=np.int64),
        edge_count=leaves,
    )


@pytest.fixture(scope="session")
def leaf_spine(tree: Callable[..., Network]) -> Callable[..., Network]:
    """Builder of regular planes of 400 Gb/s links: each leaf's uplinks are dealt to the spines in turn."""

    def build(leaves: int, endpoints_per_leaf: int, uplinks: int, spines: int | None = None) -> Network:
        spines = spines or uplinks
        below = np.repeat(np.arange(leaves), endpoints_per_leaf)
        ups = np.tile(np.arange(uplinks) % max(spines, 1), leaves)
        return tree(below, np.repeat(np.arange(leaves), uplinks), ups, (leaves, spines))

    return build
