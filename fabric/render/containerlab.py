"""`exports/containerlab.clab.yml`: the wiring as a lab of containers."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.addressing.ordinals import natural
from fabric.model.design import Design
from fabric.model.topology import Port
from fabric.render.templates import template


def containerlab(design: Design) -> Iterator[str]:
    """Nodes and links; interfaces are `eth1` … in the order of a device's ports, as containers name them."""
    ports: dict[str, list[str]] = {}
    for link in design.topology.links:
        for end in (link.a, link.b):
            ports.setdefault(end.device, []).append(end.port)
    number = {
        device: {port: count for count, port in enumerate(sorted(names, key=natural), start=1)}
        for device, names in ports.items()
    }

    def endpoint(port: Port) -> str:
        return f"{port.device}:eth{number[port.device][port.port]}"

    return template("exports/containerlab.clab.yml.j2").generate(
        name=design.name or "fabric",
        devices=design.topology.devices,
        links=((endpoint(link.a), endpoint(link.b)) for link in design.topology.links),
    )
