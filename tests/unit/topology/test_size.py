"""What a request asks in whole numbers: defaults, units of size, and what no system can do."""

from __future__ import annotations

import pytest

from fabric.errors import InputError
from fabric.model.outline import listed
from fabric.model.request import Request
from fabric.topology._protocol import FAMILIES
from fabric.topology.size import resolve, without_effect


def keys_of(error: InputError) -> list[str | None]:
    """Keys of all faults, in order."""
    return [fault.key for fault in error.faults]


@pytest.mark.parametrize(
    ("system", "switch", "ports", "gbps", "planes"),
    [
        ("hgx-h100", "nvidia-qm9700", 8, 400, 1),
        ("hgx-b300", "nvidia-q3400-ra", 8, 800, 1),
        ("hgx-b300", "nvidia-sn5610", 8, 400, 2),
        ("gb300-nvl72", "nvidia-sn5610", 4, 400, 2),
        ("gb200-nvl72", "nvidia-qm9700", 4, 400, 1),
        ("vr200-nvl72", "nvidia-sn6600-ld", 8, 800, 1),
    ],
)
def test_defaults_are_those_of_the_system(ask, catalog, system, switch, ports, gbps, planes):
    """Ports, rate and planes as the contract says; ConnectX-8 on Ethernet splits into two planes of 400G."""
    size = resolve(ask(system, switch, nodes=18), catalog)
    assert (size.node_ports, size.node_port_gbps, size.planes) == (ports, gbps, planes)
    for key in ("fabric.node_ports", "fabric.node_port_gbps", "fabric.wiring"):
        assert sum(note.startswith(key) for note in size.assumptions) == 1
    assert any(note.startswith("fabric.planes") for note in size.assumptions) == (planes > 1)


def test_what_is_asked_is_no_assumption(ask, catalog):
    """A request that says everything assumes nothing."""
    asked = {"node_ports": 8, "node_port_gbps": 400, "planes": 1, "wiring": "rail"}
    assert resolve(ask("hgx-h100", "twin-16", asked, nodes=4), catalog).assumptions == ()


def test_accelerators_are_whole_nodes(ask, catalog):
    """1,024 accelerators are 128 nodes of 8."""
    assert resolve(ask("hgx-b200", "twin-16", accelerators=1024), catalog).nodes == 128


def test_accelerators_left_over_are_refused_with_the_nearest_numbers(ask, catalog):
    """1,020 accelerators are 127 nodes and 4 left over: ask 1,016 or 1,024."""
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-b200", "twin-16", accelerators=1020), catalog)
    assert keys_of(refused.value) == ["accelerators"]
    assert "ask 1016 or 1024" in str(refused.value)


def test_units_count_units_of_nodes(ask, catalog):
    """Two units of 32 nodes are 64 nodes; without unit_nodes a unit has no size yet."""
    assert resolve(ask("hgx-b200", "twin-16", {"unit_nodes": 32}, units=2), catalog).nodes == 64
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-b200", "twin-16", units=2), catalog)
    assert keys_of(refused.value) == ["units"]


def test_trays_come_in_whole_racks(ask, catalog):
    """20 trays are one rack of 18 and 2 left over: ask 18 or 36."""
    with pytest.raises(InputError) as refused:
        resolve(ask("gb200-nvl72", "nvidia-qm9700", nodes=20), catalog)
    assert keys_of(refused.value) == ["nodes"]
    assert "ask 18 or 36" in str(refused.value)


def test_growth_counts_spares(ask, catalog):
    """Growth must hold nodes and spares; without growth it is exactly them."""
    size = resolve(ask("hgx-h100", "twin-16", nodes=10, spare_nodes=2), catalog)
    assert (size.installed_nodes, size.growth_nodes, size.endpoints) == (12, 12, 96)
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-h100", "twin-16", nodes=10, spare_nodes=2, growth_nodes=11), catalog)
    assert keys_of(refused.value) == ["growth_nodes"]
    assert "10 + 2 = 12" in str(refused.value)


def test_more_ports_than_the_system_has(ask, catalog):
    """Sixteen ports of a system with eight."""
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-h100", "twin-16", {"node_ports": 16}, nodes=4), catalog)
    assert keys_of(refused.value) == ["fabric.node_ports"]


def test_fewer_ports_spread_over_the_faceplate(ask, catalog):
    """Two of eight ports are the first and the fifth, one for each half of the node."""
    size = resolve(ask("hgx-b200", "nvidia-qm9700", {"node_ports": 2}, nodes=4), catalog)
    assert [port.rail for port in size.host_ports] == [0, 4]


def test_rate_that_no_cage_runs(ask, catalog):
    """An 800G port on a node whose cages run 200G and 400G."""
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-h100", "nvidia-q3400-ra", {"node_port_gbps": 800}, nodes=4), catalog)
    assert keys_of(refused.value) == ["fabric.node_port_gbps"]
    assert "200G, 400G" in str(refused.value)


def test_rate_of_the_other_link_layer(ask, catalog):
    """400G ports of a B300 exist on Ethernet alone."""
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-b300", "nvidia-qm9700", {"node_port_gbps": 400}, nodes=4), catalog)
    assert keys_of(refused.value) == ["fabric.node_port_gbps"]


def test_more_planes_than_a_cage_has_ports(ask, catalog):
    """Two planes out of a cage with a single 400G port."""
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-h100", "twin-16", {"planes": 2}, nodes=4), catalog)
    assert keys_of(refused.value) == ["fabric.planes"]


def test_two_rails_and_two_planes_do_not_share_a_twin_cage(ask, catalog):
    """A DGX cage carries two rails already."""
    with pytest.raises(InputError) as refused:
        resolve(ask("dgx-h100", "twin-16", {"planes": 2}, nodes=4), catalog)
    assert "4 links in one cage" in str(refused.value)


def test_half_of_an_odd_number_of_ports(ask, catalog):
    """Dual-homed wiring of three ports has no half."""
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-h100", "twin-16", {"node_ports": 3, "wiring": "dual_homed"}, nodes=4), catalog)
    assert keys_of(refused.value) == ["fabric.wiring"]


def test_attached_endpoints_run_the_rate_of_the_nodes(ask, catalog):
    """A 200G gateway on 400G down ports is refused, and says which entry."""
    attached = [{"role": "ufm", "count": 1, "gbps": 400}, {"role": "gateway", "count": 1, "gbps": 200}]
    with pytest.raises(InputError) as refused:
        resolve(ask("hgx-h100", "twin-16", nodes=4, attached=attached), catalog)
    assert keys_of(refused.value) == ["attached.1.gbps"]


def test_all_faults_come_at_once(ask, catalog):
    """Planes, growth and racks wrong together are three faults."""
    with pytest.raises(InputError) as refused:
        resolve(ask("gb200-nvl72", "twin-16", {"planes": 2}, nodes=20, growth_nodes=19), catalog)
    assert keys_of(refused.value) == ["fabric.planes", "growth_nodes", "nodes"]


@pytest.mark.parametrize(
    ("ports", "asked", "wirings"),
    [
        (8, None, ("rail",)),
        (1, None, ("rack",)),
        (8, "auto", ("rail", "dual_homed", "rack")),
        (1, "auto", ("rack",)),
        (3, "auto", ("rail", "rack")),
    ],
)
def test_wirings(ask, catalog, ports, asked, wirings):
    """Rail from two ports up, else rack; auto tries all that the number of ports allows."""
    fabric = {"node_ports": ports} | ({"wiring": asked} if asked else {})
    assert resolve(ask("hgx-h100", "twin-16", fabric, nodes=4), catalog).wirings == wirings


@pytest.mark.parametrize("family", ["dragonfly", "dragonfly_plus", "torus"])
def test_keys_without_effect_change_no_shape(catalog, family):
    """Those that a family is said not to have leave its list of shapes as it is."""
    others = {"tiers": 3, "min_spines": 1, "uneven_trunks": True, "whole_units": False}
    keys = {"family": family, "link_layer": "infiniband", "switches": ["nvidia-qm9700"]}

    def shapes(**fabric):
        request = Request.model_validate({"name": "x", "accelerator": "hgx-h100", "nodes": 37, "fabric": keys | fabric})
        return list(listed(FAMILIES[family].listings(request, resolve(request, catalog), catalog)))

    usual = shapes()
    silent = set(without_effect(family))
    assert usual
    assert silent
    assert {key for key in silent if shapes(**{key: others[key]}) == usual} == silent
