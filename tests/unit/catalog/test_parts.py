"""The shipped parts against published figures, each with where it was published."""

from __future__ import annotations

import pytest

from fabric.catalog.load import load

CATALOG = load()

# Keys that requests use: accelerators and switches of the shipped examples and of common reference designs.
SYSTEMS = (
    *("hgx-h100", "hgx-h200", "hgx-b200", "hgx-b300", "gh200", "gb200-nvl72", "gb300-nvl72", "vr200-nvl72"),
    *("rubin-nvl8", "dgx-h100", "dgx-h200", "dgx-b200", "dgx-b300", "mi300x-ubb8", "helios-mi455x"),
)


def test_systems_that_requests_name():
    """Each key exists."""
    assert set(SYSTEMS) <= set(CATALOG.systems)


@pytest.mark.parametrize(
    ("key", "rate_gbps", "ports", "per_cage", "lane_gbps"),
    [
        # NVIDIA Quantum-X800 data sheet: 72 twin-port OSFP cages, lanes of 200G
        ("nvidia-q3400-ra", 800, 144, 2, 200),
        # NVIDIA QM97XX manual, Interfaces: 32 OSFP cages of 2 logical ports; 128 ports with 1:2 splitters
        ("nvidia-qm9700", 400, 64, 2, 100),
        ("nvidia-qm9700", 200, 128, 4, 100),
        # NVIDIA SN5000 manual, Data Interfaces: 64 cages, at most 4 ports each
        ("nvidia-sn5600", 800, 64, 1, 100),
        ("nvidia-sn5600", 400, 128, 2, 100),
        ("nvidia-sn5600", 100, 256, 4, 50),
        # SONiC platform file: 128 x 800G, lanes of 200G; no 1.6T port
        ("nvidia-sn6600-ld", 800, 128, 2, 200),
        ("nvidia-sn6600-ld", 1600, 0, 0, None),
        # SONiC platform file of SN5640: no port faster than 400G
        ("nvidia-sn5640", 800, 0, 0, None),
        # 51.2 Tb/s over 64 cages of 8 lanes
        ("chaoqing-n9500-64oc", 400, 128, 2, 100),
        ("chaoqing-n9500-64oc", 800, 64, 1, 100),
        # Hedgehog profile: 320 logical ports at most
        ("celestica-ds5000", 100, 320, 5, 100),
        # Quantum-X Photonics: fibres go into the switch, one MPO-12 a port
        ("nvidia-q3450-ld", 800, 144, 1, 200),
        # 48 RJ45 ports are no ports of the 4 cages
        ("nvidia-sn2201", 1, 0, 0, None),
        ("nvidia-sn2201", 100, 4, 1, 25),
    ],
)
def test_ports_of_switches(key, rate_gbps, ports, per_cage, lane_gbps):
    """Ports at once, ports of a cage and lane rate, as published."""
    switch = CATALOG.switches[key]
    assert switch.usable_ports(rate_gbps) == ports
    assert switch.ports_per_cage(rate_gbps) == per_cage
    assert switch.port_lane_gbps(rate_gbps) == lane_gbps


def test_logical_ports_have_a_limit():
    """Edgecore states 320 logical ports in all; 64 cages of 8 x 100G would be 512."""
    switch = CATALOG.switches["edgecore-ais800-64o"].model_copy(update={"ports_by_speed_gbps": {100: 512}})
    assert switch.usable_ports(100) == 320


def test_two_switches_in_one_chassis():
    """The Q3200-RA holds two switches of 36 ports that do not forward to each other (NVIDIA XDR manual)."""
    switch = CATALOG.switches["nvidia-q3200-ra"]
    assert switch.isolated_halves == 2
    assert switch.usable_ports(800) // switch.isolated_halves == 36


@pytest.mark.parametrize("key", sorted(CATALOG.switches))
def test_ports_do_not_exceed_the_chip(key):
    """The cages' ports at any rate carry no more than the stated capacity, and each has a lane at least."""
    switch = CATALOG.switches[key]
    if switch.switching_tbps is None or key == "nvidia-sn2201":
        return
    for rate_gbps in switch.ports_by_speed_gbps:
        per_cage = switch.ports_per_cage(rate_gbps)
        assert per_cage * switch.cages.count * rate_gbps <= switch.switching_tbps * 1000 * 1.0001
        assert per_cage <= switch.cages.lanes


def test_what_was_not_found_is_not_offered():
    """The Q3400-LD is in no current list: nothing is known of it, and no design may choose it."""
    switch = CATALOG.switches["nvidia-q3400-ld"]
    assert not switch.can_be_bought
    assert (switch.cages.count, dict(switch.ports_by_speed_gbps)) == (0, {})
    assert switch.rack_units is switch.max_w is switch.price_usd is None


def test_planning_values_stand_in_for_a_shipped_example():
    """Nothing on height, power, cooling and chip of the N9500-64OC is published; each stand-in says why."""
    switch = CATALOG.switches["chaoqing-n9500-64oc"]
    for field in ("rack_units", "max_w", "cooling", "chip"):
        assert getattr(switch, field) is None
        assert switch.figure(field) is not None
        assert switch.planning[field].reason
    assert switch.figure("chip") == "tomahawk-5"


def test_dgx_h100_cages():
    """OSFP1 carries accelerators 7 and 4, OSFP2 6 and 5, OSFP3 2 and 1, OSFP4 3 and 0 (NVIDIA DGX SuperPOD H100)."""
    system = CATALOG.systems["dgx-h100"]
    cages: dict[str, set[int | None]] = {}
    for port in system.host_ports:
        cages.setdefault(port.cage, set()).add(port.accelerator)
        assert port.rail == port.accelerator
    assert cages == {"OSFP1": {7, 4}, "OSFP2": {6, 5}, "OSFP3": {2, 1}, "OSFP4": {3, 0}}
    assert system.host_port_map == "published"


@pytest.mark.parametrize("key", ["dgx-h100", "dgx-h200", "dgx-b200"])
def test_dgx_has_twin_cages_where_hgx_has_single_ones(key):
    """Four twin-port cages against eight single-port adapters (DGX BasePOD reference architecture)."""
    dgx, hgx = CATALOG.systems[key], CATALOG.systems[key.replace("dgx", "hgx")]
    assert [len({port.cage for port in system.host_ports}) for system in (dgx, hgx)] == [4, 8]
    assert [system.cage_modes[0].ports for system in (dgx, hgx)] == [2, 1]
    assert len(dgx.host_ports) == len(hgx.host_ports) == 8


def test_unknown_maps_name_no_accelerator():
    """Where the map is not public, nothing pretends to know which accelerator stands behind a port."""
    unknown = [system for system in CATALOG.systems.values() if system.host_port_map == "confirm on site"]
    assert unknown
    assert all(port.accelerator is None for system in unknown for port in system.host_ports)


@pytest.mark.parametrize("key", ["hgx-b300", "gb300-nvl72"])
def test_connectx_8_splits_over_two_planes_on_ethernet(key):
    """800G on InfiniBand; on Ethernet two ports of 400G behind one cage, one for each plane (NVIDIA HGX B300 ERA)."""
    system = CATALOG.systems[key]
    assert system.default_planes == {"ethernet": 2}
    assert system.default_port_gbps == {"infiniband": 800, "ethernet": 400}
    rates = {(mode.rate_gbps, mode.ports): mode.link_layers for mode in system.cage_modes}
    assert rates == {(800, 1): ("infiniband",), (400, 2): ("ethernet",)}


def test_whole_racks():
    """An NVL72 rack is 18 compute trays at places of their own (NVIDIA DGX GB200 guide)."""
    for key in ("gb200-nvl72", "gb300-nvl72", "vr200-nvl72"):
        system = CATALOG.systems[key]
        assert system.whole_rack
        assert system.nodes_per_rack == len(set(system.rack_first_u)) == 18
        assert system.accelerators * 18 == system.scale_up_accelerators == 72


def test_every_node_can_be_placed():
    """Height and power of every system that a request may name are known or planned."""
    for key, system in CATALOG.systems.items():
        if system.allowed_for_design:
            assert system.figure("rack_units"), key
            assert system.figure("node_kw"), key


def test_stand_ins_for_attached_devices():
    """Each common rate has a device with ports for ufm, storage, gateways and log-ins, and no accelerator."""
    for rate_gbps in (200, 400, 800):
        system = CATALOG.systems[f"generic-endpoint-{rate_gbps}g"]
        assert system.accelerators == 0
        assert [mode.rate_gbps for mode in system.cage_modes] == [rate_gbps]


@pytest.mark.parametrize(("key", "endpoints"), [("nvidia-q3400-ra", 10368), ("nvidia-qm9700", 2048)])
def test_largest_two_tier_fabric(key, endpoints):
    """Half of a leaf's ports down, as many leaves as a spine has ports (DGX SuperPOD tables: 10,368 and 2,048)."""
    ports = CATALOG.switches[key].usable_ports(800 if key == "nvidia-q3400-ra" else 400)
    assert ports // 2 * ports == endpoints
