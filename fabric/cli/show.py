"""`fabric show`: where a device stands, what hangs on each of its ports, and which are free."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fabric.addressing.ordinals import natural
from fabric.cli.printing import print_json
from fabric.errors import Fault, InputError, nearest
from fabric.io import design_folder
from fabric.model.design import Design
from fabric.model.topology import Link, Port
from fabric.pipeline.reading import catalog_of
from fabric.render.free_port import free_ports


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument("path", type=Path, help="a design folder")
    parser.add_argument("what", metavar="DEVICE[:PORT]", help="a device of the design, or one of its ports")


def run(args: argparse.Namespace) -> int:
    """Print the device and its links, or the one link of a port."""
    design = design_folder.read(args.path)
    name, _, port = args.what.partition(":")
    found = _device(design, name) | {"ports": _ports(design, name, port)}
    if not port:
        catalog = catalog_of(args.path, args.catalog)
        found["free_ports"] = [asdict(free) for free in free_ports(design, catalog, name)]
    if args.format == "json":
        print_json(found)
    elif not args.quiet:
        sys.stdout.write(_text(found))
    return 0


def _device(design: Design, name: str) -> dict[str, Any]:
    devices = design.topology.device
    if name not in devices:
        raise InputError(Fault(f"no device {name!r} in this design{nearest(name, devices, lead='; ', most=3)}"))
    body = asdict(devices[name])
    position = design.placement.of.get(name) if design.placement is not None else None
    if position is not None:
        body |= {"rack": position.rack, "u": position.u, "units": position.units}
    for address in design.settings.devices if design.settings is not None else ():
        if address.device == name:
            body |= {key: value for key, value in asdict(address).items() if key != "device"}
    return body


def _ports(design: Design, name: str, port: str) -> list[dict[str, Any]]:
    ends = [
        (link, here, there)
        for link in design.topology.links
        for here, there in ((link.a, link.b), (link.b, link.a))
        if here.device == name and port in {"", here.port}
    ]
    if port and not ends:
        known = sorted(
            {here.port for link in design.topology.links for here in (link.a, link.b) if here.device == name}
        )
        raise InputError(Fault(f"no link on port {port!r} of {name}{nearest(port, known, lead='; ', most=3)}"))
    cables = {cable.name: cable for cable in design.cabling.cables} if design.cabling is not None else {}
    modules = {(item.device, item.cage): item.part for item in design.cabling.pluggables} if design.cabling else {}
    ends.sort(key=lambda end: natural(end[1].port))
    return [_port(design, link, (here, there), cables, modules) for link, here, there in ends]


def _port(
    design: Design,
    link: Link,
    ends: tuple[Port, Port],
    cables: Mapping[str, Any],
    modules: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    here, there = ends
    cable = cables.get(design.cabling.cable_of.get(link.name, "")) if design.cabling is not None else None
    far = design.placement.of.get(there.device) if design.placement is not None else None
    return {
        "port": here.port,
        "cage": here.cage,
        "module": modules.get((here.device, here.cage)),
        "link": link.name,
        "rate_gbps": link.rate_gbps,
        "cable": cable.name if cable else None,
        "part": cable.part if cable else None,
        "length_m": cable.length_m if cable else None,
        "to": f"{there.device}:{there.port}",
        "to_cage": there.cage,
        "to_rack": far.rack if far else None,
        "to_u": far.u if far else None,
    }


def _text(found: dict[str, Any]) -> str:
    facts = {key: value for key, value in found.items() if "ports" not in key and value is not None}
    lines = [" ".join(f"{key} {value}" for key, value in facts.items())]
    for port in found["ports"]:
        module = f" [{port['module']}]" if port["module"] else ""
        place = f" in {port['to_rack']} U{port['to_u']}" if port["to_rack"] else ""
        cable = f"{port['part']} {port['length_m']:g} m" if port["part"] else "no cable"
        lines.append(
            f"  {port['port']} (cage {port['cage']}){module} -- {cable} -> {port['to']} (cage {port['to_cage']}){place}"
        )
    free = found.get("free_ports", ())
    beside = [f"{each['port']} ({each['rate_gbps']}G)" for each in free if not each["cage_is_empty"]]
    empty = dict.fromkeys(each["cage"] for each in free if each["cage_is_empty"])
    if beside:
        lines.append(f"  free beside used ports: {', '.join(beside)}")
    if empty:
        lines.append(f"  empty cages: {', '.join(empty)}")
    return "\n".join(lines) + "\n"
