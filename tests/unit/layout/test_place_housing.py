"""What parts need of a rack."""

from __future__ import annotations

import pytest

from fabric.catalog.load import load
from fabric.catalog.parts import Switch
from fabric.errors import InputError
from fabric.layout.housing import node_housing, switch_space
from fabric.model.request import Planning


@pytest.fixture(scope="module")
def catalog():
    """The shipped catalog."""
    return load()


def test_a_node_takes_its_figures_from_the_catalog(catalog):
    """DGX H100: 8 U and 10.2 kW at most. Source: DGX H100 user guide, as the catalog cites it."""
    space = node_housing("dgx-h100", catalog.systems["dgx-h100"], Planning()).space
    assert (space.units, space.power_w) == (8, 10_200)


def test_planning_values_go_before_the_catalog(catalog):
    """A planned 11 kW in 9 U and three a rack replace the catalog's figures."""
    planning = Planning(node_kw=11, node_units=9, nodes_per_rack=3)
    housing = node_housing("dgx-h100", catalog.systems["dgx-h100"], planning)
    assert (housing.space.units, housing.space.power_w, housing.per_rack) == (9, 11_000, 3)


def test_a_whole_rack_keeps_its_number_of_nodes(catalog):
    """An NVL72 rack has 18 compute trays, whatever is planned."""
    housing = node_housing("gb300-nvl72", catalog.systems["gb300-nvl72"], Planning(nodes_per_rack=4))
    assert housing.whole_rack
    assert housing.per_rack == len(housing.first_u) == 18


def test_unknown_figures_ask_for_planning_values(catalog):
    """A system without height and power names both keys to plan."""
    unknown = catalog.systems["dgx-h100"].model_copy(update={"rack_units": None, "node_kw": None, "planning": {}})
    with pytest.raises(InputError) as error:
        node_housing("new", unknown, Planning())
    assert [fault.key for fault in error.value.faults] == ["planning.node_units", "planning.node_kw"]


def switch(**keys: object) -> Switch:
    """A switch of ten cages."""
    return Switch.model_validate(
        {
            "name": "s",
            "vendor": "v",
            "sources": ("x",),
            "confidence": "estimate",
            "link_layer": "ethernet",
            "cages": {"count": 10, "form_factor": "osfp", "max_power_w": 15.0},
            "ports_by_speed_gbps": {400: 20},
            "rack_units": 1,
            "max_w": 500.0,
            **keys,
        }
    )


@pytest.mark.parametrize(("included", "power_w"), [(True, 500), (False, 650), (None, 650)])
def test_switch_power_counts_modules_at_maximum(included, power_w):
    """500 W without optics and ten cages of 15 W are 650 W."""
    assert switch_space("s", switch(max_w_includes_optics=included), Planning()).power_w == power_w


def test_switch_power_may_be_planned():
    """A planned power replaces the catalog's, and a switch without any asks for it."""
    assert switch_space("s", switch(), Planning(switch_w={"s": 700})).power_w == 700
    with pytest.raises(InputError, match="s has no published power"):
        switch_space("s", switch(max_w=None), Planning())
