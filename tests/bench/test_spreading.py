"""The bench of ways to spread: that it measures every way, and that 1,000 placements cost no 100 evaluations."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def spreading(script):
    """The bench script as a module."""
    return script("spreading")


@pytest.mark.parametrize(
    "name",
    ["EP256, 8 x 32 leaves and spines", "EP256, 16 x 16 leaves and spines", "EP256, three tiers of 16 leaves"],
)
def test_thousand_placements_cost_less_than_a_hundred_evaluations(spreading, name):
    """EP256 with four queue pairs a peer, a seed per switch or one for all."""
    ratios = spreading.measure(spreading.PLANES[name]())
    assert set(ratios) >= {"hashed, a seed per switch", "hashed, one seed", "local tables", "tree tables"}
    assert all(ratio > 0 for ratio in ratios.values())
    assert ratios["hashed, a seed per switch"] < 100
    assert ratios["hashed, one seed"] < 100


def test_sizes_are_those_of_their_names(spreading):
    """Endpoints of every plane."""
    sizes = {name: build().endpoint_switch.size for name, build in spreading.PLANES.items()}
    assert [size for name, size in sizes.items() if name.startswith("EP256")] == [256, 256, 256]
    assert [size for name, size in sizes.items() if not name.startswith("EP256")] == [2048, 8192, 10368]


def test_bench_says_a_line_for_each_plane(spreading):
    """All ways of a small plane in one line."""
    said = []
    spreading.bench({"small": lambda: spreading.two_tiers(2, 2, 2)}, said.append)
    assert len(said) == 1
    assert said[0].startswith("small, in plain evaluations: hashed, a seed per switch")
