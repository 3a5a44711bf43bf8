"""What stands behind the node ports, and the out-of-band ports."""

from __future__ import annotations

from fabric.render.hca_mapping import CONFIRM, hca_mapping
from fabric.render.management import OOB_PORTS_COUNT, management, oob_switches


def test_an_unpublished_map_says_confirm_on_site(design, catalog):
    """hgx-b200 is a board that many vendors build on: its port map differs by vendor."""
    rows = list(hca_mapping(design, catalog))
    assert len(rows) == 32
    assert {row.accelerator for row in rows} == {CONFIRM}


def test_a_twin_cage_of_dgx_h100_carries_accelerators_7_and_4(dgx, catalog):
    """Source: NVIDIA DGX H100 user guide, network ports: OSFP1 carries accelerators 7 and 4, OSFP4 3 and 0."""
    rows = hca_mapping(dgx, catalog)
    behind = {}
    for row in rows:
        if row.node == "node-0001":
            behind.setdefault(row.cage, set()).add(row.accelerator)
    assert behind == {"OSFP1": {"7", "4"}, "OSFP2": {"6", "5"}, "OSFP3": {"2", "1"}, "OSFP4": {"3", "0"}}


def test_planes_of_a_rail_are_ports_of_one_cage(make, catalog):
    """The single host port of a rail splits into one port per plane."""
    rows = [row for row in hca_mapping(make(1, 2, 2, 2), catalog) if row.node == "node-0001" and row.rail == 3]
    assert [(row.port, row.port_in_cage) for row in rows] == [("rail3p0", 1), ("rail3p1", 2)]


def test_every_device_gets_the_out_of_band_ports_of_its_part(design, catalog):
    """Four nodes and 18 switches, each with the ports that the catalog counts."""
    ports = management(design, catalog)
    node, switch = catalog.systems["hgx-b200"].mgmt_ports, catalog.switches["nvidia-qm9700"].mgmt_ports
    assert len(ports) == 4 * node + 18 * switch
    assert all(port.mgmt_ip for port in ports if port.port == "mgmt0")


def test_management_switches_stay_in_their_row(make, catalog):
    """No switch serves two rows and none more ports than it has; rows fill theirs before the next begins."""
    ports = management(make(units=4, unit_nodes=32, spines=16), catalog)
    rows_of = {}
    for port in ports:
        rows_of.setdefault(port.oob_switch, set()).add(port.row)
    assert {len(rows) for rows in rows_of.values()} == {1}
    assert max(port.oob_port for port in ports) <= OOB_PORTS_COUNT
    assert len({(port.oob_switch, port.oob_port) for port in ports}) == len(ports)
    per_row = {row: sum(port.row == row for port in ports) for row in {port.row for port in ports}}
    assert oob_switches(ports) == sum(-(-count // OOB_PORTS_COUNT) for count in per_row.values())
