"""Switch ports that no link uses."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from fabric.render.free_port import free_ports


def test_used_and_free_ports_are_all_there_are(design, catalog):
    """Every switch has as many ports at 400G as its part, each once, used or free."""
    free = list(free_ports(design, catalog))
    used = Counter(end.device for link in design.topology.links for end in (link.a, link.b))
    count = Counter(each.device for each in free)
    taken = {(end.device, end.port) for link in design.topology.links for end in (link.a, link.b)}
    for device in design.topology.devices:
        if device.is_switch:
            assert used[device.name] + count[device.name] == catalog.switches[device.part].usable_ports(400)
    assert not taken & {(each.device, each.port) for each in free}
    assert len(free) == len({(each.device, each.port) for each in free})


def test_a_port_beside_a_used_one_says_so(design, catalog):
    """Without one link of a twin cage its port is free at the same rate, and the cage is not empty."""
    below = design.topology.of_kind("node_leaf")
    twins = Counter((link.b.device, link.b.cage) for link in below)
    gone = next(link for link in below if twins[link.b.device, link.b.cage] > 1)
    links = tuple(link for link in design.topology.links if link is not gone)
    left = replace(design, topology=replace(design.topology, links=links))
    (found,) = set(free_ports(left, catalog)) - set(free_ports(design, catalog))
    assert (found.device, found.port, found.cage) == (gone.b.device, gone.b.port, gone.b.cage)
    assert (found.rate_gbps, found.cage_is_empty) == (gone.rate_gbps, False)


def test_a_limit_on_logical_ports_limits_what_is_free(design, catalog):
    """A switch of 50 logical ports with some in use has the rest free."""
    (name,) = {device.part for device in design.topology.devices if device.is_switch}
    part = catalog.switches[name].model_copy(update={"max_logical_ports": 50})
    limited = replace(catalog, switches={**catalog.switches, name: part})
    used = Counter(end.device for link in design.topology.links for end in (link.a, link.b))
    count = Counter(each.device for each in free_ports(design, limited))
    assert all(used[name] + count[name] == 50 for name in count)
