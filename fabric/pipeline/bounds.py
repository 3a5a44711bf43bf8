"""Lower bounds on the value of a shape before it is laid out, and after its places are known.

A shape's switches are exact. The links of a leaf to its nodes weigh at least what they do to the places of nodes
nearest to the rack that suits the leaf best. Trunks are bounded by counting, without places. Let every plane have L
leaves and S spines, every rack room for c switches, l and y of them leaves and spines of one plane. The pairs in one
rack are l y, and on l, y >= 0, l + y <= c

    l y  <=  c (1 - t)^2 l  +  c t^2 y        for any t,

the tangent plane of c l y / (l + y), which is concave. The sum over racks at t = L / (L + S) is c L S / (L + S): no
more than the share c / (L + S) of all pairs stand in one rack. And in a rack with its n nearest others are no more
than (n + 1) c spines for a leaf there, and leaves for a spine: no more than the share (n + 1) c / max(L, S) of the
pairs are as near as that. All other trunks are as long as the way to the next rack.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np

from fabric.catalog.load import Catalog
from fabric.catalog.scale import Scale
from fabric.errors import InfeasibleError
from fabric.layout.housing import node_housing, switch_space
from fabric.layout.ladder import UNREACHABLE_COST, Metres, Whole
from fabric.layout.near import Nearness
from fabric.layout.price_table import PriceTable, least_table
from fabric.layout.waiting import Value
from fabric.model.floorplan import FloorPlan, Slack
from fabric.model.outline import Outline
from fabric.model.placement import Placement
from fabric.model.request import Goal, Request
from fabric.model.shape import MeshShape, Shape
from fabric.model.tree_shape import FatTreeShape
from fabric.pipeline.alike import Alike
from fabric.pipeline.miniature import Miniatures
from fabric.pipeline.objective import Objective
from fabric.topology._protocol import FAMILIES
from fabric.topology.size import Size
from fabric.topology.trunks import longest_trunk


class ShapeBound:
    """Lower bounds on what a shape can be worth, one by each goal; together they bound its value in their order."""

    def __init__(
        self, request: Request, size: Size, catalog: Catalog, objective: Objective, plan: FloorPlan | None
    ) -> None:
        self._request = request
        self._size = size
        self._catalog = catalog
        self._scales = objective.scales
        housing = node_housing(size.system_key, size.system, request.planning)
        self._near = Nearness(plan, housing)
        self._miniatures = Miniatures(request, size, catalog, plan.slack_per_end_m if plan is not None else Slack())
        self._nodes_m: dict[tuple[int, int], Metres] = {}
        self._to_nodes: dict[tuple[tuple[Shape, ...], Goal], Whole] = {}
        self._of_mesh: dict[tuple[tuple[Shape, ...], Goal, tuple[str, ...]], PriceTable] = {}
        self._racks_m = cache(self._near.racks_m)
        self._room = cache(self._room_of)
        self.alike = Alike(request, catalog, housing, self._near.racks)

    def __call__(self, shape: Shape) -> Value:
        """Switches, and every link at its least.

        Raises:
            InfeasibleError: no part makes some link.
        """
        return tuple(_switches(shape, scale) + self._links(shape, scale.goal) for scale in self._scales)

    def switches(self, shape: Shape | Outline) -> Value:
        """Switches alone, also of an outline: below what `__call__` says, and much quicker."""
        return tuple(_switches(shape, scale) for scale in self._scales)

    def outlined(self, shape: Shape | Outline) -> Value:
        """As `switches`, with the links that an outline tells of at their shortest where one shape is like all."""
        if isinstance(shape, Outline) and shape.like is not None:
            with suppress(InfeasibleError):
                scales = self._scales
                return tuple(
                    _switches(shape, scale) + self._outline_links(shape, shape.like, scale.goal) for scale in scales
                )
        return self.switches(shape)

    def _outline_links(self, outline: Outline, like: Shape, goal: Goal) -> int:
        """Least weight of links that every shape of an outline has."""
        small = self._miniatures.of(self.alike(like))
        tables = self._miniatures.tables(small, goal)
        least = min(int(table.step_cost[0]) for kind, table in tables.items() if kind in like.switch_links)
        return self._ends(like, small, goal) + outline.uplinks_total * least

    def with_places(self, shape: Shape, placement: Placement) -> Value:
        """Switches, and every link at what the proved bound on the places says; places follow the first goal."""
        first, *later = self(shape)
        proof = placement.termination
        proved = _switches(shape, self._scales[0]) + proof.bound if proof is not None else first
        return max(first, proved), *later

    def _links(self, shape: Shape, goal: Goal) -> int:
        """Least weight of all links."""
        small = self._miniatures.of(self.alike(shape))
        total = self._ends(shape, small, goal) + self._trunks(shape, small, goal)
        if total >= UNREACHABLE_COST:
            raise InfeasibleError("some links are longer than every part that fits, however near their devices stand")
        return total

    def _ends(self, shape: Shape, small: tuple[Shape, ...], goal: Goal) -> int:
        """Least weight of the links of all endpoints; attached ones at their shortest.

        Units are filled in order. Each node of a unit has one link to its leaves for each of its ports and planes.
        """
        full, rest = divmod(self._size.installed_nodes, shape.unit_nodes)
        to_nodes = self._leaf_to_nodes(small, goal)
        nodes = full * int(to_nodes[min(shape.unit_nodes, self._size.installed_nodes)]) + int(to_nodes[rest])
        node_kind = f"node_{shape.tiers[0].role}"
        attached = self._size.attached_ports * int(self._miniatures.tables(small, goal)[node_kind].step_cost[0])
        return shape.node_ports * shape.planes * nodes + attached

    def _leaf_to_nodes(self, small: tuple[Shape, ...], goal: Goal) -> Whole:
        """(nodes + 1,) least weight of one link each from a leaf of such a shape to so many nodes."""
        if (small, goal) not in self._to_nodes:
            edge, rate_gbps = small[0].tiers[0], small[0].node_port_gbps
            most = self._catalog.switches[edge.part].usable_ports(rate_gbps)
            wanted = self._units(edge.part), min(most, self._size.installed_nodes)
            if wanted not in self._nodes_m:
                self._nodes_m[wanted] = self._near.nodes_m(*wanted)
            cost = self._miniatures.tables(small, goal)[f"node_{edge.role}"].cost(self._nodes_m[wanted])
            best = np.cumsum(cost, axis=1).min(axis=0)
            self._to_nodes[small, goal] = np.concatenate([[0], best])
        return self._to_nodes[small, goal]

    def _trunks(self, shape: Shape, small: tuple[Shape, ...], goal: Goal) -> int:
        """Least weight of all links between switches."""
        tables = self._miniatures.tables(small, goal)
        if isinstance(shape, FatTreeShape):
            return self._uplinks(shape, tables["leaf_spine"]) if shape.spines else 0
        kinds = tuple(kind for kind, count in shape.switch_links.items() if count)
        if not kinds:
            return 0
        wanted = small, goal, kinds
        if wanted not in self._of_mesh:
            self._of_mesh[wanted] = least_table([tables[kind] for kind in kinds])
        return self._mesh(shape, self._of_mesh[wanted])

    def _mesh(self, shape: MeshShape, table: PriceTable) -> int:
        """Least weight of links among switches: those of one to as many others as fit its rack and the nearest ones.

        A switch has no more links to k others than its most links to any k; both ends of a link count it. Global
        links may go by whole cages.
        """
        room, switches = self._switches_per_rack(shape), sum(tier.count for tier in shape.tiers)
        links, ties = sum(shape.switch_links.values()), list(shape.ties)
        if FAMILIES[shape.family].joining is not None:
            (most, far), cage = ties.pop(), self._miniatures.links_per_cage(shape)
            ties.append((-(-most // cage) * cage, far))
        ties.sort(reverse=True)
        near = np.repeat([most for most, _ in ties], [others for _, others in ties]).cumsum()
        others = np.arange(1, -(-switches // room) + 1) * room - 1
        reached = np.append(0, near)[np.minimum(others, near.size)]
        units = min(self._units(tier.part) for tier in shape.tiers)
        length_m = np.append(0.0, self._racks_m(units, len(others) - 1))
        near_links = np.minimum(links, switches * reached[: len(length_m)] // 2)
        near_links[-1] = links
        return int(np.diff(near_links, prepend=0) @ table.cost(length_m))

    def _uplinks(self, shape: FatTreeShape, table: PriceTable) -> int:
        """Least weight of all trunks, by how many of them can be how short."""
        leaf, spine = (self._catalog.switches[part or ""] for part in (shape.leaf_part, shape.spine_part))
        links, most_links = shape.uplinks_total, longest_trunk(shape, leaf, spine)
        pairs, larger = shape.leaves * shape.spines, max(shape.leaves, shape.spines)
        room = self._switches_per_rack(shape)
        rings = -(-larger // room)
        near_pairs = np.minimum(pairs, pairs * np.arange(1, rings + 1) * room // larger)
        near_pairs[0] = min(pairs, pairs * room // (shape.leaves + shape.spines))
        units = min(self._units(part) for part in (shape.leaf_part, shape.spine_part) if part is not None)
        length_m = np.append(0.0, self._racks_m(units, rings - 1))
        near_links = np.minimum(links, most_links * shape.planes * near_pairs[: len(length_m)])
        near_links[-1] = links
        return int(np.diff(near_links, prepend=0) @ table.cost(length_m))

    def _switches_per_rack(self, shape: Shape) -> int:
        """Most switches of a shape that any rack holds, by units and by power."""
        return self._room(frozenset(tier.part for tier in shape.tiers))

    def _room_of(self, parts: frozenset[str]) -> int:
        """The same of the smallest and least hungry of some models."""
        spaces = [switch_space(part, self._catalog.switches[part], self._request.planning) for part in parts]
        units, power_w = min(space.units for space in spaces), min(space.power_w for space in spaces)
        most = self._request.placement.max_switches_per_rack
        room = max(int(min(rack.free_units // units, rack.power_w // power_w)) for rack in self._near.racks)
        return max(1, room if most == "auto" else min(room, most))

    def _units(self, part: str) -> int:
        """Height of a switch [U]; the least where it is not known."""
        return int(self._catalog.switches[part].figure("rack_units") or 1)


def _switches(shape: Shape | Outline, scale: Scale) -> int:
    return sum(tier.count * scale.switch(tier.part) for tier in shape.tiers)
