"""Port maps: every port once, regular positions, equal spread, and names."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from fabric.errors import InputError

TWO_PLANES = {"planes": 2, "uplink_port_gbps": 400}


def ends(topology):
    """Every port that a link uses."""
    return [(end.device, end.port) for link in topology.links for end in (link.a, link.b)]


def leaves_of(topology, node: str) -> list[str]:
    """Leaf of every port of a node, by plane and rail."""
    links = [link for link in topology.of_kind("node_leaf") if link.a.device == node]
    return [link.b.device for link in sorted(links, key=lambda link: (link.plane or 0, link.rail or 0))]


def down_position(topology, leaf: str) -> list[str]:
    """Nodes of a leaf in the order of its cages and ports."""
    links = [link for link in topology.of_kind("node_leaf") if link.b.device == leaf]
    return [link.a.device for link in sorted(links, key=lambda link: (int(link.b.cage), int(link.b.port[8:])))]


CASES = {
    "rail": ("hgx-h100", "chaoqing-n9500-64oc", {"uplink_port_gbps": 400}, {"nodes": 100}),
    "odd down ports": ("hgx-h100", "nvidia-qm9700", {"preload_optics": True}, {"nodes": 100}),
    "rail, 800G uplinks": ("hgx-h100", "chaoqing-n9500-64oc", {}, {"nodes": 100}),
    "rack": ("hgx-h100", "twin-16", {"wiring": "rack", "uplink_port_gbps": 400}, {"nodes": 12}),
    "dual-homed": ("hgx-h100", "twin-16", {"wiring": "dual_homed", "uplink_port_gbps": 400}, {"nodes": 12}),
    "planes": ("hgx-b300", "nvidia-sn5610", TWO_PLANES, {"nodes": 100}),
    "shared leaves": ("hgx-b300", "nvidia-sn5610", TWO_PLANES, {"nodes": 32}),
    "twin cages": ("dgx-h100", "nvidia-qm9700", {}, {"nodes": 60, "growth_nodes": 64}),
    "racks": ("gb300-nvl72", "nvidia-sn5610", {"uplink_port_gbps": 400}, {"nodes": 144}),
    "uneven": ("hgx-h100", "nvidia-qm9700", {"uneven_trunks": True}, {"nodes": 96}),
    "incomplete unit": ("hgx-h100", "nvidia-qm9700", {"unit_nodes": 32, "whole_units": False}, {"nodes": 40}),
    "one switch": ("hgx-h100", "nvidia-qm9700", {}, {"nodes": 8}),
    "one switch a plane": ("hgx-b300", "nvidia-sn5610", TWO_PLANES, {"nodes": 16}),
    "attached": (
        "hgx-h100",
        "nvidia-qm9700",
        {},
        {
            "nodes": 63,
            "attached": [
                {"role": "ufm", "count": 2, "ports": 2, "gbps": 400},
                {"role": "storage", "count": 5, "gbps": 400},
            ],
        },
    ),
}


@pytest.fixture(params=CASES, ids=lambda name: name.replace(" ", "-"))
def case(request, ask, built):
    """Shape, topology and size of every case."""
    system, switch, fabric, more = CASES[request.param]
    return built(ask(system, switch, fabric, **more))


def test_every_port_is_used_once(case):
    """No port carries two links."""
    _, topology, _ = case
    assert max(Counter(ends(topology)).values()) == 1


def test_counts_are_those_of_the_shape(case):
    """Devices and links as the shape says; every node port of every plane has its link."""
    shape, topology, size = case
    assert len(topology.with_role("leaf")) == shape.leaves_total
    assert len(topology.with_role("spine")) == shape.spines_total
    assert len(topology.with_role("node")) == size.installed_nodes
    assert len(topology.of_kind("leaf_spine")) == shape.uplinks_total
    per_node = Counter(link.a.device for link in topology.of_kind("node_leaf"))
    assert {per_node[node.name] for node in topology.with_role("node")} == {size.node_ports * size.planes}


def test_cages_hold_what_they_can(case, catalog):
    """Cage labels are 1 … N, and no cage carries more ports than it has at the rate; tiers share no cage of a leaf."""
    _, topology, _ = case
    filled = Counter((end.device, end.cage, link.rate_gbps) for link in topology.links for end in (link.a, link.b))
    tier = defaultdict(set)
    for link in topology.links:
        leaf_end = link.b if link.kind == "node_leaf" else link.a
        tier[leaf_end.device, leaf_end.cage].add(link.kind)
    assert all(len(kinds) == 1 for kinds in tier.values())
    for (device, cage, rate_gbps), links in filled.items():
        part = topology.device[device].part
        if topology.device[device].is_switch:
            switch = catalog.switches[part]
            assert 1 <= int(cage) <= switch.cages.count
            assert links <= switch.ports_per_cage(rate_gbps)
        else:
            labels = {port.cage for port in catalog.systems[part].host_ports}
            assert cage in labels


def test_uplinks_spread_over_the_spines_of_their_plane(case):
    """Every leaf reaches every spine of its plane, none elsewhere, and trunks and spines differ by a twin cage at most.

    They differ by no more than one link where a leaf's uplinks are no whole cages, and trunks not at all where even.
    """
    shape, topology, _ = case
    cage = 1 if shape.uplinks % 2 else 2
    spines = {plane: set() for plane in range(shape.planes)}
    for spine in topology.with_role("spine"):
        spines[spine.plane].add(spine.name)
    pairs = defaultdict(Counter)
    for link in topology.of_kind("leaf_spine"):
        pairs[link.a.device][link.b.device] += 1
    for leaf in topology.with_role("leaf") if shape.spines else ():
        trunks = pairs[leaf.name]
        assert set(trunks) == spines[leaf.plane]
        assert max(trunks.values()) - min(trunks.values()) <= (cage if shape.uplinks % shape.spines else 0)
    load = Counter(link.b.device for link in topology.of_kind("leaf_spine"))
    assert max(load.values(), default=0) - min(load.values(), default=0) <= cage


def test_planes_are_disjoint(case):
    """A link stays in its plane at both ends."""
    _, topology, _ = case
    for link in topology.links:
        for end in (link.a, link.b):
            assert topology.device[end.device].plane in (None, link.plane)


def test_lists_are_sorted_and_names_unique(case):
    """Devices and links come in the order of their names."""
    _, topology, _ = case
    for records in (topology.devices, topology.links):
        names = [record.name for record in records]
        assert names == sorted(set(names))


def test_node_i_takes_down_port_i_of_every_rail_leaf(ask, built):
    """Rail wiring: rail r of all nodes of a unit on one leaf, the nodes in order."""
    _, topology, _ = built(ask("hgx-h100", "twin-16", {"unit_nodes": 16, "uplink_port_gbps": 400}, nodes=32))
    first = [f"node-{index:04d}" for index in range(1, 17)]
    for rail, leaf in enumerate(leaves_of(topology, "node-0001")):
        assert topology.device[leaf].rail == str(rail)
        assert down_position(topology, leaf) == first
    assert set(leaves_of(topology, "node-0001")).isdisjoint(leaves_of(topology, "node-0017"))


def test_a_unit_shares_its_leaves(case):
    """Nodes of one unit have the same leaves."""
    _, topology, _ = case
    leaves = defaultdict(set)
    for node in topology.with_role("node"):
        leaves[node.su].add(tuple(leaves_of(topology, node.name)))
    assert all(len(found) == 1 for found in leaves.values())


def test_two_rails_a_leaf_are_k_and_k_plus_4(ask, built):
    """HGX B300 Enterprise RA: leaves serve rails 1+5, 2+6, 3+7 and 4+8."""
    _, topology, _ = built(ask("hgx-b300", "nvidia-sn5610", TWO_PLANES, nodes=32))
    assert [leaf.rail for leaf in topology.with_role("leaf")] == ["0+4", "1+5", "2+6", "3+7"] * 2
    leaves = leaves_of(topology, "node-0001")
    assert leaves[:4] == leaves[4:8]
    in_order = [f"node-{index:04d}" for index in range(1, 33)]
    assert down_position(topology, leaves[0]) == in_order * 2


def test_rack_wiring_puts_a_node_on_one_leaf(ask, built):
    """All ports of a node side by side on the leaf of its unit, nodes in order."""
    _, topology, _ = built(ask("hgx-h100", "twin-16", {"wiring": "rack", "uplink_port_gbps": 400}, nodes=4))
    for node in topology.with_role("node"):
        assert len(set(leaves_of(topology, node.name))) == 1
    for leaf in topology.with_role("leaf"):
        order = down_position(topology, leaf.name)
        assert order == sorted(order)


def test_dual_homed_wiring_alternates_between_two_leaves(ask, built):
    """Even rails on one leaf, odd rails on the other."""
    _, topology, _ = built(ask("hgx-h100", "twin-16", {"wiring": "dual_homed", "uplink_port_gbps": 400}, nodes=12))
    leaves = leaves_of(topology, "node-0001")
    assert len(set(leaves)) == 2
    assert leaves == leaves[:2] * 4


def test_two_planes_of_a_rail_share_a_node_cage(ask, built):
    """A B300 cage is 2 x 400G: the two planes of one rail, rail0p0 and rail0p1."""
    _, topology, _ = built(ask("hgx-b300", "nvidia-sn5610", TWO_PLANES, nodes=16))
    cages = defaultdict(set)
    for link in topology.of_kind("node_leaf"):
        cages[link.a.device, link.a.cage].add((link.rail, link.plane))
    assert all(len(rails) == 2 and len({rail for rail, _ in rails}) == 1 for rails in cages.values())
    assert "node-0001.rail0p1" in {link.name for link in topology.links}


def test_twin_cages_of_a_dgx_carry_two_rails(ask, built):
    """Four cages, two rails each (DGX H100 user guide)."""
    _, topology, _ = built(ask("dgx-h100", "nvidia-qm9700", nodes=32))
    cages = defaultdict(set)
    for link in topology.of_kind("node_leaf"):
        if link.a.device == "node-0001":
            cages[link.a.cage].add(link.rail)
    assert len(cages) == 4
    assert {len(rails) for rails in cages.values()} == {2}


def test_attached_devices_stand_on_different_leaves(ask, built):
    """Both ports of each UFM on two leaves, on the free positions of the 127-node SuperPOD."""
    attached = [{"role": "ufm", "count": 2, "ports": 2, "gbps": 400}]
    shape, topology, _ = built(ask("dgx-h100", "nvidia-qm9700", nodes=127, attached=attached))
    assert (shape.unit_nodes, shape.extra_ports) == (32, 0)
    used = defaultdict(list)
    for link in topology.of_kind("node_leaf"):
        if topology.device[link.a.device].role == "ufm":
            used[link.a.device].append(link.b)
    assert set(used) == {"ufm-01", "ufm-02"}
    for places in used.values():
        assert len({place.device for place in places}) == 2
    everywhere = [place.device for places in used.values() for place in places]
    assert len(set(everywhere)) == 4
    assert {topology.device[leaf].su for leaf in everywhere} == {4}


def test_devices_with_many_ports_find_every_free_leaf(ask, built):
    """Three leaves with 1, 1 and 3 free ports seat two devices of two ports each, if the emptiest leaf goes first."""
    fabric = {"wiring": "rack", "node_ports": 1, "unit_nodes": 3, "uplink_port_gbps": 400}
    attached = [{"role": "storage", "count": 2, "ports": 2, "gbps": 400}]
    _, topology, _ = built(ask("hgx-h100", "twin-4", fabric, nodes=7, attached=attached))
    places = defaultdict(set)
    for link in topology.of_kind("node_leaf"):
        places[link.a.device].add(link.b.device)
    assert all(len(places[f"storage-0{number}"]) == 2 for number in (1, 2))


def test_uplinks_ascend_by_spine_and_share_cages(ask, built):
    """Four links to each spine fill two twin cages of both ends."""
    _, topology, _ = built(ask("dgx-h100", "nvidia-qm9700", nodes=64))
    cages = defaultdict(set)
    order = []
    for link in sorted(topology.of_kind("leaf_spine"), key=lambda link: (int(link.a.cage), link.a.port)):
        if link.a.device == topology.with_role("leaf")[0].name:
            order.append(link.b.device)
            cages[link.a.cage].add((link.b.device, link.b.cage))
    assert order == sorted(order)
    assert {len(far) for far in cages.values()} == {1}


def test_names_follow_the_patterns(ask, built):
    """Own patterns for every role."""
    names = {"node": "n{index:03d}", "leaf": "l{su}x{rail}", "spine": "s{index}"}
    _, topology, _ = built(ask("hgx-h100", "nvidia-qm9700", nodes=40, names=names))
    for name in ("n001", "l1x0", "l2x7", "s1"):
        assert name in topology.device


def test_numbers_have_one_width(ask, built):
    """Names of 1,296 nodes and 144 leaves sort as their numbers do."""
    _, topology, _ = built(ask("dgx-b300", "nvidia-q3400-ra", nodes=1296))
    assert {len(leaf.name) for leaf in topology.with_role("leaf")} == {len("leaf-su01-r0")}
    units = [leaf.su for leaf in topology.with_role("leaf")]
    assert units == sorted(units)


@pytest.mark.parametrize("pattern", [{"leaf": "leaf-{su}"}, {"spine": "spine"}, {"node": "leaf-su01-r0"}])
def test_two_devices_of_one_name_are_refused(ask, built, pattern):
    """A pattern that forgets the rail, the number, or takes another role's name."""
    with pytest.raises(InputError) as refused:
        built(ask("hgx-h100", "nvidia-qm9700", nodes=64, names=pattern))
    assert refused.value.faults[0].key == "names"


@pytest.mark.parametrize(("trunk", "regular_pairs"), [(1, {0}), (2, {1}), (3, {0, 1})])
def test_free_uplinks_fill_whole_cages_first(ask, built, trunk, regular_pairs):
    """Of a trunk of three, two links share a cage at both ends on every pair of switches; regular ones on some."""
    fabric = {"uplink_port_gbps": 400, "oversubscription": 4.0, "parameters": {"trunk": trunk, "spines": 2}}
    for order, expected in (("regular", regular_pairs), ("free", {trunk // 2})):
        _, topology, _ = built(ask("hgx-h100", "twin-16", fabric | {"port_order": order}, nodes=20))
        trunks, ports = defaultdict(Counter), defaultdict(Counter)
        for link in topology.of_kind("leaf_spine"):
            trunks[link.a.device, link.b.device][link.a.cage, link.b.cage] += 1
            for end in (link.a, link.b):
                ports[end.device][end.cage] += 1
        assert {pairs.total() for pairs in trunks.values()} == {trunk}
        assert {sum(count == 2 for count in pairs.values()) for pairs in trunks.values()} == expected
        assert all(len(cages) == -(-cages.total() // 2) for cages in ports.values())
