"""Addresses and lossless settings broken in one place each."""

from __future__ import annotations

from dataclasses import replace

PORT = "leaf-su01-r0:Ethernet0"


def _device(made, name, **fields):
    rows = tuple(replace(row, **fields) if row.device == name else row for row in made.settings.devices)
    return replace(made, settings=replace(made.settings, devices=rows))


def _link(made, name, **fields):
    rows = tuple(replace(row, **fields) if row.link == name else row for row in made.settings.links)
    return replace(made, settings=replace(made.settings, links=rows))


def _number(made, name, field):
    return next(getattr(row, field) for row in made.settings.devices if row.device == name)


def _row(made, port):
    return next(row for row in made.settings.lossless if f"{row.device}:{row.port}" == port)


def test_loopback_of_another_switch(roce, judge):
    """Two switches on one loopback."""
    taken = _number(roce, "leaf-su01-r0", "loopback")
    found = judge.only("device-address", "leaf-su01-r1", _device(roce, "leaf-su01-r1", loopback=taken))
    assert "leaf-su01-r0" in found.message


def test_loopback_outside_its_pool(roce, judge):
    """An address that the request reserves for nothing."""
    judge.only("device-address", "leaf-su01-r1", _device(roce, "leaf-su01-r1", loopback="192.0.2.1"))


def test_switch_without_loopback(roce, judge):
    """One switch of many without a loopback."""
    judge.only("device-address", "leaf-su01-r1", _device(roce, "leaf-su01-r1", loopback=None))


def test_two_leaves_of_one_autonomous_system(roce, judge):
    """Leaves of one number drop each other's routes."""
    taken = _number(roce, "leaf-su01-r0", "asn")
    judge.only("device-address", "leaf-su01-r1", _device(roce, "leaf-su01-r1", asn=taken))


def test_leaf_in_the_system_of_its_spines(roce, judge):
    """Neighbours of one number are no eBGP neighbours."""
    judge.only("device-address", "leaf-su01-r1", _device(roce, "leaf-su01-r1", asn=_number(roce, "spine-01", "asn")))


def test_guid_twice(infiniband, judge):
    """Two devices of one GUID."""
    taken = _number(infiniband, "leaf-su01-r0", "guid")
    judge.only("device-address", "leaf-su01-r1", _device(infiniband, "leaf-su01-r1", guid=taken))


def test_ends_in_two_networks(roce, judge):
    """The far end in the next /31."""
    row = roce.settings.links[0]
    judge.only("link-address", row.link, _link(roce, row.link, b_ip=roce.settings.links[1].b_ip))


def test_one_network_for_two_links(roce, judge):
    """Two links with the same addresses."""
    one, two = [row for row in roce.settings.links if row.link.startswith("leaf")][:2]
    broken = _link(roce, two.link, a_ip=one.a_ip, b_ip=one.b_ip)
    judge.only("link-address", max(one.link, two.link), broken)


def test_link_outside_its_pool(roce, judge):
    """Addresses that the request has no pool for."""
    row = roce.settings.links[0]
    judge.only("link-address", row.link, _link(roce, row.link, a_ip="192.0.2.0/31", b_ip="192.0.2.1/31"))


def test_no_address_at_all(roce, judge):
    """A text that is no address."""
    row = roce.settings.links[0]
    judge.only("link-address", row.link, _link(roce, row.link, a_ip="10.240.0/31"))


def test_headroom_halved(roce, judge, edit):
    """Half of what the vendor's law asks is below what must physically fit."""
    xoff = _row(roce, PORT).xoff
    found = judge.only("pfc-headroom", PORT, edit.lossless(roce, PORT, xoff=xoff // 2))
    assert found.measured == xoff // 2 < found.limit < xoff


def test_port_without_headroom(roce, judge):
    """A switch port in use that has no lossless row."""
    rows = tuple(row for row in roce.settings.lossless if f"{row.device}:{row.port}" != PORT)
    judge.only("pfc-headroom", PORT, replace(roce, settings=replace(roce.settings, lossless=rows)))


def test_headroom_for_a_shorter_cable(roce, judge, edit):
    """A row made for one metre on a longer cable."""
    judge.only("pfc-headroom", PORT, edit.lossless(roce, PORT, cable_m=1.0))


def test_marking_thresholds_in_no_order(roce, judge, edit):
    """Marking that ends before it begins."""
    row = _row(roce, PORT)
    judge.only("ecn-thresholds", PORT, edit.lossless(roce, PORT, kmin=row.kmax, kmax=row.kmin))


def test_marking_after_pausing(roce, judge, edit):
    """Thresholds beyond the pool: the port pauses before it marks, so nothing slows down."""
    judge.only("ecn-thresholds", PORT, edit.lossless(roce, PORT, kmin=200_000_000, kmax=300_000_000))


def test_full_marking_after_pausing_is_a_warning(roce, judge, edit):
    """Marking begins before pausing and is complete after it."""
    broken = edit.lossless(roce, PORT, kmax=300_000_000)
    judge.only("ecn-thresholds", PORT, broken, severity="warning")


def test_credit_halved(infiniband, judge, edit):
    """Half the credit of a full-rate lane."""
    credit = _row(infiniband, "leaf-su01-r0:1/1").credit
    found = judge.only(
        "link-credit", "leaf-su01-r0:1/1", edit.lossless(infiniband, "leaf-su01-r0:1/1", credit=credit // 2)
    )
    assert found.limit <= credit


def test_no_place_for_a_subnet_manager(infiniband, judge, edit, catalog):
    """Unmanaged switches and no UFM: nobody computes the routes."""
    ufm = next(device.name for device in infiniband.topology.devices if device.role == "ufm")
    attached = tuple(item.model_copy(update={"role": "login"}) for item in infiniband.request.attached)
    broken = edit.request(infiniband, attached=attached)
    broken = edit.devices(broken, **{ufm.replace("-", "_"): {"role": "login"}})
    changed = edit.part(catalog, "switches", "nvidia-qm9700", managed=False)
    judge.only("subnet-manager", "leaf-su01-r0", broken, changed, severity="warning")
