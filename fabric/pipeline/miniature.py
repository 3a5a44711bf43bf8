"""What a link of a shape costs by its length, read from small fabrics of the same models, ports and trunks.

Their cages are filled in the same ways as those of the shape, so every component of the shape has a like among theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError
from fabric.floorplan.routes import Routes
from fabric.layout.market import Shop, open_market
from fabric.layout.price_table import PriceTable, least_table, link_tables
from fabric.model.floorplan import FloorPlan, Rack, Slack
from fabric.model.request import Goal, Request
from fabric.model.shape import FatTreeShape
from fabric.topology import port_map
from fabric.topology.size import Size

MINIATURE_NODES = 4
"""Nodes per unit of a small fabric: enough to fill a cage of four ports."""


class Miniatures:
    """Small fabrics of the shapes of one request, each bought once by each goal."""

    def __init__(self, request: Request, size: Size, catalog: Catalog, slack: Slack) -> None:
        self._request = request
        self._size = size
        self._catalog = catalog
        self._routes = Routes(FloorPlan(racks=(Rack(name="R", x_m=0.0, y_m=0.0),), slack_per_end_m=slack))
        self._shops: dict[Goal, Shop] = {}
        self._known: dict[tuple[tuple[FatTreeShape, ...], Goal], Mapping[str, PriceTable]] = {}

    def of(self, shape: FatTreeShape) -> tuple[FatTreeShape, ...]:
        """Small fabrics with the same models, ports and ways to fill a cage.

        A trunk of whole cages fills them all the same way. Any other one fills some as its remainder does, and, when it
        is long enough, others as whole cages. As many spines and units as a cage has ports can fill every cage.
        """
        nodes = min(shape.unit_nodes, MINIATURE_NODES)
        down = shape.down_ports * nodes // shape.unit_nodes
        small = replace(shape, unit_nodes=nodes, down_ports=down, extra_ports=0)
        if shape.spine_part is None:
            return (small,)
        per_cage = self._uplinks_per_cage(shape)
        side = max(2, per_cage)
        longest, rest = -(-shape.uplinks // shape.spines), shape.uplinks % (shape.spines * per_cage)
        trunks = range(1, min(longest, per_cage) + 1) if rest else (per_cage,)
        return tuple(
            replace(small, units=min(shape.units, side), uplinks=side * links, last_uplinks=side * links, spines=side)
            for links in trunks
        )

    def tables(self, small: tuple[FatTreeShape, ...], goal: Goal) -> Mapping[str, PriceTable]:
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

    def _uplinks_per_cage(self, shape: FatTreeShape) -> int:
        """Most uplinks in one cage, at either end."""
        parts = [part for part in (shape.leaf_part, shape.spine_part) if part is not None]
        return max(self._catalog.switches[part].ports_per_cage(shape.uplink_gbps) for part in parts)

    def _sold(self, small: FatTreeShape, goal: Goal) -> Iterator[tuple[str, PriceTable]]:
        """Tables of the links of a small fabric, with their kind."""
        for shape, size, request in self._peopled(small, goal):
            topology = port_map.build(shape, request, size, self._catalog)
            shop = self._shops.setdefault(goal, Shop(request, self._catalog, self._routes))
            market = open_market(topology, request, self._catalog, self._routes, shop)
            for group, options in zip(market.graph.groups, market.ways, strict=True):
                for table, links in link_tables(options):
                    yield from ((kind, table) for kind in {group.shape.joints[link].kind: None for link in links})

    def _peopled(self, small: FatTreeShape, goal: Goal) -> Iterator[tuple[FatTreeShape, Size, Request]]:
        """A small shape full of nodes; if the request attaches endpoints also one in which they stand for a node.

        On two more ports of each leaf and on the ports of the last node, they share cages with nodes and each other.
        """
        nodes = small.units * small.unit_nodes
        size = replace(self._size, nodes=nodes, spare_nodes=0, growth_nodes=nodes, attached_ports=0)
        request = self._request.model_copy(update={"attached": (), "objective": (goal,)})
        yield small, size, request
        if self._request.attached:
            ports = 2 * small.leaves_total + small.node_ports * small.planes
            one = self._request.attached[0].model_copy(update={"count": ports, "ports": 1})
            wider = replace(small, extra_ports=2, down_ports=small.down_ports + 2)
            yield (
                wider,
                replace(size, nodes=nodes - 1, attached_ports=ports),
                request.model_copy(update={"attached": (one,)}),
            )
