"""Bytes on every arc when every switch sends an endpoint's packets over the one link of its forwarding table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.flow.link_load import ArcLoad
from fabric.flow.offered import Offered
from fabric.model.forwarding import Forwarding, TableArray
from fabric.model.network import BoolArray, FloatArray, IntArray, Network

_CELLS_AT_ONCE = 1 << 22
"""Cells of switches by endpoints of one pass, which bounds the memory."""


def table_load(network: Network, forwarding: Forwarding, offered: Offered) -> ArcLoad:
    """Load of every arc under destination-based forwarding, exact for every link of a trunk.

    All bytes for an endpoint that wait in a switch leave it together, so one hop of the whole demand is one pass over
    switches by endpoints.

    Args:
        network: the plane.
        forwarding: its tables, computed or read.
        offered: the traffic.

    Returns:
        The load. Pairs whose tables end nowhere or lead in a circle are unreachable.
    """
    arc_bytes = np.zeros((2, network.link_a.size))
    lost = np.zeros((network.edge_count, network.edge_count), dtype=np.bool_)
    carried = 0.0
    at_once = max(1, _CELLS_AT_ONCE // network.switch_count)
    for first in range(0, network.endpoint_switch.size, at_once):
        part = slice(first, first + at_once)
        link, target = forwarding.link[:, part], network.endpoint_switch[part]
        wanted = offered.towards(network, part)
        follows = _follows(network, link)
        arrives = (_ends(follows) == target)[: network.edge_count]
        source, endpoint = np.nonzero((wanted > 0) & ~arrives)
        lost[source, target[endpoint]] = True
        going = np.where(arrives, wanted, 0.0)
        carried += float(going.sum())
        _walk(network, link, follows, going, arc_bytes)
    return ArcLoad(
        endpoint_up_bytes=offered.sent_bytes,
        endpoint_down_bytes=offered.received_bytes,
        link_up_bytes=arc_bytes[0],
        link_down_bytes=arc_bytes[1],
        hops=float(arc_bytes.sum()) / carried if carried else 0.0,
        unreachable=np.argwhere(lost).astype(np.int64),
    )


def table_bytes_on(network: Network, forwarding: Forwarding, offered: Offered, link: int, *, falls: bool) -> FloatArray:
    """(n_edges, n_edges) bytes from leaf to leaf that pass a link by the tables of a plane.

    Args:
        network: the plane.
        forwarding: its tables.
        offered: the traffic.
        link: number of the link.
        falls: whether from its end b to its end a.
    """
    found = np.zeros((network.edge_count, network.edge_count))
    near = int((network.link_b if falls else network.link_a)[link])
    at_once = max(1, _CELLS_AT_ONCE // network.switch_count)
    for first in range(0, network.endpoint_switch.size, at_once):
        part = slice(first, first + at_once)
        table = forwarding.link[:, part]
        passes = np.zeros(table.shape, dtype=np.bool_)
        passes[near] = table[near] == link
        ends = _follows(network, table)
        arrives = (_ends(ends) == network.endpoint_switch[part])[: network.edge_count]
        for _ in range(network.switch_count.bit_length()):
            passes |= np.take_along_axis(passes, ends, axis=0)
            ends = np.take_along_axis(ends, ends, axis=0)
        passing = np.where(passes[: network.edge_count] & arrives, offered.towards(network, part), 0.0)
        np.add.at(found.T, network.endpoint_switch[part], passing.T)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Astray:
    """Where packets do not arrive.

    Attributes:
        switch: (n,) last switch of the way, or one of the circle that it ends in.
        endpoint: (n,) that was the target; each pair stands once, in ascending order.
        circle: (n,) whether the way is a circle there.
    """

    switch: IntArray
    endpoint: IntArray
    circle: BoolArray


def astray(network: Network, forwarding: Forwarding) -> Astray:
    """Where packets end that leaves or routers with endpoints send by the tables of a plane and that do not arrive."""
    used = np.unique(network.endpoint_switch)
    found = []
    at_once = max(1, _CELLS_AT_ONCE // network.switch_count)
    for first in range(0, network.endpoint_switch.size, at_once):
        part = slice(first, first + at_once)
        follows = _follows(network, forwarding.link[:, part])
        ends = _ends(follows)
        source, endpoint = np.nonzero(ends[used] != network.endpoint_switch[part])
        switch = ends[used[source], endpoint]
        found.append(np.stack([switch, endpoint + first, follows[switch, endpoint] != switch], axis=1))
    places = np.unique(np.concatenate(found), axis=0)
    return Astray(places[:, 0], places[:, 1], places[:, 2].astype(np.bool_))


def circle(network: Network, forwarding: Forwarding, switch: int, endpoint: int) -> list[int]:
    """The switches that a packet for an endpoint goes round from a switch, by the tables of a plane, that one first."""
    follows = _follows(network, forwarding.link[:, [endpoint]])[:, 0]
    found = [switch]
    while (after := int(follows[found[-1]])) != switch:
        found.append(after)
    return found


def _follows(network: Network, link: TableArray) -> IntArray:
    """(n_switches, n) switch that each one's table leads to; itself where a packet goes no further."""
    here = np.arange(network.switch_count)[:, None]
    if not network.link_a.size:
        return np.broadcast_to(here, link.shape)
    taken = np.maximum(link, 0)
    far = np.where(network.link_a[taken] == here, network.link_b[taken], network.link_a[taken])
    return np.where(link >= 0, far, here)


def _ends(follows: IntArray) -> IntArray:
    """(n_switches, n) switch in which the tables leave a packet of each one; in a circle, any."""
    ends = follows
    for _ in range(follows.shape[0].bit_length()):
        further = np.take_along_axis(ends, ends, axis=0)
        if (further == ends).all():
            break
        ends = further
    return ends


def _walk(network: Network, link: TableArray, follows: IntArray, demand: FloatArray, arc_bytes: FloatArray) -> None:
    """Add to `arc_bytes` (2, n_links) what a demand (n_edges, n) puts on links, hop by hop; all of it arrives."""
    shape = link.shape
    waiting = np.zeros(shape)
    waiting[: demand.shape[0]] = demand
    while True:
        is_going: BoolArray = (waiting > 0) & (link >= 0)
        switch, endpoint = np.nonzero(is_going)
        if not switch.size:
            return
        moved, taken = waiting[switch, endpoint], link[switch, endpoint]
        falls = network.link_a[taken] != switch
        for direction, some in enumerate((~falls, falls)):
            arc_bytes[direction] += np.bincount(taken[some], weights=moved[some], minlength=arc_bytes.shape[1])
        place = follows[switch, endpoint] * shape[1] + endpoint
        waiting = np.bincount(place, weights=moved, minlength=waiting.size).reshape(shape).astype(np.float64)
