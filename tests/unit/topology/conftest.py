"""A catalog with a switch of any size, and requests in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fabric.catalog.load import Catalog, load
from fabric.catalog.parts import Cages
from fabric.model.request import Request
from fabric.model.topology import Topology
from fabric.model.tree_shape import FatTreeShape
from fabric.topology import fat_tree, port_map
from fabric.topology.size import Size, resolve

Ask = Callable[..., Request]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped catalog and `twin-N`, switches of N cages of 2 x 400G or 1 x 800G, for N of 2 to 20."""
    shipped = load()
    model = shipped.switches["chaoqing-n9500-64oc"]
    made = {
        f"twin-{cages}": model.model_copy(
            update={
                "cages": Cages(count=cages, form_factor="osfp"),
                "ports_by_speed_gbps": {400: 2 * cages, 800: cages},
            }
        )
        for cages in range(2, 21)
    }
    return replace(shipped, switches={**shipped.switches, **made})


@pytest.fixture
def ask() -> Ask:
    """Makes a request: `fabric` keys in a dict, the rest by keyword; RoCE and 400G uplinks unless said otherwise."""

    def make(accelerator: str, switch: str, fabric: dict[str, Any] | None = None, **more: object) -> Request:
        layer = "infiniband" if switch.startswith("nvidia-q") else "roce"
        keys = {"family": "fat_tree", "link_layer": layer, "switches": [switch], **(fabric or {})}
        document = {"name": "case", "accelerator": accelerator, "fabric": keys, **more}
        return Request.model_validate_json(json.dumps(document))

    return make


@pytest.fixture
def shapes_of(catalog) -> Callable[[Request], tuple[FatTreeShape, ...]]:
    """All shapes of a request."""
    return lambda request: fat_tree.shapes(request, resolve(request, catalog), catalog)


@pytest.fixture
def built(catalog) -> Callable[..., tuple[FatTreeShape, Topology, Size]]:
    """Shape, topology and size of a request: the shape with the fewest switches, then links."""

    def build(request: Request) -> tuple[FatTreeShape, Topology, Size]:
        size = resolve(request, catalog)
        shape = min(
            fat_tree.shapes(request, size, catalog),
            key=lambda each: (each.leaves_total + each.spines_total, each.uplinks_total),
        )
        return shape, port_map.build(shape, request, size, catalog), size

    return build
