"""Lower bounds on the value of a shape before it is laid out, and after its places are known.

A shape's switches are exact. A link costs at least what the cheapest cable at its shortest costs; that price is read
from a small fabric of the same models, ports and trunk, whose cages are filled the same way.
"""

from __future__ import annotations

from dataclasses import replace

from fabric.catalog.load import Catalog
from fabric.catalog.price import price
from fabric.floorplan.routes import Routes
from fabric.layout.market import open_market
from fabric.layout.price_table import price_tables
from fabric.model.floorplan import FloorPlan, Rack
from fabric.model.placement import Placement
from fabric.model.request import Request
from fabric.model.shape import FatTreeShape
from fabric.pipeline.objective import Objective
from fabric.topology import port_map
from fabric.topology.size import Size

MINIATURE_NODES = 4
"""Nodes per unit of the small fabric: enough to fill a cage of four ports."""


class ShapeBound:
    """Lower bound on the objective of a shape."""

    def __init__(self, request: Request, size: Size, catalog: Catalog, objective: Objective) -> None:
        self._request = request
        self._size = size
        self._catalog = catalog
        self._objective = objective
        self._least: dict[FatTreeShape, dict[str, int]] = {}

    def __call__(self, shape: FatTreeShape) -> int:
        """Switches, and every link at its cheapest."""
        return self._switches(shape) + (self._links(shape) if self._in_money else 0)

    def with_places(self, shape: FatTreeShape, placement: Placement) -> int:
        """Switches, and every link at what the proved bound on the places says."""
        proof = placement.termination
        if proof is None or not self._in_money:
            return self(shape)
        return max(self(shape), self._switches(shape) + proof.bound)

    @property
    def _in_money(self) -> bool:
        return self._request.objective[0] != "power"

    def _switches(self, shape: FatTreeShape) -> int:
        counts = [(shape.leaf_part, shape.leaves_total)]
        if shape.spine_part is not None:
            counts.append((shape.spine_part, shape.spines_total))
        watts = sum(count * (self._catalog.switches[part].max_w or 0.0) for part, count in counts)
        if not self._in_money:
            return int(watts)
        cents = sum(count * price(self._catalog.switches[part], self._catalog).cents for part, count in counts)
        return cents + (self._objective.energy_cents(watts) if self._request.objective[0] == "tco" else 0)

    def _links(self, shape: FatTreeShape) -> int:
        least = self._least_cents(shape)
        nodes = self._size.endpoints * shape.planes + self._size.attached_ports
        return nodes * least["node_leaf"] + shape.uplinks_total * least.get("leaf_spine", 0)

    def _least_cents(self, shape: FatTreeShape) -> dict[str, int]:
        """Cheapest price of a link of every kind, from small fabrics of the same models."""
        least: dict[str, int] = {}
        for small in _miniatures(shape):
            for kind, cents in self._table(small).items():
                least[kind] = min(cents, least.get(kind, cents))
        return least

    def _table(self, small: FatTreeShape) -> dict[str, int]:
        if small not in self._least:
            nodes = small.units * small.unit_nodes
            size = replace(self._size, nodes=nodes, spare_nodes=0, growth_nodes=nodes, attached_ports=0)
            request = self._request.model_copy(update={"attached": ()})
            topology = port_map.build(small, request, size, self._catalog)
            routes = Routes(FloorPlan(racks=(Rack(name="R", x_m=0.0, y_m=0.0),)))
            tables = price_tables(open_market(topology, request, self._catalog, routes))
            self._least[small] = {kind: int(table.step_cost.min()) for kind, table in tables.items()}
        return self._least[small]


def _miniatures(shape: FatTreeShape) -> tuple[FatTreeShape, ...]:
    """Fabrics of two units and two spines with the same models, ports and ways to fill a cage.

    Trunks of an even number of links fill both cages of a pair; single links never do; longer odd trunks do both.
    """
    nodes = min(shape.unit_nodes, MINIATURE_NODES)
    down = shape.down_ports * nodes // shape.unit_nodes
    small = replace(shape, unit_nodes=nodes, down_ports=down, extra_ports=0)
    if not shape.spines:
        return (small,)
    trunk, rest = divmod(shape.uplinks, shape.spines)
    trunks = {1, 2} if rest or (trunk % 2 and trunk > 1) else {2 - trunk % 2}
    return tuple(
        replace(small, units=min(shape.units, 2), uplinks=2 * links, last_uplinks=2 * links, spines=2)
        for links in sorted(trunks)
    )
