"""Planes with named elements down, and what is said of names that nothing has."""

from __future__ import annotations

import itertools

import pytest

from fabric.errors import InputError
from fabric.model.topology import Device, Link, Port, Topology
from fabric.pipeline.damage import damage
from fabric.pipeline.failures import damaged
from fabric.pipeline.networks import planes_of


@pytest.fixture(scope="module")
def planes():
    """Two planes of two leaves and two spines; four nodes with a port each, both planes of a node in one cage."""
    devices = [Device(f"node-{number}", "node", None) for number in range(4)]
    links = []
    for plane in range(2):
        devices += [
            Device(f"{role}-p{plane}-{n}", role, None, plane=plane) for role in ("leaf", "spine") for n in range(2)
        ]
        for node in range(4):
            down = Port(f"leaf-p{plane}-{node // 2}", "1", f"1/{node % 2}")
            links.append(
                Link(f"node-{node}.p{plane}", "node_leaf", Port(f"node-{node}", "A", f"p{plane}"), down, 400, 0)
            )
        for leaf, spine in itertools.product(range(2), range(2)):
            ends = Port(f"leaf-p{plane}-{leaf}", "2", f"2/{spine}"), Port(f"spine-p{plane}-{spine}", f"{leaf}", "1")
            links.append(Link(f"up-p{plane}-{leaf}{spine}", "leaf_spine", *ends, 400, None))
    return planes_of(Topology("fat_tree", {}, tuple(devices), tuple(links)))


def left(planes, *names):
    """Endpoint links and switch links of each plane that is left."""
    return [(len(plane.endpoints), len(plane.links)) for plane in damaged(planes, damage(planes, names))]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((), [(4, 4), (4, 4)]),
        (("node-1.p0",), [(3, 4), (4, 4)]),
        (("up-p1-00",), [(4, 4), (4, 3)]),
        (("up-p1-00", "up-p1-00"), [(4, 4), (4, 3)]),
        (("spine-p0-1",), [(4, 2), (4, 4)]),
        (("leaf-p0-1",), [(2, 2), (4, 4)]),
        (("leaf-p0-1", "leaf-p0-0"), [(4, 4)]),
        (("leaf-p0-0:1",), [(2, 4), (4, 4)]),
        (("leaf-p0-0:2", "spine-p1-0:1"), [(4, 2), (4, 3)]),
        (("node-2",), [(3, 4), (3, 4)]),
        (("node-2:A",), [(3, 4), (3, 4)]),
        (("plane 0",), [(4, 4)]),
        (("plane 0", "plane 1"), []),
    ],
)
def test_what_is_left(planes, names, expected):
    """Links, devices with all their links, cages at either end, planes; several at once."""
    assert left(planes, *names) == expected


def test_every_unknown_name_is_told_with_what_looks_like_it(planes):
    """One fault each: what a name may be, and near names, or the cages of a device that has others."""
    with pytest.raises(InputError) as error:
        damage(planes, ["spine-p0-3", "leaf-p0-0", "leaf-p0-0:7", "leef-p0-0:1", "plane 7", "zzz"])
    allowed = "in this design: a link, a device, DEVICE:CAGE or plane N"
    assert [str(fault) for fault in error.value.faults] == [
        f"no element 'spine-p0-3' {allowed}; did you mean spine-p0-1 or spine-p0-0 or spine-p1-1?",
        f"no element 'leaf-p0-0:7' {allowed}; cages of leaf-p0-0 with links: 1, 2",
        f"no element 'leef-p0-0:1' {allowed}; did you mean leaf-p0-0 or leaf-p1-0 or leaf-p0-1?",
        f"no element 'plane 7' {allowed}; did you mean plane 1 or plane 0?",
        f"no element 'zzz' {allowed}",
    ]
