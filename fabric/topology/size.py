"""What a request asks, in whole numbers: nodes, ports, rates and planes, with every default resolved and named."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.parts import CageMode, HostPort, System
from fabric.catalog.plane_balancing import plane_balancing
from fabric.errors import Fault, InputError
from fabric.model.request import FAMILY_WORDS, PARAMETERS, LinkLayer, Request

TWO_TIERS = 2
"""Value of `fabric.tiers` that allows no third."""

TREES = ("auto", "fat_tree")
"""Values of `fabric.family` under which keys of trees mean something."""

MOST_ROUTERS = 8_192
"""Routers of a plane up to which a grid that is asked is laid out; its pairs of routers are judged one by one."""

MOST_NODE_LINKS = 131_072
"""Links of nodes, of all planes, up to which fabrics beside two-tier trees are sized and laid out."""


@dataclass(frozen=True, slots=True)
class Size:
    """A request in whole numbers.

    `host_ports` are the ports used, one per rail; `mode` is how their cages run. `growth_nodes` is what the switches
    are counted for. `assumptions` names every default taken.
    """

    system: System
    system_key: str
    link_layer: LinkLayer
    nodes: int
    spare_nodes: int
    growth_nodes: int
    node_port_gbps: int
    planes: int
    host_ports: tuple[HostPort, ...]
    mode: CageMode
    wirings: tuple[str, ...]
    attached_ports: int
    assumptions: tuple[str, ...]

    @property
    def node_ports(self) -> int:
        """Ports (rails) of a node per plane."""
        return len(self.host_ports)

    @property
    def installed_nodes(self) -> int:
        """Nodes that are cabled: working and spare ones."""
        return self.nodes + self.spare_nodes

    @property
    def endpoints(self) -> int:
        """Node endpoints of one plane."""
        return self.installed_nodes * self.node_ports


def resolve(request: Request, catalog: Catalog) -> Size:
    """The request's size, every default resolved.

    Raises:
        InputError: one fault per key that asks what the system cannot do.
    """
    _refuse_other_families(request)
    system = catalog.systems[request.accelerator]
    layer = request.fabric.part_layer
    notes = list(_meaningless(request))
    mode = _mode(request, system, layer, notes)
    planes = _planes(request, system, layer, notes)
    if planes > 1 and request.transport.plane_balancing == "auto":
        notes.append("transport.plane_balancing: {}, {}".format(*plane_balancing("auto", system, layer, catalog)))
    ports, faults = _ports(request, system, layer, notes)
    nodes, more = _nodes(request, system)
    installed = nodes + request.spare_nodes
    faults += [
        *_crowded_cage(request, ports, planes, mode),
        *more,
        *_growth(request, nodes),
        *_whole_racks(request, system, installed),
        *_attached_rates(request, mode.rate_gbps),
        *_no_half(request, len(ports)),
        *_too_large(request),
        *_too_many(request, request.growth_nodes or installed, len(ports), planes),
    ]
    if faults:
        raise InputError(*faults)
    return Size(
        system=system,
        system_key=request.accelerator,
        link_layer=layer,
        nodes=nodes,
        spare_nodes=request.spare_nodes,
        growth_nodes=request.growth_nodes or installed,
        node_port_gbps=mode.rate_gbps,
        planes=planes,
        host_ports=ports,
        mode=mode,
        wirings=_wirings(request, len(ports), notes),
        attached_ports=sum(item.count * item.ports for item in request.attached),
        assumptions=tuple(notes),
    )


def _refuse_other_families(request: Request) -> None:
    """Refuse parameters that the family asked does not have; where that is open, each family refuses them by itself."""
    fabric = request.fabric
    if "cores" in fabric.parameters and fabric.tiers == TWO_TIERS:
        message = "cores belong to a third tier; tiers: 3 or auto allows one"
        raise InputError(Fault(message, key="fabric.parameters.cores"))
    known = PARAMETERS.get(fabric.family, tuple(fabric.parameters))
    others = [key for key in fabric.parameters if key not in known]
    if others:
        message = f"is of another family; a {FAMILY_WORDS[fabric.family]} has {', '.join(known)}"
        raise InputError(*(Fault(message, key=f"fabric.parameters.{key}") for key in others))


def without_effect(family: str) -> tuple[str, ...]:
    """Keys of `fabric` that mean nothing in a family; none while the family is open."""
    if family in TREES:
        return ()
    keys = ("tiers", "uneven_trunks", "whole_units")
    return keys if family == "dragonfly_plus" else (*keys, "min_spines")


def _meaningless(request: Request) -> Iterator[str]:
    """Keys that are written and mean nothing in the family asked."""
    family, written = request.fabric.family, request.fabric.model_fields_set
    for key in sorted(written.intersection(without_effect(family))):
        yield f"fabric.{key}: of fat-trees alone, so it changes nothing in a {FAMILY_WORDS[family]}"


def _mode(request: Request, system: System, layer: LinkLayer, notes: list[str]) -> CageMode:
    """How the cages of a node run: the rate asked, or the system's own."""
    rate = request.fabric.node_port_gbps or _default(system.default_port_gbps, layer)
    if request.fabric.node_port_gbps is None:
        notes.append(f"fabric.node_port_gbps: {rate}, the port rate of {request.accelerator} on {layer}")
    for mode in system.cage_modes:
        if mode.rate_gbps == rate and layer in mode.link_layers:
            return mode
    rates = sorted({mode.rate_gbps for mode in system.cage_modes if layer in mode.link_layers})
    allowed = ", ".join(f"{gbps}G" for gbps in rates) or "none"
    message = f"{request.accelerator} has no {rate}G port on {layer}; its ports run {allowed}"
    raise InputError(Fault(message, key="fabric.node_port_gbps"))


def _planes(request: Request, system: System, layer: LinkLayer, notes: list[str]) -> int:
    planes = request.fabric.planes or system.default_planes.get(layer, 1)
    if request.fabric.planes is None and planes > 1:
        notes.append(f"fabric.planes: {planes}, how {request.accelerator} splits its ports on {layer}")
    return planes


def _crowded_cage(request: Request, ports: tuple[HostPort, ...], planes: int, mode: CageMode) -> list[Fault]:
    in_cage = max(Counter(port.cage for port in ports).values(), default=1)
    if in_cage * planes <= mode.ports:
        return []
    message = (
        f"{in_cage} port(s) x {planes} plane(s) = {in_cage * planes} links in one cage of "
        f"{request.accelerator}, which carries {mode.ports} of {mode.rate_gbps}G"
    )
    return [Fault(message, key="fabric.planes")]


def _growth(request: Request, nodes: int) -> list[Fault]:
    installed = nodes + request.spare_nodes
    if request.growth_nodes is None or request.growth_nodes >= installed:
        return []
    message = f"{request.growth_nodes} is below nodes + spare_nodes = {nodes} + {request.spare_nodes} = {installed}"
    return [Fault(message, key="growth_nodes")]


def _attached_rates(request: Request, rate_gbps: int) -> list[Fault]:
    return [
        Fault(
            f"{item.role} asks {item.gbps}G on a fabric whose leaf ports to nodes run {rate_gbps}G; "
            "attached endpoints take free down ports, so they run the same rate",
            key=f"attached.{index}.gbps",
        )
        for index, item in enumerate(request.attached)
        if item.gbps != rate_gbps
    ]


def _no_half(request: Request, node_ports: int) -> list[Fault]:
    if request.fabric.wiring != "dual_homed" or node_ports % 2 == 0:
        return []
    message = f"dual_homed puts half of a node's ports on each of two leaves; {node_ports} ports have no half"
    return [Fault(message, key="fabric.wiring")]


def _too_large(request: Request) -> list[Fault]:
    sizes: list[int] = request.fabric.parameters.get("sizes", [])
    routers = math.prod(sizes)
    if routers <= MOST_ROUTERS:
        return []
    grid = " x ".join(map(str, sizes))
    message = f"{grid} are {routers:,} routers a plane; grids are laid out up to {MOST_ROUTERS:,}"
    return [Fault(message, key="fabric.parameters.sizes")]


def _too_many(request: Request, nodes: int, ports: int, planes: int) -> list[Fault]:
    """Two tiers end where the ports of their switches do; other fabrics would be counted for hours before they do."""
    fabric, links = request.fabric, nodes * ports * planes
    if links <= MOST_NODE_LINKS or (fabric.family in TREES and fabric.tiers == TWO_TIERS):
        return []
    name = "tree of three tiers" if fabric.family in TREES else FAMILY_WORDS[fabric.family]
    asked = ("growth_nodes", "nodes", "accelerators", "units")
    message = (
        f"{nodes} nodes x {ports} ports x {planes} planes = {links:,} links of nodes; a {name} is laid out link by "
        f"link, up to {MOST_NODE_LINKS:,}: {MOST_NODE_LINKS // (ports * planes)} nodes of so many ports"
    )
    return [Fault(message, key=next(key for key in asked if getattr(request, key) is not None))]


def _default(values: dict[LinkLayer, int], layer: LinkLayer) -> int:
    if layer not in values:
        known = ", ".join(values) or "none"
        message = f"this system has no published {layer} port; known: {known}"
        raise InputError(Fault(message, key="fabric.link_layer"))
    return values[layer]


def _ports(
    request: Request, system: System, layer: LinkLayer, notes: list[str]
) -> tuple[tuple[HostPort, ...], list[Fault]]:
    """The host ports used: all of them, or as many as asked, evenly spread over the list."""
    by_rail = sorted(system.host_ports, key=lambda port: port.rail)
    have = len(by_rail)
    wanted = request.fabric.node_ports or system.default_ports.get(layer, have)
    if request.fabric.node_ports is None:
        notes.append(f"fabric.node_ports: {wanted}, the scale-out ports of {request.accelerator}")
    if wanted > have:
        return (), [Fault(f"{request.accelerator} has {have} scale-out ports, not {wanted}", key="fabric.node_ports")]
    return tuple(by_rail[index * have // wanted] for index in range(wanted)), []


def _nodes(request: Request, system: System) -> tuple[int, list[Fault]]:
    if request.nodes is not None:
        return request.nodes, []
    if request.accelerators is not None:
        whole, rest = divmod(request.accelerators, system.accelerators)
        if rest:
            message = (
                f"{request.accelerators} accelerators are {whole} nodes of {system.accelerators} and {rest} left over; "
                f"ask {whole * system.accelerators} or {(whole + 1) * system.accelerators}"
            )
            return whole, [Fault(message, key="accelerators")]
        return whole, []
    units = request.units or 0
    if request.fabric.unit_nodes == "auto":
        message = "units counts units of fabric.unit_nodes nodes; give fabric.unit_nodes, or nodes instead of units"
        return 1, [Fault(message, key="units")]
    return units * request.fabric.unit_nodes, []


def _whole_racks(request: Request, system: System, installed: int) -> list[Fault]:
    per_rack = system.nodes_per_rack
    if not system.whole_rack or per_rack is None or installed % per_rack == 0:
        return []
    racks, rest = divmod(installed, per_rack)
    held = (
        f"{racks} {'rack' if racks == 1 else 'racks'} of {per_rack} and {rest} left over" if racks else "no whole rack"
    )
    key = next(key for key in ("nodes", "accelerators", "units") if getattr(request, key) is not None)
    each = {"nodes": 1, "accelerators": system.accelerators}.get(key)
    near = [count * per_rack - request.spare_nodes for count in (racks, racks + 1)]
    asked = " or ".join(str(nodes * each) for nodes in near if nodes > 0 and each)
    message = f"{installed} trays are {held}; {request.accelerator} comes in whole racks of {per_rack}: " + (
        f"ask {asked}" if asked else f"units and spare_nodes must come to a multiple of {per_rack} trays"
    )
    return [Fault(message, key=key)]


def _wirings(request: Request, node_ports: int, notes: list[str]) -> tuple[str, ...]:
    wiring = request.fabric.wiring or ("rail" if node_ports > 1 else "rack")
    if request.fabric.wiring is None:
        notes.append(f"fabric.wiring: {wiring}")
    if wiring != "auto":
        return (wiring,)
    multi = ("rail", "dual_homed") if node_ports % 2 == 0 else ("rail",)
    return (*multi, "rack") if node_ports > 1 else ("rack",)
