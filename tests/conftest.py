"""Stored outputs, compared byte by byte and written anew by `pytest --update-golden` (then read the diff); Hypothesis.

Properties run the same examples everywhere, and none fails because a machine was busy.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import settings

from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.routing import dragonfly_minimal, torus_dimension_order, up_down

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


@pytest.fixture(scope="session")
def dragonfly() -> Callable[[int, int, int], Network]:
    """Builder of `p` endpoints at each of `a` routers of each of a h + 1 groups: all pairs of groups share one link.

    Global port k of a group, at its router k div h, leads k + 1 groups on (the relative arrangement).
    """

    def build(p: int, a: int, h: int) -> Network:
        ports = a * h
        group, one, other = np.repeat(np.arange(ports + 1), a), *np.triu_indices(a, 1)
        local = np.arange(ports + 1)[:, None] * a
        start, port = np.divmod(np.arange((ports + 1) * ports), ports)
        end = (start + port + 1) % (ports + 1)
        up = start < end
        near, far = start * a + port // h, end * a + (ports - 1 - port) // h
        ends_a = np.concatenate([(local + one).ravel(), near[up]])
        ends_b = np.concatenate([(local + other).ravel(), far[up]])
        return Network(
            endpoint_switch=np.repeat(np.arange(group.size), p),
            endpoint_gbps=np.full(p * group.size, 400.0),
            link_a=ends_a,
            link_b=ends_b,
            link_gbps=np.full(ends_a.size, 400.0),
            tier=np.zeros(group.size, dtype=np.int64),
            position=group[:, None],
            edge_count=group.size,
        )

    return build


@pytest.fixture(scope="session")
def torus() -> Callable[..., Network]:
    """Builder of grids that close in every dimension, one endpoint a switch and one link to the next."""

    def build(*sizes: int) -> Network:
        count = int(np.prod(sizes))
        position = np.stack(np.unravel_index(np.arange(count), sizes), axis=1)
        ends = []
        for axis, size in enumerate(sizes):
            after = position.copy()
            after[:, axis] = (after[:, axis] + 1) % size
            ends.append(np.stack([np.arange(count), np.ravel_multi_index(tuple(after.T), sizes)]))
        link_a, link_b = np.concatenate(ends, axis=1)
        return Network(
            endpoint_switch=np.arange(count),
            endpoint_gbps=np.full(count, 400.0),
            link_a=link_a,
            link_b=link_b,
            link_gbps=np.full(link_a.size, 400.0),
            tier=np.zeros(count, dtype=np.int64),
            position=position.astype(np.int64),
            edge_count=count,
        )

    return build


@pytest.fixture(scope="session")
def pods() -> Callable[..., Network]:
    """Builder of trees of three tiers: `pods(pods, leaves a pod, spines a pod, cores a spine, endpoints a leaf)`.

    Spine j of every pod has one link to each of the cores of its number.
    """

    def build(count: int, leaves: int, spines: int, cores: int, endpoints: int) -> Network:
        edge, middle = count * leaves, count * spines
        leaf, spine = np.divmod(np.arange(edge * spines), spines)
        below, core = np.divmod(np.arange(middle * cores), cores)
        switches = np.repeat([0, 1, 2], [edge, middle, spines * cores])
        link_a = np.concatenate([leaf, edge + below])
        return Network(
            endpoint_switch=np.repeat(np.arange(edge), endpoints),
            endpoint_gbps=np.full(edge * endpoints, 400.0),
            link_a=link_a,
            link_b=np.concatenate(
                [edge + leaf // leaves * spines + spine, edge + middle + below % spines * cores + core]
            ),
            link_gbps=np.full(link_a.size, 400.0),
            tier=switches,
            position=np.zeros((switches.size, 0), dtype=np.int64),
            edge_count=edge,
        )

    return build


@pytest.fixture(scope="session")
def routers() -> Callable[..., Network]:
    """Builder of planes of routers: `routers(ends of links, positions, endpoints a router)`, all links of one rate."""

    def build(ends: list[tuple[int, int]], position: list[tuple[int, ...]], endpoints: int = 2) -> Network:
        a, b = (np.array(column, dtype=np.int64) for column in zip(*ends, strict=True))
        count = len(position)
        return Network(
            endpoint_switch=np.repeat(np.arange(count), endpoints),
            endpoint_gbps=np.full(count * endpoints, 400.0),
            link_a=a,
            link_b=b,
            link_gbps=np.full(a.size, 400.0),
            tier=np.zeros(count, dtype=np.int64),
            position=np.array(position, dtype=np.int64),
            edge_count=count,
        )

    return build


@pytest.fixture(scope="session")
def families(
    leaf_spine: Callable[..., Network], pods: Callable[..., Network], routers: Callable[..., Network]
) -> dict[str, tuple[Network, Callable[[Network], Routes]]]:
    """A small plane of every family and what routes it, by name."""
    groups = [(g,) for g in range(9) for _ in range(4)]
    local = [(4 * g + i, 4 * g + j) for g in range(9) for i, j in combinations(range(4), 2)]
    between = [(4 * i + (j - 1) // 2, 4 * j + i // 2) for i, j in combinations(range(9), 2)]
    spots = list(product(range(4), range(3)))
    rings = [(3 * x + y, 3 * ((x + 1) % 4) + y) for x, y in spots] + [
        (3 * x + y, 3 * x + (y + 1) % 3) for x, y in spots
    ]
    planes = {
        "two tiers": (leaf_spine(6, 4, 4), up_down),
        "trunks": (leaf_spine(4, 8, 8, 4), up_down),
        "three tiers": (pods(3, 2, 3, 2, 3), up_down),
        "dragonfly": (routers(local + between, groups, 2), dragonfly_minimal),
        "torus": (routers(rings, spots, 2), torus_dimension_order),
    }
    return {name: (network, scheme.routes) for name, (network, scheme) in planes.items()}


@pytest.fixture
def opensm(tmp_path: Path) -> Callable[..., Path]:
    """Runner of OpenSM on a simulated subnet: `opensm(listing of ibnetdiscover, *options)` gives the folder it fills.

    Skips with the reason where OpenSM or ibsim is not installed.
    """

    def program(name: str) -> str:
        return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") or pytest.skip(f"{name} is not installed")

    def run(listing: str, *options: str) -> Path:
        simulator, manager = program("ibsim"), program("opensm")
        (tmp_path / "fabric.net").write_text(listing, encoding="utf-8")
        environment = {**os.environ, "IBSIM_SOCKNAME": f"test-{os.getpid()}"}
        environment |= {"OSM_TMP_DIR": str(tmp_path), "OSM_CACHE_DIR": str(tmp_path)}
        log = tmp_path / "ibsim.log"
        start = [simulator, "-n", "-s", str(tmp_path / "fabric.net")]
        with log.open("w") as out, subprocess.Popen(start, env=environment, stdout=out, stderr=out) as running:
            try:
                deadline_s = time.monotonic() + 60
                while "ready" not in log.read_text() and time.monotonic() < deadline_s:
                    time.sleep(0.05)
                command = [manager, "-o", "-e", "-f", str(tmp_path / "osm.log"), "-D", "0x43", *options]
                # The simulator's library makes a folder where it runs, which a run that is cut short leaves behind.
                loaded = environment | {"LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"}
                subprocess.run(command, env=loaded, cwd=tmp_path, capture_output=True, check=False, timeout=120)
            finally:
                running.kill()
        return tmp_path

    return run
