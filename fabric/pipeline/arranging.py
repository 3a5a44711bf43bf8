"""The arrangement of a dragonfly's global links, once places are known: that asked, or the cheapest that carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from fabric.catalog.load import Catalog
from fabric.errors import InfeasibleError, LimitReachedError
from fabric.floorplan.routes import Routes
from fabric.layout.arrangement import joined_anew
from fabric.layout.global_ends import Joined
from fabric.layout.lots import lots_of
from fabric.layout.market import Market, Shop, open_market
from fabric.layout.place import cost_at
from fabric.model.design import UNIT_WORDS
from fabric.model.network import Network
from fabric.model.request import Request
from fabric.model.shape import Shape
from fabric.model.topology import GLOBAL, Topology
from fabric.pipeline.laying import Dealt, Layout, Stand, lay_out
from fabric.pipeline.networks import planes_of
from fabric.pipeline.objective import Objective, Weighed
from fabric.pipeline.watch import amount
from fabric.topology._protocol import FAMILIES
from fabric.topology.global_links import OPTIMIZED
from fabric.topology.rewiring import Rewiring
from fabric.topology.size import Size

KEY = "fabric.parameters.arrangement"

DEALT = "global links: dealt by one arrangement"

SLOW = f"{KEY}: an even order of global links was passed over, for it does not carry uniform traffic"

CHOSEN = (
    "global links: even over the switches of both groups, their ends the best for the places of another arrangement"
)


@dataclass(frozen=True)
class Arranger:
    """Lays the global links of shapes of one request anew.

    Attributes:
        request: what is asked.
        size: of it.
        catalog: parts that may be used.
        shop: what is on offer for it.
        objective: what layouts are compared by.
        carries: whether a plane carries its traffic.
        breaks: why a layout is passed over, if it is.
    """

    request: Request
    size: Size
    catalog: Catalog
    shop: Shop
    objective: Objective
    carries: Callable[[Network], bool]
    breaks: Callable[[Weighed], str | None]

    def __call__(self, shape: Shape, built: Topology, layout: Layout, work_limit: int) -> Weighed:
        """The layout with its global links where they cost least; as it is where those are dearer or do not carry.

        `built` is the port map of the shape with regular ports. From the places that switches have, better ones are
        looked for within so much work.
        """
        if not layout.topology.of_kind(GLOBAL):
            return self._weighed(layout)
        named = self._weighed(_with(layout, DEALT))
        if self.request.fabric.parameters.get("arrangement", OPTIMIZED) != OPTIMIZED:
            return named
        stand = Stand(Routes(layout.floor_plan), layout.placement)
        for planes in joined_anew(layout.topology, layout.placement, stand.routes, self.request, self.catalog):
            wired = self._wired(shape, built, planes)
            if wired is None:
                named = replace(named, layout=_with(named.layout, note=SLOW))
                continue
            with suppress(InfeasibleError, LimitReachedError):
                market = self._market(wired, stand.routes)
                if self._least(wired, market, stand) >= named.worth.value[0]:
                    continue
                found = self._placed(wired, market, stand, work_limit)
                if found.worth.value < named.worth.value and self.breaks(found) is None:
                    return self._noted(self._dealt(named, planes), found)
        return named

    def again(self, found: Weighed, work_limit: int) -> Weighed | None:
        """The layout with its places looked for longer, its global links where they are; None if those were dealt.

        Raises:
            InfeasibleError, LimitReachedError: it finds no places.
        """
        layout = found.layout
        if layout.dealt is None or self.request.fabric.port_order == "free":
            return None
        stand = Stand(Routes(layout.floor_plan), layout.placement)
        market = self._market(layout.topology, stand.routes)
        return self._noted(layout.dealt, self._placed(layout.topology, market, stand, work_limit))

    def _weighed(self, layout: Layout) -> Weighed:
        return Weighed(layout, self.objective.of(layout.topology, layout.cabling))

    def _wired(self, shape: Shape, built: Topology, planes: Sequence[Joined]) -> Topology | None:
        """The port map with these ends of global links, if they carry the traffic of all nodes, and of all to come."""
        joining = FAMILIES[shape.family].joining
        if joining is None:
            return None
        rewiring = Rewiring(shape, joining, self.request, [pair for plane in planes for pair in plane.ends])
        grown, installed = self.size.growth_nodes, self.size.installed_nodes
        if grown != installed and not all(map(self.carries, rewiring.sketches(grown))):
            return None
        wired = rewiring.of(built, self.catalog)
        return wired if all(self.carries(plane.network) for plane in planes_of(wired)) else None

    def _market(self, topology: Topology, routes: Routes) -> Market:
        return open_market(topology, self.request, self.catalog, routes, self.shop)

    def _least(self, wired: Topology, market: Market, stand: Stand) -> int:
        """What a port map is worth at least by the first goal, its devices where they are."""
        switches = self.objective.of(wired, None).value[0]
        return switches + cost_at(wired, lots_of(market), stand.placement, stand.routes)

    def _placed(self, topology: Topology, market: Market, stand: Stand, work_limit: int) -> Weighed:
        """A topology with its switches in the best places found from those where they are on.

        Raises:
            InfeasibleError, LimitReachedError: none are found.
        """
        asked = self.request, self.size, self.catalog
        return self._weighed(lay_out(topology, *asked, stand, work_limit, market=market))

    def _dealt(self, named: Weighed, planes: Sequence[Joined]) -> Dealt:
        """The layout of a named arrangement, and by how much an even order may undercut the one found in its places."""
        return Dealt(
            str(named.layout.topology.parameters["arrangement"]),
            named.worth.value[0],
            sum(each.cost - each.bound_cost for each in planes),
            named.layout.notes,
        )

    def _noted(self, dealt: Dealt, free: Weighed) -> Weighed:
        """The layout with what its arrangement saves and what it took as given."""
        goal = self.objective.goals[0]
        saved = amount(dealt.value - free.worth.value[0], goal)
        note = (
            f"{KEY}: {OPTIMIZED}, which saves {saved:,.2f} {UNIT_WORDS[self.objective.unit(goal, free.worth)]} "
            f"against {dealt.arrangement}; in the places of that one no even order with as many links between two "
            f"switches is cheaper by more than {amount(dealt.unproved, goal):,.2f} (linear program, full cages)"
        )
        return replace(free, layout=_with(replace(free.layout, notes=dealt.notes, dealt=dealt), CHOSEN, note))


def _with(layout: Layout, fixed: str | None = None, note: str | None = None) -> Layout:
    """The layout with one thing more that its places took as given, and one more that a reader must know."""
    proof = layout.placement.termination
    if proof is not None and fixed is not None and fixed not in proof.fixed:
        proof = replace(proof, fixed=(*proof.fixed, fixed))
    notes = layout.notes if note is None else (*layout.notes, note)
    return replace(layout, placement=replace(layout.placement, termination=proof), notes=notes)
