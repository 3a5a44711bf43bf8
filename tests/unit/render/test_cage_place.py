"""Which socket of a cage each link plugs into."""

from __future__ import annotations

from dataclasses import replace

from fabric.render.connection import cable_sheet


def test_the_two_rails_of_a_twin_cage_have_sockets_of_their_own(dgx, catalog):
    """OSFP4 of DGX H100 carries rail 3 in its first socket and rail 0 in its second, as the catalog's map says."""
    rows = [row for row in cable_sheet(dgx, catalog).rows() if (row.a_device, row.a_cage) == ("node-0001", "OSFP4")]
    assert {row.rail: row.a_port_in_cage for row in rows} == {3: 1, 0: 2}


def test_a_switch_cage_counts_its_ports_from_one(design, catalog):
    """QM9700 has two 400G ports a cage, named cage/port: the socket is what stands behind the stroke."""
    rows = list(cable_sheet(design, catalog).rows())
    assert {row.b_port_in_cage for row in rows} == {1, 2}
    assert all(row.b_port.endswith(f"/{row.b_port_in_cage}") for row in rows)


def test_an_unknown_part_or_port_leaves_the_socket_open(design, catalog):
    """A proposal with ports that its switch lacks still gets its sheet; the judge names the port."""
    leaf = next(device for device in design.topology.devices if device.role == "leaf")
    devices = tuple(replace(one, part=None) if one is leaf else one for one in design.topology.devices)
    proposal = replace(design, topology=replace(design.topology, devices=devices))
    sockets = [row.b_port_in_cage for row in cable_sheet(proposal, catalog).rows() if row.b_device == leaf.name]
    assert set(sockets) == {None}
