"""The shape of a torus."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fabric.model.edge_shape import RouterShape
from fabric.model.tier import Tier, switches_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TorusShape(RouterShape):
    """Routers on a grid that closes in every dimension; every count is of one plane unless it says total.

    The grid may have routers without nodes. `widths` are the links to the next router in each dimension, which a ring
    of two has once.
    """

    family: ClassVar[str] = "torus"

    sizes: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def routers(self) -> int:
        """Routers of one plane."""
        return math.prod(self.sizes)

    @property
    def neighbour_ports(self) -> int:
        """Ports of a router for links to others."""
        return sum(width * min(size - 1, 2) for size, width in zip(self.sizes, self.widths, strict=True))

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The routers of all planes."""
        return (Tier("router", self.router_part, self.routers * self.planes),)

    @property
    def switch_links(self) -> Mapping[str, int]:
        """Links between routers of all planes."""
        return {"torus": self.routers * self.neighbour_ports // 2 * self.planes}

    @property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Links of a router to each of its neighbours, and how many of these have so many."""
        return tuple((width, min(size - 1, 2)) for size, width in zip(self.sizes, self.widths, strict=True))

    @property
    def summary(self) -> Mapping[str, str | int]:
        """Model and number of routers, sizes, and nodes of a unit."""
        own: dict[str, str | int] = {"sizes": "x".join(map(str, self.sizes)), "wiring": self.wiring}
        return switches_of(self.tiers) | own | {"unit_nodes": self.unit_nodes}
