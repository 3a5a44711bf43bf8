"""The topology for other tools."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
import yaml

from fabric.content import whole
from fabric.errors import InputError
from fabric.render.connection import cable_sheet
from fabric.render.exports import render_exports
from fabric.render.ibnetdiscover import ibnetdiscover
from fabric.render.slurm import hostlist, slurm_topology

RECORD = re.compile(r'^\[(\d+)\](?:\(\w+\))?\s+"([SH]-\w{16})"\[(\d+)\]', re.MULTILINE)


def test_topology_dot_has_one_edge_per_link(design, catalog):
    """The format of the prescriptive topology manager: "leaf":"port" -- "spine":"port"."""
    dot = whole(render_exports(design, catalog, cable_sheet(design, catalog))["exports/topology.dot"]).decode()
    edges = re.findall(r'^  "([^"]+)":"([^"]+)" -- "([^"]+)":"([^"]+)"$', dot, re.MULTILINE)
    ends = {(link.a.device, link.a.port, link.b.device, link.b.port) for link in design.topology.links}
    assert set(edges) == ends
    assert len(edges) == len(ends)
    assert (dot.splitlines()[0], dot.splitlines()[-1]) == ('graph "sample" {', "}")


def test_containerlab_gives_every_end_an_interface_of_its_own(design, catalog):
    """Valid YAML whose links use no interface twice and leave eth0 to management."""
    files = render_exports(design, catalog, cable_sheet(design, catalog))
    lab = yaml.safe_load(whole(files["exports/containerlab.clab.yml"]))
    ends = [end for link in lab["topology"]["links"] for end in link["endpoints"]]
    assert len(ends) == len(set(ends)) == 2 * len(design.topology.links)
    assert {end.split(":")[0] for end in ends} == set(lab["topology"]["nodes"])
    assert not [end for end in ends if end.endswith(":eth0")]


def test_netbox_rows_name_both_interfaces(design, catalog):
    """Every link once, with the type and length that NetBox knows."""
    rows = list(
        csv.DictReader(
            io.StringIO(
                whole(
                    render_exports(design, catalog, cable_sheet(design, catalog))["exports/netbox/cables.csv"]
                ).decode()
            )
        )
    )
    assert len(rows) == len(design.topology.links)
    assert {(row["type"], row["length"], row["length_unit"], row["status"]) for row in rows} == {
        ("smf", "30", "m", "planned")
    }


def test_slurm_groups_nodes_that_share_leaves(design):
    """Under rail wiring a unit is one switch; both units hang under one top."""
    lines = [line for line in slurm_topology(design).splitlines() if not line.startswith("#")]
    assert lines == [
        "SwitchName=unit-001 Nodes=node-[0001-0002]",
        "SwitchName=unit-002 Nodes=node-[0003-0004]",
        "SwitchName=fabric-top Switches=unit-[001-002]",
    ]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["n1", "n2", "n3", "n5"], "n[1-3,5]"),
        (["n9", "n10"], "n9,n10"),
        (["login"], "login"),
        (["a-01", "a-02", "b-7"], "a-[01-02],b-7"),
    ],
)
def test_hostlists_are_short_and_exact(names, short):
    """Numbers of one width form ranges; others stand alone, so that no zero is lost."""
    assert hostlist(names) == short


def test_ibnetdiscover_tells_every_link_from_both_sides(design, catalog):
    """Each record's line has its mirror in the far record: what ibsim needs to join the ends."""
    text = "".join(ibnetdiscover(design, catalog))
    seen = set()
    for record in text.split("\n\n"):
        own = re.search(r'^(?:Switch|Ca)\t\d+ "([SH]-\w{16})"', record, re.MULTILINE)[1]
        seen |= {(own, int(port), far, int(far_port)) for port, far, far_port in RECORD.findall(record)}
    assert len(seen) == 2 * len(design.topology.links)
    assert {(far, far_port, own, port) for own, port, far, far_port in seen} == seen


def test_ibnetdiscover_numbers_switch_ports_over_all_cages(design, catalog):
    """Cage 2, port 1 of a switch with two ports a cage is port 3; 400 Gb/s on lanes of 100 is 4xNDR."""
    text = "".join(ibnetdiscover(design, catalog))
    leaf = next(record for record in text.split("\n\n") if '"leaf-p0-su01-r0" enhanced' in record)
    assert [int(port) for port, _, _ in RECORD.findall(leaf)] == [1, 2, 3, 4]
    assert "Switch\t64 " in leaf
    assert leaf.count("4xNDR") == 4


def test_ethernet_has_no_subnet_listing(design, catalog):
    """Ibnetdiscover knows InfiniBand alone."""
    roce = design.request.fabric.model_copy(update={"link_layer": "roce"})
    request = design.request.model_copy(update={"fabric": roce})
    assert "exports/ibnetdiscover.txt" not in render_exports(
        replace(design, request=request), catalog, cable_sheet(design, catalog)
    )


def test_a_switch_without_part_cannot_be_numbered(design, catalog):
    """The message names the device, not a traceback."""
    devices = tuple(replace(one, part=None) if one.role == "leaf" else one for one in design.topology.devices)
    with pytest.raises(InputError, match="leaf-p0-su01-r0: the catalog has no switch None"):
        list(ibnetdiscover(replace(design, topology=replace(design.topology, devices=devices)), catalog))
