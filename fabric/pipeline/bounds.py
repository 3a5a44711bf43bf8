"""Lower bounds on the value of a shape before it is laid out, and after its places are known.

A shape's switches are exact. A link weighs at least what the best cable at its shortest does; that weight is read
from a small fabric of the same models, ports and trunk, whose cages are filled the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabric.catalog.load import Catalog
from fabric.catalog.scale import Scale
from fabric.floorplan.routes import Routes
from fabric.layout.market import Shop, open_market
from fabric.layout.price_table import price_tables
from fabric.layout.search import Value
from fabric.model.floorplan import FloorPlan, Rack
from fabric.model.placement import Placement
from fabric.model.request import Goal, Request
from fabric.model.shape import FatTreeShape
from fabric.pipeline.objective import Objective
from fabric.topology import port_map
from fabric.topology.size import Size

MINIATURE_NODES = 4
"""Nodes per unit of the small fabric: enough to fill a cage of four ports."""

ONE_RACK = Routes(FloorPlan(racks=(Rack(name="R", x_m=0.0, y_m=0.0),)))
"""Where the small fabric stands: its prices are those of the shortest cables, wherever they run."""


class ShapeBound:
    """Lower bounds on what a shape can be worth, one by each goal; together they bound its value in their order."""

    def __init__(self, request: Request, size: Size, catalog: Catalog, objective: Objective) -> None:
        self._request = request
        self._size = size
        self._catalog = catalog
        self._scales = objective.scales
        self._shops: dict[Goal, Shop] = {}
        self._least: dict[tuple[FatTreeShape, Goal], dict[str, int]] = {}

    def __call__(self, shape: FatTreeShape) -> Value:
        """Switches, and every link at its least."""
        return tuple(_switches(shape, scale) + self._links(shape, scale) for scale in self._scales)

    def switches(self, shape: FatTreeShape) -> Value:
        """Switches alone: below what `__call__` says, and much quicker."""
        return tuple(_switches(shape, scale) for scale in self._scales)

    def with_places(self, shape: FatTreeShape, placement: Placement) -> Value:
        """Switches, and every link at what the proved bound on the places says; places follow the first goal."""
        first, *later = self(shape)
        proof = placement.termination
        proved = _switches(shape, self._scales[0]) + proof.bound if proof is not None else first
        return max(first, proved), *later

    def _links(self, shape: FatTreeShape, scale: Scale) -> int:
        least = self._least_of(shape, scale)
        nodes = self._size.endpoints * shape.planes + self._size.attached_ports
        return nodes * least["node_leaf"] + shape.uplinks_total * least.get("leaf_spine", 0)

    def _least_of(self, shape: FatTreeShape, scale: Scale) -> dict[str, int]:
        """Least cost of a link of every kind, from small fabrics of the same models."""
        least: dict[str, int] = {}
        for small in _miniatures(shape, self._uplinks_per_cage(shape)):
            for kind, cost in self._table(small, scale.goal).items():
                least[kind] = min(cost, least.get(kind, cost))
        return least

    def _uplinks_per_cage(self, shape: FatTreeShape) -> int:
        """Most uplinks in one cage, at either end."""
        parts = [part for part in (shape.leaf_part, shape.spine_part) if part is not None]
        return max(self._catalog.switches[part].ports_per_cage(shape.uplink_gbps) for part in parts)

    def _table(self, small: FatTreeShape, goal: Goal) -> dict[str, int]:
        if (small, goal) not in self._least:
            least: dict[str, int] = {}
            for shape, size, request in self._peopled(small, goal):
                topology = port_map.build(shape, request, size, self._catalog)
                shop = self._shops.setdefault(goal, Shop(request, self._catalog, ONE_RACK))
                for kind, table in price_tables(open_market(topology, request, self._catalog, ONE_RACK, shop)).items():
                    cost = int(table.step_cost.min())
                    least[kind] = min(cost, least.get(kind, cost))
            self._least[small, goal] = least
        return self._least[small, goal]

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


def _switches(shape: FatTreeShape, scale: Scale) -> int:
    weight = shape.leaves_total * scale.switch(shape.leaf_part)
    return weight + (shape.spines_total * scale.switch(shape.spine_part) if shape.spine_part is not None else 0)


def _miniatures(shape: FatTreeShape, per_cage: int) -> tuple[FatTreeShape, ...]:
    """Small fabrics with the same models, ports and ways to fill a cage of `per_cage` uplinks.

    A trunk of whole cages fills them all the same way. Any other one fills some as its remainder does, and, when it is
    long enough, others as whole cages. As many spines and units as a cage has ports can fill every cage.
    """
    nodes = min(shape.unit_nodes, MINIATURE_NODES)
    down = shape.down_ports * nodes // shape.unit_nodes
    small = replace(shape, unit_nodes=nodes, down_ports=down, extra_ports=0)
    if shape.spine_part is None:
        return (small,)
    side = max(2, per_cage)
    longest, rest = -(-shape.uplinks // shape.spines), shape.uplinks % (shape.spines * per_cage)
    trunks = range(1, min(longest, per_cage) + 1) if rest else (per_cage,)
    return tuple(
        replace(small, units=min(shape.units, side), uplinks=side * links, last_uplinks=side * links, spines=side)
        for links in trunks
    )
