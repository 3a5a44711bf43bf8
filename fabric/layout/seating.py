"""What placement asks of a search for the sites of switches, and what every such search starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fabric.floorplan.routes import Routes
from fabric.layout.ladder import UNREACHABLE_COST
from fabric.layout.lots import Lots
from fabric.layout.naming import Named
from fabric.layout.site_costs import Stands, own_costs, stands
from fabric.layout.sites import Site
from fabric.layout.transport import Bools, Ints
from fabric.layout.wiring import LeafGroup, Spots, Trunks, Wiring, leaf_groups
from fabric.model.placement import DeviceSpace


class Seating(Protocol):
    """Switches that wait for sites."""

    @property
    def fits(self) -> bool:
        """Whether all of them find a site."""

    @property
    def method(self) -> str:
        """How sites are found and bounded."""

    @property
    def fixed(self) -> str:
        """What is taken as given of the slots."""

    @property
    def is_reached(self) -> bool:
        """Whether the nodes are within reach of every site."""

    @property
    def dearest_within_reach(self) -> int:
        """More than this costs nothing whose trunks all have a cable."""

    @property
    def first_work(self) -> int:
        """Work below which every search ends alike; 0 if unknown."""

    def first_look(self) -> Ints:
        """(sites,) switches by a few starts."""

    def search(self, work_limit: int) -> tuple[tuple[Named, ...], int]:
        """The best sites found within so much work, switch by switch, and a bound on what any cost."""


@dataclass(frozen=True)
class Ground:
    """What switches find when they look for sites.

    Attributes:
        wires: devices and ends of links.
        lots: every link in one of them.
        trunks: those between leaves and spines.
        sites: slots for switches.
        spaces: space of one switch of each role.
        spots: places of all other devices by number.
        routes: the floor plan, measured.
        own_rack: whether leaves and routers keep to the racks of their nodes.
        start: (devices,) site of each switch from which on better ones are looked for, if these are known.
    """

    wires: Wiring
    lots: Sequence[Lots]
    trunks: Trunks
    sites: Sequence[Site]
    spaces: Mapping[str, DeviceSpace]
    spots: Spots
    routes: Routes
    own_rack: bool
    start: Ints | None = None


@dataclass(frozen=True)
class Edges:
    """Leaves or routers by group, and what they cost by themselves.

    `own` is (groups, sites), the cost of the lots below one of them; `allowed` (groups, sites) where it may stand and
    reaches its nodes.
    """

    groups: tuple[LeafGroup, ...]
    at: Stands
    own: Ints
    allowed: Bools


def edges_on(ground: Ground) -> Edges:
    """The leaves or routers of a topology on some ground."""
    wires = ground.wires
    groups = leaf_groups(wires, ground.lots, ground.trunks, ground.spots)
    at = stands(ground.sites, ground.spaces)
    role = wires.devices[wires.leaves[0]].role if wires.leaves else "leaf"
    own = own_costs(groups, at, ground.routes)
    allowed = np.array([[role in site.roles for site in ground.sites]] * len(groups), dtype=np.bool_)
    if ground.own_rack:
        for row, group in enumerate(groups):
            racks = [below.spots.rack.ravel() for below in group.hangings]
            allowed[row] &= np.isin(at.rack, np.concatenate(racks)) if racks else True
    return Edges(groups, at, own, allowed & (own < UNREACHABLE_COST))
