"""Switch models that differ in nothing that places and cables depend on: name, price, chip, or watts of no effect."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache

from fabric.catalog.load import Catalog
from fabric.catalog.parts import Cages
from fabric.layout.housing import switch_space
from fabric.layout.nodes import node_capacity, node_space
from fabric.layout.rack_space import UNLIMITED_W, RackSpace
from fabric.model.placement import NodeHousing
from fabric.model.request import Request
from fabric.model.shape import Shape


class Alike:
    """Which switch models of a catalog are alike for one request in the racks of its hall."""

    def __init__(self, request: Request, catalog: Catalog, housing: NodeHousing, racks: Sequence[RackSpace]) -> None:
        self._request = request
        self._catalog = catalog
        self._weighs_power = set(request.objective) != {"capex"}
        self._rooms_w = _rooms_w(housing, racks)
        self._kinds = tuple({(space.rack.cooling, space.rack.feed): space for space in racks}.values())
        self._hungriest_w = max(
            [0.0, *(part.figure("max_w") or 0.0 for part in catalog.transceivers.values())]
            + [end.power_w or 0.0 for part in catalog.cables.values() for end in (part.head, *part.tails)]
        )
        self._counts_numbers = request.limits.part_numbers is not None
        self._first: dict[Hashable, str] = {}
        self._model = cache(self._first_like)

    def __call__(self, shape: Shape) -> Shape:
        """The shape with the first models asked for that are like its own, and as many where numbers are counted.

        Both have the same links and places, and what is bought to link them weighs the same.

        Raises:
            InputError: as `switch_space` does.
        """
        rates = shape.node_port_gbps, shape.uplink_gbps
        alike = shape.with_parts(lambda key: self._model(key, rates))
        models, others = ({tier.part for tier in each.tiers} for each in (shape, alike))
        return shape if self._counts_numbers and len(models) != len(others) else alike

    def _first_like(self, key: str, rates_gbps: tuple[int, ...]) -> str:
        part = self._catalog.switches[key]
        space = switch_space(key, part, self._request.planning)
        ports = ((part.ports_per_cage(rate), part.usable_ports(rate), part.port_lane_gbps(rate)) for rate in rates_gbps)
        body = (
            *(part.link_layer, part.co_packaged, self._weighs_power and part.counts_optics, *ports),
            *(part.cages.count, part.cages.form_factor, part.cages.top, part.cages.lanes, *self._limits_w(part.cages)),
            *(space.units, self._fitting(space.power_w), tuple(kind.suits(space) for kind in self._kinds)),
        )
        return self._first.setdefault(body, key)

    def _limits_w(self, cages: Cages) -> list[tuple[int, float]]:
        """Limits on the power in a cage (0: any cage) that keep some part of the catalog out."""
        limits_w = {0: cages.max_power_w, **cages.high_power}
        return [
            (cage, most_w) for cage, most_w in limits_w.items() if most_w is not None and most_w < self._hungriest_w
        ]

    def _fitting(self, power_w: float) -> Hashable:
        """For how many switches of such a power each room suffices; the power where other devices share the rooms."""
        return power_w if self._request.attached else tuple(room_w // power_w for room_w in self._rooms_w)


def _rooms_w(housing: NodeHousing, racks: Sequence[RackSpace]) -> tuple[float, ...]:
    """Every power [W] that nodes, however many, leave to the switches of an empty rack."""
    kinds = {(space.power_w, node_capacity(space, housing)) for space in racks if space.power_w != UNLIMITED_W}
    node_w = node_space(housing).power_w
    return tuple(sorted({all_w - nodes * node_w for all_w, most in kinds for nodes in range(most + 1)}))
