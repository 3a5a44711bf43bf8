"""What a link of a shape costs by its length, read from small fabrics of the same models, ports and trunks.

Their cages are filled in the same ways as those of the shape, so every component of the shape has a like among theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError
from fabric.floorplan.routes import in_one_rack
from fabric.layout.market import Shop, open_market
from fabric.layout.price_table import PriceTable, least_table, link_tables
from fabric.model.dragonfly_shape import DragonflyPlusShape, DragonflyShape
from fabric.model.floorplan import Slack
from fabric.model.request import Goal, Request
from fabric.model.shape import Shape
from fabric.model.torus_shape import TorusShape
from fabric.model.tree_shape import FatTreeShape, PodTreeShape
from fabric.topology._protocol import FAMILIES
from fabric.topology.size import Size

MINIATURE_NODES = 4
"""Nodes per unit of a small fabric: enough to fill a cage of four ports."""


class Miniatures:
    """Small fabrics of the shapes of one request, each bought once by each goal."""

    def __init__(self, request: Request, size: Size, catalog: Catalog, slack: Slack) -> None:
        self._request = request
        self._size = size
        self._catalog = catalog
        self._routes = in_one_rack(slack)
        self._shops: dict[Goal, Shop] = {}
        self._across = cache(lambda small: tuple(self._pods_across(small)))
        self._known: dict[tuple[tuple[Shape, ...], Goal], Mapping[str, PriceTable]] = {}

    def of(self, shape: Shape) -> tuple[Shape, ...]:
        """Small fabrics with the same models, ports and ways to fill a cage."""
        nodes = min(shape.unit_nodes, MINIATURE_NODES)
        small = replace(shape, unit_nodes=nodes, down_ports=shape.down_ports * nodes // shape.unit_nodes, extra_ports=0)
        if isinstance(small, FatTreeShape):
            return tuple(self._trees(small))
        if isinstance(small, PodTreeShape):
            return tuple(self._pods(small))
        if isinstance(small, DragonflyPlusShape):
            return self._across(replace(small, units=1, units_per_pod=1, spines=1, trunk=1, group_links=1))
        return tuple(self._dragonflies(small) if isinstance(small, DragonflyShape) else self._tori(small))

    def _trees(self, small: FatTreeShape) -> Iterator[FatTreeShape]:
        """Trees with every trunk that can fill a cage as those of a shape do.

        A trunk of whole cages fills them all the same way. Any other one fills some as its remainder does, and, when it
        is long enough, others as whole cages. As many spines and units as a cage has ports can fill every cage.
        """
        if small.spine_part is None:
            yield small
            return
        per_cage = self.links_per_cage(small)
        side = max(2, per_cage)
        longest, rest = -(-small.uplinks // small.spines), small.uplinks % (small.spines * per_cage)
        for links in range(1, min(longest, per_cage) + 1) if rest else (per_cage,):
            ups = side * links
            yield replace(small, units=min(small.units, side), uplinks=ups, last_uplinks=ups, spines=side)

    def _pods(self, small: PodTreeShape) -> Iterator[PodTreeShape]:
        """Three tiers with trunks of one link and of whole cages; as many ends as a cage has ports, at both."""
        side = max(2, self.links_per_cage(small))
        per_pod = -(-side // small.leaves_per_unit)
        pods = replace(small, units=side * per_pod, units_per_pod=per_pod, spines=side, spines_per_core=1)
        for trunk, core_trunk in product((1, side), repeat=2):
            yield replace(pods, trunk=trunk, cores_per_spine=side, core_trunk=core_trunk)

    def _pods_across(self, small: DragonflyPlusShape) -> Iterator[DragonflyPlusShape]:
        """Groups of leaves and spines with trunks and global links alone in a cage and of whole cages."""
        side = max(2, self.links_per_cage(small))
        per_group = -(-side // small.leaves_per_unit)
        groups = replace(small, units=(side + 1) * per_group, units_per_pod=per_group, spines=side)
        for trunk, between in product((1, side), (1, side * side * side)):
            yield replace(groups, trunk=trunk, group_links=between)

    def _dragonflies(self, small: DragonflyShape) -> Iterator[DragonflyShape]:
        """Dragonflies whose links fill cages two by two and alone, each kind in every way.

        With a router more in a group, and a group more, than a cage has ports, the links of a cage may all end apart.
        """
        per_cage = self.links_per_cage(small)
        side = max(2, per_cage) + 1
        per_group = -(-side // small.leaves_per_unit)
        routers = per_group * small.leaves_per_unit
        for local, between in product((1, per_cage), (1, per_cage * routers * routers)):
            width = local if routers > 1 else 0
            wider = replace(small, local_width=width, group_links=between)
            yield replace(wider, units=side * per_group, units_per_group=per_group)

    def _tori(self, small: TorusShape) -> Iterator[TorusShape]:
        """Tori whose links fill cages two by two and alone; a router has as many neighbours as a cage has ports."""
        per_cage = self.links_per_cage(small)
        axes = max(2, -(-per_cage // 2))
        while 3**axes < small.leaves_per_unit:
            axes += 1
        units = 3**axes // small.leaves_per_unit
        for width in dict.fromkeys((1, per_cage)):
            yield replace(small, sizes=(3,) * axes, widths=(width,) * axes, units=units)

    def tables(self, small: tuple[Shape, ...], goal: Goal) -> Mapping[str, PriceTable]:
        """By kind the least that a link costs in any of the small fabrics, so that no link of their shape costs less.

        Raises:
            InfeasibleError: no part makes some link of any of them.
        """
        if (small, goal) not in self._known:
            sold: dict[str, list[PriceTable]] = {}
            refusal: InfeasibleError | None = None
            for shape in small:
                try:
                    found = list(self._sold(shape, goal))
                except InfeasibleError as error:
                    refusal = error
                    continue
                for kind, table in found:
                    sold.setdefault(kind, []).append(table)
            if refusal is not None and not sold:
                raise refusal
            self._known[small, goal] = {kind: least_table(tables) for kind, tables in sold.items()}
        return self._known[small, goal]

    def links_per_cage(self, shape: Shape) -> int:
        """Most links between switches in one cage, at either end."""
        return max(self._catalog.switches[tier.part].ports_per_cage(shape.uplink_gbps) for tier in shape.tiers)

    def _sold(self, small: Shape, goal: Goal) -> Iterator[tuple[str, PriceTable]]:
        """Tables of the links of a small fabric, with their kind."""
        for shape, size, request in self._peopled(small, goal):
            topology = FAMILIES[shape.family].build(shape, request, size, self._catalog)
            shop = self._shops.setdefault(goal, Shop(request, self._catalog, self._routes))
            market = open_market(topology, request, self._catalog, self._routes, shop)
            for group, options in zip(market.graph.groups, market.ways, strict=True):
                for table, links in link_tables(options):
                    yield from ((kind, table) for kind in {group.shape.joints[link].kind: None for link in links})

    def _peopled(self, small: Shape, goal: Goal) -> Iterator[tuple[Shape, Size, Request]]:
        """A small shape full of nodes; if the request attaches endpoints also one in which they stand for a node.

        On two more ports of each leaf and on the ports of the last node, they share cages with nodes and each other.
        """
        nodes = small.units * small.unit_nodes
        size = replace(self._size, nodes=nodes, spare_nodes=0, growth_nodes=nodes, attached_ports=0)
        request = self._request.model_copy(update={"attached": (), "objective": (goal,)})
        yield small, size, request
        if self._request.attached:
            ports = 2 * small.tiers[0].count + small.node_ports * small.planes
            one = self._request.attached[0].model_copy(update={"count": ports, "ports": 1})
            wider = replace(small, extra_ports=2, down_ports=small.down_ports + 2)
            yield (
                wider,
                replace(size, nodes=nodes - 1, attached_ports=ports),
                request.model_copy(update={"attached": (one,)}),
            )
