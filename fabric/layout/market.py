"""The market of one topology: its components, and every way to buy each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabric.catalog.load import Catalog
from fabric.catalog.scale import scales_of
from fabric.errors import Conflict, InfeasibleError
from fabric.floorplan.routes import Routes
from fabric.layout.cage import EndSpec
from fabric.layout.component import CageGraph, Shape, cage_graph
from fabric.layout.menu import Menu
from fabric.layout.offer import Terms
from fabric.layout.purchase import Way, ways
from fabric.layout.used_cages import used_cages
from fabric.model.request import Request
from fabric.model.topology import NODE_KINDS, Topology


class Shop:
    """What is on offer for one request from one catalog with one slack; a shape is worked out once, whoever asks."""

    def __init__(self, request: Request, catalog: Catalog, routes: Routes) -> None:
        self.layer = request.fabric.part_layer
        self.menu = Menu(Terms(catalog, self.layer, routes.slack_m, scales_of(request, catalog)))
        self._ways: dict[tuple[Shape, tuple[tuple[str, tuple[str, ...]], ...]], tuple[Way, ...]] = {}

    def ways(self, shape: Shape, media: Mapping[str, tuple[str, ...]]) -> tuple[Way, ...]:
        """Every way to buy `shape` with the `media` that each kind of its links allows."""
        wanted = (shape, tuple(sorted(media.items())))
        if wanted not in self._ways:
            self._ways[wanted] = ways(shape, self.menu, media)
        return self._ways[wanted]


@dataclass(frozen=True, slots=True)
class Market:
    """The cage graph, and the ways of each of its groups in order."""

    graph: CageGraph
    ways: tuple[tuple[Way, ...], ...]


def open_market(
    topology: Topology, request: Request, catalog: Catalog, routes: Routes, shop: Shop | None = None
) -> Market:
    """Every way to buy the links of `topology`.

    Args:
        topology: devices and links.
        request: media that it allows.
        catalog: parts on offer.
        routes: for the slack at both ends.
        shop: that of the request, the catalog and the routes, where several topologies buy.

    Raises:
        InfeasibleError: when some links cannot be made by any part, with the reasons per medium.
    """
    shop = shop or Shop(request, catalog, routes)
    graph = cage_graph(topology.links, used_cages(topology, catalog, shop.layer))
    rules = {kind: media_rule(request, kind) for kind in {link.kind for link in topology.links}}
    allowed = {kind: rule[1] for kind, rule in rules.items()}
    found = tuple(shop.ways(group.shape, allowed) for group in graph.groups)
    conflicts = [
        conflict
        for group, options in zip(graph.groups, found, strict=True)
        if not options
        for conflict in _conflicts(group.shape, shop.menu, rules)
    ]
    if conflicts:
        raise InfeasibleError("some links have no assembly", conflict=tuple(dict.fromkeys(conflicts)))
    return Market(graph, found)


def media_rule(request: Request, kind: str) -> tuple[str, tuple[str, ...]]:
    """The key of the request that rules the media of a kind of link, and what it allows."""
    layer = "node_leaf" if kind in NODE_KINDS else "leaf_spine"
    return f"fabric.media.{layer}", getattr(request.fabric.media, layer)


def _conflicts(shape: Shape, menu: Menu, rules: Mapping[str, tuple[str, Sequence[str]]]) -> list[Conflict]:
    """One conflict per pair of ends: the parts that each medium has, and what keeps them out."""
    pairs: dict[tuple[EndSpec, EndSpec, str], None] = dict.fromkeys(
        (shape.ends[joint.a], shape.ends[joint.b], joint.kind) for joint in shape.joints
    )
    tied = f"{len(shape.joints)} links tie {len(shape.ends)} cages together"
    found = []
    for a, b, kind in pairs:
        key, media = rules[kind]
        reasons = [f"{medium}: {text}" for medium, text in menu.refusals(a, b, media)]
        found.append(Conflict(key, ", ".join(media), f"{a} <-> {b}, {tied}; {'; '.join(reasons)}"))
    return found
