"""The address plan: derived from ordinals, without overlap, stable under growth, refused with arithmetic."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from fabric.addressing.ordinals import ordinals
from fabric.addressing.plan import addresses
from fabric.errors import InputError
from fabric.model.request import Request
from fabric.model.topology import Device, Link, Port, Topology


def request(link_layer="roce", **addressing):
    """A request of which only the link layer and the pools matter."""
    fabric = {"link_layer": link_layer}
    return Request(name="t", accelerator="x", nodes=4, fabric=fabric, addressing=addressing)


def tree(nodes=4, units=2, rails=1, spines=2, planes=1, attached=0):
    """Nodes in order over units, one leaf per unit, rail and plane, one link to every spine of its plane."""
    per_unit = -(-nodes // units)
    devices = [Device(f"node-{n:04d}", "node", "x", su=n // per_unit) for n in range(nodes)]
    devices += [Device(f"ufm-{n}", "ufm", None, su=0) for n in range(attached)]
    links = []
    for plane in range(planes):
        devices += [Device(f"spine-p{plane}-{s}", "spine", "y", plane=plane) for s in range(spines)]
        for unit in range(units):
            for rail in range(rails):
                leaf = f"leaf-s{unit}-r{rail}-p{plane}"
                devices.append(Device(leaf, "leaf", "y", su=unit, rail=str(rail), plane=plane))
                for s in range(spines):
                    a = Port(leaf, str(40 + s), f"Ethernet{320 + 8 * s}")
                    b = Port(f"spine-p{plane}-{s}", str(unit), f"Ethernet{8 * (unit * rails + rail)}")
                    links.append(Link(f"{leaf}.{a.port}", "leaf_spine", a, b, 400, plane=plane))
                for n in range(unit * per_unit, min(nodes, (unit + 1) * per_unit)):
                    a = Port(f"node-{n:04d}", f"C{rail}", f"rail{rail}p{plane}")
                    b = Port(leaf, str(n), f"Ethernet{8 * (n - unit * per_unit)}")
                    links.append(Link(f"{a.device}.{a.port}", "node_leaf", a, b, 400, rail, plane))
    for n in range(attached):
        a = Port(f"ufm-{n}", "1", "port0")
        links.append(Link(f"ufm-{n}.port0", "node_leaf", a, Port(f"leaf-s{n}-r0-p0", "39", "Ethernet312"), 400))
    return Topology(
        "fat_tree",
        {},
        tuple(sorted(devices, key=lambda d: d.name)),
        tuple(sorted(links, key=lambda x: x.name)),
    )


def test_small_fabric_by_hand():
    """Every number of a two-leaf fabric, worked by hand from the room card's rules."""
    devices, links = addresses(
        tree(), request(loopbacks="10.254.0.0/16", links="10.240.0.0/13", hosts="10.0.0.0/10", asn_base=65000)
    )
    rows = {row.device: row for row in devices}
    assert [rows[f"leaf-s{u}-r0-p0"].asn for u in (0, 1)] == [65032, 65033]
    assert {rows[f"spine-p0-{s}"].asn for s in (0, 1)} == {65000}
    assert [rows[f"leaf-s{u}-r0-p0"].loopback for u in (0, 1)] == ["10.254.0.1", "10.254.0.2"]
    assert [rows[f"spine-p0-{s}"].loopback for s in (0, 1)] == ["10.254.128.1", "10.254.128.2"]
    assert rows["node-0000"].asn is rows["node-0000"].loopback is rows["node-0000"].guid is None
    assert rows["node-0003"].mgmt_ip == "172.16.0.4"
    ends = {row.link: (row.a_ip, row.b_ip) for row in links}
    assert ends["node-0003.rail0p0"] == ("10.0.0.6/31", "10.0.0.7/31")
    assert ends["leaf-s1-r0-p0.Ethernet328"] == ("10.240.0.6/31", "10.240.0.7/31")
    assert [row.link for row in links] == sorted(ends)


def test_leaf_numbers_are_unique_and_spines_share_one_per_plane():
    """One autonomous system per leaf over all planes, one per plane of spines."""
    topology = tree(nodes=8, units=2, rails=4, planes=2)
    devices, _ = addresses(topology, request())
    asn = {row.device: row.asn for row in devices}
    leaves = [asn[device.name] for device in topology.with_role("leaf")]
    assert len(set(leaves)) == len(leaves) == 16
    spines = {(device.plane, asn[device.name]) for device in topology.with_role("spine")}
    assert spines == {(0, 4200000000), (1, 4200000001)}
    assert not set(leaves) & {number for _, number in spines}


def test_no_address_stands_twice():
    """Loopbacks, management addresses and both ends of all links are all different."""
    devices, links = addresses(tree(nodes=40, units=4, rails=4, spines=4, planes=2, attached=2), request())
    ends = [ip_interface(text).ip for row in links for text in (row.a_ip, row.b_ip)]
    own = [ip_interface(text).ip for row in devices for text in (row.loopback, row.mgmt_ip) if text]
    assert len(set(ends + own)) == len(ends) + len(own)
    assert all(ip_interface(row.a_ip).network == ip_interface(row.b_ip).network for row in links)


@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("link_layer", ["roce", "infiniband"])
def test_growth_renumbers_nothing(planes, link_layer):
    """What a fabric of 2 units has keeps every number in one of 5 units."""
    small = addresses(tree(16, 2, 4, 4, planes, attached=1), request(link_layer))
    large = addresses(tree(40, 5, 4, 4, planes, attached=1), request(link_layer))
    assert set(small[0]) <= set(large[0])
    assert set(small[1]) <= set(large[1])


def test_names_of_growing_width_keep_their_order():
    """Natural order: `n10` comes after `n9`, so a pattern without fixed width is stable too."""
    devices = tuple(Device(f"n{index}", "node", "x") for index in (1, 10, 11, 2, 9))
    found = ordinals(Topology("fat_tree", {}, devices, ()))
    assert sorted(found, key=lambda name: found[name].number) == ["n1", "n2", "n9", "n10", "n11"]


def test_infiniband_has_placeholders_and_no_addresses():
    """GUIDs are distinct, locally administered, and leave the last byte to ports; there is no IP plan."""
    devices, links = addresses(tree(nodes=40, units=4, attached=1), request("infiniband"))
    guids = [int(row.guid, 16) for row in devices]
    assert links == ()
    assert len(set(guids)) == len(guids)
    assert all(guid >> 57 & 1 == 1 and guid & 0xFF == 0 for guid in guids)
    assert all(row.asn is None and row.loopback is None for row in devices)


@pytest.mark.parametrize(
    ("pools", "message"),
    [
        (
            {"links": "10.240.0.0/30"},
            (
                "addressing.links: too small: 2 leaf devices with blocks of 2 links of 2 addresses need 8 addresses; "
                "the share of each leaf is 6 of 8 parts of 10.240.0.0/30, 3 addresses. A /28 is enough"
            ),
        ),
        (
            {"hosts": "10.0.0.0/29"},
            (
                "addressing.hosts: too small: 4 node devices with blocks of 1 links of 2 addresses need 8 addresses; "
                "the share of each node is 4 of 8 parts of 10.0.0.0/29, 4 addresses. A /28 is enough"
            ),
        ),
        (
            {"mgmt": "172.16.0.0/30"},
            (
                "addressing.mgmt: too small: 2 leaf devices, with 2 kept free, need 4 addresses; "
                "the share of each leaf is 2 of 8 parts of 172.16.0.0/30, 1 addresses. A /28 is enough"
            ),
        ),
        (
            {"asn_base": 65502},
            (
                "addressing.asn_base: 65502 is too high: 4 switches, after 32 numbers kept for the upper tiers, "
                "reach up to 65535; the last private number is 65534"
            ),
        ),
        (
            {"loopbacks": "10.0.0.0/24"},
            "addressing.loopbacks: 10.0.0.0/24 overlaps 10.0.0.0/10 of addressing.hosts",
        ),
        (
            {"loopbacks": "ten"},
            "addressing.loopbacks: 'ten' is no IPv4 network: Expected 4 octets in 'ten'",
        ),
    ],
)
def test_bad_pools(pools, message):
    """A pool that cannot hold the fabric is refused with what it holds and what is needed."""
    with pytest.raises(InputError) as caught:
        addresses(tree(), request(**pools))
    assert message in str(caught.value).splitlines()


def test_the_size_named_as_enough_is_enough():
    """The way out that the message offers works."""
    addresses(tree(), request(links="10.240.0.0/28", hosts="10.0.0.0/28", mgmt="172.16.0.0/27"))


def test_the_default_pools_hold_ten_thousand_endpoints():
    """10,240 endpoints on 160 leaves with 32 uplinks each fit the pools that a request has by default."""
    _, links = addresses(tree(nodes=1280, units=20, rails=8, spines=32), request())
    assert len(links) == 10_240 + 160 * 32


def grouped(groups, planes=1):
    """Groups of two leaves and two spines in every plane, spine i of every two groups joined."""
    devices, links = [], []
    for plane in range(planes):
        for group in range(groups):
            for n in range(2):
                spine, leaf = f"spine-p{plane}-g{group}-{n}", f"leaf-p{plane}-g{group}-{n}"
                devices.append(Device(spine, "spine", "y", plane=plane, group=group))
                devices.append(Device(leaf, "leaf", "y", su=2 * group + n, plane=plane, group=group))
                for m in range(2):
                    a = Port(leaf, str(m), f"Ethernet{8 * m}")
                    b = Port(f"spine-p{plane}-g{group}-{m}", str(n), f"Ethernet{8 * n}")
                    links.append(Link(f"{leaf}.{m}", "leaf_spine", a, b, 400, plane=plane))
                for other in range(group):
                    a = Port(f"spine-p{plane}-g{other}-{n}", str(8 + group), f"Ethernet{64 + 8 * group}")
                    b = Port(spine, str(8 + other), f"Ethernet{64 + 8 * other}")
                    links.append(Link(f"{a.device}.{a.port}", "global", a, b, 400, plane=plane))
    return Topology("dragonfly_plus", {}, tuple(devices), tuple(links))


@pytest.mark.parametrize("planes", [1, 2])
def test_spines_of_a_group_share_a_number_that_no_other_switch_has(planes):
    """One system for the spines of each group and plane, one for each leaf, all within those of 16 bits."""
    devices, _ = addresses(grouped(5, planes), request(asn_base=64512))
    asn = {row.device: row.asn for row in devices}
    spines = {name: number for name, number in asn.items() if name.startswith("spine")}
    leaves = [number for name, number in asn.items() if name.startswith("leaf")]
    assert all(asn[name] == asn[name[:-1] + "0"] for name in spines)
    assert len(set(spines.values())) == 5 * planes
    assert len({*leaves, *spines.values()}) == len(leaves) + 5 * planes
    assert max(asn.values()) <= 65534


def test_a_further_group_renumbers_nothing():
    """The devices of 3 groups have the same numbers among 5."""
    small, large = (addresses(grouped(groups), request()) for groups in (3, 5))
    assert set(small[0]) <= set(large[0])


@pytest.mark.parametrize("link_layer", ["infiniband", "roce"])
def test_cores_and_spines_have_no_address_in_common(link_layer):
    """Where cores stand above spines, every management address and loopback is one device's."""
    base = grouped(3)
    cores = tuple(Device(f"core-{number}", "core", "y", plane=0) for number in range(4))
    three = Topology("fat_tree", {}, (*base.devices, *cores), base.links)
    devices, _ = addresses(three, request(link_layer))
    for field in ("mgmt_ip", "loopback", "guid"):
        found = [value for row in devices if (value := getattr(row, field)) is not None]
        assert len(found) == len(set(found))
