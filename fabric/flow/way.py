"""What a small message takes over a plane, link by link and switch by switch, and its mean over the bytes of a load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.flow.link_load import ArcLoad
from fabric.model.network import FloatArray, Network


@dataclass(frozen=True, slots=True, eq=False)
class LinkNs:
    """Times on some links [ns].

    Attributes:
        cable: (n_links,) propagation along each.
        fec: (n_links,) until the codewords have come.
        first: (n_links,) until the first bytes of a packet have come.
        packet: (n_links,) until a whole packet has come.
    """

    cable: FloatArray
    fec: FloatArray
    first: FloatArray
    packet: FloatArray

    @property
    def all(self) -> FloatArray:
        """(n_links,) what a packet that is passed on at once takes on each."""
        return self.cable + self.fec + self.first


@dataclass(frozen=True, slots=True, eq=False)
class PlaneNs:
    """Times of the parts of a plane [ns].

    Attributes:
        endpoints: on the links of endpoints.
        links: on those between switches.
        switch: (n_switches,) in each switch, without error correction and first bytes.
    """

    endpoints: LinkNs
    links: LinkNs
    switch: FloatArray


@dataclass(frozen=True, slots=True)
class MeanWay:
    """A small message's way, the mean over all bytes of a load [ns].

    Attributes:
        switches: on the way.
        switch_ns: in them, without what follows.
        fec_ns: until codewords have come.
        first_ns: until first bytes have come.
        stored_ns: whole packets, where a switch must wait for them because the way out is faster.
        cables_ns: along the cables.
    """

    switches: float
    switch_ns: float
    fec_ns: float
    first_ns: float
    stored_ns: float
    cables_ns: float

    @property
    def total_ns(self) -> float:
        """All of it, without the ends."""
        return self.switch_ns + self.fec_ns + self.first_ns + self.stored_ns + self.cables_ns


def mean_way(network: Network, parts: PlaneNs, load: ArcLoad) -> MeanWay:
    """The mean way of the bytes of a load; nothing without any.

    Equation: sum over links and switches of bytes times time, over all bytes. Bytes that leave a switch faster than
    they came are taken to be as many as can be.
    """
    sent = float(load.endpoint_up_bytes.sum())
    if not sent:
        return MeanWay(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    ends, links = load.endpoint_up_bytes + load.endpoint_down_bytes, load.link_up_bytes + load.link_down_bytes
    through = np.bincount(network.endpoint_switch, load.endpoint_up_bytes, network.switch_count)
    through += np.bincount(network.link_b, load.link_up_bytes, network.switch_count)
    through += np.bincount(network.link_a, load.link_down_bytes, network.switch_count)

    def mean(name: str) -> float:
        return float(ends @ getattr(parts.endpoints, name) + links @ getattr(parts.links, name)) / sent

    return MeanWay(
        switches=1 + float(links.sum()) / sent,
        switch_ns=float(through @ parts.switch) / sent,
        fec_ns=mean("fec"),
        first_ns=mean("first"),
        stored_ns=_stored_ns(network, parts, load) / sent,
        cables_ns=mean("cable"),
    )


def _stored_ns(network: Network, parts: PlaneNs, load: ArcLoad) -> float:
    """Bytes that come slower than they leave, times what a packet takes to come [byte ns]."""
    packet = np.concatenate([parts.endpoints.packet, parts.links.packet, parts.links.packet])
    times = np.unique(packet)
    if times.size == 1:
        return 0.0
    into = np.concatenate([network.endpoint_switch, network.link_b, network.link_a])
    out = np.concatenate([network.endpoint_switch, network.link_a, network.link_b])
    came = np.concatenate([load.endpoint_up_bytes, load.link_up_bytes, load.link_down_bytes])
    left = np.concatenate([load.endpoint_down_bytes, load.link_up_bytes, load.link_down_bytes])
    total = 0.0
    for time in times[1:].tolist():
        slow = np.bincount(into, came * (packet == time), network.switch_count)
        fast = np.bincount(out, left * (packet < time), network.switch_count)
        total += float(np.minimum(slow, fast).sum()) * time
    return total
