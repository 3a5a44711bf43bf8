"""Configurations of fabrics without tiers, or with groups: sessions of routers, routing engines, Slurm's groups."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from fabric.addressing.plan import addresses
from fabric.content import whole
from fabric.model.design import Design
from fabric.model.request import Request
from fabric.model.settings import LosslessPort, Settings
from fabric.model.topology import Device, Link, Port, Topology
from fabric.nos.port_names import nos_of, port_name
from fabric.render.configs import render_configs
from fabric.render.ibnetdiscover import ibnetdiscover
from fabric.render.slurm import slurm_topology
from fabric.render.switch_views import Views


def texts_of(made, catalog):
    """Texts of all configuration files by path."""
    return {path: whole(content).decode() for path, content in render_configs(made, catalog).items()}


def fabric(family, link_layer, switches, joined, parameters=None, lanes=8):
    """Switches (name, role, group, or also plane) with a node on every leaf or router, and links (kind, a, b)."""
    part = "infiniband" if link_layer == "infiniband" else "known"
    used = dict.fromkeys((name for name, *_ in switches), 0)

    def port(device):
        cage, slot = divmod(used[device], 2)
        used[device] += 1
        return Port(device, str(cage + 1), port_name(nos_of(link_layer), cage + 1, slot, 2, 8))

    devices = [
        Device(name, role, part, su=1, group=group, plane=next(iter(plane), None))
        for name, role, group, *plane in switches
    ]
    edge = [name for name, role, *_ in switches if role in {"leaf", "router"}]
    devices += [Device(f"node-{number:04d}", "node", "hgx-b200", su=1) for number in range(1, len(edge) + 1)]
    kind = "node_router" if ("router" in {role for _, role, *_ in switches}) else "node_leaf"
    ends = [(kind, Port(f"node-{number:04d}", "NIC1", "rail0"), port(name)) for number, name in enumerate(edge, 1)]
    ends += [(name, port(a), port(b)) for name, a, b in joined]
    links = [Link(f"{a.device}.{a.port}", kind, a, b, 400) for kind, a, b in ends]
    order = {"key": lambda record: record.name}
    topology = Topology(family, parameters or {}, tuple(sorted(devices, **order)), tuple(sorted(links, **order)))
    request = Request(
        name="small",
        accelerator="hgx-b200",
        nodes=len(edge),
        fabric={"link_layer": link_layer, "family": family},
        addressing={"asn_base": 65000},
    )
    rows = [
        LosslessPort(end.device, end.port, 400, 4.2, virtual_lanes=lanes, credit=30000)
        if link_layer == "infiniband"
        else LosslessPort(end.device, end.port, 400, 4.2, 3, 100_000, 0, 1_048_576, 2_097_152, 5.0, 18_796)
        for link in topology.links
        for end in (link.a, link.b)
        if topology.device[end.device].is_switch
    ]
    settings = Settings(*addresses(topology, request), tuple(sorted(rows, key=lambda row: (row.device, row.port))))
    return Design(request=request, floor_plan=None, topology=topology, settings=settings, name="small")


def dragonfly(link_layer):
    """3 groups of 2 routers; each router has one local link and one to another group."""
    switches = [(f"router-g{g}-{n}", "router", g) for g in range(3) for n in range(2)]
    joined = [("local", f"router-g{g}-0", f"router-g{g}-1") for g in range(3)]
    joined += [("global", f"router-g{g}-1", f"router-g{(g + 1) % 3}-0") for g in range(3)]
    return fabric("dragonfly", link_layer, switches, joined)


def dragonfly_plus(link_layer):
    """2 groups of a leaf and two spines; spine i of both joined."""
    switches = [(f"leaf-g{g}", "leaf", g) for g in range(2)] + [
        (f"spine-g{g}-{n}", "spine", g) for g in range(2) for n in range(2)
    ]
    joined = [("leaf_spine", f"leaf-g{g}", f"spine-g{g}-{n}") for g in range(2) for n in range(2)]
    joined += [("global", f"spine-g0-{n}", f"spine-g1-{n}") for n in range(2)]
    return fabric("dragonfly_plus", link_layer, switches, joined)


def pods(link_layer):
    """2 pods of a leaf and two spines below two cores; every spine on both."""
    switches = [(f"leaf-p{g}", "leaf", g) for g in range(2)] + [
        (f"spine-p{g}-{n}", "spine", g) for g in range(2) for n in range(2)
    ]
    switches += [(f"core-{n}", "core", None) for n in range(2)]
    joined = [("leaf_spine", f"leaf-p{g}", f"spine-p{g}-{n}") for g in range(2) for n in range(2)]
    joined += [("spine_core", f"spine-p{g}-{n}", f"core-{c}") for g in range(2) for n in range(2) for c in range(2)]
    return fabric("fat_tree", link_layer, switches, joined, lanes=1)


def torus(*sizes, link_layer="infiniband", planes=1):
    """Routers on a grid in every plane, numbered along the last axis first, with one link to each neighbour."""
    spots = list(itertools.product(*map(range, sizes)))
    switches, joined = [], []
    for plane in range(planes):
        prefix = f"p{plane}-" if planes > 1 else ""
        names = {spot: f"router-{prefix}{number:03d}" for number, spot in enumerate(spots)}
        switches += [(name, "router", number, plane) for number, name in enumerate(names.values())]
        joined += [
            ("torus", names[spot], names[(*spot[:axis], (spot[axis] + 1) % size, *spot[axis + 1 :])])
            for axis, size in enumerate(sizes)
            for spot in spots
            if size > 2 or spot[axis] == 0
        ]
    return fabric("torus", link_layer, switches, joined, {"sizes": "x".join(map(str, sizes))})


def options(made, catalog):
    """Options of the opensm.conf of a design, and all its files."""
    files = texts_of(made, catalog)
    lines = [line for line in files["opensm/opensm.conf"].splitlines() if line and not line.startswith("#")]
    return dict(line.split(" ", 1) for line in lines), files


@pytest.mark.parametrize("make", [dragonfly, dragonfly_plus, pods])
def test_neighbours_have_sessions_between_two_systems(make, catalog):
    """Every switch-to-switch link is an eBGP session: different systems, one network, each end told the other's."""
    made = make("roce")
    by_name = {view.name: view for view in Views(made, catalog)}
    for view in by_name.values():
        for port in view.sessions:
            far = by_name[port.peer.device]
            assert far.asn == port.peer.asn != view.asn
            assert next(each.address for each in far.used_ports if each.name == port.peer.port) == port.peer.ip
    sessions = sum(len(view.sessions) for view in by_name.values())
    assert sessions == 2 * len([link for link in made.topology.links if not link.kind.startswith("node_")])
    assert len(texts_of(made, catalog)) == 2 * len(by_name)


def test_no_path_of_a_dragonfly_plus_or_of_pods_repeats_a_system(catalog):
    """From leaf to leaf of another group no number stands twice, or BGP's loop check would drop the path."""
    for made, path in (
        (dragonfly_plus("roce"), ["leaf-g0", "spine-g0-0", "spine-g1-0", "leaf-g1"]),
        (pods("roce"), ["leaf-p0", "spine-p0-0", "core-0", "spine-p1-0", "leaf-p1"]),
    ):
        numbers = {view.name: view.asn for view in Views(made, catalog)}
        assert len({numbers[name] for name in path}) == len(path)


def test_equal_paths(catalog):
    """A router has as many as links to routers, a spine below cores as many as cores, a core one to each spine."""
    paths = {view.name: view.ecmp_paths for view in Views(pods("roce"), catalog)}
    assert (paths["leaf-p0"], paths["spine-p0-0"], paths["core-0"]) == (2, 2, 1)
    assert {view.ecmp_paths for view in Views(dragonfly("roce"), catalog)} == {2}


def test_dragonfly_is_routed_on_lanes(catalog):
    """Open OpenSM's engines that need no tree, on all eight lanes, one service level to a lane; no roots."""
    made, files = options(dragonfly("infiniband"), catalog)
    assert list(files) == ["opensm/opensm.conf"]
    assert made["routing_engine"] == "dfsssp,nue"
    assert (made["max_op_vls"], made["nue_max_num_vls"], made["qos"]) == ("4", "8", "TRUE")
    assert made["qos_swe_sl2vl"].startswith("0,1,2,3,4,5,6,7,")
    assert "root_guid_file" not in made


def test_groups_of_leaves_and_spines_have_the_vendors_engine_first(catalog):
    """The engine that is made for them, then those of open OpenSM; no spine is a root."""
    made, files = options(dragonfly_plus("infiniband"), catalog)
    assert list(files) == ["opensm/opensm.conf"]
    assert made["routing_engine"] == "dfp,dfsssp,nue"


def test_cores_are_the_roots_of_three_tiers(catalog):
    """Roots are the top tier, and the file says so."""
    made = pods("infiniband")
    found, files = options(made, catalog)
    guid = {row.device: row.guid for row in made.settings.devices}
    assert files["opensm/root_guids.txt"].splitlines() == [guid["core-0"], guid["core-1"]]
    assert found["routing_engine"] == "ftree,updn"
    assert "of that core" in files["opensm/opensm.conf"]


def seeds_of(text):
    """Lines of a torus-2QoS.conf as words."""
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    return [line for line in lines if line]


def test_torus_is_seeded_at_its_first_router_and_half_way_round(catalog):
    """Sizes, one link along each axis, both ways round a ring of four, and room for all ports of a router.

    Datelines of the second seed lie where those of the first do.
    """
    made = torus(4, 3)
    found, files = options(made, catalog)
    assert found["routing_engine"] == "torus-2QoS,no_fallback"
    assert found["torus_config"] == "/etc/opensm/torus-2QoS.conf"
    assert not [option for option in found if option.endswith("sl2vl") or option.startswith("qos_vlarb")]
    guid = {row.device: row.guid for row in made.settings.devices}
    assert seeds_of(files["opensm/torus-2QoS.conf"]) == [
        ["torus", "4", "3", "1"],
        ["portgroup_max_ports", "2"],
        ["xp_link", guid["router-000"], guid["router-003"]],
        ["xm_link", guid["router-000"], guid["router-009"]],
        ["yp_link", guid["router-000"], guid["router-001"]],
        ["next_seed"],
        ["xp_link", guid["router-007"], guid["router-010"]],
        ["xm_link", guid["router-007"], guid["router-004"]],
        ["yp_link", guid["router-007"], guid["router-008"]],
        ["x_dateline", "-2"],
        ["y_dateline", "-1"],
    ]


@pytest.mark.parametrize("sizes", [(3, 3), (4, 4), (2, 4), (5, 2), (2, 2, 2), (3, 4, 2), (7, 6)])
def test_seeds_of_a_torus_share_no_router(sizes, catalog):
    """Whichever router is down, one seed is whole."""
    _, files = options(torus(*sizes), catalog)
    first, second = files["opensm/torus-2QoS.conf"].split("next_seed")
    used = [
        {word for line in seeds_of(seed) if line[0].endswith("_link") for word in line[1:]} for seed in (first, second)
    ]
    assert not used[0] & used[1]


def test_a_seed_without_all_its_routers_is_left_out(catalog):
    """What is read back may lack routers; where it lacks one of each seed, engines that need none take over."""
    made = torus(4, 3)
    for gone, seeds in ({"router-003"}, 1), ({"router-003", "router-008"}, 0):
        found, files = options(without(made, *gone), catalog)
        assert files.get("opensm/torus-2QoS.conf", "").count("xp_link") == seeds
        assert found["routing_engine"].startswith("torus-2QoS" if seeds else "dfsssp")


def test_every_plane_of_a_torus_has_seeds(catalog):
    """Planes are subnets of their own, which share the file."""
    made = torus(4, 3, planes=2)
    _, files = options(made, catalog)
    plane = {row.guid: made.topology.device[row.device].plane for row in made.settings.devices}
    seeds = files["opensm/torus-2QoS.conf"].split("next_seed")
    planes = [
        {plane[word] for line in seeds_of(seed) if line[0].endswith("_link") for word in line[1:]} for seed in seeds
    ]
    assert planes == [{0}, {0}, {1}, {1}]
    assert "Each of the 2 planes is a subnet" in files["opensm/opensm.conf"]


@pytest.mark.parametrize("sizes", [(5,), (2, 2, 2, 2)])
def test_torus_of_other_dimensions_is_routed_on_lanes(sizes, catalog):
    """The engine for tori takes two or three dimensions alone."""
    found, files = options(torus(*sizes), catalog)
    assert found["routing_engine"] == "dfsssp,nue"
    assert "opensm/torus-2QoS.conf" not in files


def test_links_between_routers_stand_in_the_listing(catalog):
    """Every switch-to-switch link is told from both ends."""
    made = dragonfly("infiniband")
    listing = "".join(ibnetdiscover(made, replace(catalog, switches={"infiniband": catalog.switches["infiniband"]})))
    guid = {row.device: int(row.guid, 16) for row in made.settings.devices}
    for link in made.topology.of_kind("local", "global"):
        a, b = (f'"S-{guid[end.device]:016x}"' for end in (link.a, link.b))
        assert listing.count(a) >= 3
        assert listing.count(b) >= 3


def test_slurm_groups():
    """A pod or group stands above its units, with a word where no tree is; a torus has none."""
    assert slurm_topology(pods("roce")).splitlines()[-2:] == [
        "SwitchName=pod-002 Switches=leaf-p1",
        "SwitchName=fabric-top Switches=pod-[001-002]",
    ]
    lines = slurm_topology(dragonfly("roce")).splitlines()
    assert "TopologyParam=Dragonfly" in lines[0]
    assert lines[-4:] == [
        "SwitchName=group-001 Switches=router-g0-[0-1]",
        "SwitchName=group-002 Switches=router-g1-[0-1]",
        "SwitchName=group-003 Switches=router-g2-[0-1]",
        "SwitchName=fabric-top Switches=group-[001-003]",
    ]
    lines = slurm_topology(torus(3, 2)).splitlines()
    assert lines[0].startswith("# A torus is no tree")
    assert lines[-1] == "SwitchName=fabric-top Switches=router-[000-005]"


def without(made, *gone):
    """The design without these devices and their links."""
    devices = tuple(device for device in made.topology.devices if device.name not in gone)
    links = tuple(link for link in made.topology.links if not {link.a.device, link.b.device} & set(gone))
    return replace(made, topology=replace(made.topology, devices=devices, links=links))


@pytest.fixture
def started(opensm, catalog, tmp_path):
    """What OpenSM logs, started with the files of a design on a simulated fabric: `started(design, fabric)`."""

    def run(made, running_fabric):
        for path, text in texts_of(made, catalog).items():
            (tmp_path / path.rpartition("/")[2]).write_text(text.replace("/etc/opensm", str(tmp_path)))
        # The simulator knows no faster word; the word decides nothing here.
        one_part = replace(catalog, switches={"infiniband": catalog.switches["infiniband"]})
        listing = "".join(ibnetdiscover(running_fabric, one_part)).replace("4xNDR", "4xHDR")
        return (opensm(listing, "-F", str(tmp_path / "opensm.conf")) / "osm.log").read_text()

    return run


@pytest.mark.engine
@pytest.mark.parametrize(
    ("make", "engine"),
    [
        (dragonfly, "dfsssp"),
        (dragonfly_plus, "dfsssp"),
        (lambda layer: torus(4, 3, link_layer=layer), "torus-2QoS"),
        (lambda layer: torus(3, 2, 4, link_layer=layer), "torus-2QoS"),
        (lambda layer: torus(5, link_layer=layer), "dfsssp"),
    ],
    ids=["dragonfly", "dragonfly_plus", "4x3", "3x2x4", "ring of 5"],
)
def test_opensm_routes_the_simulated_fabric_with_our_files(make, engine, started):
    """Started with our files on our listing, OpenSM sets the tables of the engine that was meant, on every switch."""
    made = make("infiniband")
    told = started(made, made)
    assert f"{engine} tables configured on all switches" in told
    assert "SUBNET UP" in told


@pytest.mark.engine
@pytest.mark.parametrize(("sizes", "gone"), [((4, 4), 0), ((4, 4), 4), ((5, 3), 0), ((3, 3, 3), 1)])
def test_opensm_routes_a_torus_without_a_router_of_a_seed(sizes, gone, started):
    """The other seed is whole, so the subnet comes up on the engine that was meant."""
    made = torus(*sizes)
    told = started(made, without(made, f"router-{gone:03d}", f"node-{gone + 1:04d}"))
    assert "torus-2QoS tables configured on all switches" in told
    assert "SUBNET UP" in told


@pytest.mark.engine
@pytest.mark.parametrize("plane", [0, 1])
def test_opensm_finds_the_seed_of_its_plane(plane, started):
    """A plane's subnet manager sees the routers of one plane alone, and takes a seed of that."""
    made = torus(4, 3, planes=2)
    others = {device.name for device in made.topology.with_role("router") if device.plane != plane}
    nodes = {link.a.device for link in made.topology.of_kind("node_router") if link.b.device in others}
    told = started(made, without(made, *others, *nodes))
    assert "torus-2QoS tables configured on all switches" in told
    assert "SUBNET UP" in told
