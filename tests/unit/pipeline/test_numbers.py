"""The fewest orderable numbers by counting: never above what is bought, and what media and tiers ask at least."""

from __future__ import annotations

import pytest
import yaml

from fabric.catalog.bill import bill
from fabric.catalog.load import load as load_catalog
from fabric.errors import InfeasibleError
from fabric.io import request_file
from fabric.model.design import Design
from fabric.pipeline.families import choose
from fabric.pipeline.numbers import FewestNumbers, _fewest_of_each
from fabric.topology import fat_tree
from fabric.topology.size import resolve

CATALOG = load_catalog()


@pytest.fixture
def ask(tmp_path):
    """Loads a request of 400G InfiniBand."""

    def load(fabric=None, **keys):
        layer = {"family": "fat_tree", "link_layer": "infiniband", "switches": ["nvidia-qm9700"]}
        body = {"name": "case", "accelerator": "hgx-h100", "nodes": 16, "fabric": layer | (fabric or {})} | keys
        (tmp_path / "request.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
        return request_file.load(tmp_path, CATALOG)

    return load


def fewest(loaded, **of):
    """The fewest numbers of links of the first shape with such tiers."""
    size = resolve(loaded.request, CATALOG)
    shapes = fat_tree.shapes(loaded.request, size, CATALOG)
    shape = next(shape for shape in shapes if all(getattr(shape, key) == value for key, value in of.items()))
    return FewestNumbers(loaded.request, size, CATALOG).of_links(shape)


@pytest.mark.parametrize(
    ("media", "nodes", "expected"),
    [
        # One splitter from cages of two ports to nodes, one straight twin cable between switches.
        ({}, 16, 2),
        ({"node_leaf": ["dac"], "leaf_spine": ["dac"]}, 16, 2),
        # A fibre, a twin module for switches, a single one for nodes.
        ({"node_leaf": ["mmf"], "leaf_spine": ["mmf"]}, 16, 3),
        # A splitter for nodes, a fibre and one module for switches.
        ({"node_leaf": ["dac"], "leaf_spine": ["smf"]}, 16, 3),
        # One leaf: no trunks.
        ({}, 4, 1),
        ({"node_leaf": ["smf"]}, 4, 3),
    ],
)
def test_what_media_and_tiers_ask_at_least(ask, media, nodes, expected):
    """Counted by hand from the cages of a QM9700 and of an HGX H100."""
    assert fewest(ask({"media": media}, nodes=nodes), spines=0 if nodes == 4 else 2) == expected


@pytest.mark.parametrize("media", [{}, {"node_leaf": ["mmf"]}, {"leaf_spine": ["aoc"]}])
@pytest.mark.parametrize("objective", ["capex", "power"])
@pytest.mark.parametrize(("accelerator", "layer"), [("hgx-h100", "infiniband"), ("dgx-h100", "infiniband")])
def test_no_design_has_fewer(ask, accelerator, layer, objective, media):
    """Whatever is bought for the best shape, with as few numbers as are found by asking for one fewer at a time."""
    fabric, limit = {"media": media, "family": "fat_tree", "link_layer": layer}, None
    while True:
        loaded = ask(fabric, accelerator=accelerator, nodes=12, objective=objective, limits={"part_numbers": limit})
        try:
            outcome = choose(loaded, CATALOG).choice.outcome
        except InfeasibleError:
            break
        layout = outcome.result.layout
        lines = bill(Design(loaded.request, None, layout.topology, cabling=layout.cabling), CATALOG)
        models = len({line.part for line in lines if line.kind == "switch"})
        size = resolve(loaded.request, CATALOG)
        assert models + FewestNumbers(loaded.request, size, CATALOG).of_links(outcome.shape) <= len(lines)
        if limit is not None and len(lines) > limit:
            break
        limit = len(lines) - 1


def test_fewest_of_each_is_the_least_cover():
    """One key in all three groups, else two; an empty group has none."""
    assert _fewest_of_each([{"a", "b"}, {"b"}, {"b", "c"}]) == 1
    assert _fewest_of_each([{"a", "b"}, {"b"}, {"c"}]) == 2
    assert _fewest_of_each([]) == 0
    assert _fewest_of_each([{"a"}, set()]) is None
