"""The bounds of a shape against every shape laid out in full, over wirings, media, goals and odd numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fabric.catalog.load import Catalog, load
from fabric.errors import InfeasibleError, LimitReachedError
from fabric.model.outline import Outline
from fabric.model.request import Request
from fabric.pipeline.bounds import ShapeBound
from fabric.pipeline.laying import lay_out
from fabric.pipeline.objective import Objective
from fabric.topology._protocol import FAMILIES
from fabric.topology.fat_tree import shapes
from fabric.topology.size import resolve

QUANTUM_2 = {"family": "fat_tree", "link_layer": "infiniband", "switches": ["nvidia-qm9700"]}
ROCE = {"family": "fat_tree", "link_layer": "roce", "switches": ["chaoqing-n9500-64oc"], "uplink_port_gbps": 400}
UFM = [{"role": "ufm", "count": 2, "ports": 2, "gbps": 400}]

CASES: dict[str, dict[str, Any]] = {
    "copper": {"accelerator": "hgx-b200", "nodes": 21, "fabric": ROCE},
    "optics": {"accelerator": "hgx-h100", "nodes": 33, "fabric": {**QUANTUM_2, "media": {"leaf_spine": ["mmf"]}}},
    "twin cages": {"accelerator": "dgx-h100", "nodes": 31, "fabric": QUANTUM_2, "attached": UFM},
    "preloaded": {"accelerator": "dgx-h100", "nodes": 25, "fabric": {**QUANTUM_2, "preload_optics": True}},
    "two planes": {
        "accelerator": "hgx-b300",
        "nodes": 17,
        "fabric": {"family": "fat_tree", "link_layer": "roce", "switches": ["nvidia-sn5610"], "uplink_port_gbps": 400},
    },
    "rack wiring": {"accelerator": "hgx-h100", "nodes": 90, "fabric": {**QUANTUM_2, "node_ports": 1}},
    "800G uplinks": {"accelerator": "hgx-b200", "nodes": 20, "fabric": {**ROCE, "uplink_port_gbps": 800}},
    "uneven": {"accelerator": "hgx-h100", "nodes": 40, "fabric": {**QUANTUM_2, "uneven_trunks": True}},
    "oversubscribed": {"accelerator": "hgx-h100", "nodes": 50, "fabric": {**QUANTUM_2, "oversubscription": 3}},
    "total cost": {"accelerator": "hgx-h100", "nodes": 20, "fabric": QUANTUM_2, "objective": "tco"},
    "power, then capex": {"accelerator": "hgx-h100", "nodes": 20, "fabric": QUANTUM_2, "objective": ["power", "capex"]},
    "storage on free ports": {
        "accelerator": "hgx-h100",
        "nodes": 30,
        "growth_nodes": 32,
        "fabric": QUANTUM_2,
        "attached": [{"role": "storage", "count": 9, "gbps": 400}],
    },
}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


@pytest.mark.parametrize("name", CASES)
def test_no_shape_is_worth_less_than_its_bounds(name, catalog):
    """By every goal alone and by the first also with its places known, no layout falls below."""
    request = Request.model_validate_json(json.dumps({"name": "case", **CASES[name]}))
    size = resolve(request, catalog)
    objective = Objective(request, catalog)
    bound = ShapeBound(request, size, catalog, objective, None)
    laid_out = 0
    for shape in shapes(request, size, catalog)[:4]:
        try:
            topology = FAMILIES[shape.family].build(shape, request, size, catalog)
            layout = lay_out(topology, request, size, catalog, None)
        except (InfeasibleError, LimitReachedError):
            continue
        laid_out += 1
        value = objective.of(layout.topology, layout.cabling).value
        for lower in (bound(shape), bound.with_places(shape, layout.placement)):
            assert len(lower) == len(value)
            assert all(least <= reached for least, reached in zip(lower, value, strict=True))
        assert bound.with_places(shape, layout.placement) >= bound(shape)
    assert laid_out > 1


def test_bound_counts_every_switch(catalog):
    """Without links the bound would be the price of all leaves and spines; it exceeds that by what links cost."""
    request = Request.model_validate_json(json.dumps({"name": "case", **CASES["copper"]}))
    size = resolve(request, catalog)
    objective = Objective(request, catalog)
    shape = shapes(request, size, catalog)[0]
    usd = catalog.switches[shape.leaf_part].price_usd
    assert usd is not None
    switches_cents = round(100 * usd) * (shape.leaves_total + shape.spines_total)
    assert ShapeBound(request, size, catalog, objective, None)(shape)[0] > switches_cents


@pytest.mark.parametrize("attached", [[], UFM])
def test_an_outline_bounds_every_shape_that_follows(attached, catalog):
    """With the links that it tells of, by every goal; and it says more than switches alone."""
    fabric = {"link_layer": "infiniband", "family": "dragonfly_plus", "switches": ["nvidia-qm9700"]}
    asked = {"name": "case", "accelerator": "dgx-h100", "nodes": 20, "fabric": fabric, "attached": attached}
    request = Request.model_validate_json(json.dumps(asked | {"objective": ["tco", "capex"]}))
    size = resolve(request, catalog)
    bound = ShapeBound(request, size, catalog, Objective(request, catalog), None)
    count = 0
    for listing in FAMILIES["dragonfly_plus"].listings(request, size, catalog):
        least = (0, 0)
        for item in listing:
            if isinstance(item, Outline):
                found = bound.outlined(item)
                assert found > bound.switches(item)
                least = max(least[0], found[0]), max(least[1], found[1])
            elif (count := count + 1) % 20 == 1:
                assert all(low <= high for low, high in zip(least, bound(item), strict=True))
    assert count > 1
