"""Shapes that are said to be alike, laid out in full: they differ by their switches and by nothing else."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import islice

import pytest
import yaml

from fabric.catalog.load import Catalog, load
from fabric.io import request_file
from fabric.layout.waiting import Value
from fabric.model.tree_shape import FatTreeShape
from fabric.pipeline.candidates import Candidates

CASES = {
    "roce capex": {"accelerator": "hgx-h100", "nodes": 9, "fabric": {"family": "fat_tree", "link_layer": "roce"}},
    "roce tco": {
        "accelerator": "hgx-b300",
        "nodes": 10,
        "fabric": {"family": "fat_tree", "link_layer": "roce"},
        "objective": "tco",
    },
    "xdr": {"accelerator": "rubin-nvl8", "nodes": 24, "fabric": {"family": "fat_tree", "link_layer": "infiniband"}},
    "roce power": {
        "accelerator": "hgx-h100",
        "nodes": 9,
        "fabric": {"family": "fat_tree", "link_layer": "roce"},
        "objective": ["power", "capex"],
    },
    "attached": {
        "accelerator": "hgx-b200",
        "nodes": 12,
        "fabric": {"family": "fat_tree", "link_layer": "roce"},
        "attached": [{"role": "storage", "count": 3, "gbps": 400}],
    },
}


@pytest.fixture(scope="module")
def catalog():
    """The shipped catalog."""
    return load()


@pytest.fixture
def candidates_of(catalog, tmp_path):
    """The candidates of a case."""

    def run(name: str, parts: Catalog = catalog) -> Candidates:
        path = tmp_path / "request.yaml"
        path.write_text(yaml.safe_dump({"name": "case", **CASES[name]}), encoding="utf-8")
        return Candidates(request_file.load(path, parts), parts)

    return run


@pytest.mark.parametrize("name", CASES)
def test_shapes_alike_differ_by_their_switches_alone(name, candidates_of):
    """Of some classes three members each: places, lengths and all but the switches of the value are the same.

    Energy is rounded down to a cent for each switch in a bound and once in a value, so there as many cents may differ.
    """
    candidates = candidates_of(name)
    classes: dict[FatTreeShape, list[FatTreeShape]] = defaultdict(list)
    for shape in sorted(candidates.shapes, key=candidates.bound.switches):
        classes[candidates.bound.alike(shape)].append(shape)
    several = [members for members in classes.values() if len(members) > 1]
    assert len(several) > 1
    for members in several[:3]:
        some = list(islice(members, 0, None, max(1, len(members) // 3)))
        places, links = zip(*(places_and_links(candidates, shape) for shape in some), strict=True)
        assert len(set(places)) == 1
        slip = some[0].leaves_total + some[0].spines_total if "tco" in name else 0
        assert all(max(each) - min(each) <= slip for each in zip(*links, strict=True))


def places_and_links(candidates: Candidates, shape: FatTreeShape) -> tuple[object, Value]:
    """Places and lengths of a shape laid out, and its value without its switches."""
    value, _, weighed = candidates.realise(shape)
    layout = weighed.layout
    lengths = tuple((cable.name, cable.length_m) for cable in layout.cabling.cables)
    rest = tuple(all_of - own for all_of, own in zip(value, candidates.bound.switches(shape), strict=True))
    return (layout.placement.positions, lengths), rest


TWIN = "twin-of-sn5600"


@pytest.fixture
def with_twin(catalog):
    """The shipped catalog with a model that differs from the SN5600 as said."""

    def run(**changes: object) -> Catalog:
        part = catalog.switches["nvidia-sn5600"]
        cages = part.cages.model_copy(update=changes.pop("cages", {}))
        twin = part.model_copy(update={"cages": cages, **changes})
        return replace(catalog, switches={**catalog.switches, TWIN: twin})

    return run


@pytest.mark.parametrize(
    "changes",
    [
        {"rack_units": 3},
        {"max_w": 25_000.0},
        {"co_packaged": True},
        {"cages": {"max_power_w": 9.0}},
        {"cages": {"high_power": {1: 9.0}}},
        {"cages": {"top": "flat"}},
        {"ports_by_speed_gbps": {400: 64, 800: 64}},
    ],
    ids=str,
)
def test_what_places_or_cables_depend_on_keeps_models_apart(changes, with_twin, candidates_of):
    """Height, power that fewer fit a rack for, optics, what a cage may hold, its top, and ports."""
    assert alike(candidates_of("roce capex", with_twin(**changes))) != TWIN


@pytest.mark.parametrize(
    "changes",
    [{}, {"price_usd": 1.0, "chip": "other"}, {"max_w": 2801.0}, {"cooling": "liquid"}, {"latency_ns": 1.0}],
    ids=str,
)
def test_what_neither_depends_on_does_not(changes, with_twin, candidates_of):
    """Price, chip, a watt more in racks for 21 of either, and cooling where every rack suits."""
    assert alike(candidates_of("roce capex", with_twin(**changes))) == TWIN


def alike(candidates: Candidates) -> str:
    """The model that an SN5600 as leaf is said to be like after its twin was asked for."""
    (base,) = (each for each in candidates.shapes if (each.leaf_part, each.spine_part) == ("nvidia-sn5600", None))
    candidates.bound.alike(replace(base, leaf_part=TWIN))
    return candidates.bound.alike(base).leaf_part
