"""What each link and switch of a plane adds to a small message's way, by the catalog and by the cables as cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fabric.catalog.link_layer import LinkTimes
from fabric.catalog.load import Catalog
from fabric.catalog.parts import Switch
from fabric.flow.way import LinkNs, PlaneNs
from fabric.flow.wire import HEADER_BYTES, PAYLOAD_BYTES
from fabric.model.network import FloatArray, IntArray
from fabric.model.topology import Device, Link
from fabric.pipeline.networks import Plane

_WORDS = {"infiniband": "infiniband", "ethernet": "roce"}
"""Link layers of parts as packets are told apart."""


def plane_ns(
    plane: Plane, catalog: Catalog, layer: str, delay_ns: Mapping[str, float], hop_ns: float | None = None
) -> PlaneNs:
    """Times of a plane's parts [ns].

    A switch takes what its part publishes from port to port, else what is left of the link layer's hop without its
    link. A link whose cable is not known has one as long as those of the measured cluster.

    Args:
        plane: the plane.
        catalog: its parts and link layers.
        layer: link layer, as parts say it.
        delay_ns: propagation along the cable of each link [ns], by its name.
        hop_ns: a hop over switches that publish nothing, instead of the link layer's [ns].
    """
    times, network, rates = catalog.link_layers[layer], plane.network, plane.packet_gbps
    parts = {device.part: part_of(device, catalog, layer) for device in plane.switches}
    hop = times.hop_ns if hop_ns is None else hop_ns
    switch = {key: times.switch_ns(part.latency_ns if part is not None else None, hop) for key, part in parts.items()}

    def by_switch(of_part: Mapping[str | None, float]) -> FloatArray:
        return np.array([of_part[device.part] for device in plane.switches], dtype=np.float64)

    def links(own: Sequence[Link], gbps: FloatArray, end: IntArray) -> LinkNs:
        fec = np.zeros(gbps.size)
        for rate in np.unique(gbps).tolist():
            of_part = {key: times.fec_ns(rate, lane_gbps(part, rate, times)) for key, part in parts.items()}
            fec = np.where(gbps == rate, by_switch(of_part)[end], fec)
        usual_ns = times.cable_ns
        cable = np.array([delay_ns.get(link.name, usual_ns) for link in own], dtype=np.float64)
        packet_bits = 8 * (PAYLOAD_BYTES + HEADER_BYTES[_WORDS[layer]])
        return LinkNs(cable, fec, 8 * times.first_bytes / gbps, packet_bits / gbps)

    return PlaneNs(
        endpoints=links(plane.endpoints, network.endpoint_gbps, network.endpoint_switch),
        links=links(plane.links, network.link_gbps if rates is None else rates, network.link_a),
        switch=by_switch(switch),
    )


def part_of(device: Device, catalog: Catalog, layer: str) -> Switch | None:
    """The part of a switch; None where its file or table names none of this link layer."""
    part = catalog.switches.get(device.part or "")
    return part if part is not None and part.link_layer == layer else None


def lane_gbps(part: Switch | None, rate_gbps: float, times: LinkTimes) -> int | None:
    """Rate of a lane at a rate [Gb/s]; that of the measured ports where the switch is not known."""
    return part.port_lane_gbps(round(rate_gbps)) if part is not None else times.lane_gbps
