"""Which switches may form a leaf and a spine, and why others may not."""

from __future__ import annotations

import pytest

from fabric.errors import InputError
from fabric.topology.candidates import leaf_pairs
from fabric.topology.size import resolve


def rates_of(request, catalog):
    """Every pair of models of a request, at every uplink rate."""
    return leaf_pairs(request, resolve(request, catalog), catalog)


def pairs_of(request, catalog):
    """Every pair of models of a request, at its fastest uplink rate."""
    return [rates[0] for rates in rates_of(request, catalog)]


def refusal(request, catalog) -> str:
    """What a request is refused with."""
    with pytest.raises(InputError) as refused:
        pairs_of(request, catalog)
    assert all(fault.key for fault in refused.value.faults)
    return str(refused.value)


def test_fastest_shared_rate_is_the_uplink(ask, catalog):
    """128 x 400G below and 64 x 800G above on the same 64 cages."""
    (pair,) = pairs_of(ask("hgx-b200", "chaoqing-n9500-64oc", nodes=4), catalog)
    assert (pair.uplink_gbps, pair.leaf_ports, pair.spine_ports) == (800, 128, 64)
    assert (pair.downs_per_cage, pair.uplinks_per_cage) == (2, 1)


def test_slower_rates_follow_but_none_below_the_nodes(ask, catalog):
    """800G, then 400G, which gives twice the ports; 200G would be slower than the nodes' ports."""
    (rates,) = rates_of(ask("hgx-b200", "chaoqing-n9500-64oc", nodes=4), catalog)
    assert [(pair.uplink_gbps, pair.spine_ports) for pair in rates] == [(800, 64), (400, 128)]


def test_asked_rate_is_the_uplink(ask, catalog):
    """400G uplinks come two to a cage."""
    (pair,) = pairs_of(ask("hgx-b200", "chaoqing-n9500-64oc", {"uplink_port_gbps": 400}, nodes=4), catalog)
    assert (pair.uplink_gbps, pair.spine_ports, pair.uplinks_per_cage) == (400, 128, 2)


def test_a_pair_for_every_two_models(ask, catalog):
    """Two models for each tier make four pairs, in key order."""
    models = {"leaf": ["twin-4", "twin-8"], "spine": ["twin-8", "twin-4"]}
    found = pairs_of(ask("hgx-h100", "twin-4", {"switches": models}, nodes=4), catalog)
    names = ["twin-4", "twin-8"]
    assert [(pair.leaf_key, pair.spine_key) for pair in found] == [(leaf, spine) for leaf in names for spine in names]


def test_free_choice_takes_no_switch_that_is_not_sold(ask, catalog):
    """Planned, isolated, out-of-band and other-layer models are no candidates."""
    found = pairs_of(ask("hgx-b200", "twin-4", {"switches": "auto"}, nodes=4), catalog)
    keys = {pair.leaf_key for pair in found} | {pair.spine_key for pair in found}
    assert "nvidia-sn5610" in keys
    for key in keys:
        switch = catalog.switches[key]
        assert switch.allowed_for_design
        assert (switch.status, switch.link_layer, switch.isolated_halves) == ("active", "ethernet", 1)
    assert "nvidia-sn2201" not in keys


def test_room_is_what_the_cages_leave(ask, catalog):
    """Five down ports fill three of eight twin cages; five cages hold ten uplinks of 400G."""
    (pair,) = pairs_of(ask("hgx-h100", "twin-8", {"uplink_port_gbps": 400}, nodes=4), catalog)
    assert pair.room(5) == 10
    assert pair.uplinks(5) == 5
    assert pair.most_down_ports == 8


@pytest.mark.parametrize(
    ("oversubscription", "uplinks", "most"),
    [(1.0, 6, 8), (2.0, 3, 10), (3.0, 2, 12), (0.5, 12, 5)],
)
def test_uplinks_follow_the_oversubscription(ask, catalog, oversubscription, uplinks, most):
    """Uplinks of 6 down ports, and the most down ports of 16: at 0.5:1 five, whose three cages leave ten uplinks."""
    asked = {"uplink_port_gbps": 400, "oversubscription": oversubscription}
    (pair,) = pairs_of(ask("hgx-h100", "twin-8", asked, nodes=4), catalog)
    assert (pair.uplinks(6), pair.most_down_ports) == (uplinks, most)


@pytest.mark.parametrize(
    ("system", "switch", "fabric", "words"),
    [
        ("hgx-b200", "nvidia-sn5610", {"link_layer": "infiniband"}, "nvidia-sn5610 is an ethernet switch"),
        ("hgx-h100", "nvidia-q3400-ra", {}, "no 400G ports for the nodes; its ports run 800G"),
        ("hgx-b300", "nvidia-q3200-ra", {}, "2 switches of 36 ports in one chassis"),
        ("hgx-h100", "nvidia-sn5400", {}, "lanes of 50G"),
        ("hgx-h100", "nvidia-qm9700", {"uplink_port_gbps": 800}, "no 800G port to link them"),
        ("hgx-b200", "arista-7060xe7-64ps", {}, "reading only"),
    ],
)
def test_reasons(ask, catalog, system, switch, fabric, words):
    """Each refusal says what the switch lacks."""
    assert words in refusal(ask(system, switch, fabric, nodes=4), catalog)
