"""Switch views: what a configuration needs, gathered from tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.errors import ArtifactError
from fabric.model.settings import LosslessPort
from fabric.nos.spec import load
from fabric.render.lossless_view import lossless_view
from fabric.render.switch_views import Views


def view_of(design, catalog, name="leaf-01"):
    """The view of one switch."""
    return next(view for view in Views(design, catalog) if view.name == name)


def test_ports_of_a_leaf(design, catalog):
    """Used cages are split as their links need, free cages stay whole, and the order is the faceplate's."""
    view = view_of(design(), catalog)
    assert [port.name for port in view.ports[:3]] == ["Ethernet0", "Ethernet4", "Ethernet8"]
    assert len(view.ports) == 64 + 3
    first, free = view.ports[1], view.ports[2]
    assert (first.alias, first.index, first.subport, first.lanes) == ("etp1b", 1, 2, "5,6,7,8")
    assert (free.alias, free.index, free.subport, free.speed_mbps) == ("etp2", 2, 0, 800_000)
    assert free.peer is free.ip is free.cable_m is free.headroom_profile is None


def test_far_ends(design, catalog):
    """A node has no autonomous system, a spine has; addresses are those of the link's two ends."""
    node, _, up, _ = view_of(design(), catalog).used_ports
    assert (node.peer.device, node.peer.port, node.peer.asn) == ("node-0001", "rail0", None)
    assert (node.ip, node.peer.ip, node.address) == ("10.0.0.1/31", "10.0.0.0", "10.0.0.1")
    assert (up.peer.device, up.peer.port, up.peer.asn) == ("spine-01", "Ethernet0", 65000)
    assert [port.peer.device for port in view_of(design(), catalog).sessions] == ["spine-01", "spine-02"]


def test_free_half_of_a_cage_is_there(design, catalog):
    """The second port of a cage whose first port is used has the same rate and no peer."""
    ports = {port.name: port for port in view_of(design(), catalog).ports}
    assert ports["Ethernet128"].peer
    assert ports["Ethernet132"].speed_mbps == ports["Ethernet128"].speed_mbps == 400_000
    assert ports["Ethernet132"].peer is None


def test_most_equal_paths(design, catalog):
    """A leaf reaches another leaf over all its uplinks, a spine over its links to that leaf."""
    assert view_of(design(), catalog).ecmp_paths == 2
    assert view_of(design(), catalog, "spine-01").ecmp_paths == 1


def test_cables_of_one_rounded_length_share_the_larger_headroom(design, catalog):
    """4.2 m and 4.8 m are both 5 m to the switch; the shared profile is enough for the longer one."""
    view = view_of(design(), catalog)
    assert {port.cable_m for port in view.used_ports[:2]} == {5}
    profiles = {profile.name: profile.xoff_bytes for profile in view.lossless.buffer.profiles}
    assert profiles == {"pg_lossless_400000_5m_profile": 104_800, "pg_lossless_400000_30m_profile": 130_000}


def test_one_chain_of_priorities(design, catalog):
    """Only the RDMA code point reaches the lossless class, only the CNP's the strict one."""
    qos = view_of(design(), catalog).lossless.qos
    assert {dscp: tc for dscp, tc in enumerate(qos.traffic_classes) if tc} == {26: 3, 48: 6}
    assert [tc for tc, group in enumerate(qos.priority_groups) if group == qos.rdma_tc] == [3]


def test_best_effort_stays_out_of_the_chain(design, catalog):
    """Where RDMA has priority 0 and the CNPs 1, all else rides in class 2 and its priority group."""
    qos = view_of(design(rdma_priority=0, cnp_priority=1), catalog).lossless.qos
    assert qos.best_effort_tc == 2
    assert qos.priority_groups == (0, 2, 2, 2, 2, 2, 2, 2)
    assert set(qos.traffic_classes) == {0, 1, 2}


@pytest.mark.parametrize(
    ("part", "model", "pool_bytes", "mode"),
    [
        ("known", "traditional", 162_539_680, "static"),
        ("dynamic", "dynamic", None, "dynamic"),
        ("unknown", "traditional", None, "dynamic"),
    ],
)
def test_pool_size_only_where_the_configuration_sets_it(design, catalog, part, model, pool_bytes, mode):
    """A switch that sizes its buffers, and one whose buffers nobody published, gets no invented pool."""
    buffer = view_of(design(part), catalog).lossless.buffer
    assert (buffer.model, buffer.pool_bytes, buffer.egress_mode) == (model, pool_bytes, mode)


@pytest.mark.parametrize(
    ("ports", "expected"), [(1, (200, 200, 200)), (33, (400, 400, 400)), (256, (1000, 1600, 1600))]
)
def test_watchdog_slows_with_the_number_of_ports(design, catalog, ports, expected):
    """`pfcwd start_default` multiplies 200 ms by max(1, (ports - 1) // 32 + 1) and caps the poll at 1,000 ms."""
    made = design()
    rows, qos = made.settings.lossless, made.request.qos
    watchdog = lossless_view(rows, ports, catalog.switches["known"], None, qos, load("sonic")).watchdog
    assert (watchdog.poll_ms, watchdog.detect_ms, watchdog.restore_ms) == expected


def test_no_lossless_rows_no_lossless_part(design, catalog):
    """A fabric without lossless settings has none in its views."""
    made = design()
    bare = replace(made, settings=replace(made.settings, lossless=()))
    assert view_of(bare, catalog).lossless is None


def test_small_probability_still_marks(design, catalog):
    """Systems know whole percents only; 0.2 % must not become never."""
    made = design()
    rows = tuple(replace(row, pmax=0.2) for row in made.settings.lossless)
    view = view_of(replace(made, settings=replace(made.settings, lossless=rows)), catalog)
    assert [profile.pmax_pct for profile in view.lossless.ecn] == [1]


def test_port_that_the_part_does_not_have(design, catalog):
    """A link on a port of another split or cage is named, not dropped."""
    made = design()
    rows = tuple(
        replace(link, a=replace(link.a, port="Ethernet2")) if link.name == "leaf-01.Ethernet128" else link
        for link in made.topology.links
    )
    with pytest.raises(ArtifactError, match="leaf-01:Ethernet2 is no sonic port of s at 400 Gb/s"):
        list(Views(replace(made, topology=replace(made.topology, links=rows)), catalog))


def test_part_that_the_catalog_lacks(design, catalog):
    """A switch of an unknown part is named with its table and column."""
    switches = {key: part for key, part in catalog.switches.items() if key != "known"}
    with pytest.raises(ArtifactError) as caught:
        Views(design(), replace(catalog, switches=switches))
    first = "devices.csv: part: leaf-01 is a 'known'; the catalog has no such switch"
    assert str(caught.value).splitlines()[0] == first


@pytest.mark.parametrize("name", ["leaf\nrouter bgp 1", 'leaf"', "../leaf", "", "{{ leaf }}", "a/b"])
def test_names_that_could_break_out(design, catalog, name):
    """A name from somebody's table never reaches a path or a configuration unchecked."""
    made = design()
    devices = (replace(made.topology.devices[0], name=name), *made.topology.devices[1:])
    with pytest.raises(ArtifactError, match="cannot stand in a configuration"):
        Views(replace(made, topology=replace(made.topology, devices=devices)), catalog)


@pytest.mark.parametrize("port", ["rail0\n!", "rail0 shutdown", ""])
def test_far_ports_that_could_break_out(design, catalog, port):
    """The name of the far port stands in descriptions, so it is checked too."""
    made = design()
    links = tuple(
        replace(link, a=replace(link.a, port=port)) if link.kind == "node_leaf" else link
        for link in made.topology.links
    )
    with pytest.raises(ArtifactError, match=r"links\.csv: a_port: .* cannot stand in a configuration"):
        Views(replace(made, topology=replace(made.topology, links=links)), catalog)


def test_proposal_without_settings_has_no_views(design, catalog):
    """What was never decided is not invented."""
    made = design()
    assert not list(Views(replace(made, settings=None), catalog))
    assert not list(Views(replace(made, request=None), catalog))


def test_infiniband_views_have_no_ethernet_settings(design, catalog):
    """An InfiniBand switch has NVOS port names and neither addresses nor priorities."""
    made = design("infiniband", "infiniband")
    assert any(isinstance(row, LosslessPort) and row.virtual_lanes for row in made.settings.lossless)
    view = view_of(made, catalog)
    assert view.used_ports[0].name == "1/1"
    assert view.asn is view.loopback is view.lossless is None
