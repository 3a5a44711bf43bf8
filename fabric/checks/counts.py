"""Nodes, their links and attached devices against the request."""

from __future__ import annotations

from collections import Counter

from fabric.catalog.parts import System
from fabric.checks._context import CheckContext
from fabric.checks._protocol import Gap, Verdict, check, error
from fabric.model.request import Request


@check("counts", "request")
def judge(ctx: CheckContext) -> Verdict:
    """Yield one error for a wrong number of nodes, per node of another system or with missing links, per role."""
    request, system = ctx.request, ctx.catalog.systems.get(ctx.request.accelerator)
    if system is None:
        yield Gap(f"the catalog has no system {request.accelerator}")
        return
    nodes = ctx.topology.with_role("node")
    wanted = _nodes(request, system)
    if wanted is None:
        yield Gap("units counts units of fabric.unit_nodes nodes, which the request leaves open")
    elif len(nodes) != wanted:
        message = f"{len(nodes)} nodes where the request asks {wanted} with its spares"
        yield error(request.accelerator, message, measured=len(nodes), limit=wanted, unit="nodes")
    links = Counter(each.device.name for each in ctx.accesses)
    per_node = _links_per_node(ctx, system)
    for node in nodes:
        if node.part is not None and node.part != request.accelerator:
            yield error(node.name, f"is a {node.part}", measured=node.part, limit=request.accelerator)
        elif links[node.name] != per_node:
            message = f"has {links[node.name]} links where ports and planes ask {per_node}"
            yield error(node.name, message, measured=links[node.name], limit=per_node, unit="links")
    for role in sorted({item.role for item in request.attached} | _attached_roles(ctx)):
        asked = sorted(item.ports for item in request.attached if item.role == role for _ in range(item.count))
        found = sorted(links[device.name] for device in ctx.topology.with_role(role))
        if asked != found:
            message = f"{len(found)} {role} devices with {sum(found)} links; asked are {len(asked)} with {sum(asked)}"
            yield error(role, message, measured=len(found), limit=len(asked), unit="devices")


def _nodes(request: Request, system: System) -> int | None:
    """Nodes that must be cabled."""
    if request.nodes is not None:
        return request.nodes + request.spare_nodes
    if request.accelerators is not None:
        return request.accelerators // max(system.accelerators, 1) + request.spare_nodes
    unit = request.fabric.unit_nodes
    return None if unit == "auto" else (request.units or 0) * unit + request.spare_nodes


def _links_per_node(ctx: CheckContext, system: System) -> int:
    """Ports in use times planes, with the system's own numbers where the request is silent."""
    fabric = ctx.request.fabric
    ports = fabric.node_ports or system.default_ports.get(ctx.asked_layer, len(system.host_ports))
    return ports * (fabric.planes or system.default_planes.get(ctx.asked_layer, 1))


def _attached_roles(ctx: CheckContext) -> set[str]:
    return {device.role for device in ctx.topology.devices if not device.is_switch and device.role != "node"}
