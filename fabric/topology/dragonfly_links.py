"""How many links a dragonfly's groups and routers may have, and at least want.

Per plane, with p down ports, w local links to each other router of a group of a and m links between any two of g
groups, a router of R ports has

    p + w (a - 1) + m (g - 1) / a  <=  R,

each of the three in whole cages. Uniform all-to-all at θ of line rate puts d = θ p² r / (N - 1) on the way from router
to router, r node rate over link rate, N endpoints. A shape is worth a look only if

    m >= d a²                            the links between two full groups carry what these exchange;
    w (a - 1) >= d far                   far routers of other groups have no link here and need a local hop at least;
    w (a - 1) + h >= d (R - 1 + far)     and two hops in all; far = R - a - min(h, R - a) of R routers, h = m (g - 1)/a.

The last unit may be part-filled, so d and R are those of full routers, and d is spread over all.

These bounds are necessary. Source: kim-dragonfly-2008 for the family; loads counted.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from fabric.catalog.parts import Switch
from fabric.model.dragonfly_shape import DragonflyShape, global_ports, share_of_last
from fabric.model.request import Request
from fabric.topology.size import Size
from fabric.topology.uniform import theta_asked

FEWEST_GROUPS = 2
"""A single group is a full mesh and no dragonfly."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Links:
    """Ports, and uniform traffic, of a plane of groups.

    Attributes:
        routers: of a full group.
        last: routers of the last group.
        groups: in all.
        cages: of a router, without those of its down ports.
        per_cage: links of a cage.
        full: routers of full units, which come before the others.
        per_pair: what uniform traffic at the floor puts on the way from router to router, in links' worth.
        ports_asked: global ports of a router, if the request fixes them.
    """

    routers: int
    last: int
    groups: int
    cages: int
    per_cage: int
    full: int
    per_pair: float
    ports_asked: int | None

    def widths(self) -> range:
        """Local links between two routers that leave room for one link between any two groups."""
        if self.routers == 1:
            return range(self._room(0) >= global_ports(1, self.groups, 1, 1))
        wanted = global_ports(1, self.groups, self.routers, self.last)
        most = range(1, self.cages * self.per_cage + 1)
        return most[: first(most, lambda width: self._room(width) < wanted)]

    def most(self, width: int) -> int:
        """Most links between two full groups that the ports leave beside local ones of a width."""
        room = self._room(width)
        tried = range(1, room * self.routers + 1)
        return first(tried, lambda links: global_ports(links, self.groups, self.routers, self.last) > room)

    def between(self, width: int) -> range:
        """Links between two full groups beside local ones of a width: all numbers that ports and bounds leave."""
        local, most = width * (self.routers - 1), range(1, self.most(width) + 1)
        if self.ports_asked is not None:
            asked = self.ports_asked * self.routers // (self.groups - 1)
            return range(asked, asked + (asked in most and self._is_enough(local, asked)))
        return most[first(most, lambda links: self._is_enough(local, links)) :]

    def _room(self, width: int) -> int:
        """Ports for global links in the cages that down ports and local links leave."""
        return (self.cages - math.ceil(width * (self.routers - 1) / self.per_cage)) * self.per_cage

    def _is_enough(self, local: int, links: int) -> bool:
        """Whether no bound is broken by `local` ports of a router and so many links between groups.

        Only what full routers say to each other is counted; all routers may carry it.
        """
        everybody = self.routers * (self.groups - 1) + self.last
        across = links * (self.groups - 1) / self.routers
        far = max(0.0, self.full - self.routers - across)
        own, share = min(self.routers, self.full), self.per_pair * self.full / everybody
        of_other = min(self.routers, self.full - own)
        shared = share_of_last(links, self.routers, self.last) if self.groups == FEWEST_GROUPS else links
        return (
            shared + _ROUNDING >= self.per_pair * own * of_other
            and local + _ROUNDING >= share * far * (self.routers > 1)
            and local + across + _ROUNDING >= share * (self.full - 1 + far)
        )


def links_of(shape: DragonflyShape, request: Request, size: Size, router: Switch) -> Links:
    """What the ports of a shape allow, and what its endpoints want."""
    downs = router.ports_per_cage(shape.node_port_gbps)
    ports = shape.unit_nodes * (shape.node_ports // shape.leaves_per_unit)
    load = theta_asked(request) * ports**2 * shape.node_port_gbps / shape.uplink_gbps
    return Links(
        routers=shape.routers_per_group,
        last=shape.last_routers,
        groups=shape.groups,
        cages=router.cages.count - math.ceil(shape.down_ports / downs),
        per_cage=router.ports_per_cage(shape.uplink_gbps),
        full=size.growth_nodes // shape.unit_nodes * shape.leaves_per_unit,
        per_pair=load / max(1, size.growth_nodes * size.node_ports + size.attached_ports - 1),
        ports_asked=request.fabric.parameters.get("h"),
    )


def first(tried: range, holds: Callable[[int], bool]) -> int:
    """Place of the first number for which something holds, as it then does for all larger ones; their count if none."""
    return bisect_left(tried, 1, key=lambda number: int(holds(number)))


def soon(count: int, holds: Callable[[int], bool]) -> int | None:
    """The first of `count` places for which something holds, as it then nearly always does for all after it.

    Looks are dear and bounds leave little below the answer, so it is sought from the beginning in growing steps.
    """
    if not count or holds(0):
        return 0 if count else None
    if not holds(count - 1):
        return None
    fails, step = 0, 1
    while fails + step < count and not holds(fails + step):
        fails, step = fails + step, 2 * step
    tried = range(fails + 1, min(fails + step, count - 1))
    return tried.start + first(tried, holds)
