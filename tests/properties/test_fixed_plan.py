"""What must hold whatever the search does, on one floor plan and a few parts: more costs more, cheaper costs less.

Values and bounds are compared crosswise, so that nothing depends on a gap that stays open: what cannot be cheaper has
a value at or above the other's bound.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fabric.catalog.load import Catalog, load
from fabric.errors import FabricError
from fabric.io import request_file
from fabric.pipeline.families import choose

SWITCHES = ("nvidia-qm9700", "nvidia-qm9790")
MEDIA = ("dac", "acc", "mmf", "smf")

REQUEST = {
    "name": "fixed",
    "accelerator": "hgx-h100",
    "nodes": 6,
    "fabric": {
        "family": "fat_tree",
        "link_layer": "infiniband",
        "switches": ["nvidia-qm9700"],
        "node_ports": 2,
        "unit_nodes": 4,
        "media": {"node_leaf": list(MEDIA), "leaf_spine": list(MEDIA)},
    },
    "planning": {"node_units": 4, "node_kw": 4.0},
}

RACKS = (
    {"name": "A1", "x_m": 0.0, "y_m": 0.0, "units": 12},
    {"name": "A2", "x_m": 0.6, "y_m": 0.0, "units": 12, "blocked_u": [[10, 11]]},
    {"name": "A3", "x_m": 1.2, "y_m": 0.0, "units": 12},
    {"name": "B1", "x_m": 0.3, "y_m": 2.4, "units": 12},
    {"name": "B2", "x_m": 0.9, "y_m": 2.4, "units": 12, "use": "network"},
)


class Answer(NamedTuple):
    """Best value found and a bound on it, in cents."""

    value: int
    bound: int


@cache
def _parts() -> Catalog:
    """Two switches and what links them to each other and to nodes."""
    shipped = load()
    known = ("MCA4J80", "MCA7J60", "MCP4Y10", "MCP7Y00", "MFP7E", "MMA4Z00", "MMS4X00")
    return replace(
        shipped,
        cables={key: part for key, part in shipped.cables.items() if key.startswith(known)},
        transceivers={key: part for key, part in shipped.transceivers.items() if key.startswith(known)},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where requests are written, one over the other."""
    return tmp_path_factory.mktemp("fixed")


def _answer(folder: Path, request: dict, catalog: Catalog, racks: tuple[dict, ...] = RACKS) -> Answer:
    """The design of a request; one that has none is no example."""
    (folder / "request.yaml").write_text(json.dumps(request), encoding="utf-8")
    (folder / "floorplan.yaml").write_text(json.dumps({"racks": racks}), encoding="utf-8")
    try:
        outcome = choose(request_file.load(folder, catalog), catalog).choice.outcome
    except FabricError:
        assume(condition=False)
        raise
    return Answer(outcome.value[0], outcome.bound[0])


def _cannot_be_cheaper(dear: Answer, cheap: Answer) -> None:
    assert dear.value >= cheap.bound
    if cheap.bound == cheap.value and dear.bound == dear.value:
        assert dear.value >= cheap.value


@st.composite
def _requests(draw: st.DrawFn) -> dict:
    """A few nodes; policies and media as they come."""
    fabric = REQUEST["fabric"] | {
        "node_ports": draw(st.sampled_from((1, 2))),
        "unit_nodes": draw(st.sampled_from((2, 3, 4))),
        "parameters": {"spines": draw(st.sampled_from((2, 3)))},
        "oversubscription": draw(st.sampled_from((1.0, 2.0))),
        "media": {
            kind: sorted(draw(st.sets(st.sampled_from(MEDIA), max_size=2)) | {draw(st.sampled_from(("mmf", "smf")))})
            for kind in ("node_leaf", "leaf_spine")
        },
    }
    placement = {
        "leaf": draw(st.sampled_from(("free", "own_rack"))),
        "spine": draw(st.sampled_from(("free", "spread"))),
    }
    return REQUEST | {"nodes": draw(st.integers(4, 6)), "fabric": fabric, "placement": placement}


def _with(request: dict, **fabric: object) -> dict:
    return request | {"fabric": request["fabric"] | fabric}


@settings(max_examples=15)
@given(request=_requests())
def test_more_nodes_are_never_cheaper(folder, request):
    """The switches of both are for the larger number, so that only cables and pluggables can differ."""
    few = _answer(folder, request | {"growth_nodes": request["nodes"]}, _parts())
    more = request["nodes"] + 2
    many = _answer(folder, request | {"nodes": more, "growth_nodes": more}, _parts())
    _cannot_be_cheaper(many, few)


@settings(max_examples=15)
@given(request=_requests(), part=st.sampled_from(sorted({*_parts().cables, *_parts().transceivers})))
def test_a_cheaper_part_never_makes_a_design_dearer(folder, request, part):
    """Whatever cable or module falls to nothing beside a price for each."""
    catalog = _parts()
    prices = {key: 100.0 + 7 * number for number, key in enumerate((*catalog.cables, *catalog.transceivers))}

    def at(usd: dict[str, float]) -> Catalog:
        kinds = {
            kind: {key: each.model_copy(update={"price_usd": usd[key]}) for key, each in getattr(catalog, kind).items()}
            for kind in ("cables", "transceivers")
        }
        return replace(catalog, **kinds)

    _cannot_be_cheaper(_answer(folder, request, at(prices)), _answer(folder, request, at(prices | {part: 1.0})))


@settings(max_examples=15)
@given(request=_requests(), kind=st.sampled_from(("node_leaf", "leaf_spine")))
def test_more_media_are_never_worse(folder, request, kind):
    """All media for one kind of link instead of some."""
    media = request["fabric"]["media"] | {kind: list(MEDIA)}
    _cannot_be_cheaper(_answer(folder, request, _parts()), _answer(folder, _with(request, media=media), _parts()))


@settings(max_examples=15)
@given(request=_requests(), switch=st.sampled_from(SWITCHES))
def test_more_switches_to_choose_from_are_never_worse(folder, request, switch):
    """Two models instead of one of them."""
    one, two = _with(request, switches=[switch]), _with(request, switches=list(SWITCHES))
    _cannot_be_cheaper(_answer(folder, one, _parts()), _answer(folder, two, _parts()))


@settings(max_examples=15)
@given(request=_requests(), racks=st.permutations(RACKS))
def test_the_order_of_racks_in_the_list_changes_no_number(folder, request, racks):
    """Racks are known by where they stand; rows come in the order of their first racks."""
    first = next(rack for rack in racks if rack["y_m"] == RACKS[0]["y_m"])
    listed = (first, *(rack for rack in racks if rack is not first))
    assert _answer(folder, request, _parts(), listed) == _answer(folder, request, _parts())


@settings(max_examples=15)
@given(request=_requests())
def test_names_change_no_number(folder, request):
    """Racks, nodes and switches under other names of the same order."""
    racks = tuple(rack | {"name": f"hall-7.{rack['name']}"} for rack in RACKS)
    names = {"node": "n{index:05d}", "spine": "x{index:03d}", "leaf": "y-{su:03d}-{rail}-{index:03d}"}
    assert _answer(folder, request | {"names": names}, _parts(), racks) == _answer(folder, request, _parts())
