"""Good designs, ways to break them, and the judge's answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.catalog.load import Catalog, load
from fabric.checks import CheckContext, run
from fabric.io.request_file import load as load_request
from fabric.model.cabling import Pluggable
from fabric.model.design import Design
from fabric.model.dragonfly_shape import DragonflyShape
from fabric.model.flow_result import FlowResult
from fabric.model.report import Finding
from fabric.model.request import Request
from fabric.model.topology import Port
from fabric.model.torus_shape import TorusShape
from fabric.pipeline.designing import design
from fabric.pipeline.flow_judgement import judge_flow
from fabric.topology._protocol import FAMILIES
from fabric.topology.size import resolve

ROCE = """
name: roce
accelerator: hgx-b200
nodes: 24
fabric:
  family: fat_tree
  link_layer: roce
  switches: chaoqing-n9500-64oc
  node_port_gbps: 400
  uplink_port_gbps: 400
  rails_per_leaf: 1
  min_spines: 4
  media: {node_leaf: [mmf], leaf_spine: [mmf]}
placement: {spine: spread}
"""
INFINIBAND = """
name: infiniband
accelerator: hgx-h100
nodes: 16
attached: [{role: ufm, count: 1, ports: 2, gbps: 400}]
fabric: {family: fat_tree, link_layer: infiniband, switches: nvidia-qm9700, rails_per_leaf: 1}
placement: {spine: spread, leaf: own_rack}
"""
PLANES = """
name: planes
accelerator: rubin-nvl8
nodes: 24
fabric:
  family: fat_tree
  link_layer: roce
  switches: chaoqing-n9500-64oc
  node_port_gbps: 400
  uplink_port_gbps: 400
  rails_per_leaf: 1
  planes: 2
placement: {spine: spread}
"""

SPLIT = """
name: split
accelerator: hgx-b200
nodes: 24
fabric: {family: fat_tree, link_layer: roce, switches: chaoqing-n9500-64oc, node_port_gbps: 400, rails_per_leaf: 1}
placement: {spine: spread}
"""


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """The shipped catalog."""
    return load()


@pytest.fixture(scope="session")
def make(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Design]:
    """Function that designs the fabric of a request given as text."""

    def from_text(text: str) -> Design:
        path: Path = tmp_path_factory.mktemp("request") / "request.yaml"
        path.write_text(text, encoding="utf-8")
        return design(load_request(path, catalog), catalog)

    return from_text


@pytest.fixture(scope="session")
def roce(make: Callable[[str], Design]) -> Design:
    """24 nodes of 8 rails on fibre: 8 leaves with trunks of 6 links to each of 4 spines."""
    return make(ROCE)


@pytest.fixture(scope="session")
def infiniband(make: Callable[[str], Design]) -> Design:
    """16 nodes of 8 rails and one UFM: 8 leaves and 2 spines, on copper and fibre."""
    return make(INFINIBAND)


@pytest.fixture(scope="session")
def planes(make: Callable[[str], Design]) -> Design:
    """24 nodes of 8 rails in 2 planes of 8 leaves and 2 spines."""
    return make(PLANES)


@pytest.fixture(scope="session")
def split(make: Callable[[str], Design]) -> Design:
    """24 nodes of 8 rails on splitters: two nodes on one cage of each leaf."""
    return make(SPLIT)


def _shape(part: str, **numbers: Any) -> DragonflyShape:
    """A dragonfly of 400G ports with the given numbers."""
    given = {"planes": 1, "node_ports": 8, "node_port_gbps": 400, "uplink_gbps": 400, "extra_ports": 0}
    given |= {"rails_per_leaf": 1, "arrangement": "absolute"}
    return DragonflyShape(router_part=part, **given | numbers)


RACK_WIRED = {"link_layer": "infiniband", "switches": "nvidia-qm9700", "wiring": "rack", "oversubscription": 1.5}
"""What routers with all ports of a node on one of them ask of their fabric."""


def _routers(catalog: Catalog, fabric: dict[str, Any], shape: DragonflyShape | TorusShape) -> Design:
    """The port map of a dragonfly or torus of 24 nodes, without places and cables."""
    request = Request(
        name=shape.family,
        accelerator="hgx-h100",
        nodes=24,
        fabric={"family": shape.family, "node_ports": 8, "node_port_gbps": 400, "uplink_port_gbps": 400, **fabric},
    )
    topology = FAMILIES[shape.family].build(shape, request, resolve(request, catalog), catalog)
    return Design(request, None, topology, name=shape.family)


@pytest.fixture(scope="session")
def dragonfly(catalog: Catalog) -> Design:
    """3 groups of 2 routers on InfiniBand, 4 nodes with all their ports below each: θ of 0.73 where 0.66 is asked."""
    size = {"unit_nodes": 4, "units": 6, "leaves_per_unit": 1, "down_ports": 32, "units_per_group": 2}
    links = {"local_width": 16, "group_links": 16}
    return _routers(catalog, RACK_WIRED, _shape("nvidia-qm9700", wiring="rack", **size, **links))


@pytest.fixture(scope="session")
def rail_dragonfly(catalog: Catalog) -> Design:
    """3 groups of 8 routers on RoCE, one for each rail of 8 nodes."""
    fabric = {"link_layer": "roce", "switches": "chaoqing-n9500-64oc", "wiring": "rail"}
    size = {"unit_nodes": 8, "units": 3, "leaves_per_unit": 8, "down_ports": 8, "units_per_group": 1}
    links = {"local_width": 2, "group_links": 64}
    return _routers(catalog, fabric, _shape("chaoqing-n9500-64oc", wiring="rail", **size, **links))


@pytest.fixture(scope="session")
def torus(catalog: Catalog) -> Design:
    """A torus of 3 x 2 routers, 4 nodes with all their ports below each."""
    size = {"unit_nodes": 4, "units": 6, "leaves_per_unit": 1, "down_ports": 32, "extra_ports": 0, "rails_per_leaf": 1}
    given = {"planes": 1, "wiring": "rack", "node_ports": 8, "node_port_gbps": 400, "uplink_gbps": 400}
    shape = TorusShape(router_part="nvidia-qm9700", sizes=(3, 2), widths=(8, 16), **given, **size)
    return _routers(catalog, RACK_WIRED, shape)


class Judge:
    """Runs every check and looks at what it says."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def findings(
        self, broken: Design, catalog: Catalog | None = None, flow: FlowResult | None = None
    ) -> tuple[Finding, ...]:
        """Findings on a design; the flow model judges it too unless `flow` is given."""
        parts = catalog or self.catalog
        return run(CheckContext(broken, parts, flow or judge_flow(broken, parts)))[0]

    def only(
        self,
        rule: str,
        where: str,
        broken: Design,
        catalog: Catalog | None = None,
        flow: FlowResult | None = None,
        severity: str = "error",
    ) -> Finding:
        """Assert that exactly `rule` fires, naming `where`; return that finding.

        Of errors no other rule may have one; of warnings there may be no error beside.
        """
        findings = self.findings(broken, catalog, flow)
        errors = {each.rule for each in findings if each.severity == "error"}
        assert errors == ({rule} if severity == "error" else set()), [each for each in findings if each.rule in errors]
        named = [each for each in findings if (each.rule, each.where, each.severity) == (rule, where, severity)]
        assert named, [each for each in findings if each.rule == rule]
        return named[0]


@pytest.fixture(scope="session")
def judge(catalog: Catalog) -> Judge:
    """The judge on the shipped catalog."""
    return Judge(catalog)


class Edit:
    """Ways to break a design in one place and mend what hangs on it."""

    @staticmethod
    def rows(rows: Iterable[Any], key: str, changes: Mapping[str, Mapping[str, Any]]) -> tuple[Any, ...]:
        """Rows with fields changed where column `key` has one of the names."""
        return tuple(replace(row, **changes.get(getattr(row, key), {})) for row in rows)

    def devices(self, made: Design, **changes: Mapping[str, Any]) -> Design:
        """Devices with fields changed, by name with "_" for "-"."""
        named = {name.replace("_", "-"): fields for name, fields in changes.items()}
        return replace(made, topology=replace(made.topology, devices=self.rows(made.topology.devices, "name", named)))

    def links(self, made: Design, changes: Mapping[str, Mapping[str, Any]]) -> Design:
        """Links with fields changed, by name."""
        return replace(made, topology=replace(made.topology, links=self.rows(made.topology.links, "name", changes)))

    def cables(self, made: Design, changes: Mapping[str, Mapping[str, Any]]) -> Design:
        """Cables with fields changed, by name."""
        return replace(made, cabling=replace(made.cabling, cables=self.rows(made.cabling.cables, "name", changes)))

    def lossless(self, made: Design, port: str, **fields: object) -> Design:
        """The lossless row of `device:port` with fields changed."""
        rows = tuple(
            replace(row, **fields) if f"{row.device}:{row.port}" == port else row for row in made.settings.lossless
        )
        return replace(made, settings=replace(made.settings, lossless=rows))

    @staticmethod
    def places(made: Design, changes: Mapping[str, Mapping[str, Any]]) -> Design:
        """Positions with fields changed, by device."""
        positions = Edit.rows(made.placement.positions, "device", changes)
        return replace(made, placement=replace(made.placement, positions=positions))

    @staticmethod
    def pluggables(made: Design, add: Iterable[Pluggable] = (), drop: Iterable[tuple[str, str]] = ()) -> Design:
        """Pluggables more and fewer."""
        gone = set(drop)
        kept = tuple(each for each in made.cabling.pluggables if (each.device, each.cage) not in gone)
        return replace(made, cabling=replace(made.cabling, pluggables=(*kept, *add)))

    @staticmethod
    def request(made: Design, **changes: Any) -> Design:
        """The request with keys changed; a mapping changes keys of a section."""
        request = made.request
        for key, value in changes.items():
            part = getattr(request, key)
            new = part.model_copy(update=value) if isinstance(value, dict) else value
            request = request.model_copy(update={key: new})
        return replace(made, request=request)

    @staticmethod
    def rack(made: Design, name: str, **fields: object) -> Design:
        """The floor plan with fields of one rack changed."""
        racks = tuple(
            rack.model_copy(update=fields) if rack.name == name else rack for rack in made.floor_plan.all_racks
        )
        return replace(made, floor_plan=made.floor_plan.model_copy(update={"racks": racks, "rows": ()}))

    def without_links(self, made: Design, names: Iterable[str]) -> Design:
        """The design without some links, their cables and the pluggables that only they needed."""
        gone = set(names)
        links = tuple(link for link in made.topology.links if link.name not in gone)
        cable_of = {link: cable for link, cable in made.cabling.cable_of.items() if link not in gone}
        used = {(port.device, port.cage) for link in links for port in (link.a, link.b)}
        cabling = replace(
            made.cabling,
            cable_of=cable_of,
            cables=tuple(cable for cable in made.cabling.cables if cable.name in set(cable_of.values())),
            pluggables=tuple(each for each in made.cabling.pluggables if (each.device, each.cage) in used),
        )
        return replace(made, topology=replace(made.topology, links=links), cabling=cabling)

    def loose(self, made: Design) -> Design:
        """The design with every route written as long as its cable, so that small moves are no fault of routes."""
        return self.cables(made, {cable.name: {"route_m": cable.length_m} for cable in made.cabling.cables})

    def rewire(self, made: Design, moves: Mapping[str, Port]) -> Design:
        """End b of some links on other ports, with pluggables there and cable and headroom of the longest of a kind."""
        links = {link.name: link for link in made.topology.links}
        cable = {cable.name: cable for cable in made.cabling.cables}
        module = {(each.device, each.cage): each.part for each in made.cabling.pluggables}
        rows = {(row.device, row.port): row for row in made.settings.lossless}
        moved = self.links(made, {name: {"b": port} for name, port in moves.items()})
        cables: dict[str, dict[str, Any]] = {}
        add: dict[tuple[str, str], Pluggable] = {}
        for name, port in moves.items():
            link, old = links[name], cable[made.cabling.cable_of[name]]
            alike = [each for each in links.values() if cable[made.cabling.cable_of[each.name]].medium == old.medium]
            longest = max(alike, key=lambda each: cable[made.cabling.cable_of[each.name]].length_m)
            new, pattern = cable[made.cabling.cable_of[longest.name]], rows[longest.b.device, longest.b.port]
            cables[old.name] = {"part": new.part, "family": new.family, "length_m": new.length_m}
            for end in (link.a, port):
                if end.device.startswith(("leaf", "spine")):
                    rows[end.device, end.port] = replace(pattern, device=end.device, port=end.port)
            if (port.device, port.cage) not in module and (link.b.device, link.b.cage) in module:
                part = module[link.b.device, link.b.cage]
                add[port.device, port.cage] = Pluggable(port.device, port.cage, part)
        used = {(end.device, end.cage) for link in moved.topology.links for end in (link.a, link.b)}
        moved = self.pluggables(moved, add.values(), [cage for cage in module if cage not in used])
        moved = self.loose(self.cables(moved, cables))
        return replace(moved, settings=replace(moved.settings, lossless=tuple(rows.values())))

    @staticmethod
    def part(catalog: Catalog, kind: str, key: str, **fields: object) -> Catalog:
        """The catalog with fields of one part changed."""
        parts = getattr(catalog, kind)
        return replace(catalog, **{kind: {**parts, key: parts[key].model_copy(update=fields)}})


@pytest.fixture(scope="session")
def edit() -> Edit:
    """Ways to break a design."""
    return Edit()
